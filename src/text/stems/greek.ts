/**
 * Stemming of Greek by its grammar: the augment of past tenses goes, the ending, and what tenses, voices and nouns of a verb put before it.
 * (Snowball's has πολιτικός and πολιτικό, παιδί and παιδιά, έγραψε and γράφει apart.)
 */
import { fold } from '../fold.ts';

/** Folded. With the letters that must be left before each. */
const ENDINGS: readonly (readonly [unitsBefore: number, endings: readonly string[]])[] = [
  [2, list('οσ ου ο οι ων ουσ ε α ασ εσ η ησ εισ ει εωσ ω ουν ουνε ουμε ετε αμε ατε αν ηκα ηκε ηκαν ματοσ ματα ματων')],
  [
    3,
    list(
      'υ υσ υν εων εασ εα ειτε ουσα ουσε ουσασ ουσεσ ουσων ουσαν ωντασ οντασ ομαι εται ονται ειται ουνται αται ωνται ιεται ιουνται οταν ονταν ουνταν ουταν',
    ),
  ],
  [4, list('ωνασ ωνα ωνεσ ωνοσ ον οντα οντοσ οντεσ οντων ιαδεσ ιαδων')],
];
/** Νεύτωνα is of Νεύτων, but τηλέφωνα of τηλέφωνο. */
const LONG_UNITS_MIN = 3;
const NO_ENDING = /[φγ]ων(?:ασ?|εσ|οσ)$/;
const UNITS_BEFORE = new Map(ENDINGS.flatMap(([units, endings]) => endings.map((ending) => [ending, units] as const)));
const ENDING_UNITS_MAX = Math.max(...[...UNITS_BEFORE.keys()].map((ending) => ending.length));
/** Those of verbs that few nouns have. */
const VERBAL = new Set(
  list(`ω ει εισ ειτε ουν ουνε ουμε ετε ε αμε ατε αν ηκα ηκε ηκαν ουσα ουσε ουσασ ουσεσ ουσων ουσαν ωντασ οντασ ομαι εται ονται ειται ουνται αται ωνται
    ιεται ιουνται οταν ονταν ουνταν ουταν`),
);

/** Of past tenses the augment is known by its accent: έγραψε; behind a preposition, too: μετέτρεψε is of μετατρέπω. */
const PAST = /(?:ε|αν)$/;
/** Not before what no word begins with: έκφρασε is of εκφράζω, έλπισε of ελπίζω; nor in the present of έχω. */
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
/** What looks like it, and has the ε in all tenses: ανεβαίνω, απεργώ. */
const NO_AUGMENT = /^(?:ανέβ|ανέμ|απέλπ|απέργ|εξέλι|κατέβ|συνέτ)/;

/** Verbs that change within, alone or behind a preposition, and two nouns: forms without ending -> one of them. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  list(`δωσ:διν,διδ,δοθ,δοσ,δοτ βαλ:βαλλ,βαζ,βληθ,βλη λαβ:λαμβαν,λαβαιν,ληφθ,ληψ φερ:φερν,φερθ γραφ:γραψ,γραφτ,γραφθ,γραπτ,γραμμεν
    στρεφ:στρεψ,στραφ,στροφ τρεπ:τρεψ,τραπ στειλ:στελν,στελλ,σταλ,σταλθ μειν:μεν φυγ:φευγ βρ:βρισκ,βρεθ πηρ:παιρν,παρθ ερχ:ηρθ,ερθ,ελθ,ηλθ
    παιξ:παιζ,παιχτ,παιχθ κλησ:καλ,καλεσ,κληθ τρεξ:τρεχ θετ:θεσ,τεθ αγ:ηγαγ,αγαγ,αχθ κτισ:κτιζ,κτιστ,χτιζ,χτισ,χτιστ κοψ:κοβ,κοπ δεχ:δεχτ,δεχθ
    δειξ:δειχν,δειχτ,δειχθ λυσ:λυν,λυθ ανοιξ:ανοιγ,ανοιχτ,ανοιχθ φωτ:φωσ γη:γησ`).flatMap((entry) => {
    const [root = '', forms = ''] = entry.split(':');
    return [root, ...forms.split(',')].map((form) => [form, root] as const);
  }),
);
const PREPOSITIONS = new Set(
  list(
    'αν ανα αντι απ απο δι δια εισ εκ εν εξ επ επι καθ κατ κατα μεθ μετ μετα παρ παρα περι προ προσ συλ συμ συν υπ υπερ υπο υφ',
  ),
);
const PREPOSITION_UNITS_MAX = 5;
/** Only behind a preposition: alone it is of καλός. */
const GOOD = 'καλ';

