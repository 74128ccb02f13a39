/** Cuts a text into tokens that can be compared: numbers, names, words, modifiers, and ends of sentences. */
import { stopWordsOf } from '../../text/analysis/stop-words.ts';
import { wordTerms } from '../../text/analysis/words.ts';
import { UNDETERMINED } from '../../text/analyzer.ts';
import { hasUse } from './function-words.ts';
import {
  MODIFIER_PARTS,
  type Modifier,
  modifierOf,
  NEGATED_VERB,
  NEGATING,
  NEGATION_PART,
  NEGATIVE_ENDING,
  partModifier,
  SIGN,
} from './modifiers.ts';
import { normalizeDigits, numbersAt, type Readings } from './numbers.ts';

export interface Token {
  /** Tokens with equal keys say the same. */
  key: string;
  /** The text of the token in lower case. */
  word: string;
  /** Null unless the token is a number. */
  readings: Readings | null;
  modifier: Modifier | undefined;
  /** False for function words, signs and ends of sentences. */
  isContent: boolean;
  /** True in scripts without capitals, where every word may be a name. */
  isCaseless: boolean;
  /** True for an identifier, and for a word whose capital shows that it is a name. */
  isName: boolean;
  /** True for the words before the colon at the start of a line: "Price: 20". */
  isLabel: boolean;
  /** True for the end of a sentence. */
  isEnd: boolean;
}

/** Scripts in which each character is a token. */
const UNSPACED = '[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}]';
/** A letter that is a name after a noun, as in "Plan B". */
const LETTER_NAME = /^(?!I$)\p{Lu}$/u;
/** The rest of an identifier from its first digit on: p21, S6, H1N1. */
const IDENTIFIER = /(?<=[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}])\d[\d\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}]*/u;
/** Titles and initials: the point after one of them ends no sentence. */
const TITLE = /(?<![\p{L}\p{M}\p{Nd}])(?:\p{Lu}|Dr|Mr|Mrs|Ms|Prof|St|Mt|Gen|Col|Capt|Lt|Sgt)/u;
/** The number of an ordinal such as "14. Juni": its point ends no sentence. */
const ORDINAL_DAY =
  /(?<!\d)\d{1,2}(?=\.\s+(?:Jan|Jän|Feb|Mär|Mar|Apr|Mai|Maj|Jun|Jul|Aug|Sep|Okt|Oct|Nov|Dez|Dec|Jahrhundert))/u;
/** Maximum UTF-16 units between a word of a label and the colon of the label. */
const LABEL_CHARACTERS_MAX = 40;
/** The start of a line with a label. Such a line is a sentence. */
const LABEL = /(?=[-*•\s]{0,8}\p{L}[^\n.!?:]{0,40}:\s)/u;
/** The text between a word of a label and the end of the label. */
const LABEL_REST = /^[^\n.!?:]*:\s/;
const PIECE = new RegExp(
  [
    `(?<part>${[NEGATION_PART, ...MODIFIER_PARTS.map(([pattern]) => pattern)].map((pattern) => pattern.source).join('|')})`,
    `(?<end>(?<!${TITLE.source}|${ORDINAL_DAY.source})[.!?。！？।॥؟۔\\n]+(?=\\s|$)|[。！？]|\\n${LABEL.source})`,
    `(?<character>${UNSPACED}\\p{M}*)`,
    '(?<katakana>[\\p{sc=Kana}ー・]+)',
    `(?<sign>${SIGN.source})`,
    `(?<word>[\\p{L}\\p{M}]+n['’]t(?!\\p{L})|(?:(?!${UNSPACED}|\\p{sc=Kana})[\\p{L}\\p{M}])+(?:${IDENTIFIER.source})?)`,
    '(?<range>(?<=\\d\\s?)[-–~〜](?=\\s?\\d))',
  ].join('|'),
  'gu',
);
const CASED = /[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{sc=Armn}]/u;
const HANGUL = /\p{sc=Hang}/u;
/** Korean particles at the end of a noun. */
const PARTICLE =
  /(?<=\p{sc=Hang})(?:에서는|으로는|에게서|에서|에게|으로|까지|부터|에는|보다|이며|이고|은|는|이|가|을|를|의|에|로|와|과|도)$/u;

/**
 * Returns the tokens of a text in reading order.
 *
 * @param language ISO 639-1 code, or null.
 */
