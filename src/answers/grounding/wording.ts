/** A text as the sequence of what it says: numbers, names, words, what modifies them, and where sentences end. Pure. */
import { stopWordsOf } from '../../text/analysis/stop-words.ts';
import { wordTerms } from '../../text/analysis/words.ts';
import { UNDETERMINED } from '../../text/analyzer.ts';
import {
  type Modifier,
  modifierOf,
  NEGATED_VERB,
  NEGATING,
  NEGATION_PART,
  NEGATIVE_ENDING,
  PARTS,
  partModifier,
  SIGN,
} from './modifiers.ts';
import { numbersAt, type Readings, readable } from './numbers.ts';

export interface Token {
  /** Equal for what says the same. */
  key: string;
  /** As written, in lower case. */
  word: string;
  /** Of a number. */
  readings: Readings | null;
  modifier: Modifier | undefined;
  /** It is what the text is about: no function word, sign or end. */
  isContent: boolean;
  /** Of a script without capitals, where every word may be a name. */
  isCaseless: boolean;
  /** It has a capital that only a name has. */
  isName: boolean;
  /** It opens a line up to a colon: "Price: 20". */
  isLabel: boolean;
  /** The end of a sentence. */
  isEnd: boolean;
}

/** A character is a word of its own in these. */
const UNSPACED = '[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}]';
/** After a noun, as in Plan B. */
const LETTER_NAME = /^(?!I$)\p{Lu}$/u;
/** What goes on in digits: p21, S6, H1N1. */
const IDENTIFIER = /(?<=[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}])\d[\d\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}]*/u;
/** The point after it ends no sentence; an initial is one too. */
const TITLE = /(?<![\p{L}\p{M}\p{Nd}])(?:\p{Lu}|Dr|Mr|Mrs|Ms|Prof|St|Mt|Gen|Col|Capt|Lt|Sgt)/u;
/** Nor does that of "14. Juni". */
const ORDINAL_DAY =
  /(?<!\d)\d{1,2}(?=\.\s+(?:Jan|Jän|Feb|Mär|Mar|Apr|Mai|Maj|Jun|Jul|Aug|Sep|Okt|Oct|Nov|Dez|Dec|Jahrhundert))/u;
/** How far after a word of a label its colon is looked for, in UTF-16 units. */
const LABEL_CHARACTERS_MAX = 40;
/** A line that begins with a label is another sentence. */
const LABEL = /(?=[-*•\s]{0,8}\p{L}[^\n.!?:]{0,40}:\s)/u;
/** What follows a word of a label. */
const LABEL_REST = /^[^\n.!?:]*:\s/;
const PIECE = new RegExp(
  [
    `(?<part>${[NEGATION_PART, ...PARTS.map(([pattern]) => pattern)].map((pattern) => pattern.source).join('|')})`,
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
/** Han characters that join or mark others. */
const HAN_FUNCTION = new Set(
  '的了在是为為于於之和与與及或也就都而其这這那此以所被把将將对對从從由则則并並但且该該等着著过過得地又再还還',
);
/** Korean words that join others. */
const HANGUL_FUNCTION = new Set('그 이 저 및 등 수 것 그리고 또는 또한 때 더 후'.split(' '));
/** Endings of Korean nouns that mark their part in the sentence. */
const PARTICLE =
  /(?<=\p{sc=Hang})(?:에서는|으로는|에게서|에서|에게|으로|까지|부터|에는|보다|이며|이고|은|는|이|가|을|를|의|에|로|와|과|도)$/u;

/** @param language ISO 639-1, or null. */
export function tokensOf(text: string, language: string | null): Token[] {
  const normal = readable(text);
  const numbers = numbersAt(normal, true).toSorted((left, right) => left.start - right.start || right.end - left.end);
  const tokens: Token[] = [];
  let from = 0;
  for (const { start, end, readings } of numbers) {
    if (start < from) continue; // within the number before
    addWords(tokens, normal, from, start, language);
    tokens.push({ ...PLAIN, key: readings[0]!, word: normal.slice(start, end), readings, isContent: true });
    from = end;
  }
  addWords(tokens, normal, from, normal.length, language);
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
        (opens(before) || before?.isLabel === true) &&
        LABEL_REST.test(text.slice(PIECE.lastIndex, PIECE.lastIndex + LABEL_CHARACTERS_MAX));
      tokens.push({ ...wordToken(word, before, language), isLabel });
    }
  }
}

function partToken(word: string): Token {
  const found = PARTS.find(([pattern]) => pattern.test(word));
  const modifier = found === undefined ? NEGATING : partModifier(found[1], found[2]);
  return { ...PLAIN, key: `${modifier.kind} ${modifier.value}`, word, modifier, isCaseless: true };
}

function characterToken(word: string): Token {
  const isContent = !/\p{sc=Hira}/u.test(word) && !HAN_FUNCTION.has(word);
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
    HANGUL_FUNCTION.has(word) ||
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
    isContent && (isIdentifier || (/^[\p{Lu}\p{Lt}]/u.test(written) && (language === 'de' || !opens(before))));
  return { ...PLAIN, key, word, modifier, isContent, isCaseless: isCaseless && !isFunction, isName };
}

function modifierIn(written: string): Modifier | undefined {
  // The month has a capital.
  if (written === 'may') return modifierOf('might');
  const word = written.toLowerCase();
  if (!HANGUL.test(word)) return modifierOf(word);
  const known = modifierOf(word) ?? modifierOf(word.replace(PARTICLE, ''));
  return known ?? (NEGATION_PART.test(word) ? NEGATED_VERB : undefined);
}

/** The first word of a sentence has a capital in any case. */
function opens(before: Token | undefined): boolean {
  return before === undefined || before.isEnd;
}
