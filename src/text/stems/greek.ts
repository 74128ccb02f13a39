/**
 * Stems Greek words by grammar. The stemmer removes the augment of past tenses, the ending, and the letters that tenses, voices and
 * nouns of a verb put before the ending. (Snowball's stemmer keeps πολιτικός and πολιτικό, παιδί and παιδιά, έγραψε and γράφει apart.)
 * nDCG@10 on bench/manual-sets.ts: pages .648, tips .589; with Snowball's stemmer .626 and .579.
 */
import { lazy } from '../../util/lazy.ts';
import { readWordList } from '../../util/package-files.ts';
import { fold } from '../fold.ts';

const VERBAL_LONG =
  'ουσα ουσε ουσασ ουσεσ ουσων ουσαν ωντασ οντασ ομαι εται ονται ειται ουνται αται ωνται ιεται ιουνται ' +
  'οταν ονταν ουνταν ουταν';

/** Folded endings, with the minimum number of letters before each. */
const ENDINGS: readonly (readonly [unitsBefore: number, endings: readonly string[]])[] = [
  [2, list('οσ ου ο οι ων ουσ ε α ασ εσ η ησ εισ ει εωσ ω ουν ουνε ουμε ετε αμε ατε αν ηκα ηκε ηκαν ματοσ ματα ματων')],
  [3, list(`υ υσ υν εων εασ εα ειτε ${VERBAL_LONG}`)],
  [4, list('ωνασ ωνα ωνεσ ωνοσ ον οντα οντοσ οντεσ οντων ιαδεσ ιαδων')],
];
const UNITS_BEFORE = new Map(ENDINGS.flatMap(([units, endings]) => endings.map((ending) => [ending, units] as const)));
const ENDING_UNITS_MAX = Math.max(...[...UNITS_BEFORE.keys()].map((ending) => ending.length));
/** Endings of verbs that few nouns have. */
const VERBAL = new Set(list(`ω ει εισ ειτε ουν ουνε ουμε ετε ε αμε ατε αν ηκα ηκε ηκαν ${VERBAL_LONG}`));

/** Ends of past tenses. Their augment is known by its accent, also behind a preposition: έγραψε; μετέτρεψε of μετατρέπω. */
const PAST = /(?:ε|αν)$/;
/**
 * An augment before letters that a word may begin with. Έκφρασε (of εκφράζω), έλπισε (of ελπίζω) and the present of έχω have none.
 */
const AUGMENT = /^έ(?!χ(?:ε|ου)|κ[βγδθμπφ]|[λνρ][βγδζθκλμνξπρστφχψ])(?=[βγδζθκλμνξπρστφχψ])/;
const AUGMENTED_UNITS_MIN = 5;
const AUGMENTED: Record<string, string> = {
  ανέ: 'ανα',
  αντέ: 'αντι',
  απέ: 'απο',
  διέ: 'δια',
  εισέ: 'εισ',
  ενέ: 'εν',
  εξέ: 'εκ',
  επέ: 'επι',
  κατέ: 'κατα',
  μετέ: 'μετα',
  παρέ: 'παρα',
  περιέ: 'περι',
  προέ: 'προ',
  προσέ: 'προσ',
  συνέ: 'συν',
  υπέ: 'υπο',
};
const INNER_AUGMENT = new RegExp(`^(?:${Object.keys(AUGMENTED).join('|')})(?=[βγδζθκλμνξπρστφχψ])`);
/** Verbs that have the ε in all tenses: ανεβαίνω, απεργώ. */
const NO_AUGMENT = /^(?:ανέβ|ανέμ|απέλπ|απέργ|εξέλι|κατέβ|συνέτ)/;

/** Returns one form of an irregular verb, alone or behind a preposition, by each of its forms without ending. */
const irregularVerbs = lazy((): ReadonlyMap<string, string> => {
  const lines = readWordList('stems/el/irregular-verbs.txt').map((line) => line.split(' '));
  return new Map(lines.flatMap((forms) => forms.map((form) => [form, forms[0]!] as const)));
});
const prepositions = lazy((): ReadonlySet<string> => new Set(readWordList('stems/el/prepositions.txt')));
const PREPOSITION_UNITS_MAX = 5;
/** Irregular only behind a preposition: alone it is a form of καλός. */
const GOOD = 'καλ';

