/**
 * Reads characters of fonts that do not say which characters they show. pdfium then returns the code of the character in the font. The
 * codes of three kinds of fonts are known; a language tells which kind it is. Pure.
 */
import { hasFunctionWord, languageByWords } from '../../../../text/language-words.ts';
import { readWordList } from '../../../../util/package-files.ts';

/** Letters of unmapped fonts below which a page is left as it is: formulas and drawings use such fonts for signs. */
const LETTERS_MIN = 40;
/** A page with a larger share of letters that cannot be read is like a page without text. */
const UNREADABLE_SHARE_MIN = 0.3;
/** In TrueType fonts the blank is glyph 3. If it is more than this share of all codes, they are numbers of glyphs. */
const BLANK = '\u0003';
const BLANK_SHARE_MIN = 0.05;
/** Control codes stand for letters if they are more than this share of all codes. */
const CONTROL_SHARE_MAX = 0.15;
/** Cyrillic letters have the codes of Latin letters with accents, of which Latin words have no four in a row. */
const CYRILLIC_WORDS = /[À-ÿ]{4,}/g;
/** Slavic languages have this share of vowels. The codes of Thai, Greek and Hebrew would have fewer. */
const CYRILLIC_VOWELS_SHARE = [0.36, 0.5] as const;
/** Share of function words in a running text whose letters were changed by a guess. */
const FUNCTION_WORDS_MIN = 0.12;
/** Share of vowels in a text of Latin letters, and of words of four letters or more that have one. */
const VOWELS_SHARE = [0.28, 0.6] as const;
const WITH_VOWEL_MIN = 0.9;
const WORDS_MIN = 20;
/** Share of words with a capital inside, as in `mAen`: codes of Indian scripts have more, and names of programs have fewer. */
const INNER_CAPITALS_MAX = 0.6;
const CONTROL = /[\0-\u0008\u000b\u000c\u000e-\u001f]/;

export interface Readable {
  characters: string[];
  /** Words of unmapped fonts that are a part of the page, as pdfium returns them. */
  unmapped?: { words: string; isReadable: boolean };
}

/** Returns the characters of a page. `isUnmapped` tells which of them are codes. */
export function readUnmapped(text: string, isUnmapped: (unit: number) => boolean): Readable {
  const characters = text.split('');
  const codes = characters.map((character, unit) => (character > ' ' || CONTROL.test(character)) && isUnmapped(unit));
  const count = codes.filter(Boolean).length;
  const signs = () => characters.map((character) => SIGNS[character] ?? character);
  if (count < LETTERS_MIN) return { characters: signs() };
  const words = characters.map((character, unit) => (codes[unit] ? character : ' ')).join('');
  const hasBlanks = words.split(BLANK).length - 1 > BLANK_SHARE_MIN * count;
  const isCyrillic = hasLetters(words) && isCyrillicText(words);
  if (!isCyrillic && !hasBlanks && hasLetters(words) && languageOf(words) !== undefined)
    return { characters: withLigatures(signs(), codes), unmapped: { words, isReadable: true } };
  const reading = isCyrillic ? ofCyrillic : glyphReading(Array.from(words, ofGlyph).join(''));
  if (reading) {
    const decoded = characters.map((character, unit) => (codes[unit] ? reading(character) : character));
    return { characters: isCyrillic ? withUkrainianI(decoded) : decoded };
  }
  const all = text.match(/\S/g)?.length ?? 0;
  const isPart = count >= UNREADABLE_SHARE_MIN * all;
  return { characters: signs(), ...(isPart ? { unmapped: { words, isReadable: false } } : {}) };
}

/** Returns whether words in the codes of TeX have vowels as Slavic languages have. Lists have no function words that would tell. */
function isCyrillicText(words: string): boolean {
  const letters = Array.from(words.match(CYRILLIC_WORDS)?.join('') ?? '', ofCyrillic);
  const share = letters.filter((letter) => /[аеёиоуыэюяіїє]/i.test(letter)).length / letters.length;
  const [least, most] = CYRILLIC_VOWELS_SHARE;
  return letters.length >= LETTERS_MIN && share >= least && share <= most;
}

/** Returns how to read numbers of glyphs that give this text, or undefined. An opening quotation mark in a word is an apostrophe. */
function glyphReading(text: string): ((code: string) => string) | undefined {
  if (!isRunningText(text)) return undefined;
  return /\p{L}‘\p{L}/u.test(text) ? ofGlyphWithoutSpace : ofGlyph;
}

/** TeX writes ligatures as control codes, between letters of the same font: `signi\u001ccant`. */
function withLigatures(characters: readonly string[], codes: readonly boolean[]): string[] {
  const isLetter = (unit: number) => codes[unit] === true && /[a-z]/i.test(characters[unit]!);
  return characters.map((character, unit) => {
    const ligature = codes[unit] ? LIGATURES[character] : undefined;
    const isInWord =
      (isLetter(unit - 1) || isLetter(unit + 1)) && [-2, -1, 1, 2].filter((step) => isLetter(unit + step)).length > 1;
    return ligature !== undefined && isInWord ? ligature : character;
  });
}

