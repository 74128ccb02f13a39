/** Light stemming of Arabic: conjunctions, articles and inflectional endings go, roots are left alone. */
import { fold } from './fold.ts';

/** Longest first. A prefix goes when two letters remain after it (three after the conjunction و alone). */
const PREFIXES = ['وبال', 'فبال', 'وكال', 'وال', 'بال', 'كال', 'فال', 'ولل', 'ال', 'لل'];
/** ة is ت before what is theirs: مكتبتها. */
const FEMININE_POSSESSED = /(?<=.{3})ته(?:ما|م|ن|ا)?$/;
const POSSESSED = /(?<=.{3})ه(?:ما|م|ن)$/;
const SUFFIXES = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'ه', 'ي'];

/** Alef with hamza or madda is written as bare alef as often as not; `fold` has taken the hamza off. */
export function stemArabic(word: string): string {
  let stem = fold(word);
  const prefix = PREFIXES.find((p) => stem.startsWith(p) && stem.length - p.length >= 2);
  if (prefix) stem = stem.slice(prefix.length);
  else if (stem.startsWith('و') && stem.length >= 4) stem = stem.slice(1);
  if (FEMININE_POSSESSED.test(stem)) return stem.replace(FEMININE_POSSESSED, '');
  stem = stem.replace(POSSESSED, '');
  for (const suffix of SUFFIXES) {
    if (stem.endsWith(suffix) && stem.length - suffix.length >= 2) stem = stem.slice(0, -suffix.length);
  }
  return stem;
}