/**
 * Suffixes before an ending, the outermost first: comparatives, participles, -ικός, passives, past tenses and nouns of verbs.
 * `unitsMin` is the minimum length of the rest. Verbal suffixes are removed only before an ending of a verb.
 */
const SUFFIXES: readonly { end: RegExp; replacement?: string; unitsMin: number; isVerbal?: true }[] = [
  { end: /[υο]τερ$/, unitsMin: 3 },
  { end: /(?<=[αεηιουωσγμ])μεν$/, unitsMin: 4 },
  { end: /(?<!ο)ικ$/, unitsMin: 4 },
  { end: /οντ$/, unitsMin: 4 },
  { end: /(?<=[αεηιουων])θ$/, unitsMin: 4, isVerbal: true },
  { end: /ων$/, replacement: 'ω', unitsMin: 4, isVerbal: true },
  { end: /αιν$/, replacement: 'αν', unitsMin: 4, isVerbal: true },
  { end: /(?:σσ|ττ)$/, replacement: 'ξ', unitsMin: 4, isVerbal: true },
  { end: /(?<=[αεηιυω])(?:στ|σθ|σ|ζ)$/, unitsMin: 4 },
  { end: /(?<=[αε]υ)[τθ]$/, unitsMin: 4 },
];
/** Last sounds that change within the forms of a word: ανακαλύπτει, ανακάλυψε, ανακαλύφθηκε; υπάρχει, ύπαρξη. */
const SOUNDS: readonly (readonly [RegExp, string])[] = [
  [/(?:πτ|φτ|φθ|ψ|φ|β)$/, 'π'],
  [/(?:χτ|χθ|ξ|χ|γ)$/, 'κ'],
];
const SOUNDS_UNITS_MIN = 5;
const VOWEL_END = /[αεηιου]$/;
const UNITS_MIN = 4;
/**
 * Returns the folded stem of a Greek word.
 *
 * @param word in lower case, with its accents.
 */
export function stemGreek(word: string): string {
  const folded = fold(withoutAugment(word.normalize('NFC')));
  const ending = endingOf(folded);
  const rest = folded.slice(0, folded.length - ending.length);
  return irregularOf(rest) ?? regularStem(rest, VERBAL.has(ending));
}

function withoutAugment(word: string): string {
  if (!PAST.test(word)) return word;
  if (AUGMENT.test(word)) return word.length >= AUGMENTED_UNITS_MIN ? word.slice(1) : word;
  return NO_AUGMENT.test(word) ? word : word.replace(INNER_AUGMENT, (preposition) => AUGMENTED[preposition]!);
}

/** Returns the longest ending of a word. The μ of -ματος belongs to the stem, because κύμα has it too. */
function endingOf(folded: string): string {
  for (let units = Math.min(ENDING_UNITS_MAX, folded.length - 2); units > 0; units--) {
    const ending = folded.slice(-units);
    const unitsBefore = UNITS_BEFORE.get(ending);
    if (unitsBefore !== undefined && folded.length - units >= unitsBefore) {
      return ending.startsWith('ματ') ? ending.slice(1) : ending;
    }
  }
  return '';
}

function irregularOf(rest: string): string | undefined {
  const verbs = irregularVerbs();
  const root = rest === GOOD ? undefined : verbs.get(rest);
  if (root !== undefined) return root;
  for (let units = 2; units <= PREPOSITION_UNITS_MAX && units < rest.length; units++) {
    const behind = verbs.get(rest.slice(units));
    if (behind !== undefined && prepositions().has(rest.slice(0, units))) return rest.slice(0, units) + behind;
  }
  return undefined;
}

function regularStem(rest: string, isVerbal: boolean): string {
  let stem = rest;
  for (const suffix of SUFFIXES) {
    if (suffix.isVerbal && !isVerbal) continue;
    const shorter = stem.replace(suffix.end, suffix.replacement ?? '');
    if (shorter.length >= suffix.unitsMin) stem = shorter;
  }
  while (VOWEL_END.test(stem) && stem.length > UNITS_MIN) stem = stem.slice(0, -1);
  for (const [sounds, sound] of SOUNDS) {
    const other = stem.replace(sounds, sound);
    if (other.length >= SOUNDS_UNITS_MIN) stem = other;
  }
  return stem;
}

function list(words: string): string[] {
  return words.trim().split(/\s+/);
}
