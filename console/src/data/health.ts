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

/** Whether LibreOffice is there; undefined while nobody knows: the settings only say that it may be used, and some keys may not ask. */
export function hasOffice(facts: ServiceFacts, checks: ServiceChecks | undefined): boolean | undefined {
  if (!facts.office) return false;
  return checks && (checks.checks.find(({ name }) => name === 'LibreOffice')?.fix ?? null) === null;
}
