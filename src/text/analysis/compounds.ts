/** German compounds taken apart: Gerichtsverfahren is also about Verfahren. With a list of nouns, no corpus: the same for all. */

import { fold } from '../fold.ts';
import { stem } from '../stems/stems.ts';
import { COMPOUND_PARTS_DE } from './compound-parts-de.ts';

const WORD_UNITS_MIN = 8;
const WORD_UNITS_MAX = 48;
/** Of a part, and of what remains of it without the letters that link it to the next. */
const PART_UNITS_MIN = 4;
const LINKED_UNITS_MIN = 3;
const PART_UNITS_MAX = 18;
const LINKS = ['', 's', 'es', 'n', 'en', 'er', 'ns'];

interface Split {
  /** Stems, in order. */
  parts: string[];
  /** Of ways with equally many parts, that with the longest is taken. */
  squares: number;
}

interface Lexicon {
  /** Stems of what a compound may end with. */
  heads: ReadonlySet<string>;
  /** What it may begin with, without linking letters. */
  modifiers: ReadonlySet<string>;
}

let lexicon: Lexicon | undefined;

/** Folded stems of the parts of a lower-case German word, or none when it is no compound of known words. */
export function compoundParts(word: string): readonly string[] {
  if (word.length < WORD_UNITS_MIN || word.length > WORD_UNITS_MAX) return [];
  lexicon ??= readLexicon(COMPOUND_PARTS_DE);
  return split(word, lexicon);
}

/** Nouns in lower case, separated by blanks. */
export function readLexicon(nouns: string): Lexicon {
  const heads = new Set<string>();
  const modifiers = new Set<string>();
  for (const noun of nouns.split(' ')) {
    heads.add(stemOf(noun));
    modifiers.add(noun);
    if (noun.endsWith('e')) modifiers.add(noun.slice(0, -1));
  }
  return { heads, modifiers };
}

export function split(word: string, { heads, modifiers }: Lexicon): readonly string[] {
  /** How what begins at each place is best taken apart, from the end on. */
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
