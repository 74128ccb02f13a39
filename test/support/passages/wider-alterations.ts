/**
 * Changes one fact of a sentence in more ways than alterations.ts: names in scripts without capital letters, digits of
 * other scripts, dates, units, ranges, ordinals, comparisons, quantifiers, and two facts that change places. It also
 * makes changes that keep all facts.
 */
import { type Alteration, type Fact, numbersIn } from './alterations.ts';

/** Pattern and replacement. The replacement is made at the first match. */
type Change = readonly [RegExp, string];

/**
 * Returns changes for a list of pairs `one|other`: each word replaces the other word of its pair. `_` stands for a
 * blank.
 */
function pairs(list: string): Change[] {
  return list.split(' ').flatMap((pair) => {
    const [one, other] = pair.split('|').map((word) => word.replaceAll('_', ' ')) as [string, string];
    const change = (from: string, to: string): Change => [
      /^[\p{sc=Latn}\p{sc=Cyrl} ]+$/u.test(from)
        ? new RegExp(`(?<!\\p{L})${from}(?!\\p{L})`, 'u')
        : new RegExp(from, 'u'),
      to,
    ];
    return [change(one, other), change(other, one)];
  });
}

const MONTHS: Readonly<Record<string, string>> = {
  en: 'January|July March|May April|June October|December February|November August|September',
  de: 'Januar|Juli März|Mai April|Juni Oktober|Dezember Februar|November August|September',
  zh: '3月|8月 5月|9月 10月|12月',
  ja: '3月|8月 5月|9月 10月|12月',
  ko: '3월|8월 5월|9월 10월|12월',
  th: 'มกราคม|กรกฎาคม มีนาคม|พฤษภาคม ตุลาคม|ธันวาคม',
};
const UNITS: Readonly<Record<string, string>> = {
  en: 'kilometres|miles km|mi metres|feet million|billion years|months percent|points dollars|euros hours|days mg|g people|ships',
  de: 'Kilometer|Meilen km|mi Meter|Fuß Millionen|Milliarden Jahre|Monate Prozent|Punkte Dollar|Euro',
  zh: '公里|英里 米|里 万|亿 年|个月 %|‰ 人|次',
  ja: 'キロ|マイル km|mi 万|億 年|か月 人|回 円|ドル',
  ko: 'km|mi 만|억 년|개월 명|번 원|달러',
  th: 'กิโลเมตร|ไมล์ ล้าน|พัน ปี|เดือน เปอร์เซ็นต์|คะแนน',
};
const COMPARISONS: Readonly<Record<string, string>> = {
  en: 'more_than|less_than before|after higher|lower increased|decreased above|below larger|smaller at_least|at_most over|under higher|lower longest|shortest north|south early|late',
  de: 'mehr_als|weniger_als vor|nach höher|niedriger größer|kleiner mindestens|höchstens über|unter',
  zh: '超过|不到 以上|以下 之前|之后 增加|减少 高于|低于 最大|最小 北|南',
  ja: '以上|以下 以前|以後 増加|減少 より大きい|より小さい 北|南 前|後',
  ko: '이상|이하 이전|이후 증가|감소 높|낮 북|남',
  th: 'มากกว่า|น้อยกว่า ก่อน|หลัง เพิ่ม|ลด เหนือ|ใต้',
};
const QUANTITIES: Readonly<Record<string, string>> = {
  en: 'all|some always|sometimes most|few every|some many|few each|some both|neither',
  de: 'alle|einige immer|manchmal viele|wenige jede|manche',
  zh: '所有|部分 全部|部分 都|不 大多数|少数 每|某',
  ja: 'すべて|一部 全て|一部 常に|時々 多く|少し',
  ko: '모든|일부 항상|가끔 많은|적은 모두|일부',
  th: 'ทั้งหมด|บางส่วน ทุก|บาง มาก|น้อย',
};
const ORDINALS: Readonly<Record<string, string>> = {
  en: 'first|last second|third fourth|fifth 1st|2nd',
  de: 'erste|letzte zweite|dritte ersten|letzten zweiten|dritten',
  zh: '第一|第二 第三|第四 首|末',
  ja: '第一|第二 第三|第四 最初|最後',
  ko: '_첫|_두 제1|제2 최초|최후',
  th: 'แรก|สุดท้าย ที่สอง|ที่สาม',
};
/** Replaces a name in a script without capital letters. The words beside a name show that it is a name. */
const NAMES: Readonly<Record<string, readonly Change[]>> = {
  zh: [
    [/\p{sc=Han}{2}(?=市|省|县|縣|州|大学|大學|公司|河|山|岛|島|王|帝)/u, '卓弗'],
    [/\p{sc=Han}{2,4}(?=·)/u, '佐尔瓦'],
    [/(?<=·)\p{sc=Han}{2,4}/u, '奎克斯利'],
  ],
  ja: [
    [/\p{sc=Han}{2}(?=市|県|府|大学|駅|氏|川|山|島|郡|町)/u, '卓弗'],
    [/(?<=「)\p{sc=Han}{2,4}(?=」)/u, '卓弗庵'],
  ],
  ko: [
    [/[가-힣]{2,3}(?=시 |도 |대학교|구 |군 )/u, '졸바'],
    [/(?<= )[가-힣]{3}(?=은 |는 |이 |가 |의 )/u, '졸바텔'],
  ],
  th: [[/(?<=ประเทศ|เมือง|จังหวัด)\p{sc=Thai}{4,8}/u, 'ซอร์วาท']],
};
const DIGIT_ZEROS = ['٠', '०', '๐', '０'];