/** Before an ending, from without to within: comparatives, participles, -ικός; what passives, past tenses and nouns of verbs have. */
const BEFORE_ENDINGS: readonly { end: RegExp; by?: string; least: number; isVerbal?: true }[] = [
  { end: /[υο]τερ$/, least: 3 },
  { end: /(?<=[αεηιουωσγμ])μεν$/, least: 4 },
  { end: /(?<!ο)ικ$/, least: 4 },
  { end: /οντ$/, least: 4 },
  { end: /(?<=[αεηιουων])θ$/, least: 4, isVerbal: true },
  { end: /ων$/, by: 'ω', least: 4, isVerbal: true },
  { end: /αιν$/, by: 'αν', least: 4, isVerbal: true },
  { end: /(?:σσ|ττ)$/, by: 'ξ', least: 4, isVerbal: true },
  { end: /(?<=[αεηιυω])(?:στ|σθ|σ|ζ)$/, least: 4 },
  { end: /(?<=[αε]υ)[τθ]$/, least: 4 },
];
/** The same with other sounds, where it tells little apart: ανακαλύπτει, ανακάλυψε, ανακαλύφθηκε; υπάρχει, ύπαρξη. */
const SOUNDS: readonly (readonly [RegExp, string])[] = [
  [/(?:πτ|φτ|φθ|ψ|φ|β)$/, 'π'],
  [/(?:χτ|χθ|ξ|χ|γ)$/, 'κ'],
];
const SOUNDS_UNITS_MIN = 5;
const VOWEL_END = /[αεηιου]$/;
const UNITS_MIN = 4;
/** With so few letters behind a preposition other verbs would be meant: πρόσβαση and προσπαθώ. */
const BEHIND_PREPOSITION_UNITS_MIN = 3;
/** Ρωσία, of Ρώσος: shorter than UNITS_MIN. */
const SHORT_COUNTRY = /^(ρωσ|ινδ|δαν|συρ)[ιί]ας?$/;

/** `word` in lower case, with its accents. Folded. */
export function stemGreek(word: string): string {
  const accented = word.normalize('NFC');
  const [, country] = SHORT_COUNTRY.exec(accented) ?? [];
  if (country) return fold(country);
  const folded = fold(withoutAugment(accented));
  const ending = endingOf(folded);
  const rest = folded.slice(0, folded.length - ending.length);
  return irregularOf(rest) ?? regularStem(rest, VERBAL.has(ending));
}

function withoutAugment(word: string): string {
  if (!PAST.test(word)) return word;
  if (AUGMENT.test(word)) return word.length >= AUGMENTED_UNITS_MIN ? word.slice(1) : word;
  return NO_AUGMENT.test(word) ? word : word.replace(INNER_AUGMENT, (preposition) => AUGMENTED[preposition]!);
}

/** The longest. Of -ματος the μ stays: κύμα has it, too. */
function endingOf(folded: string): string {
  for (let units = Math.min(ENDING_UNITS_MAX, folded.length - 2); units > 0; units--) {
    const ending = folded.slice(-units);
    const unitsBefore = UNITS_BEFORE.get(ending);
    if (
      unitsBefore !== undefined &&
      folded.length - units >= unitsBefore &&
      (units < LONG_UNITS_MIN || !NO_ENDING.test(folded))
    ) {
      return ending.startsWith('ματ') ? ending.slice(1) : ending;
    }
  }
  return '';
}

function irregularOf(rest: string): string | undefined {
  const root = rest === GOOD ? undefined : IRREGULAR.get(rest);
  if (root !== undefined) return root;
  for (let units = 2; units <= PREPOSITION_UNITS_MAX && units < rest.length; units++) {
    const behind = IRREGULAR.get(rest.slice(units));
    if (behind !== undefined && PREPOSITIONS.has(rest.slice(0, units))) return rest.slice(0, units) + behind;
  }
  return undefined;
}

function regularStem(rest: string, isVerbal: boolean): string {
  let stem = rest;
  for (const before of BEFORE_ENDINGS) {
    if (before.isVerbal && !isVerbal) continue;
    const shorter = stem.replace(before.end, before.by ?? '');
    if (shorter.length >= before.least) stem = shorter;
  }
  while (VOWEL_END.test(stem) && tellsEnough(stem.slice(0, -1), UNITS_MIN)) stem = stem.slice(0, -1);
  for (const [sounds, sound] of SOUNDS) {
    const other = stem.replace(sounds, sound);
    if (tellsEnough(other, SOUNDS_UNITS_MIN)) stem = other;
  }
  return stem;
}

function tellsEnough(stem: string, unitsMin: number): boolean {
  if (stem.length < unitsMin) return false;
  for (let units = BEHIND_PREPOSITION_UNITS_MIN - 1; units >= 0; units--) {
    if (PREPOSITIONS.has(stem.slice(0, stem.length - units))) return false;
  }
  return true;
}

function list(words: string): string[] {
  return words.trim().split(/\s+/);
}
