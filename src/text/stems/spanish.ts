/**
 * Stems Spanish words by Snowball's stemmer, and unites forms that Snowball keeps apart. Snowball takes some nouns for verbs, so
 * `mujer` and `mujeres` do not meet. It leaves the endings of short nouns (votación, fundador, nacimiento). It ignores that the stem
 * of a verb changes: vuelve, volver; pidió, pedir; produjo, producir; escrito, escribir.
 */
import { stemmer } from '@orama/stemmers/spanish';

/** Plurals of words that end in -z: luces of luz. */
const PLURAL_OF_Z = /^[^áéíóú]*(?:[aeou]|[ií]|[aeo][úu])ces$/;
/** Plurals of words that end in -ce: índices, cauces, interfaces. */
const PLURAL_OF_CE = /^(?:on|do|cau|(?:hiper|des)?enla|ro|go|interfa|servi|devi|spa|pri|choi)ces$/;
/** Plurals whose singular ends in -er, -en or -ad, which Snowball takes for endings of verbs: mujeres, jóvenes, ciudades. */
const PLURAL = /(?<=.[aeiouáéíóú][rd]|.en)(?<!almacen|sarten|oid)es$/;
/** Words that Snowball would shorten to another word: orden, ordenar; pared, par. */
const WHOLE = /^(?:[oó]rden(?=(?:es)?$)|pared(?=(?:es)?$)|par[ií]s$|opus$)/;
/** Verbs with a stressed í: envía of enviar. */
const SHORT_VERB = /(?<=^(?:env|ampl|desv|conf|var))í(?=a[ns]?$)/;
/** Plurals that look like the first person of a verb: anónimos, extremos. */
const NO_VERB = /(?<=[áéíóú][^aeiouáéíóú]{1,2}im|^extrem)os$/;
/** Future and conditional: abrirá, abriría. Armería does not match. */
const FUTURE = /[aei]r(?:á[ns]?|é|emos)$|[ai]rían?$/;
/** Numbers shortened before a noun: primer año. */
const SHORTENED = /(?<=^prim|^terc)er$/;
/**
 * Words that begin with a vowel and a consonant. Snowball removes too few of their endings: año, años; isla, islas; entró, entraron.
 * The stemmer puts a consonant before them to correct this.
 */
const SHORT_BEGINNING = /^[aeiouáéíóú][^aeiouáéíóú]/;
const SHORT_STEM_UNITS_MIN = 3;
/** Past tenses of morir: murió, murieron. Muro does not match. */
const DIED = /^mur(?=i(?:[oó]|eron|endo)$)/;

/** Endings of nouns made of verbs. */
const NOUN_OF_VERB =
  /(?:(?<=.{4})acion|(?<=.{3})[ai]mient|(?:(?<=.{4})(?<!^serv|^salv)|(?<=^(?:jug|gan|cre|caz|nad)))[aei]dor)$/;
const DIPHTHONG_IE = [
  'pierd|empiez|comienz|sient|fier|gier|hier|.tiend|fiend|ciend|viert|quier|.[tv]ien|cierr|tierr|gobiern',
  'piens|calient|tiembl|quiebr|nieg|(?<!g)rieg|despiert|aciert|siembr|hiel|niev',
];
const DIPHTHONG_UE = [
  'mue[vr]|[vs]uelv|(?<![eon])cuent|cuest|muestr|cuentr|cuerd|duerm|prueb|vuel|nuev|fuerz|cuelg|puebl|suelt',
  'lluev|almuerz',
];
/** Stems in which a stressed e is `ie`, or a stressed o is `ue`. */
const DIPHTHONG = new RegExp(`(?:${[...DIPHTHONG_IE, ...DIPHTHONG_UE].join('|')})$`);
/** Ends of stems that change within a verb, with the replacement of each. */
const CHANGED: readonly (readonly [end: RegExp, replacement: string])[] = [
  [/(?<=d)uj$/, 'uc'],
  [/(?<=.tr)aj$/, ''],
  [/(?<=man|ob|con|re|de|sos)tuv$/, 'ten'],
  [/(?<=com|pro|im|ex|dis|su|o)pus$|(?<=com|pro|ex|dis|su|o)puest$/, 'pon'],
  [/(?<=scri)t(?:or)?$/, 'b'],
  [/(?<=^|pre|contra)dij$/, 'dec'],
  [/(?<=cub)iert$/, 'r'],
  [/(?<=[vs])uelt$/, 'olv'],
  [/muert$/, 'mor'],
  [/(?<=j)ueg$/, 'ug'],
  [/(?<=^p|desp|imp)id$/, 'ed'],
  [/(?<=s)irv$/, 'erv'],
  [/(?<=el|corr)ig$/, 'eg'],
  [/(?<=con|in|ad|di|sub|re)virt$/, 'vert'],
  [/(?<=s)int$/, 'ent'],
  [/(?<=re|com)pit$/, 'pet'],
  [/(?<=re|pre|trans|con|in|di)fir$/, 'fer'],
  [/(?<=d)urm$/, 'orm'],
];

/** Returns the stem of a Spanish word in lower case. */
export function stemSpanish(word: string): string {
  const [whole] = WHOLE.exec(word) ?? [];
  if (whole) return whole;
  const stem = snowball(singular(word)).replace(NOUN_OF_VERB, '');
  for (const [end, replacement] of CHANGED) if (end.test(stem)) return stem.replace(end, replacement);
  return DIPHTHONG.test(stem)
    ? stem.replace(/(?:ie|ue)(?=[^aeiou]+$)/, (vowels) => (vowels === 'ie' ? 'e' : 'o'))
    : stem;
}

function snowball(word: string): string {
  if (SHORT_BEGINNING.test(word)) {
    const stem = stemmer(`t${word}`).slice(1);
    const removed = word.length - stem.length;
    if (
      stem.length > SHORT_STEM_UNITS_MIN ||
      (stem.length === SHORT_STEM_UNITS_MIN && (removed <= 2 || FUTURE.test(word)))
    )
      return stem;
    return stemmer(word.replace(/(?<=[aeo])s$/, ''));
  }
  return stemmer(word) || word;
}

function singular(word: string): string {
  if (word.endsWith('ces')) return PLURAL_OF_Z.test(word) && !PLURAL_OF_CE.test(word) ? `${word.slice(0, -3)}z` : word;
  return word
    .replace(PLURAL, '')
    .replace(SHORT_VERB, 'i')
    .replace(/^emplee/, 'emple')
    .replace(NO_VERB, 'o')
    .replace(DIED, 'mor')
    .replace(SHORTENED, 'ero');
}
