/**
 * Reads letters that a PDF calls signs of Zapf Dingbats. pdfTeX names the glyphs of its bitmap fonts by their codes (`a101` for e), and
 * Ghostscript takes these names for those of the dingbats. Pure.
 */
import { languageByWords } from '../../../../text/language-words.ts';
import { readWordList } from '../../../../util/package-files.ts';

/** Minimum share of such signs in the characters of a page. Lists and forms have fewer. */
const SHARE_MIN = 0.3;
const LETTERS = new Map(readWordList('pdf/dingbats.txt').map((line) => line.split(' ') as [string, string]));

/** Returns the characters of a page with letters instead of the signs, if these are words of a language. */
export function withoutDingbats(characters: string[]): string[] {
  const count = characters.filter((character) => LETTERS.has(character)).length;
  if (count === 0 || count < SHARE_MIN * characters.filter((character) => /\S/.test(character)).length)
    return characters;
  const letters = characters.map((character, at) => {
    const letter = LETTERS.get(character) ?? character;
    // pdfium writes this character where a word was hyphenated at the end of a line.
    return letter === '-' && letter !== character && /[\r\n]/.test(characters[at + 1] ?? '') ? '\ufffe' : letter;
  });
  return languageByWords(letters.join(''), new Set()) === undefined ? characters : letters;
}
