/** Letters of a text with their places: what two readings of one page have in common, whatever blanks and hyphens they have. Pure. */

export interface Letters {
  /** Letters and digits only, in one form. */
  folded: string;
  /** The UTF-16 index in the text of each unit of `folded`. */
  at: number[];
}

const LETTER = /[\p{L}\p{N}]/u;

export function lettersOf(text: string): Letters {
  let folded = '';
  const at: number[] = [];
  for (let index = 0; index < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(index)!);
    for (const letter of character.normalize('NFKC').toLowerCase()) {
      if (!LETTER.test(letter)) continue;
      folded += letter;
      for (let unit = 0; unit < letter.length; unit += 1) at.push(index);
    }
    index += character.length;
  }
  return { folded, at };
}

/** Returns all places where `part` occurs, also those that overlap; at most `max`. */
export function occurrences(text: string, part: string, max: number): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0 && part !== '' && found.length < max; at = text.indexOf(part, at + 1))
    found.push(at);
  return found;
}
