import { inLanguage } from './of-service.ts';
import { ofServiceDe } from './of-service-de.ts';
import { originsDe } from './origins-de.ts';
import { reasonsDe } from './reasons-de.ts';

export const serviceTextsDe: Readonly<Record<string, string>> = { ...ofServiceDe, ...reasonsDe, ...originsDe };
/** Returns an English text of the service in German. */
export const saidDe = inLanguage(serviceTextsDe);
