/** The texts that replace matches. */
import { createHmac } from 'node:crypto';
import type { RedactionAction } from './redaction-policy.ts';

/** Length of the hash in hexadecimal digits: 64 bits. */
const HASH_LENGTH = 16;
/** Separators that do not change the value of an entity. */
const GROUPING = /[\s.\-/()]/g;

/**
 * Returns a function of the action, the label and the entity. Its result is a function from the text of a match, in canonical form
 * (canonical-text.ts), to the replacement.
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
