/** Light stemming of Polish: removes endings of cases, persons, participles and verbal nouns, and undoes what they do to a consonant. */

/** The locative and dative, which change the consonant before them. */
const SOFTENED: readonly (readonly [RegExp, string])[] = [
  [/(?<=..)rze$/, 'r'],
  [/(?<=..)dzie$/, 'd'],
  [/(?<=..)dze$/, 'g'],
  [/(?<=..[^ś])cie$/, 't'],
  [/(?<=..)ce$|(?<=..[^śą])c(?:[ayęąu]|om|ami|ach|ów)?$/, 'k'],
];
const OF_ADJECTIVE = 'i?ego|i?emu|i?ej|[iy](?:ch|mi?)?|i?[aąeo]';
/** Verbal nouns, participles and persons: kopiowanie, kopiowany, kopiujący, kopiuje, kopiować, kopiował. */
const OF_VERB = new RegExp(
  `(?<=.{4})(?:${[
    `(?:ow)?(?:[aeo]n(?:i(?:e|a|u|em|om|ami|ach)|${OF_ADJECTIVE}|oś(?:ć|ci|cią))|[aeo]ń)`,
    `(?:uj)?ąc(?:${OF_ADJECTIVE})?`,
    'uj(?:e(?:sz|my|cie)?|ę|ą)',
    `ię(?:ci(?:e|a|u|em)|t(?:${OF_ADJECTIVE}))`,
    '(?:ow)?a(?:ć|ł[aoy]?|li)',
    '[iyeą](?:ć|ł[aoy]?|li)',
  ].join('|')})$`,
);
const OF_NOUN = new RegExp(`(?<=.{3})(?:i?ami|i?ach|i?om|owie|owi|ów|i?em|${OF_ADJECTIVE}|i?[ęu])$`);
/** An e that only the form without an ending has: kolejek, kolejka. */
const FLEETING = /(?<=..[^aeiouyąęó])e(?=k$)/;

export function stemPolish(word: string): string {
  for (const [ending, consonant] of SOFTENED) if (ending.test(word)) return word.replace(ending, consonant);
  const stem = word.replace(OF_VERB, '');
  return (stem === word ? word.replace(OF_NOUN, '') : stem).replace(FLEETING, '');
}