/** Returns whether many words are function words of one language. */
function isRunningText(text: string): boolean {
  const language = languageOf(text);
  if (language === undefined) return false;
  const words = text.match(/\p{L}+/gu) ?? [];
  return words.filter((word) => hasFunctionWord(word, language)).length >= FUNCTION_WORDS_MIN * words.length;
}

/** The pages of a file that have words of unmapped fonts. */
export class UnmappedPages {
  private readonly pages = new Map<number, NonNullable<Readable['unmapped']>>();

  add(index: number, unmapped: NonNullable<Readable['unmapped']>): void {
    this.pages.set(index, unmapped);
  }

  /** Returns the pages that cannot be read. A page of a readable file may have no word that tells its language: a table, a program. */
  unreadable(): number[] {
    const found = [...this.pages].filter(([, { isReadable }]) => !isReadable);
    const text = found.map(([, { words }]) => words).join('\n');
    const isLikeOthers = found.length * 2 < this.pages.size || languageOf(text) !== undefined;
    return hasLetters(text) && (isLikeOthers || isPronounceable(text)) ? [] : found.map(([index]) => index);
  }
}

/** Returns whether few codes are controls. */
function hasLetters(codes: string): boolean {
  const controls = codes.match(new RegExp(CONTROL, 'g'))?.length ?? 0;
  return controls <= CONTROL_SHARE_MAX * (codes.match(/[^ \n]/g)?.length ?? 0);
}

/** Returns whether words have vowels as words of programs have, too. Letters in the wrong place have fewer, or only some. */
function isPronounceable(text: string): boolean {
  const words = text.toLowerCase().match(/(?<!\S)[^\sa-z]{0,2}[a-z]{4,}/g) ?? [];
  const letters = words.join('').replace(/[^a-z]/g, '');
  const vowels = letters.match(/[aeiouy]/g)?.length ?? 0;
  const [least, most] = VOWELS_SHARE;
  return (
    words.length >= WORDS_MIN &&
    vowels >= least * letters.length &&
    vowels <= most * letters.length &&
    words.filter((word) => /[aeiouy]/.test(word)).length >= WITH_VOWEL_MIN * words.length &&
    (text.match(/(?<!\p{L})\p{Ll}+\p{Lu}/gu)?.length ?? 0) < INNER_CAPITALS_MAX * words.length
  );
}

function languageOf(text: string): string | undefined {
  return languageByWords(text, new Set());
}

/** Returns the characters by their codes, of the lines of `font-codes.txt` that begin with `kind`. */
function signsOf(kind: string): Readonly<Record<string, string>> {
  const lines = FONT_CODES.map((line) => line.split(' ')).filter(([first]) => first === kind);
  return Object.fromEntries(
    lines.map(([, code = '', sign = '']) => [String.fromCodePoint(Number.parseInt(code, 16)), sign]),
  );
}

const FONT_CODES = readWordList('pdf/font-codes.txt');
const MAC = new TextDecoder('macintosh');

/** Number of the glyph of the no-break space, which some fonts leave out. */
const NO_BREAK_SPACE_GLYPH = 172;

/** Reads the number of a glyph in the order of Macintosh fonts, which most TrueType fonts keep: the blank is 3, `A` is 36. */
function ofGlyph(code: string): string {
  const number = code.charCodeAt(0);
  if (number < 3 || number > 225) return code;
  return number < 98 ? String.fromCharCode(number + 29) : MAC.decode(Uint8Array.of(number + 30));
}

/** As `ofGlyph`, for a font without a glyph of the no-break space. */
function ofGlyphWithoutSpace(code: string): string {
  return ofGlyph(code.charCodeAt(0) < NO_BREAK_SPACE_GLYPH ? code : String.fromCharCode(code.charCodeAt(0) + 1));
}

/** TeX's encoding of Cyrillic (T2A): letters as in Windows, and some signs elsewhere. */
const CYRILLIC = new TextDecoder('windows-1251');
const CYRILLIC_SIGNS = signsOf('cyrillic');

/** TeX sets the Ukrainian і with the letter i. */
function withUkrainianI(characters: readonly string[]): string[] {
  const isCyrillic = (letter: string | undefined) => letter !== undefined && /\p{sc=Cyrl}/u.test(letter);
  return characters.map((character, unit) => {
    const isInWord = isCyrillic(characters[unit - 1]) || isCyrillic(characters[unit + 1]);
    return isInWord ? character.replace('i', 'і').replace('I', 'І') : character;
  });
}

function ofCyrillic(code: string): string {
  const number = code.charCodeAt(0);
  return CYRILLIC_SIGNS[code] ?? (number >= 0xc0 && number <= 0xff ? CYRILLIC.decode(Uint8Array.of(number)) : code);
}

/** Codes of ligatures in fonts of TeX: OT1 and T1. */
const LIGATURES = signsOf('ligature');
/** Codes that are signs in most fonts, as in Windows and in TeX; `\u0003` is none. */
const SIGNS = signsOf('sign');
