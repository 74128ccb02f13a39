/**
 * Romanian stems: Snowball's, and what it leaves apart. It takes endings off only far enough from the beginning of a word (`populat`
 * and `populația` meet, `plecat` and `pleacă` do not), and does not know that a vowel or the last consonant changes with the
 * ending: moarte, morți; seară, seri; stradă, străzi; crește, crescut; conduce, condus.
 */
import { stemmer } from '@orama/stemmers/romanian';

/** Plurals that are formed like no others. */
const IRREGULAR: readonly (readonly [forms: RegExp, singular: string])[] = [
  [/^oameni(?:i|lor)?$/, 'om'],
  [/^copii(?:i|lor)?$/, 'copil'],
  [/^tiner(?:i|ii|ilor|e|ele|elor)$/, 'tânăr'],
  [/^numere(?:le|lor)?$/, 'număr'],
  [/^scri[eui]$/, 'scris'],
  [/^calcul$/, 'calcule'],
  [/^continuu$/, 'continuă'],
];
/** Of these nothing would remain that is not another word: mare, șir, cor, rad, id, stat. The first of each is the stem. */
const WHOLE = new Map(
  [
    'maria mariei',
    'siria siriei',
    'india indiei',
    'coreea coreei',
    'mario',
    'radio radioul radioului radiouri radiourile radiourilor',
    'video videoul videoului videouri videourile videourilor',
    'idee ideea idei ideii ideile ideilor',
    'statuie statuia statuiei statui statuii statuile statuilor',
    'numai',
    'doar',
  ].flatMap((line) => line.split(' ').map((form, _, [stem]) => [form, stem!] as const)),
);
/** Neuter plurals: ziduri, titlurile. Feminine ones that end alike have a t before it (culturi), or are these. */
const NEUTER_PLURAL =
  /(?<=.{2}[^tţ]|venit|cost|port|drept|ţinut|m[aâ]nt|cont|gust|lanţ|început|sfârşit|împrumut|anunţ|preţ)uri(?:le|lor)?$/;
const FEMININE = /^(?:m[aă]sur|figur|procedur|armur|p[aă]dur|bro[sş]ur|bordur|fisur|cenzur|injur)/;
const GENITIVE = /(?<=.{3}e)(?:lui|i)$/;
/** Nouns made of verbs: lucrări, clădirile, nașteri; made of adjectives: înălțime. */
const VERBAL_PLURAL = /(?<=.{3})([ăi]|(?<=naşt|creşt|oaşt|g|(?<!li)d)e)ri(?:i|le|lor)?$/;
const MEASURE = /(?<=^(?:lung|înălţ|adânc|gros|vech|boier|mulţ))im(?:e|ea|i|ii|ile|ilor)$/;
/** Conduse, trimiși: what Snowball takes for an ending is the last s of the word. */
const PLURAL_OF_S = /(?<=[dp]u|[hr]i|in|[eu]r|le)se(?:le|lor)?$|(?<=[aeiu])şi(?:i|lor)?$/;

const LAST_VOWELS = /([aăâeiîou][^aăâeiîou]+)(?<!^contin)[aăâeiîou]+$/;
/** Plurals and forms of verbs whose last consonant is d elsewhere: străzi, brazi, crezi. Not those of what ends in z: cazuri, francezi. */
const SOFTENED_D = /(?:.{2}[^e]|^(?:cre|ume|repe|l[aă]|c[ăo]))zi(?:i|lor|le)?$/;
const PARTICIPLE = /(?<=.{4})(?<!^cred(?=i)|^stat(?=u))[aiu]t$/;
const DIPHTHONG = /(?<!^r(?=eal))([oe])a(?=[^aăâeiîou]{1,3}$)/;
const SOFT_PLURAL = /şti(?:i|lor|le)?$/;
/** Cuvinte, sfinți: cuvânt, sfânt. */
const RAISED_VOWEL = /(?<=[mvf])in[tţ]$/;
/** Verbs whose participle ends in s: conduce, condus; ajunge, ajuns; alege, ales. */
const WITH_S = /(?<=du|tor)c$|(?<=pu)n$|(?<=prin|spun|scun|clu|[hc]i)d$|(?<=[âi]n|[^l]un|.le|tru|tra|mer)g$|(?<=scri)$/;

/** `word` is in lower case, with commas. */
export function stemRomanian(word: string): string {
  // Snowball knows the cedilla only.
  const spelled = word.replaceAll('ș', 'ş').replaceAll('ț', 'ţ');
  const whole = WHOLE.get(spelled);
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
