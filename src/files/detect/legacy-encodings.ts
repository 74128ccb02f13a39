/**
 * Guesses the encoding of text that is neither Unicode nor declared.
 *
 * Each candidate encoding decodes the sample. The encoding wins whose text is the most likely text of its language. The model
 * is the frequency of single characters, which distinguishes encodings from a few dozen characters on.
 *
 * The npm package chardet was weighed. On quarters of the sentences of decode.test.ts (about 20 characters) it is right in 79
 * of 105 cases, and this module in 105. It does not know cp866 and finds no UTF-16 without a mark.
 */

import { lazy } from '../../util/lazy.ts';
import { readWordList, readWordLists } from '../../util/package-files.ts';
import { dosDecoder } from './dos-encodings.ts';

/** What the texts of one language, or of several with the same letters, look like in an encoding. */
interface EncodingModel {
  encoding: string;
  /** Letters by falling frequency, with their share of all non-ASCII characters. */
  letters: readonly (readonly [chars: string, share: number])[];
  /** Matches the letters of the script that are not listed. */
  otherLetters?: RegExp;
  /** `foreign` for a script other than Latin, whose letters do not occur inside ASCII words; `rare` for an encoding of old machines. */
  kind: string;
}

/** The letters of scripts that have very many. */
const MANY_LETTERS: Record<string, RegExp> = { han: /[\u4e00-\u9fff]/, hangul: /[\uac00-\ud7a3]/ };

/** The models, made at the first text whose encoding is unknown. */
const models = lazy((): readonly EncodingModel[] => {
  const frequent = readWordLists('letter-frequency');
  const lettersOf = (names: string) =>
    names
      .split('+')
      .map((name) => frequent.get(name.slice(1))?.join('') ?? name)
      .join('');
  return readWordList('encodings/models.txt').map((line) => {
    const [encoding = '', kind = '', ...lists] = line.split(' ');
    const letters = lists.flatMap((names, i) =>
      i % 2 === 0 ? [[lettersOf(names), Number(lists[i + 1])] as const] : [],
    );
    const otherLetters = MANY_LETTERS[kind];
    return { encoding, letters, kind, ...(otherLetters && { otherLetters }) };
  });
});

/** The models for names of files, which are those of DOS first. */
const nameModels = lazy((): readonly EncodingModel[] => {
  const others = models().filter(({ encoding, kind }) => kind !== 'rare' && !encoding.startsWith('utf-16'));
  const dos = models().filter(({ encoding, kind }) => kind === 'rare' && encoding.startsWith('ibm'));
  return [...dos.map((model) => ({ ...model, kind: '' })), ...others];
});

/** Natural logarithms of probabilities. */
const ASCII_COST = -3;
const OTHER_LETTER_COST = -9;
const OTHER_CHAR_COST = -11;
const MALFORMED_COST = -16;
/** For a no-break space, in all languages: its byte is a frequent letter in the encodings of DOS. */
const NO_BREAK_COST = -2;
/**
 * For a capital directly after a small letter, one of them beyond ASCII, for an opening mark after a letter, for a quote within a
 * word, and for a no-break space between letters. A wrong code page often produces them.
 */
const CASE_COST = -3;
const POWER_GAIN = 3;
/** A text of another script has more than one sign beyond ASCII. Texts of DOS and of old Macs are rare today. */
const PRIORS: Record<string, number> = { foreign: -4, rare: -6 };
/** For a letter of another script directly beside a Latin letter. */
const MIXED_COST = -4;
/** Names are so short that another encoding than the usual one has to be this much likelier. */
const NAMES_LEAD_MIN = 4;
/** Only this many bytes are decoded. A character that this end cuts is ignored. */
const SAMPLE_BYTES_MAX = 16 * 1024;

/** Returns the most likely encoding: a WHATWG label, or one of `dosDecoder`. */
export function guessLegacyEncoding(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, SAMPLE_BYTES_MAX);
  return hasIso2022Escape(sample) ? 'iso-2022-jp' : mostLikely(sample, models()).encoding;
}

