/** Reads the text of a page in reading order, with the place of each character in pdfium. */
import type { Area } from './area.ts';
import { type Boxes, hasAccents, withAccents } from './characters/accents.ts';
import { type Place, withRaisedMarks } from './characters/raised.ts';
import { blanksInWords, hasSpacedLetters } from './characters/spaced-letters.ts';
import { type Readable, readUnmapped } from './characters/unmapped.ts';
import { baseLine, boxOf, fontSize, type PdfiumModule, utf16, withMemory } from './pdfium.ts';
import { hasRightToLeft, readingOrder } from './right-to-left.ts';

export interface PageText {
  text: string;
  /** Returns pdfium's index of the character that has a UTF-16 unit of the text. */
  indexOf(unit: number): number;
  /** Returns the first unit of pdfium's character; -1 if the text lacks it. */
  unitOf(index: number): number;
}

export function readPageText(module: PdfiumModule, textPage: number): PageText & Pick<Readable, 'unmapped'> {
  const count = textPage ? module._FPDFText_CountChars(textPage) : 0;
  const raw = count <= 0 ? '' : rawText(module, textPage, count);
  const mapped = withoutCodes(module, textPage, raw, charIndices(module, textPage, raw, count), count);
  const words = withoutFalseBlanks(module, textPage, mapped.text, mapped.indices);
  const { text, indices } = raised(
    module,
    textPage,
    accented(module, textPage, withoutCodeBlanks(module, textPage, words)),
  );
  const rest = mapped.unmapped ? { unmapped: mapped.unmapped } : {};
  if (!hasRightToLeft(text))
    return { text, indexOf: (unit) => indices[unit]!, unitOf: (at) => indices.indexOf(at), ...rest };
  const read = readingOrder(text, boxesOf(module, textPage, indices));
  const ordered = read.order.map((unit) => indices[unit]!);
  return { text: read.text, indexOf: (unit) => ordered[unit]!, unitOf: (at) => ordered.indexOf(at), ...rest };
}

function rawText(module: PdfiumModule, textPage: number, count: number): string {
  return withMemory(module, (count + 1) * 2, (buffer) => {
    const length = module._FPDFText_GetText(textPage, 0, count, buffer);
    return length > 1 ? utf16(module, buffer, (length - 1) * 2) : '';
  });
}

/** Maps units of the text to pdfium's indices, which also count characters that are missing from the text. */
function charIndices(module: PdfiumModule, textPage: number, text: string, count: number): Int32Array {
  const indices = new Int32Array(text.length);
  let character = -1;
  for (let unit = 0; unit < text.length; unit += 1) {
    if ((text.charCodeAt(unit) & 0xfc00) !== 0xdc00) character += 1;
    indices[unit] = count === text.length ? unit : module._FPDFText_GetCharIndexFromTextIndex(textPage, character);
  }
  return indices;
}

/** A text, and pdfium's index of the character of each of its units. */
interface Characters {
  text: string;
  indices: Int32Array;
}

/** Returns the text with characters instead of the codes that pdfium returns for them. */
function withoutCodes(
  module: PdfiumModule,
  textPage: number,
  raw: string,
  rawIndices: Int32Array,
  count: number,
): Characters & Pick<Readable, 'unmapped'> {
  const { text, indices } = withOmitted(module, textPage, raw, rawIndices, count);
  const isUnmapped = (unit: number) => module._FPDFText_HasUnicodeMapError(textPage, indices[unit]!) === 1;
  const { characters, unmapped } = readUnmapped(text, isUnmapped);
  return { ...join(characters, indices), ...(unmapped ? { unmapped } : {}) };
}

/** pdfium leaves these codes out of the text of a page. They can be blanks, quotation marks and dashes. */
const OMITTED = /[\u0003\u0093\u0094\u0096\u0097]/;

function withOmitted(
  module: PdfiumModule,
  textPage: number,
  raw: string,
  rawIndices: Int32Array,
  count: number,
): Characters {
  if (count === raw.length) return { text: raw, indices: rawIndices };
  const present = new Uint8Array(count);
  for (const index of rawIndices) present[index] = 1;
  const characters: string[] = [];
  const indices: number[] = [];
  let next = 0;
  for (let unit = 0; unit <= raw.length; unit += 1) {
    const until = unit < raw.length ? rawIndices[unit]! : count;
    for (; next < until; next += 1) {
      const code = String.fromCharCode(module._FPDFText_GetUnicode(textPage, next) & 0xffff);
      if (present[next] || !OMITTED.test(code)) continue;
      characters.push(code);
      indices.push(next);
    }
    if (unit === raw.length) break;
    characters.push(raw[unit]!);
    indices.push(until);
  }
  return { text: characters.join(''), indices: Int32Array.from(indices) };
}

/** Joins characters to a text; a character can have several units, or none. */
function join(characters: readonly string[], indices: Int32Array): Characters {
  const units = characters.flatMap((character, at) => Array.from({ length: character.length }, () => indices[at]!));
  return { text: characters.join(''), indices: Int32Array.from(units) };
}

