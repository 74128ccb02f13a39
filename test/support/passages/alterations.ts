/**
 * Changes one fact of a sentence: a number, a proper name or a negation. Word lists and patterns of each language make
 * the changes. They share no code with the check of answers, so that the check cannot pass because of its own mistakes.
 */

export const FACTS = [
  'number',
  'name',
  'negation',
  'number word',
  'digits',
  'date',
  'unit',
  'range',
  'ordinal',
  'comparative',
  'quantifier',
  'swap',
  'places',
] as const;
export type Fact = (typeof FACTS)[number];

export interface Alteration {
  fact: Fact;
  text: string;
}

/** Pairs of words: each word replaces the other word of its pair. */
const NUMBER_WORDS: Readonly<Record<string, string>> = {
  en: 'two five three nine four seven ten twelve first fourth second third',
  de: 'zwei fünf drei neun vier sieben zehn zwölf',
  fr: 'deux cinq trois neuf quatre sept',
  es: 'dos cinco tres nueve cuatro siete',
  ru: 'два пять три девять',
  th: 'สอง เจ็ด สี่ แปด',
};
/** The words for 1, 2, 3 … */
const COUNT_WORDS =
  'one|eine?[nmrs]?|一|하나|한 two|zwei|二|两|두 three|drei|三|세 four|vier|四|네 five|fünf|五|다섯 six|sechs|六|여섯 seven|sieben|七 eight|acht|八 nine|neun|九'
    .split(' ')
    .map((words) => new RegExp(`(?<![a-zäöü])(?:${words})(?![a-zäöü])`, 'iu'));