/** Returns a decoder for names of files. Those of DOS are the usual ones. */
export function nameDecoder(sample: Uint8Array): (bytes: Uint8Array) => string {
  const start = sample.subarray(0, SAMPLE_BYTES_MAX);
  const found = mostLikely(start, nameModels());
  const usual = nameModels()[0]!;
  const lead = likelihood(decodeWith(found, start), found) - likelihood(decodeWith(usual, start), usual);
  const { encoding } = lead < NAMES_LEAD_MIN ? usual : found;
  return dosDecoder(encoding) ?? ((bytes) => new TextDecoder(encoding).decode(bytes));
}

/** Returns the first of the models that fit a text best. */
function mostLikely(sample: Uint8Array, candidates: readonly EncodingModel[]): EncodingModel {
  let best = candidates[0]!;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const model of candidates) {
    const score = likelihood(decodeWith(model, sample), model) + (PRIORS[model.kind] ?? 0);
    if (score > bestScore) {
      best = model;
      bestScore = score;
    }
  }
  return best;
}

function decodeWith({ encoding }: EncodingModel, bytes: Uint8Array): string {
  const stream = bytes.length >= SAMPLE_BYTES_MAX;
  return dosDecoder(encoding)?.(bytes) ?? new TextDecoder(encoding).decode(bytes, { stream });
}

/** True if the bytes contain an escape sequence of ISO-2022-JP, an encoding in ASCII bytes. */
export function hasIso2022Escape(bytes: Uint8Array): boolean {
  for (let i = bytes.indexOf(0x1b); i !== -1; i = bytes.indexOf(0x1b, i + 1)) {
    const after = String.fromCharCode(bytes[i + 1] ?? 0, bytes[i + 2] ?? 0);
    if (after === '$B' || after === '$@' || after === '(J' || after === '(I') return true;
  }
  return false;
}

const NO_BREAK = '\u00a0';
const QUOTES = /[”“„«»]/;
const LATIN = /\p{sc=Latn}/u;
const COSTS = new Map<EncodingModel, Map<string, number>>();

function likelihood(text: string, model: EncodingModel): number {
  const costs = costsOf(model);
  let score = 0;
  let before = '';
  let second = '';
  for (const char of `${text}\n`) {
    if (char === NO_BREAK) score += NO_BREAK_COST;
    else score += char < '\x80' ? ASCII_COST : (costs.get(char) ?? costOfRare(char, model));
    if (before === NO_BREAK && /\p{L}/u.test(char) && /\p{L}/u.test(second)) score += CASE_COST;
    if ((char >= '\x80' || before >= '\x80') && isCapital(char) && isSmall(before)) score += CASE_COST;
    if (/[¿¡]/.test(char) && /\p{L}/u.test(before)) score += CASE_COST;
    if (model.kind === 'foreign' && isMixed(before, char)) score += MIXED_COST;
    // A power of a metre. Alone, other code pages read it as one of their letters.
    if (/[²³]/.test(before) && second === 'm' && !/[\p{L}\p{N}]/u.test(char)) score += POWER_GAIN;
    if (QUOTES.test(before) && LATIN.test(char) && LATIN.test(second)) score += CASE_COST;
    second = before;
    before = char;
  }
  return score;
}

/** Returns the logarithm of each listed letter's frequency: Zipf's law within a list, scaled to the list's share. */
function costsOf(model: EncodingModel): Map<string, number> {
  const known = COSTS.get(model);
  if (known) return known;
  const costs = new Map<string, number>();
  for (const [chars, share] of model.letters) {
    const list = [...new Set(chars)];
    const weights = list.map((_, rank) => 1 / (rank + 4));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    for (const [rank, char] of list.entries()) {
      if (char >= '\x80' && !costs.has(char)) costs.set(char, Math.log((share * weights[rank]!) / total));
    }
  }
  COSTS.set(model, costs);
  return costs;
}

function costOfRare(char: string, model: EncodingModel): number {
  if (char === '\ufffd' || (char >= '\x80' && char < '\xa0') || /\p{Co}/u.test(char)) return MALFORMED_COST;
  if (model.otherLetters?.test(char)) return OTHER_LETTER_COST;
  return OTHER_CHAR_COST;
}

function isMixed(left: string, right: string): boolean {
  return (/[a-z]/i.test(left) && right >= '\xc0') || (left >= '\xc0' && /[a-z]/i.test(right));
}

function isCapital(char: string): boolean {
  return char !== char.toLowerCase();
}

function isSmall(char: string): boolean {
  return char !== char.toUpperCase();
}
