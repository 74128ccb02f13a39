/** Finds addresses that contain a password, or a key in a parameter. */
import { patternFinder } from './pattern-finder.ts';

const LENGTH_MAX = 2_048;
const USER_AND_PASSWORD = /:\/\/[^\s/?#@:]*:[^\s/?#@]{1,256}@[^\s/?#@]/;
const SECRET_PARAMETER = new RegExp(
  [
    '[?&#;](?:access[_-]?token|refresh[_-]?token|id[_-]?token|auth[_-]?token|token|api[_-]?key|apikey|',
    'password|passwd|pwd|pass|secret|client[_-]?secret|signature|x-amz-signature|',
    String.raw`x-amz-security-token)=([^&#\s]{6,})`,
  ].join(''),
  'i',
);

export const credentialUrl = patternFinder({
  pattern:
    /(?<![\p{sc=Latn}\p{sc=Cyrl}\d+.-])[a-z][a-z\d+.-]{1,20}:\/\/[!#-&(-;=?-[\]_a-z~\p{sc=Latn}\p{sc=Cyrl}]{3,2000}/giu,
  accept(match, _text, start) {
    const url = match.replace(/[.,;:!?)\]]{1,20}$/, '');
    const isOne =
      USER_AND_PASSWORD.test(url) ||
      isSecret(SECRET_PARAMETER.exec(url)?.[1]) ||
      isSecret(KEY_PARAMETER.exec(url)?.[1]);
    return isOne ? { start, end: start + url.length } : { goOnAt: start + match.length };
  },
  members: /[!#-&(-;=?-[\]_a-z~\p{sc=Latn}\p{sc=Cyrl}]/iu,
  first: /[a-z]/i,
  needs: '://',
  longest: LENGTH_MAX,
});

/** These parameter names are ambiguous: only a long value counts. */
const KEY_PARAMETER = /[?&#;](?:key|sig|auth)=(?=[^&#\s]*\d)([^&#\s]{16,})/i;

/** Placeholders for a value are not secrets. */
function isSecret(value: string | undefined): boolean {
  return value !== undefined && !/^(?:your|my|the|xxx|\.\.\.|\*+|%3c|\$|example|placeholder|redacted)/i.test(value);
}