/** A gap is wider than those between letters if it exceeds their median by this factor. */
const LETTER_GAP_FACTOR = 1.15;
/** The median gap between letters that are spaced out, as a share of their height. In texts seen it was 0.09 to 0.2. */
const SPACED_OUT = { min: 0.05, max: 0.3 };
const LETTER_PAIR = /^[\p{L}\p{N}]{2}$/u;

/**
 * Removes blanks that pdfium added inside words. Text recognition spaces the letters of a word out and often writes the last letter by
 * a command of its own; pdfium takes the space before that letter for the end of the word.
 */
function withoutFalseBlanks(module: PdfiumModule, textPage: number, text: string, indices: Int32Array): Characters {
  const boxAt = boxReader(module, textPage, indices);
  const gapAt = (before: number, after: number) => boxAt(after).left - boxAt(before).right;
  const dropped = new Set<number>();
  let word: number[] = [];
  for (const { 0: letters, index: start } of text.matchAll(/\S+/g)) {
    const blank = start - 1;
    const own = Array.from({ length: letters.length - 1 }, (_, at) => start + at).filter((unit) =>
      LETTER_PAIR.test(text.slice(unit, unit + 2)),
    );
    const isAdded = text[blank] === ' ' && module._FPDFText_IsGenerated(textPage, indices[blank]!) === 1;
    const gaps = isAdded ? (word.length > 0 ? word : own).map((unit) => gapAt(unit, unit + 1)) : [];
    const usual = gaps.sort((a, b) => a - b)[gaps.length >> 1] ?? 0;
    const share = usual === 0 ? 0 : usual / heightOf(boxAt(start));
    const gap = share >= SPACED_OUT.min && share <= SPACED_OUT.max ? gapAt(blank - 1, start) : -1;
    if (gap >= 0 && gap <= usual * LETTER_GAP_FACTOR) dropped.add(blank);
    word = own;
  }
  return dropped.size === 0 ? { text, indices } : without(dropped, text.split(''), indices);
}

/** Returns the text without some of its characters. */
function without(dropped: ReadonlySet<number>, characters: readonly string[], indices: Int32Array): Characters {
  return join(
    characters.map((character, unit) => (dropped.has(unit) ? '' : character)),
    indices,
  );
}

/** Removes blanks between the letters of program code. */
function withoutCodeBlanks(module: PdfiumModule, textPage: number, { text, indices }: Characters): Characters {
  if (!hasSpacedLetters(text)) return { text, indices };
  const blanks = blanksInWords(text, boxesOf(module, textPage, indices), addedIn(module, textPage, indices));
  return blanks.size === 0 ? { text, indices } : without(blanks, text.split(''), indices);
}

/** Returns a function that tells whether pdfium added a character. */
function addedIn(module: PdfiumModule, textPage: number, indices: Int32Array): (unit: number) => boolean {
  return (unit) => module._FPDFText_IsGenerated(textPage, indices[unit]!) === 1;
}

/** Puts accents that TeX wrote as characters of their own on their letters. */
function accented(module: PdfiumModule, textPage: number, { text, indices }: Characters): Characters {
  if (!hasAccents(text)) return { text, indices };
  const boxes = boxesOf(module, textPage, indices);
  const { characters, dropped } = withAccents(text, boxes, addedIn(module, textPage, indices));
  return dropped.size === 0 ? { text, indices } : without(dropped, characters, indices);
}

/** Marks exponents and marks of notes. */
function raised(module: PdfiumModule, textPage: number, { text, indices }: Characters): Characters {
  if (hasRightToLeft(text)) return { text, indices };
  const boxAt = boxReader(module, textPage, indices);
  const placeOf = (unit: number): Place => {
    const { left, right } = boxAt(unit);
    const index = indices[unit]!;
    return { size: fontSize(module, textPage, index), base: baseLine(module, textPage, index), left, right };
  };
  const objectOf = (unit: number) => module._FPDFText_GetTextObject(textPage, indices[unit]!);
  const characters = withRaisedMarks(text, { objectOf, placeOf, isAdded: addedIn(module, textPage, indices) });
  return characters ? join(characters, indices) : { text, indices };
}

function heightOf({ top, bottom }: Area): number {
  return top - bottom;
}

/** Reads the boxes of all characters; a character without a place has none. */
function boxesOf(module: PdfiumModule, textPage: number, indices: Int32Array): Record<keyof Boxes, Float32Array> {
  const empty = () => new Float32Array(indices.length).fill(Number.NaN);
  const boxes = { left: empty(), right: empty(), bottom: empty(), size: empty() };
  const boxAt = boxReader(module, textPage, indices);
  for (let unit = 0; unit < indices.length; unit += 1) {
    const { left, right, bottom } = boxAt(unit);
    boxes.left[unit] = left;
    boxes.right[unit] = right;
    boxes.bottom[unit] = bottom;
    boxes.size[unit] = fontSize(module, textPage, indices[unit]!);
  }
  return boxes;
}

const NO_BOX = { left: Number.NaN, right: Number.NaN, bottom: Number.NaN, top: Number.NaN };

/** Returns a function for the box of a unit's character; NaN for a character without a place. */
function boxReader(module: PdfiumModule, textPage: number, indices: Int32Array): (unit: number) => Area {
  return (unit) => boxOf(module, textPage, indices[unit]!) ?? NO_BOX;
}
