/** Light stemming of Arabic: conjunctions, articles and inflectional endings go, roots are left alone. */
import { fold } from './fold.ts';

/** Longest first. A prefix goes when two letters remain after it (three after the conjunction و alone). */
const PREFIXES = ['وال', 'بال', 'كال', 'فال', 'ولل', 'ال', 'لل'];
const SUFFIXES = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'ه', 'ي'];

/** Alef with hamza or madda is written as bare alef as often as not; `fold` has taken the hamza off. */
export function stemArabic(word: string): string {
  let stem = fold(word);
  const prefix = PREFIXES.find((p) => stem.startsWith(p) && stem.length - p.length >= 2);
  if (prefix) stem = stem.slice(prefix.length);
  else if (stem.startsWith('و') && stem.length >= 4) stem = stem.slice(1);
  for (const suffix of SUFFIXES) {
    if (stem.endsWith(suffix) && stem.length - suffix.length >= 2) stem = stem.slice(0, -suffix.length);
  }
  return stem;
}
