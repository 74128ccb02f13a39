/**
 * Stems Russian words by Snowball's stemmer, and unites forms that Snowball keeps apart: words with a fleeting vowel (отец, отца),
 * nouns whose cases Snowball takes for verbs (журнал, журнале), verbs of going (нашёл, найти), and nouns whose plural or cases have
 * another stem (люди, дни).
 */
import { stemmer } from '@orama/stemmers/russian';
import { lazy } from '../../util/lazy.ts';
import { readWordList } from '../../util/package-files.ts';

/** Returns the form that stands for an irregular form: `год` for `лет`. */
const regularForms = lazy((): ReadonlyMap<string, string> => {
  const lines = readWordList('stems/ru/irregular-words.txt').map((line) => line.split(' '));
  return new Map(lines.flatMap(([regular = '', ...others]) => others.map((other) => [other, regular] as const)));
});

/** Forms of verbs of going: вошёл, вошла, войти and войдёт have the stem войд. */
const GOING =
  /^(?:(.+)(?:ш(?:ел|ла|ло|ли)|йти|йд(?:у|ешь|ет|ем|ете|ут|и|ите|я))|(при)д(?:ти|у|ешь|ет|ем|ете|ут|и|ите|я))(?:с[яь])?$/;
/** The consonant of past tenses. Snowball removes it from verbs, and also from журнал, журнала and журналы, but not from журнале. */
const PAST = /(?<=..[ая])[лн]$/;
const SOFT_SIGN = /ь(?=ц$)/;
const FLEETING_AFTER_VOWEL = /(?<=[аеиоуыэ])ец$/;
/** Конёк, коньки. */
const FLEETING_SOFT = /(?<=[лнр])ек$/;
const FLEETING = /(?<=[бвгджзклмнпрстфхцчшщ])[ео](?=[кц]$)/;
/** Stems that lose their last vowel before another letter than к and ц. */
const fleetingStems = lazy((): ReadonlySet<string> => new Set(readWordList('stems/ru/fleeting-vowels.txt')));
const LAST_VOWEL = /[ео](?=.$)/;
const VOWEL = /[аеиоуыэюя]/;

/** Returns the stem of a Russian word in lower case. */
export function stemRussian(word: string): string {
  const plain = word.includes('ё') ? word.replaceAll('ё', 'е') : word;
  const going = GOING.exec(plain);
  if (going) return going[1] && going[1] !== 'при' ? `${going[1]}йд` : 'прид';
  const regular = stemmer(regularForms().get(plain) ?? plain).replace(PAST, '');
  if (!regular.endsWith('к') && !regular.endsWith('ц')) {
    return fleetingStems().has(regular) ? regular.replace(LAST_VOWEL, '') : regular;
  }
  const short = regular
    .replace(SOFT_SIGN, '')
    .replace(FLEETING_AFTER_VOWEL, 'йц')
    .replace(FLEETING_SOFT, 'ьк')
    .replace(FLEETING, '');
  return VOWEL.test(short) ? short : regular;
}
