/** Stored secrets, without their values. */
import type { Operations } from '../../../src/client/api.ts';

export type Secret = Operations['getSecret']['response'];
export const SECRETS = 'secrets';
