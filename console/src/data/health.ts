/** Whether the service works, and what it can do. */
import type { Operations } from '../../../src/client/api.ts';
import { pinakes } from './api.ts';

export type ServiceFacts = Operations['getService']['response'];
export type ServiceChecks = Operations['checkService']['response'];

/** Returns whether the service is ready for requests, as a load balancer asks. */
export async function readReadiness(): Promise<boolean> {
  const response = await fetch('/readyz');
  return response.ok;
}

export function readChecks(): Promise<ServiceChecks> {
  return pinakes.checkService();
}

export function readService(): Promise<ServiceFacts> {
  return pinakes.getService();
}

/** Whether LibreOffice is there: the settings only say that it may be used, and only some keys may ask for more. */
export function hasOffice(facts: ServiceFacts, checks: ServiceChecks | undefined): boolean {
  return facts.office && (checks?.checks.find(({ name }) => name === 'LibreOffice')?.fix ?? null) === null;
}
