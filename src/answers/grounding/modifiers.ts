/**
 * Words that change what a sentence says: negations, quantities, comparisons, units, months, opposites. Two texts that agree in
 * everything else contradict each other when they differ in one of these words.
 */
import { anyOf } from '../patterns.ts';
import { pairsIn, wordsIn } from '../word-lists.ts';

export interface Modifier {
  /** The kind of change, such as "quantity". */
  kind: string;
  /** Words of one kind and one value say the same. */
  value: string;
  /** True for a word that is also a topic of its sentence, such as "May". It contradicts only another word of its kind. */
  isTopic: boolean;
}

const NEGATION = 'negation';
export const QUANTITY = 'quantity';
export const ALL = 'all';
export const COMPARISON = 'comparison';
export const AT_MOST = 'at-most';
const PERIOD = 'period';
const UNIT = 'unit';
/** "may" against "must". With a negation both words forbid. */
export const MODAL = 'modal';
/** "first" against "last". */
export const ORDER = 'order';
export const LAST = '1';

const NEGATION_WORDS = wordsIn('negations');
/** Negations that also have another meaning. They count only when the words of two texts are compared, not as a polarity. */
const AMBIGUOUS_NEGATION_WORDS = new Set('안 못 n ne ما ना niciodată ποτέ asla đừng'.split(' '));
/** Turkish verbs that are negated by their ending. */
export const NEGATIVE_ENDING = anyOf(
  [
    /\p{L}(?:m[ıiuü]yor\p{L}*|m[ae]z(?:l[ae]r|d[ıi]\p{L}*)?|m[ae]m[ıi]ş\p{L}*)(?!\p{L})/u,
    /\p{L}(?:m[ae]d[ıi](?:l[ae]r|ğ\p{L}*|k|m)?|m[ae]m[ae]kt[ae]\p{L}*|m[ae]y[ae]c[ae][kğ]\p{L}*|m[ae]y[ae]n\p{L}*)(?!\p{L})/u,
  ],
  'u',
);
/** Negations inside words, in Korean and in scripts without spaces between words. */
export const NEGATION_PART =
  /ない|なかっ|なく|ません|なし|無し|禁止|不|没有|沒有|没|沒|未|无|無|非(?!常)|勿|않|없|못|아니|금지|ไม่|มิได้|ห้าม|ปราศจาก|ບໍ່/u;
/** Other modifiers inside words, each with its kind and value. */
export const MODIFIER_PARTS: readonly (readonly [RegExp, string, string])[] = [
  [/从不|从未|從不|從未|決して/u, NEGATION, NEGATION],
  [/所有|全部|每|全て|すべて|全員|常に|必ず|总是|總是|ทั้งหมด|ทุก|เสมอ/u, QUANTITY, ALL],
  [/一些|部分|某些|有些|一部|いくつか|時々|有时|บาง/u, QUANTITY, 'some'],
  [/大多数|大多數|大部分|多くの|ほとんど|ส่วนใหญ่/u, QUANTITY, 'most'],
  [/半数|半數|半分|一半|절반|ครึ่ง/u, QUANTITY, 'half'],
  [/par an(?!\p{L})/u, PERIOD, 'year'],
  [/只有|只|仅|僅|唯一|だけ|のみ|しか|เท่านั้น|เพียง/u, 'only', 'only'],
  [/超过|超過|多于|多於|高于|大于|逾|以上|より多|超え|มากกว่า|เกิน|이상|초과/u, COMPARISON, 'more'],
  [/不到|少于|少於|低于|小于|不足|以下|未満|より少|น้อยกว่า|이하|미만/u, COMPARISON, 'less'],
  [/至少|少なくとも|อย่างน้อย/u, COMPARISON, 'at-least'],
  [/至多|最多|最大で|ไม่เกิน/u, COMPARISON, AT_MOST],
  [/퍼센트|パーセント|เปอร์เซ็นต์/u, UNIT, '%'],
  [/之前|以前|ก่อน/u, 'time', 'before'],
  [/之后|之後|以后|以後|หลัง/u, 'time', 'after'],
];
/** Signs that count as words. */
export const SIGN = /[%‰€$£¥₹₽₺₫<>≤≥±°]/u;

const MODIFIERS = readModifiers();

/** The first meaning of a word counts. */
function readModifiers(): Map<string, Modifier> {
  const modifiers = new Map<string, Modifier>();
  const add = (word: string, modifier: Modifier): void => {
    if (!modifiers.has(word)) modifiers.set(word, modifier);
  };
  for (const word of [...NEGATION_WORDS, ...AMBIGUOUS_NEGATION_WORDS])
    add(word, { kind: NEGATION, value: NEGATION, isTopic: false });
  for (const [list, isTopic] of [
    ['modifiers', false],
    ['dates-and-periods', true],
  ] as const) {
    for (const [word, meaning] of pairsIn(list)) {
      const [kind = '', value = ''] = meaning.split(' ');
      add(word, { kind, value, isTopic });
    }
  }
  for (const [kind, sides] of pairsIn('opposites')) {
    for (const [i, side] of sides.split(' | ').entries())
      for (const word of side.split(' ')) add(word, { kind, value: String(i), isTopic: true });
  }
  for (const sign of '%‰€$£¥₹₽₺₫<>≤≥±') add(sign, { kind: UNIT, value: sign, isTopic: false });
  return modifiers;
}

/** Returns what a word in lower case changes, or undefined for other words. */
export function modifierOf(word: string): Modifier | undefined {
  const modifier = MODIFIERS.get(word.replaceAll('’', "'"));
  if (modifier !== undefined) return modifier;
  if (NEGATIVE_ENDING.test(word)) return NEGATED_VERB;
  return word.endsWith("n't") || word.startsWith('değil') ? MODIFIERS.get('not') : undefined;
}

/** The modifier of a verb whose form is negative. */
export const NEGATED_VERB: Modifier = { kind: NEGATION, value: NEGATION, isTopic: true };

/** Returns the modifier of a part of a word that NEGATION_PART or MODIFIER_PARTS matches. */
export function partModifier(kind: string, value: string): Modifier {
  return { kind, value, isTopic: false };
}

/** The modifier of a part of a word that negates. */
export const NEGATING = partModifier(NEGATION, NEGATION);

/** Returns true for a word in lower case that always negates. */
export function isNegationWord(word: string): boolean {
  return NEGATION_WORDS.has(word);
}

export function isNegation(modifier: Modifier | undefined): boolean {
  return modifier?.kind === NEGATION;
}
