/**
 * Puts accents on their letters. TeX sets `ü` as two characters, `¨` and `u`, in one place, and pdfium returns them one after the other
 * or far apart, with blanks around the accent. Pure.
 */

/** Boxes of characters by index of the text; NaN for a character without a box. */
export interface Boxes {
  left: ArrayLike<number>;
  right: ArrayLike<number>;
  bottom: ArrayLike<number>;
  /** Font size. Boxes of fonts made of pictures can be far higher. */
  size: ArrayLike<number>;
}

/** Accents that stand alone, and the same accents on a letter. */
const ON_LETTER: Readonly<Record<string, string>> = {
  '`': '\u0300',
  '´': '\u0301',
  ˊ: '\u0301',
  ˋ: '\u0300',
  '^': '\u0302',
  ˆ: '\u0302',
  '~': '\u0303',
  '˜': '\u0303',
  '¯': '\u0304',
  ˉ: '\u0304',
  '˘': '\u0306',
  '˙': '\u0307',
  '¨': '\u0308',
  '˚': '\u030a',
  '°': '\u030a',
  '˝': '\u030b',
  ˇ: '\u030c',
  '¸': '\u0327',
  '˛': '\u0328',
};
const ACCENT = /[`´ˊˋ^ˆ~˜¯ˉ˘˙¨˚°˝ˇ¸˛]/g;
const DOTLESS: Readonly<Record<string, string>> = { ı: 'i', ȷ: 'j' };
/** Distance of the middles of accent and letter, and of their base lines, as a share of the font size. */
const MIDDLES_SHARE_MAX = 0.12;
const LIFT_SHARE_MAX = 0.4;
/** Only letters carry accents: an accent in the place of another belongs to the letter under both. */
const LETTER = /\p{Lu}|\p{Ll}/u;
/** Units before and after an accent where its letter is looked for. */
const REACH_UNITS = 500;
/** A wider gap between two letters is a blank. */
const BLANK_SHARE_MIN = 0.15;

export function hasAccents(text: string): boolean {
  return text.search(ACCENT) !== -1;
}

/**
 * Returns the characters of the text with accents on their letters, and which characters remain. `isAdded` tells whether pdfium added a
 * blank.
 */
export function withAccents(
  text: string,
  boxes: Boxes,
  isAdded: (unit: number) => boolean,
): { characters: string[]; dropped: Set<number> } {
  const characters = text.split('');
  const dropped = new Set<number>();
  for (const { 0: accent, index } of text.matchAll(ACCENT)) {
    const letter = letterUnder(index, ON_LETTER[accent]!, characters, boxes, text);
    if (letter === undefined) continue;
    characters[letter] = onLetter(characters[letter]!, ON_LETTER[accent]!)!;
    dropped.add(index);
  }
  let done = 0;
  for (const accent of [...dropped]) if (accent >= done) done = dropFalseBlanks(accent);
  return { characters, dropped };

  /** Drops blanks beside a run of accents that do not separate words. Returns the end of the run. */
  function dropFalseBlanks(accent: number): number {
    const isSkipped = (unit: number) => dropped.has(unit) || (text[unit] === ' ' && isAdded(unit));
    let [before, after] = [accent - 1, accent + 1];
    while (isSkipped(before)) before -= 1;
    while (isSkipped(after)) after += 1;
    const blanks = Array.from({ length: after - before - 1 }, (_, at) => before + 1 + at).filter(
      (unit) => !dropped.has(unit),
    );
    const gap = boxes.left[after]! - boxes.right[before]!;
    const isWord = Math.abs(gap) < BLANK_SHARE_MIN * boxes.size[accent]!;
    for (const blank of isWord ? blanks : blanks.slice(1)) dropped.add(blank);
    return after;
  }
}

/** Returns the letter in the place of an accent, in its line or a line beside it. */
function letterUnder(
  accent: number,
  mark: string,
  characters: readonly string[],
  boxes: Boxes,
  text: string,
): number | undefined {
  const middle = (boxes.left[accent]! + boxes.right[accent]!) / 2;
  const size = boxes.size[accent]!;
  const before = text
    .slice(Math.max(0, accent - REACH_UNITS), accent)
    .split('\n')
    .slice(-2)
    .join('\n');
  const after = text
    .slice(accent, accent + REACH_UNITS)
    .split('\n', 2)
    .join('\n');
  let best: number | undefined;
  let least = MIDDLES_SHARE_MAX * size;
  for (let unit = accent - before.length; unit < accent + after.length; unit += 1) {
    const distance = Math.abs((boxes.left[unit]! + boxes.right[unit]!) / 2 - middle);
    const lift = Math.abs(boxes.bottom[accent]! - boxes.bottom[unit]!);
    if (!(distance < least && lift <= LIFT_SHARE_MAX * size) || onLetter(characters[unit]!, mark) === undefined)
      continue;
    best = unit;
    least = distance;
  }
  return best;
}

/** Returns the letter with the accent, or undefined if no alphabet has it. */
function onLetter(letter: string, mark: string): string | undefined {
  if (!LETTER.test(letter)) return undefined;
  const joined = `${DOTLESS[letter] ?? letter}${mark}`.normalize('NFC');
  return joined.length === 1 ? joined : undefined;
}
