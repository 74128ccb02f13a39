/** Snowball's light stemmer of Hindi, and what it leaves apart. */
import { stemmer } from '@orama/stemmers/indian';

/** Of verbs that have others act: बनवाया is बनाया. */
const CAUSATIVE = /(?<=..)वा(?=(?:या|ना|नी|ने|ता|ती|ते|ई|ए|कर|एगा|एगी|एंगे)$)/;
/** Behind a consonant a glide is written or not: नई, नयी; रुपए, रुपये. */
const WITHOUT_GLIDE = /(?<=[क-ह])[ईए]$/;
/** चिड़िया, as चिड़ियाँ without the ending of the plural. */
const DIMINUTIVE = /(?<=..)िय$/;

/** `word` is folded: Snowball knows भाषाएं, not भाषाएँ. */
export function stemHindi(word: string): string {
  const letters = word.replace(CAUSATIVE, 'ा').replace(WITHOUT_GLIDE, (vowel) => (vowel === 'ई' ? 'यी' : 'ये'));
  const stem = stemmer(letters).replace(DIMINUTIVE, '');
  // Of खाना and खाया nothing would be left but the consonant, which गाना shares with गई.
  return stem.length > 1 ? stem : letters.slice(0, 2);
}
