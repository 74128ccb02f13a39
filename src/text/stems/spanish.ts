/**
 * Spanish stems: Snowball's, and what it leaves apart. It takes plurals for verbs (`mujer` and `mujeres` do not meet), leaves the
 * endings of nouns near the beginning of a word (votación, fundador, nacimiento), and does not know that the stem of a verb changes:
 * vuelve, volver; pidió, pedir; produjo, producir; escrito, escribir.
 */
import { stemmer } from '@orama/stemmers/spanish';

/** Luces: luz. Not of words that end in -ce: índices, cauces, interfaces. */
const PLURAL_OF_Z = /^[^áéíóú]*(?:[aeou]|[ií]|[aeo][úu])ces$/;
const PLURAL_OF_CE = /^(?:on|do|cau|(?:hiper|des)?enla|ro|go|interfa|servi|devi|spa|pri|choi)ces$/;
/** Mujeres, jóvenes, ciudades: in the singular Snowball takes -er, -en and -ad for endings of verbs. */
const PLURAL = /(?<=.[aeiouáéíóú][rd]|.en)(?<!almacen|sarten|oid)es$/;
/** Of these too much would be taken off: orden, ordenar; pared, par. */
const WHOLE = /^(?:[oó]rden(?=(?:es)?$)|pared(?=(?:es)?$)|par[ií]s$|opus$)/;
/** Envía: enviar; emplee: emplear. */
const SHORT_VERB = /(?<=^(?:env|ampl|desv|conf|var))í(?=a[ns]?$)/;
/** Anónimos, extremos: not `we …`. */
const NO_VERB = /(?<=[áéíóú][^aeiouáéíóú]{1,2}im|^extrem)os$/;
/** Abrirá, abriría; not armería. */
const FUTURE = /[aei]r(?:á[ns]?|é|emos)$|[ai]rían?$/;
/** Primer año. */
const SHORTENED = /(?<=^prim|^terc)er$/;
/** Of these Snowball takes endings off too late: año, años; isla, islas; entró, entraron. A consonant before them mends it. */
const SHORT_BEGINNING = /^[aeiouáéíóú][^aeiouáéíóú]/;
const SHORT_STEM_UNITS_MIN = 3;
/** Murió, murieron: not muro. */
const DIED = /^mur(?=i(?:[oó]|eron|endo)$)/;

const NOUN_OF_VERB =
  /(?:(?<=.{4})acion|(?<=.{3})[ai]mient|(?:(?<=.{4})(?<!^serv|^salv)|(?<=^(?:jug|gan|cre|caz|nad)))[aei]dor)$/;
/** Stems in which a stressed e or o is a diphthong. */
const DIPHTHONG =
  /(?:mue[vr]|[vs]uelv|pierd|empiez|comienz|(?<![eon])cuent|cuest|muestr|cuentr|cuerd|sient|fier|gier|hier|.tiend|fiend|ciend|viert|quier|.[tv]ien|duerm|cierr|tierr|gobiern|prueb|vuel|nuev|fuerz|cuelg|puebl|piens|calient|tiembl|quiebr|nieg|(?<!g)rieg|despiert|aciert|siembr|hiel|suelt|niev|lluev|almuerz)$/;
const CHANGED: readonly (readonly [stem: RegExp, as: string])[] = [
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

/** `word` is in lower case. */
export function stemSpanish(word: string): string {
  const [whole] = WHOLE.exec(word) ?? [];
  if (whole) return whole;
  const stem = snowball(singular(word)).replace(NOUN_OF_VERB, '');
  for (const [ending, as] of CHANGED) if (ending.test(stem)) return stem.replace(ending, as);
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
