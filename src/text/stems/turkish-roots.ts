/**
 * Turkish words that the stemmer must know: verbs, because endings of nouns and of verbs look alike; nouns whose own end looks like an
 * ending (`insan`, `altın`, `ordu`); nouns that lose a vowel before endings (`şehir`, `şehri`). Other words are stemmed by rule.
 */
import { lazy } from '../../util/lazy.ts';
import { readWordList } from '../../util/package-files.ts';
import { fold } from '../fold.ts';

export interface TurkishRoots {
  verbs: ReadonlySet<string>;
  nouns: ReadonlySet<string>;
  /** Nouns by their form before a vowel, without the vowel: `şehr` -> `şehir`. */
  changedNouns: ReadonlyMap<string, string>;
  unitsMax: number;
  /** Stems of roots that would fold to the stem of an earlier root (`ol`, `öl`). They end with `q`, which Turkish does not have. */
  distinctStems: ReadonlyMap<string, string>;
}

/** Returns the Turkish roots. */
export const turkishRoots = lazy((): TurkishRoots => {
  const verbs = new Set(readWordList('stems/tr/verbs.txt'));
  const changed = readWordList('stems/tr/changed-nouns.txt').map((line) => line.split(' '));
  const nouns = new Set([...changed.map(([noun = '']) => noun), ...readWordList('stems/tr/nouns.txt')]);
  const roots = [...new Set([...nouns, ...verbs])];
  return {
    verbs,
    nouns,
    changedNouns: new Map(changed.map(([noun = '', accusative = '']) => [accusative.slice(0, -1), noun])),
    unitsMax: Math.max(...roots.map((root) => root.length)),
    distinctStems: distinctStemsOf(roots),
  };
});

function distinctStemsOf(roots: readonly string[]): Map<string, string> {
  const used = new Set<string>();
  const distinct = new Map<string, string>();
  for (const root of roots) {
    let stem = root;
    while (used.has(fold(stem))) stem += 'q';
    used.add(fold(stem));
    if (stem !== root) distinct.set(root, stem);
  }
  return distinct;
}
