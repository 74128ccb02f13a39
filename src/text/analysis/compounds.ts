/**
 * Splits German compounds: Gerichtsverfahren is also found by Verfahren. The split uses a fixed list of nouns and no corpus, so
 * a word has the same parts in every index.
 *
 * The list, `data/compound-parts/de.txt`, is made by scripts/compound-parts.ts from Wikidata Lexemes (CC0) and word frequencies
 * of the Leipzig Corpora Collection (CC BY 4.0). NOTICE has the citation.
 */

import { readWordList } from '../../util/package-files.ts';
import { fold } from '../fold.ts';
import { stem } from '../stems/stems.ts';

const WORD_UNITS_MIN = 8;
const WORD_UNITS_MAX = 48;
/** Minimum length of a part with its linking letters. */
const PART_UNITS_MIN = 4;
/** Minimum length of a part without its linking letters, and of the stem of the last part. */
const LINKED_UNITS_MIN = 3;
const PART_UNITS_MAX = 18;
/** Letters that link a part to the next one. */
const LINKS = ['', 's', 'es', 'n', 'en', 'er', 'ns'];

interface Split {
  /** Folded stems, in order. */
  parts: string[];
  /** Sum of the squared lengths of the parts. Among splits into equally many parts, the highest sum wins. */
  squares: number;
}

interface Lexicon {
  /** Stems of the nouns that a compound may end with. */
  heads: ReadonlySet<string>;
  /** Nouns that may stand before another part, without linking letters. */
  modifiers: ReadonlySet<string>;
}

let lexicon: Lexicon | undefined;

/** Returns the folded stems of the parts of a lower-case German word; empty if the word is no compound of listed nouns. */
export function compoundParts(word: string): readonly string[] {
  if (word.length < WORD_UNITS_MIN || word.length > WORD_UNITS_MAX) return [];
  lexicon ??= buildLexicon(readWordList('compound-parts/de.txt'));
  return split(word, lexicon);
}

/** Returns the lexicon of `nouns`, which are in lower case. */
export function buildLexicon(nouns: readonly string[]): Lexicon {
  const heads = new Set<string>();
  const modifiers = new Set<string>();
  for (const noun of nouns) {
    heads.add(stemOf(noun));
    modifiers.add(noun);
    if (noun.endsWith('e')) modifiers.add(noun.slice(0, -1));
  }
  return { heads, modifiers };
}

/** Returns the folded stems of the parts of `word`; empty if there is no split into parts of the lexicon. */
export function split(word: string, { heads, modifiers }: Lexicon): readonly string[] {
  /** The best split of the rest of the word from each offset on; filled from the end. */
  const splits: (Split | undefined)[] = [];
  for (let start = word.length - PART_UNITS_MIN; start >= 0; start -= 1) {
    const head = start > 0 ? stemOf(word.slice(start)) : '';
    let best: Split | undefined =
      head.length >= LINKED_UNITS_MIN && heads.has(head) ? { parts: [head], squares: head.length ** 2 } : undefined;
    for (let end = start + LINKED_UNITS_MIN; end <= word.length - PART_UNITS_MIN; end += 1) {
      if (end - start > PART_UNITS_MAX) break;
      const rest = splits[end];
      const modifier = rest && withoutLink(word.slice(start, end), modifiers);
      if (!rest || modifier === undefined) continue;
      const found = { parts: [stemOf(modifier), ...rest.parts], squares: modifier.length ** 2 + rest.squares };
      if (!best || isBetter(found, best)) best = found;
    }
    splits[start] = best;
  }
  return splits[0]?.parts ?? [];
}

function isBetter(a: Split, b: Split): boolean {
  return a.parts.length < b.parts.length || (a.parts.length === b.parts.length && a.squares > b.squares);
}

function withoutLink(part: string, modifiers: ReadonlySet<string>): string | undefined {
  for (const link of LINKS) {
    if (!part.endsWith(link)) continue;
    const bare = part.slice(0, part.length - link.length);
    if (bare.length >= LINKED_UNITS_MIN && modifiers.has(bare)) return bare;
  }
  return undefined;
}

function stemOf(word: string): string {
  return fold(stem(word, 'latin', 'de'));
}
