/** What is written in the place of a match. */
import { createHmac } from 'node:crypto';
import type { RedactionAction } from './redaction-policy.ts';

/** Of the hash, in hexadecimal digits: 64 bits. */
const HASH_LENGTH = 16;
/** How an entity is grouped does not make it another one. */
const GROUPING = /[\s.\-/()]/g;

/**
 * @returns a function of the action, the label and the entity, that gives what replaces a match: its text in normal form
 * (normal-form.ts) goes in.
 */
export function openTokens(hashKey: Uint8Array) {
  return (action: RedactionAction, label: string, entity: string | null): ((match: string) => string) => {
    if (action === 'drop') return () => '';
    if (action !== 'hash') return () => `[${label}]`;
    return (match) => {
      const canonical = entity === null ? match : match.replaceAll(GROUPING, '').toLowerCase();
      const hash = createHmac('sha256', hashKey).update(`${label}\0${canonical}`).digest('hex');
      return `[${label}:${hash.slice(0, HASH_LENGTH)}]`;
    };
  };
}