/**
 * Returns sentences that differ from `sentence` in one fact. A sentence that `source` contains elsewhere is left out.
 */
export function widerAlterationsOf(sentence: string, language: string, source: string): Alteration[] {
  const found: Alteration[] = [];
  const add = (fact: Fact, text: string): void => {
    if (text !== sentence && !source.includes(text) && !/(?<!\p{L})(\p{L}+) \1(?!\p{L})/u.test(text))
      found.push({ fact, text });
  };
  const change = (fact: Fact, changes: readonly Change[]): void => {
    for (const [pattern, by] of changes) add(fact, sentence.replace(pattern, by));
  };
  const listed = (lists: Readonly<Record<string, string>>): Change[] =>
    lists[language] === undefined ? [] : pairs(lists[language]);
  change('name', NAMES[language] ?? []);
  change('date', listed(MONTHS));
  change(
    'unit',
    listed(UNITS).map(([pattern, by]) => [new RegExp(`(?<=\\d[ ,.\\d]*)${pattern.source}`, 'u'), by]),
  );
  change('unit', [
    // "96-100%" says the same as "96%-100%", and the digit of a name such as "L3%" is no number.
    [/(?<=(?<![\p{L}\d.,])\d[\d.,]*)\s?%(?!\s?[-–~〜])/u, ''],
    [/\$(?=\d)/u, '€'],
  ]);
  change('comparative', listed(COMPARISONS));
  change('quantifier', listed(QUANTITIES));
  change('ordinal', listed(ORDINALS));
  change('range', [
    [/(\d+)([–~-]| to | bis |至|から)\d+/u, '$1'],
    [/(\d+)([–~-]| to | bis |至|から)(\d+)/u, '$3$2$1'],
  ]);
  const said = numbersIn(source);
  const numbers = [...sentence.matchAll(/(?<![\d.,])\d+(?![\d.,]*\d)/g)];
  for (const [i, { 0: digits, index }] of numbers.entries()) {
    const changed = String(BigInt(digits) + 1n);
    if (source.includes(changed) || said.has(Number(changed))) continue;
    const zero = DIGIT_ZEROS[i % DIGIT_ZEROS.length]!.codePointAt(0)!;
    const written = [...changed].map((digit) => String.fromCodePoint(zero + Number(digit))).join('');
    add('digits', sentence.slice(0, index) + written + sentence.slice(index + digits.length));
  }
  const [first, second] = numbers;
  if (first !== undefined && second !== undefined && first[0] !== second[0]) {
    const between = sentence.slice(first.index + first[0].length, second.index);
    // Two neighbours in a list may change places without a change of the facts.
    if (/\p{L}.*\p{L}/u.test(between) && !/^\s*(?:,|and|und|oder|or|、|和|및)/.test(between)) {
      const rest = sentence.slice(second.index + second[0].length);
      add('places', sentence.slice(0, first.index) + second[0] + between + first[0] + rest);
    }
  }
  if (language === 'en') {
    add(
      'swap',
      sentence.replace(/(\p{Lu}\p{Ll}{2,})( (?:[a-z]+ ){1,2})(\p{Lu}\p{Ll}{2,})/u, (all, left, verb, right) =>
        /\b(?:and|or|nor|of|the|by|de|von)\b/.test(verb) ||
        /^(?:The|In|On|At|It|They|All|An?|Neither)$/.test(left) ||
        left === right
          ? all
          : right + verb + left,
      ),
    );
  }
  return found;
}

/** Returns the names of a text that stand where a name is certain, with their UTF-16 offsets. */
export function namesIn(text: string, language: string): { name: string; at: number }[] {
  // Thai does not show where a name ends: "country" may also stand before an adverb, and before half of a word.
  const patterns = language === 'th' ? [] : (NAMES[language] ?? []).map(([pattern]) => pattern);
  // Capitals show no names in German, and none at the start of a sentence.
  if (language !== 'de') patterns.push(/(?<=\p{L}[^.!?:]* )\p{Lu}\p{Ll}{2,}/u);
  return patterns.flatMap((pattern) =>
    [...text.matchAll(new RegExp(pattern.source, 'gu'))]
      .map((match) => ({ name: match[0], at: match.index }))
      // These are Korean nouns with two particles, and verbs.
      .filter(({ name }) => !/(?:에서|으로|까지|부터|에게|하|되)$/u.test(name)),
  );
}

const CLAUSE = /^(.{12,}?)(, |，|、|، )(.{12,})([.。।])$/su;

/**
 * Returns the sentence with its clauses in another order, or without its parentheses: these sentences keep all facts.
 */
export function faithfulOf(sentence: string): string[] {
  const found: string[] = [];
  const parts = CLAUSE.exec(sentence);
  if (parts !== null) {
    const [, first, comma, second, end] = parts as unknown as [string, string, string, string, string];
    found.push(`${second}${comma}${first}${end}`);
    if (second.length > first.length * 2) found.push(second + end);
    if (first.length > second.length * 2) found.push(first + end);
  }
  const aside = sentence.replace(/\s?[(（][^()（）]*[)）]/u, '');
  if (aside !== sentence && aside.length > sentence.length / 2) found.push(aside);
  const middle = sentence.replace(/(, |，)([^,，]{4,40})\1/u, '$1');
  if (middle !== sentence && middle.length > sentence.length / 2) found.push(middle);
  return found.filter((text) => text.length > 20);
}