const CJK_NUMERALS = '二五三九四七六八';
const NAMES: Readonly<Record<string, readonly string[]>> = {
  latin: ['Zorvath', 'Quexley'],
  cyrillic: ['Зорват'],
  katakana: ['ゾルヴァート'],
};
/** Patterns with replacements that add a negation to a sentence or remove one. */
const NEGATIONS: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  en: [
    [/\b(is|was|are|were|can|could|will|would|has|had|have|did|does|do|should|may|must)\b(?! not|n't)/, '$1 not'],
    [/\b(is|was|are|were|can|could|will|would|has|had|have|did|does|do|should|may|must) not\b/, '$1'],
    [/\bcannot\b/, 'can'],
    [/\bnever\b/, 'always'],
    [/\bno\b/, 'a'],
    [/\bwithout\b/, 'with'],
  ],
  de: [
    [/\b(ist|war|sind|waren|kann|konnte|wird|wurde|wurden|hat|hatte|haben|muss|darf)\b(?! nicht)/, '$1 nicht'],
    [/ nicht\b/, ''],
    [/\b([Kk])ein(e[nmrs]?)?\b/, 'ein$2'],
    [/\bohne\b/, 'mit'],
    [/\bnie(mals)?\b/, 'immer'],
  ],
  fr: [
    [/\b(est|sont|était|peut|doit) /, "n'$1 pas "],
    [/\bne (\S+) pas\b/, '$1'],
    [/\bsans\b/, 'avec'],
  ],
  es: [
    [/\b(es|son|fue|era|puede|debe|tiene|pagan?|pierden?) /, 'no $1 '],
    [/\bno /i, ''],
    [/\bsin\b/, 'con'],
  ],
  ru: [
    [/ (получают|платит|является|был|может|утверждает) /, ' не $1 '],
    [/ не /, ' '],
    [/\bбез\b/, 'с'],
  ],
  zh: [
    [/(?<![不没是就还也])(是|能|会|可以|属于|具有)(?!不)/, '不$1'],
    [/(?<![没沒])(有)(?!没|的|些)/, '没$1'],
    [/不(?=[是能会可得])/, ''],
    [/没有/, '有'],
  ],
  ja: [
    [/である。/, 'ではない。'],
    [/です。/, 'ではありません。'],
    [/(し)た。/, '$1なかった。'],
    [/(し|い|き|り)ます。/, '$1ません。'],
    [/されている。/, 'されていない。'],
    [/がある。/, 'がない。'],
    [/ではない。/, 'である。'],
    [/ていない/, 'ている'],
    [/ません。/, 'ます。'],
    [/しなかった。/, 'した。'],
  ],
  ko: [
    [/있다\./, '없다.'],
    [/이다\./, '이 아니다.'],
    [/했다\./, '하지 않았다.'],
    [/되었다\./, '되지 않았다.'],
    [/하였다\./, '하지 않았다.'],
    [/받습니다\./, '받지 않습니다.'],
    [/없다\./, '있다.'],
    [/지 않았다\./, '었다.'],
    [/지 않습니다\./, '습니다.'],
  ],
  th: [
    [/(สามารถ|ได้รับ|เคย)/, 'ไม่$1'],
    [/(?<!ไม่)(เป็น)/, 'ไม่$1'],
    [/(?<!ไม่ )ไม่(?! ไม่)/, ''],
  ],
};

/**
 * Returns sentences that differ from `sentence` in one fact. A sentence that `source` contains elsewhere is left out.
 */
export function alterationsOf(sentence: string, language: string, source: string): Alteration[] {
  const found: Alteration[] = [];
  const add = (fact: Fact, text: string): void => {
    if (text !== sentence && !source.includes(text) && !/(?<!\p{L})(\p{L}+) \1(?!\p{L})/u.test(text))
      found.push({ fact, text });
  };
  const replaceAt = (at: number, length: number, by: string): string =>
    sentence.slice(0, at) + by + sentence.slice(at + length);
  const numbers = numbersIn(source);
  for (const { 0: digits, index } of sentence.matchAll(/\d+/g)) {
    for (const changed of [
      String(BigInt(digits) + 1n),
      `${digits}7`,
      digits.replace(/.$/, (digit) => String((Number(digit) + 4) % 10)),
    ])
      if (!isIn(numbers, replaceAt(index, digits.length, changed), index))
        add('number', replaceAt(index, digits.length, changed));
  }
  for (const [word, other] of pairsOf(NUMBER_WORDS[language]?.split(' ') ?? [])) {
    const pattern = language === 'th' ? new RegExp(word) : new RegExp(`(?<!\\p{L})${word}(?!\\p{L})`, 'iu');
    if (!source.toLowerCase().includes(other)) add('number', sentence.replace(pattern, other));
  }
  if (['zh', 'ja'].includes(language))
    for (const [numeral, other] of pairsOf([...CJK_NUMERALS]))
      if (!source.includes(other))
        add('number', sentence.replace(new RegExp(`${numeral}(?=[十百千万月日年人個个位])`), other));
  // The first word of a sentence is left out: a capital letter does not make it a name there.
  for (const { 0: word, index } of sentence.matchAll(
    /(?<=\p{L}[^.!?:]* |[\p{sc=Han}\p{sc=Hira}\p{sc=Hang}\p{sc=Thai}])\p{Lu}\p{Ll}{2,}/gu,
  )) {
    const names = /\p{sc=Cyrl}/u.test(word) ? NAMES['cyrillic']! : NAMES['latin']!;
    if (language !== 'de') for (const name of names) add('name', replaceAt(index, word.length, name));
  }
  for (const { 0: word, index } of sentence.matchAll(/[ァ-ヴー]{3,}/g))
    for (const name of NAMES['katakana']!) add('name', replaceAt(index, word.length, name));
  for (const [pattern, by] of NEGATIONS[language] ?? []) add('negation', sentence.replace(pattern, by));
  return found;
}

/** Returns the numbers that a text says in digits, and in words up to nine. */
export function numbersIn(text: string): Set<number> {
  const written = COUNT_WORDS.flatMap((words, i) => (words.test(text) ? [i + 1] : []));
  return new Set([...(text.match(/\d+(?:\.\d+)?/g)?.map(Number) ?? []), ...written]);
}

/** Returns true when the number of `text` around the UTF-16 offset `at` is one of `numbers`, whole or its part after a point. */
function isIn(numbers: ReadonlySet<number>, text: string, at: number): boolean {
  return [...text.matchAll(/\d+(?:\.\d+)?/g)].some(
    ({ 0: digits, index }) =>
      index <= at &&
      at < index + digits.length &&
      (numbers.has(Number(digits)) || numbers.has(Number(digits.slice(at - index)))),
  );
}

function pairsOf(words: readonly string[]): [string, string][] {
  return words.map((word, i) => [word, words[i % 2 === 0 ? i + 1 : i - 1]!]);
}
