/** Light stemming of Arabic: conjunctions, articles and inflectional endings go, roots are left alone. */
import { fold } from '../fold.ts';

const MARKS = /[\u0640\u064b-\u0652\u0670]/g;
/** Longest first. A prefix goes when two letters remain after it (three after the conjunction و alone). */
const PREFIXES = ['وبال', 'فبال', 'وكال', 'وال', 'بال', 'كال', 'فال', 'ولل', 'ال', 'لل'];
/** ة is ت before other endings: مكتبتها, مكتبتان. */
const FEMININE = /(?<=.{3})ت(?:ه(?:ما|م|ن|ا)?|ان|ين)$/;
const POSSESSED = /(?<=.{3})ه(?:ما|م|ن)$/;
/** Of countries, and of what is so: سوريا and سوري, رسميا and رسمي. */
const ALEF_OF_ADJECTIVE = /(?<=.{3}ي)ا$/;
const SUFFIXES = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'ه', 'ي'];
/** إيران has lost it, and so must إيراني. */
const BEFORE_ADJECTIVE = /(?<=..)(?:ان|ون|ين)$/;

/** Alef with hamza or madda is written as bare alef as often as not, but where it is written ال is no article: ألعاب. */
export function stemArabic(word: string): string {
  let stem = word.replace(MARKS, '');
  const prefix = PREFIXES.find((p) => stem.startsWith(p) && stem.length - p.length >= 2);
  if (prefix) stem = stem.slice(prefix.length);
  else if (stem.startsWith('و') && stem.length >= 4) stem = stem.slice(1);
  stem = fold(stem);
  if (FEMININE.test(stem)) return stem.replace(FEMININE, '');
  stem = stem.replace(POSSESSED, '').replace(ALEF_OF_ADJECTIVE, '');
  for (const suffix of SUFFIXES) {
    if (!stem.endsWith(suffix) || stem.length - suffix.length < 2) continue;
    stem = stem.slice(0, -suffix.length);
    if (suffix === 'يه' || suffix === 'ي') stem = stem.replace(BEFORE_ADJECTIVE, '');
  }
  return stem;
}
