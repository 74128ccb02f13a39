/** Finds keys: keys with a known form, values after words such as `api_key =`, and blocks of private keys. */
import { readApiKey } from '../../access/api-key.ts';
import type { Finder } from '../redaction-session.ts';
import { patternFinder } from './pattern-finder.ts';
import { privateKey } from './private-key.ts';

const FORMS = [
  'pk_[0-9A-Za-z]{61}', // our own, with a checksum
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}', // AWS
  'gh[pousr]_[A-Za-z0-9]{36,251}', // GitHub
  'github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}',
  'gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{20,64}', // GitLab
  'xox[abeoprs]-[A-Za-z0-9-]{10,146}', // Slack
  'xapp-\\d-[A-Za-z0-9-]{20,146}',
  'hooks\\.slack\\.com/services/T[A-Z0-9]{6,12}/B[A-Z0-9]{6,12}/[A-Za-z0-9]{20,30}',
  '[rs]k_(?:live|test)_[A-Za-z0-9]{16,247}', // Stripe
  'whsec_[A-Za-z0-9+/=]{24,64}',
  'AIza[A-Za-z0-9_-]{35}', // Google
  'ya29\\.[A-Za-z0-9_-]{20,512}',
  'GOCSPX-[A-Za-z0-9_-]{28}',
  'sk-(?:proj-|svcacct-|admin-|ant-(?:api\\d\\d-|admin\\d\\d-)?|or-v1-)?[A-Za-z0-9_-]{20,200}', // OpenAI, Anthropic
  'hf_[A-Za-z0-9]{34}', // Hugging Face
  'npm_[A-Za-z0-9]{36}',
  'pypi-[A-Za-z0-9_-]{50,250}',
  'SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}', // SendGrid
  'do[opr]_v1_[a-f0-9]{64}', // DigitalOcean
  'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}', // Shopify
  'ntn_[A-Za-z0-9]{40,50}', // Notion
  'secret_[A-Za-z0-9]{43}',
  'SK[0-9a-f]{32}', // Twilio
  '\\d{8,10}:AA[A-Za-z0-9_-]{33}', // Telegram
  'eyJ[A-Za-z0-9_-]{10,1024}\\.eyJ[A-Za-z0-9_-]{10,4096}\\.[A-Za-z0-9_-]{16,1024}', // JWT
  'glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}', // Grafana
  'dapi[a-f0-9]{32}', // Databricks
  'hvs\\.[A-Za-z0-9_-]{24,128}', // Vault
];
const LONGEST = 6_200;
/** Minimum entropy of the random part, in bits per character. Words and `xxxx…` have less. */
const ENTROPY_MIN = 2.8;
const HEX_ENTROPY_MIN = 2.5;

const knownForm = patternFinder({
  pattern: new RegExp(`(?<![A-Za-z0-9_-])(?:${FORMS.join('|')})(?![A-Za-z0-9_])`, 'g'),
  accept(match) {
    if (match.startsWith('pk_')) return readApiKey(match) !== undefined;
    if (match.startsWith('eyJ')) return isJwt(match);
    // Words with hyphens can begin in the same way.
    if (/^(?:sk|xox.|pypi)-/.test(match) && !/\d/.test(match)) return false;
    return isRandom(match);
  },
  members: /[A-Za-z0-9._/:=+-]/,
  first: /[A-Za-z0-9]/,
  longest: LONGEST,
});

const NAME = [
  '(?:api[_-]?key|apikey|x-api-key|secret[_-]?(?:access[_-]?)?key|access[_-]?key|private[_-]?key|',
  'client[_-]?secret|app[_-]?secret|auth[_-]?token|access[_-]?token|refresh[_-]?token|bearer[_-]?token|',
  'secret|token|password|passwd|pwd)',
].join('');
const BEHIND_NAME = new RegExp(
  `(?:${NAME}["'\`]?[ \t]{0,2}(?:=>|:=|=|:)[ \t]{0,2}|authorization: ?)["'\`]?(?:bearer |basic |token )?$`,
  'i',
);
const BEARER = /\bbearer $/i;

/** Accepts a value that the text calls a key only if it looks random: texts also contain `token: string`. */
const namedValue = patternFinder({
  pattern: /(?<=[=: \t"'`>])[A-Za-z0-9_+/.~=-]{16,256}(?![A-Za-z0-9_+/=-])/gi,
  accept(match, text, start) {
    const before = text.slice(Math.max(0, start - 48), start);
    if (!BEHIND_NAME.test(before) && !BEARER.test(before)) return { goOnAt: start + match.length };
    const value = match.replace(/\.+$/, '');
    return isRandom(value) && /\d/.test(value) && /[A-Za-z]/.test(value)
      ? { start, end: start + value.length }
      : { goOnAt: start + match.length };
  },
  members: /[A-Za-z0-9_+/.~=-]/,
  first: /[A-Za-z0-9_+/.~=-]/,
  longest: 260,
});

const parts: readonly Finder[] = [knownForm, namedValue, privateKey];

export const apiKey: Finder = {
  scan(text, from, until, found) {
    for (const part of parts) part.scan(text, from, until, found);
    return Math.max(from, until);
  },
  openFrom: (text, from) => Math.min(...parts.map((part) => part.openFrom(text, from))),
};

function isRandom(key: string): boolean {
  const body = key.replace(/^(?:[a-z]{2,10}[_-])+/i, '');
  const text = body.length >= 12 ? body : key;
  if (/example|placeholder|your|xxxx|\*\*\*|0000000|1234567890|abcdefgh|insert/i.test(text)) return false;
  return entropy(text) >= (/^[\da-f]+$/i.test(text) ? HEX_ENTROPY_MIN : ENTROPY_MIN);
}

function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

function isJwt(token: string): boolean {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString('utf8'));
    return typeof header === 'object' && header !== null && ('alg' in header || 'enc' in header);
  } catch {
    return false;
  }
}
