/** Light stemming of Arabic: removes conjunctions, articles and inflectional endings, and leaves roots as they are. */
import { fold } from '../fold.ts';

const MARKS = /[\u0640\u064b-\u0652\u0670]/g;
/** Prefixes, the longest first. Two letters must remain after a prefix, and three after the conjunction و alone. */
const PREFIXES = ['وبال', 'فبال', 'وكال', 'وال', 'بال', 'كال', 'فال', 'ولل', 'ال', 'لل'];
/** Endings behind ة, which is written ت before them: مكتبتها, مكتبتان. */
const FEMININE = /(?<=.{3})ت(?:ه(?:ما|م|ن|ا)?|ان|ين)$/;
const POSSESSED = /(?<=.{3})ه(?:ما|م|ن)$/;
/** The alef of countries and adverbs, which their adjectives lack: سوريا and سوري, رسميا and رسمي. */
const ALEF_OF_ADJECTIVE = /(?<=.{3}ي)ا$/;
const SUFFIXES = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'ه', 'ي'];
/** An ending that remains before the ending of an adjective. إيران loses it too, so إيراني must lose it. */
const BEFORE_ADJECTIVE = /(?<=..)(?:ان|ون|ين)$/;

/**
 * Returns the folded light stem of an Arabic word. Writers often omit the hamza or madda of an alef. Where they write it, as in ألعاب,
 * the letters are no article ال, so articles are removed before the word is folded.
 */
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
