/**
 * Stems Romanian words by Snowball's stemmer, and unites forms that Snowball keeps apart. Snowball removes endings only far from
 * the beginning of a word: `populat` and `populația` meet, `plecat` and `pleacă` do not. It also ignores that a vowel or the last
 * consonant changes with the ending: moarte, morți; seară, seri; stradă, străzi; crește, crescut; conduce, condus.
 */
import { stemmer } from '@orama/stemmers/romanian';
import { lazy } from '../../util/lazy.ts';
import { readWordList } from '../../util/package-files.ts';

/** Irregular plurals. */
const IRREGULAR: readonly (readonly [forms: RegExp, singular: string])[] = [
  [/^oameni(?:i|lor)?$/, 'om'],
  [/^copii(?:i|lor)?$/, 'copil'],
  [/^tiner(?:i|ii|ilor|e|ele|elor)$/, 'tânăr'],
  [/^numere(?:le|lor)?$/, 'număr'],
  [/^scri[eui]$/, 'scris'],
  [/^calcul$/, 'calcule'],
  [/^continuu$/, 'continuă'],
];
/** Returns the stem of a word that must not be shortened, because the rest would be another word. */
const wholeWords = lazy((): ReadonlyMap<string, string> => {
  const lines = readWordList('stems/ro/whole-words.txt').map((line) => line.split(' '));
  return new Map(lines.flatMap((forms) => forms.map((form) => [form, forms[0]!] as const)));
});
/** Neuter plurals: ziduri, titlurile. Feminine plurals that end alike have a t before -uri (culturi) or are in FEMININE. */
const NEUTER_PLURAL =
  /(?<=.{2}[^tţ]|venit|cost|port|drept|ţinut|m[aâ]nt|cont|gust|lanţ|început|sfârşit|împrumut|anunţ|preţ)uri(?:le|lor)?$/;
const FEMININE = /^(?:m[aă]sur|figur|procedur|armur|p[aă]dur|bro[sş]ur|bordur|fisur|cenzur|injur)/;
const GENITIVE = /(?<=.{3}e)(?:lui|i)$/;
/** Plurals of nouns made of verbs: lucrări, clădirile, nașteri. */
const VERBAL_PLURAL = /(?<=.{3})([ăi]|(?<=naşt|creşt|oaşt|g|(?<!li)d)e)ri(?:i|le|lor)?$/;
/** Nouns made of adjectives: înălțime. */
const MEASURE = /(?<=^(?:lung|înălţ|adânc|gros|vech|boier|mulţ))im(?:e|ea|i|ii|ile|ilor)$/;
/** Plurals of words that end in s: conduse, trimiși. Snowball takes the s for a part of the ending. */
const PLURAL_OF_S = /(?<=[dp]u|[hr]i|in|[eu]r|le)se(?:le|lor)?$|(?<=[aeiu])şi(?:i|lor)?$/;

const LAST_VOWELS = /([aăâeiîou][^aăâeiîou]+)(?<!^contin)[aăâeiîou]+$/;
/** Forms whose z is a d in other forms: străzi, brazi, crezi. Words that end in z do not match: cazuri, francezi. */
const SOFTENED_D = /(?:.{2}[^e]|^(?:cre|ume|repe|l[aă]|c[ăo]))zi(?:i|lor|le)?$/;
const PARTICIPLE = /(?<=.{4})(?<!^cred(?=i)|^stat(?=u))[aiu]t$/;
const DIPHTHONG = /(?<!^r(?=eal))([oe])a(?=[^aăâeiîou]{1,3}$)/;
const SOFT_PLURAL = /şti(?:i|lor|le)?$/;
/** Stems whose vowel is â in the singular: cuvinte, sfinți of cuvânt, sfânt. */
const RAISED_VOWEL = /(?<=[mvf])in[tţ]$/;
/** Verbs whose participle ends in s: conduce, condus; ajunge, ajuns; alege, ales. */
const WITH_S = /(?<=du|tor)c$|(?<=pu)n$|(?<=prin|spun|scun|clu|[hc]i)d$|(?<=[âi]n|[^l]un|.le|tru|tra|mer)g$|(?<=scri)$/;

/**
 * Returns the stem of a Romanian word, spelled with the cedilla (ş, ţ).
 *
 * @param word in lower case, with the comma (ș, ț) or the cedilla.
 */
export function stemRomanian(word: string): string {
  // Snowball knows only the cedilla.
  const spelled = word.replaceAll('ș', 'ş').replaceAll('ț', 'ţ');
  const whole = wholeWords().get(spelled);
  if (whole) return whole;
  const base = singular(spelled);
  let stem = (stemmer(base) || base).replace(PARTICIPLE, '').replace(LAST_VOWELS, '$1').replace(DIPHTHONG, '$1');
  if (stem.endsWith('z') && SOFTENED_D.test(spelled)) stem = `${stem.slice(0, -1)}d`;
  if (stem.endsWith('şt') && stem.length > 3 && !SOFT_PLURAL.test(spelled)) return `${stem.slice(0, -2)}sc`;
  return stem.replace(RAISED_VOWEL, 'ânt').replace(WITH_S, 's');
}

function singular(word: string): string {
  const irregular = IRREGULAR.find(([forms]) => forms.test(word));
  if (irregular) return irregular[1];
  if (PLURAL_OF_S.test(word)) return word.replace(PLURAL_OF_S, 's');
  const base = word
    .replace(GENITIVE, '')
    .replace(VERBAL_PLURAL, (_, vowel) => `${vowel === 'ă' ? 'a' : vowel}re`)
    .replace(MEASURE, '');
  return FEMININE.test(base) ? base : base.replace(NEUTER_PLURAL, '');
}