export function tokensOf(text: string, language: string | null): Token[] {
  const normalized = normalizeDigits(text);
  const numbers = numbersAt(normalized, true).toSorted(
    (left, right) => left.start - right.start || right.end - left.end,
  );
  const tokens: Token[] = [];
  let from = 0;
  for (const { start, end, readings } of numbers) {
    if (start < from) continue; // this number lies inside the previous one
    addWords(tokens, normalized, from, start, language);
    tokens.push({ ...PLAIN, key: readings[0]!, word: normalized.slice(start, end), readings, isContent: true });
    from = end;
  }
  addWords(tokens, normalized, from, normalized.length, language);
  return tokens;
}

const PLAIN: Token = {
  key: '',
  word: '',
  readings: null,
  modifier: undefined,
  isContent: false,
  isCaseless: false,
  isName: false,
  isLabel: false,
  isEnd: false,
};

function addWords(tokens: Token[], text: string, start: number, end: number, language: string | null): void {
  PIECE.lastIndex = start;
  for (let match = PIECE.exec(text); match !== null && match.index < end; match = PIECE.exec(text)) {
    const [whole] = match;
    const { part, end: stop, character, katakana, sign, word, range } = match.groups!;
    if (stop !== undefined) tokens.push({ ...PLAIN, key: '.', word: '.', isEnd: true });
    else if (range !== undefined) tokens.push({ ...PLAIN, key: '-', word: '-' });
    else if (sign !== undefined) tokens.push({ ...PLAIN, key: whole, word: whole, modifier: modifierOf(whole) });
    else if (part !== undefined) tokens.push(partToken(whole));
    else if (katakana !== undefined)
      tokens.push({ ...PLAIN, key: whole, word: whole, isContent: true, isCaseless: true, isName: true });
    else if (character !== undefined) tokens.push(characterToken(whole));
    else if (word !== undefined) {
      const before = tokens.at(-1);
      const isLabel =
        (opensSentence(before) || before?.isLabel === true) &&
        LABEL_REST.test(text.slice(PIECE.lastIndex, PIECE.lastIndex + LABEL_CHARACTERS_MAX));
      tokens.push({ ...wordToken(word, before, language), isLabel });
    }
  }
}

function partToken(word: string): Token {
  const found = MODIFIER_PARTS.find(([pattern]) => pattern.test(word));
  const modifier = found === undefined ? NEGATING : partModifier(found[1], found[2]);
  return { ...PLAIN, key: `${modifier.kind} ${modifier.value}`, word, modifier, isCaseless: true };
}

function characterToken(word: string): Token {
  const isContent = !/\p{sc=Hira}/u.test(word) && !hasUse(word, 'filler');
  return { ...PLAIN, key: word, word, isContent, isCaseless: isContent };
}

function wordToken(written: string, before: Token | undefined, language: string | null): Token {
  const word = written.toLowerCase();
  const modifier = modifierIn(written);
  const isCaseless = !CASED.test(word);
  const isIdentifier = /\d/.test(word);
  const isLetterName = LETTER_NAME.test(written) && before?.isContent === true;
  const isFunction =
    (word.length === 1 && !isCaseless && !isLetterName) ||
    hasUse(word, 'filler') ||
    (stopWordsOf(language ?? 'en').has(word) && !isLetterName);
  const isContent = !isFunction && (modifier === undefined || modifier.isTopic);
  const key =
    modifier !== undefined && !modifier.isTopic
      ? `${modifier.kind} ${modifier.value}`
      : isIdentifier || NEGATIVE_ENDING.test(word)
        ? word
        : HANGUL.test(word)
          ? word.replace(PARTICLE, '')
          : wordTerms(word, language ?? UNDETERMINED)[0]!.term;
  const isName =
    isContent && (isIdentifier || (/^[\p{Lu}\p{Lt}]/u.test(written) && (language === 'de' || !opensSentence(before))));
  return { ...PLAIN, key, word, modifier, isContent, isCaseless: isCaseless && !isFunction, isName };
}

function modifierIn(written: string): Modifier | undefined {
  // "may" in lower case is the verb, not the month.
  if (written === 'may') return modifierOf('might');
  const word = written.toLowerCase();
  if (!HANGUL.test(word)) return modifierOf(word);
  const modifier = modifierOf(word) ?? modifierOf(word.replace(PARTICLE, ''));
  return modifier ?? (NEGATION_PART.test(word) ? NEGATED_VERB : undefined);
}

/** Returns true when a word after the token `before` opens a sentence: its capital then says nothing. */
function opensSentence(before: Token | undefined): boolean {
  return before === undefined || before.isEnd;
}
