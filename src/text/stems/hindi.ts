/** Stems Hindi words by Snowball's light stemmer, and unites forms that Snowball keeps apart. */
import { stemmer } from '@orama/stemmers/indian';

/** The causative suffix of verbs: बनवाया is stemmed like बनाया. */
const CAUSATIVE = /(?<=..)वा(?=(?:या|ना|नी|ने|ता|ती|ते|ई|ए|कर|एगा|एगी|एंगे)$)/;
/** A vowel behind a consonant that some writers write with a glide: नई, नयी; रुपए, रुपये. */
const WITHOUT_GLIDE = /(?<=[क-ह])[ईए]$/;
/** The end of चिड़िया and of चिड़ियाँ without the ending of the plural. */
const DIMINUTIVE = /(?<=..)िय$/;

/**
 * Returns the stem of a Hindi word.
 *
 * @param word folded, because Snowball knows भाषाएं but not भाषाएँ.
 */
export function stemHindi(word: string): string {
  const letters = word.replace(CAUSATIVE, 'ा').replace(WITHOUT_GLIDE, (vowel) => (vowel === 'ई' ? 'यी' : 'ये'));
  const stem = stemmer(letters).replace(DIMINUTIVE, '');
  // The stem of a short word such as खाना would be one consonant, and one consonant is shared by words such as गाना and गई.
  return stem.length > 1 ? stem : letters.slice(0, 2);
}
