/** Light stemming of Czech and Slovak: removes endings of cases and verbal nouns, and undoes what they do to a consonant. */

/** Endings that change the consonant before them, with the consonant. */
const SOFTENED: readonly (readonly [RegExp, string])[] = [
  [/(?<=..)(?:čt[ěié]|čtí)$/, 'ck'],
  [/(?<=..)(?:št[ěié]|ští)$/, 'sk'],
];
/** Consonants that the endings of other forms change: aplikace, aplikací; ruka, ruce; kniha, knize. */
const HARD: readonly (readonly [RegExp, string])[] = [
  [/(?<=..)[cč]$/, 'k'],
  [/(?<=..)[zž]$/, 'h'],
];
/** Verbal nouns, participles and persons: kopírování, kopírovaný, kopíruje, kopírovat. */
const OF_VERB = new RegExp(
  `(?<=.{4})(?:${[
    '(?:ov)?[áeě]n(?:ím?|ích|ími|[ýáéoay]|ého|ému|ých|ým|ými|ou)',
    '(?:ov)?(?:a(?:t|l[aoiy]?|n[ýáéoay])|án)',
    'uj(?:e(?:me|te|š)?|í(?:c[íe])?|i)',
    '[ieě](?:t|l[aoiy]?)',
    'ova[tť]',
  ].join('|')})$`,
);
const OF_NOUN = new RegExp(
  `(?<=.{3})(?:${[
    '[aeě]tech|[eě]tem|atům|[eaií]?ch|ách|ých|ého|ému|[eěií]mi|[ií]ho|imu',
    'ata|aty|ama|ami|ové|ovi|ými|[eéií]m|ům|ám|ým|mi|ou|ov|[eiíěuyůaoáéý]',
  ].join('|')})$`,
);

/** An e that only the form without an ending has: stránek, stránka. */
const FLEETING = /(?<=..[^aeiouyáéíóúůýě])[eě](?=[kbclmnr]$)/;

export function stemCzech(word: string): string {
  for (const [ending, consonant] of SOFTENED) if (ending.test(word)) return word.replace(ending, consonant);
  const withoutVerb = word.replace(OF_VERB, '');
  const stem = withoutVerb === word ? word.replace(OF_NOUN, '') : withoutVerb;
  return HARD.reduce((hard, [soft, consonant]) => hard.replace(soft, consonant), stem).replace(FLEETING, '');
}
