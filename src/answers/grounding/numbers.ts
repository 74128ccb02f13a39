/** Numbers in text of any script, in a form in which equal numbers are equal strings. Pure. */

/** Ways to read one number: `1,000` is a thousand or, in other countries, one point zero. Two numbers match when they share a reading. */
export type Readings = readonly string[];

const NUMBER =
  /(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_])(?<![\d\p{sc=Latn}][.,])(?:\d{1,3}(?: \d{3})+(?![\d.,])|\d+(?:[.,'’]\d+)*)/gu;
const CJK_NUMERAL = /[〇零一二三四五六七八九十百千万萬億亿兆两兩]+/gu;
const WORD = /\p{L}+/gu;
/** Thai numbers stand within words; three of its words begin like one. */
const THAI_NUMERAL = /หนึ่ง|สอง|สาม(?!ารถ|ี|ัญ)|สี่|ห้า(?!ม|ง)|หก(?!ล้ม)|เจ็ด|แปด|เก้า(?!อี้)|สิบ/g;
const THAI_NUMERALS = ['หนึ่ง', 'สอง', 'สาม', 'สี่', 'ห้า', 'หก', 'เจ็ด', 'แปด', 'เก้า', 'สิบ'];
/** After a numeral of one character; with it a number is another one than the same numeral with another of these. */
const CJK_UNIT = /^[日月年人個个回度本枚時时分秒円元週周歳岁天次名位件階层層倍割点點場场]/u;

const CJK_COUNTED = /\p{sc=Han}$/u;
/** The same unit, otherwise written. */
const CJK_UNIT_FORMS: Readonly<Record<string, string>> = {
  天: '日',
  個: '个',
  時: '时',
  円: '元',
  週: '周',
  歳: '岁',
  歲: '岁',
  層: '层',
  階: '层',
  點: '点',
  場: '场',
  人: '名',
};

/** Number words of one language that are everyday words, or name another number, in another. */
const EVERYDAY_WORDS = new Set(['once', 'sei', 'sete', 'tre', 'due', 'doi', 'opt']);
const WORDS: Readonly<Record<string, number>> = numberWords();
/** Of an ordinal: `2nd` and "second" are not "two". */
const ORDINAL = 'th';
const ORDINAL_END = /^(?:st|nd|rd|th|er|e[rmns]?\b|[ºª.])/u;
const ORDINALS: ReadonlyMap<string, number> = new Map(
  [
    'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth',
    'erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte',
    'ersten zweiten dritten vierten fünften sechsten siebten achten neunten zehnten',
    'erster zweiter dritter vierter fünfter sechster siebter achter neunter zehnter',
    'premier deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième',
    'première seconde',
    'primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo',
    'primera segunda tercera cuarta quinta sexta séptima octava novena décima',
    'первый второй третий четвёртый пятый',
    'первая вторая третья четвёртая пятая',
  ].flatMap((list) => list.split(' ').map((word, i) => [word, i + 1] as const)),
);
/** Before the number of a version. */
const VERSION = /(?<!\p{L})(?:version(?:en)?|versión|release|revision|rev\.?|版本|バージョン|버전)\s*$/u;
const MAGNITUDE =
  /^\s*(thousand|million(?:en|s)?|billion(?:s)?|trillion(?:s)?|tausend|mio|mrd|milliarden?|milliards?|mil|millones|万|萬|億|亿|兆|만|억)(?!\p{sc=Latn})/iu;
const MAGNITUDES: readonly [RegExp, number][] = [
  [/^(thousand|tausend|mil)$/, 1e3],
  [/^(万|萬|만)$/, 1e4],
  [/^(million|mio|millones)/, 1e6],
  [/^(億|亿|억)$/, 1e8],
  [/^(billion|milliard|mrd)/, 1e9],
  [/^(trillion|兆)/, 1e12],
];

/** A number in a text that readable() made: half-open UTF-16 offsets. */
export interface PlacedNumber {
  start: number;
  end: number;
  readings: Readings;
}

/** Every number of `text`: digits of any script with separators, sign and magnitude word, number words, CJK numerals. */
export function numbersIn(text: string): Readings[] {
  return numbersAt(readable(text)).map(({ readings }) => readings);
}

/** A text in the form in which numbers are looked for: digits of all scripts are 0-9. */
export function readable(text: string): string {
  return asciiDigits(text.normalize('NFKC').replaceAll('−', '-').replaceAll('İ', 'I'));
}

/** The numbers of a text that readable() made, digits first. `withCounts`: also those that count what is said ("First, …"). */
export function numbersAt(text: string, withCounts = false): PlacedNumber[] {
  const normal = text.toLowerCase();
  const found: PlacedNumber[] = [];
  const scaledUntil = new Set<number>();
  const add = (start: number, length: number, readings: Readings): void => {
    found.push({ start, end: start + length, readings });
  };
  for (const match of normal.matchAll(NUMBER)) {
    const end = match.index + match[0].length;
    const magnitude = MAGNITUDE.exec(normal.slice(end, end + 16));
    const scale = magnitude?.[0].length ?? 0;
    if (magnitude !== null) scaledUntil.add(end + scale);
    const sign = isNegative(normal, match.index) ? '-' : '';
    const written = match[0].replaceAll(' ', '');
    const isVersion = magnitude === null && VERSION.test(normal.slice(Math.max(0, match.index - 12), match.index));
    const read = isVersion ? versionOf(written) : readingsOf(written);
    const readings = read.map((reading) => sign + scaled(reading, magnitude?.[1]));
    const after = normal.slice(end, end + 2);
    const unit = magnitude !== null ? undefined : ORDINAL_END.test(after) ? ORDINAL : cjkUnit(after);
    add(
      match.index,
      match[0].length + scale,
      unit === undefined ? readings : [...readings, ...readings.map((reading) => reading + unit)],
    );
  }
  for (const match of normal.matchAll(WORD)) {
    const [word] = match;
    if (scaledUntil.has(match.index + word.length)) continue;
    const ordinal = ORDINALS.get(word);
    if (ordinal !== undefined && (withCounts || normal[match.index + word.length] !== ','))
      add(match.index, word.length, [`${ordinal}${ORDINAL}`]);
    const value = wordValue(normal, match.index, word);
    if (value !== undefined) add(match.index, word.length, [String(value)]);
  }
  for (const match of normal.matchAll(CJK_NUMERAL)) {
    const [numeral] = match;
    if (!isCjkNumber(normal, match.index, numeral)) continue;
    const value = String(cjkValue(numeral));
    const unit = cjkUnit(normal.slice(match.index + numeral.length)) ?? '';
    // One alone is also part of many words: it is the number only together with its unit.
    add(match.index, numeral.length, numeral.length > 1 && unit !== '' ? [value, value + unit] : [value + unit]);
  }
  for (const match of normal.matchAll(THAI_NUMERAL))
    add(match.index, match[0].length, [String(THAI_NUMERALS.indexOf(match[0]) + 1)]);
  return found;
}

/** True when every number of `needed` is one of `available`. */
export function missesNumber(needed: readonly Readings[], available: readonly Readings[]): boolean {
  const known = new Set(available.flat());
  return needed.some((readings) => !readings.some((reading) => known.has(reading)));
}

/** True when two numbers may be the same, and do not count different things: 6月 is not 6日. */
export function isSameNumber(left: Readings, right: Readings): boolean {
  const [one, other] = [left, right].map((readings) => readings.map((reading) => CJK_COUNTED.exec(reading)?.[0] ?? ''));
  const units = [one!.at(-1)!, other!.at(-1)!];
  if (units[0] !== '' && units[1] !== '' && units[0] !== units[1]) return false;
  return left.some((reading) => right.includes(reading));
}

/** Digits of all scripts become 0-9; nothing else changes but lengths in UTF-16. */
function asciiDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0)!;
    // Blocks of digits begin at a code point that ends in 0 or in 6.
    const low = code & 0xf;
    return String(/\p{Nd}/u.test(String.fromCodePoint(code - low)) ? low : low - 6);
  });
}

function isNegative(text: string, at: number): boolean {
  return text[at - 1] === '-' && (at === 1 || /[\s(=:,]/.test(text[at - 2]!));
}

function readingsOf(token: string): string[] {
  const parts = token.split(/[.,'’]/);
  if (parts.length === 1) return [withoutLeadingZeros(token)];
  const separators = token.match(/[.,'’]/g)!;
  const last = parts[parts.length - 1]!;
  const isMixed = separators.length > 1 && separators[separators.length - 1] !== separators[0];
  if (isMixed) return [decimal(parts.slice(0, -1).join(''), last)];
  const readings: string[] = [];
  if (parts[0]!.length <= 3 && parts.slice(1).every((part) => part.length === 3))
    readings.push(withoutLeadingZeros(parts.join('')));
  if (parts.length === 2) {
    readings.push(decimal(parts[0]!, last));
    // As a version is read, where it is called so on the other side only.
    if (/0$/.test(last) && last.length !== 3) readings.push(`${withoutLeadingZeros(parts[0]!)}.${last}`);
  }
  return readings.length > 0 ? readings : [parts.map(withoutLeadingZeros).join('.')]; // a version or a date
}

/** Version 2.10 is not 2.1. */
function versionOf(token: string): string[] {
  return token.includes(',') ? readingsOf(token) : [token.split('.').map(withoutLeadingZeros).join('.')];
}

/** Three digits keep their zeros: `1.000` must not read as 1. */
function decimal(whole: string, fraction: string): string {
  const kept = fraction.length === 3 ? fraction : fraction.replace(/0+$/, '');
  return kept === '' ? withoutLeadingZeros(whole) : `${withoutLeadingZeros(whole)}.${kept}`;
}

function withoutLeadingZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}

function scaled(reading: string, magnitude: string | undefined): string {
  if (magnitude === undefined) return reading;
  const factor = MAGNITUDES.find(([pattern]) => pattern.test(magnitude))?.[1] ?? 1;
  return String(Number((Number(reading) * factor).toPrecision(15)));
}

function wordValue(text: string, at: number, word: string): number | undefined {
  const value = Object.hasOwn(WORDS, word) ? WORDS[word] : joinedValue(word);
  if (value === undefined) return undefined;
  const after = text.slice(at + word.length, at + word.length + 12);
  // The pronoun: "one of", "one can". A hyphen joins tens and ones; the ones were counted with the tens.
  if (value === 1 && /^\s+(?:of|can|may|must|should|another|or)\b/.test(after)) return undefined;
  if (value < 10 && /\p{L}-$/u.test(text.slice(Math.max(0, at - 3), at)) && (wordBefore(text, at) ?? 0) >= 20)
    return undefined;
  const ones = /^-(\p{L}+)/u.exec(after)?.[1];
  const tail = ones !== undefined && Object.hasOwn(WORDS, ones) ? WORDS[ones]! : 0;
  return value >= 20 && value < 100 && tail < 10 ? value + tail : value;
}

/** "fünfundzwanzig", "veinticinco": ones and tens in a word. */
function joinedValue(word: string): number | undefined {
  const german = /^(.{3,6}?)(?:und|en|ën)(.{5,8}ig|twintig)$/u.exec(word);
  const spanish = /^(?:veinti|venti)(.{2,6})$/u.exec(word);
  const [ones, tens] = german !== null ? [german[1]!, german[2]!] : [spanish?.[1] ?? '', 'twenty'];
  const one = ones === 'ein' || ones === 'een' ? 1 : Object.hasOwn(WORDS, ones) ? WORDS[ones]! : 10;
  return one < 10 && Object.hasOwn(WORDS, tens) ? WORDS[tens]! + one : undefined;
}

function wordBefore(text: string, at: number): number | undefined {
  const word = /(\p{L}+)-$/u.exec(text.slice(Math.max(0, at - 20), at))?.[1];
  return word !== undefined && Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
}

/** A single numeral is also part of many words: it counts only before a unit, 一 included. */
function isCjkNumber(text: string, at: number, numeral: string): boolean {
  if (/\d/.test(text.slice(Math.max(0, at - 1), at))) return false; // a magnitude of digits: 3万
  if (numeral.length > 1) return true;
  return CJK_UNIT.test(text.slice(at + 1, at + 2));
}

function cjkUnit(after: string): string | undefined {
  const unit = CJK_UNIT.exec(after)?.[0];
  return unit === undefined ? undefined : (CJK_UNIT_FORMS[unit] ?? unit);
}

function cjkValue(numeral: string): number {
  const digits: Readonly<Record<string, number>> = {
    〇: 0,
    零: 0,
    一: 1,
    二: 2,
    两: 2,
    兩: 2,
    三: 3,
    四: 4,
    五: 5,
    六: 6,
    七: 7,
    八: 8,
    九: 9,
  };
  const small: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000 };
  const large: Readonly<Record<string, number>> = { 万: 1e4, 萬: 1e4, 億: 1e8, 亿: 1e8, 兆: 1e12 };
  if ([...numeral].every((character) => character in digits))
    return Number([...numeral].map((character) => digits[character]).join(''));
  let total = 0;
  let section = 0;
  let digit = 0;
  for (const character of numeral) {
    if (character in digits) digit = digits[character]!;
    else if (character in small) {
      section += (digit || 1) * small[character]!;
      digit = 0;
    } else {
      total += (section + digit || 1) * large[character]!;
      section = 0;
      digit = 0;
    }
  }
  return total + section + digit;
}

function numberWords(): Record<string, number> {
  const lists: [number, string][] = [
    [
      0,
      'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
    ],
    [
      2,
      'zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
    ],
    [2, 'deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize'],
    [2, 'dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince'],
    [2, 'due tre quattro cinque sei sette otto nove dieci'],
    [2, 'dois três quatro cinco seis sete oito nove dez'],
    [2, 'twee drie vier vijf zes zeven acht negen tien'],
    [
      2,
      'два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать',
    ],
    [2, 'двух трёх четырёх пяти шести семи восьми девяти десяти одиннадцати двенадцати'],
    [2, 'двум трём четырём пятью шестью семью восемью девятью десятью'],
    [2, 'iki üç dört beş altı yedi sekiz dokuz'],
    [2, 'hai ba bốn năm sáu bảy tám chín mười'],
    [2, 'δύο τρεις τέσσερις πέντε έξι επτά οκτώ εννέα δέκα έντεκα δώδεκα'],
    [3, 'τρία τέσσερα πέντε έξι εφτά οχτώ εννιά'],
    [2, 'doi trei patru cinci șase șapte opt nouă zece unsprezece doisprezece'],
    [2, 'două trei patru cinci șase șapte opt nouă zece'],
    [2, 'dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć'],
    [2, 'اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة'],
    [3, 'ثلاث أربع خمس ست سبع ثمان تسع عشر'],
    [2, 'दो तीन चार पांच छह सात आठ नौ दस'],
  ];
  const tens = [
    'twenty thirty forty fifty sixty seventy eighty ninety',
    'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig',
    'vingt trente quarante cinquante soixante',
    'veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa',
    'двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто',
    'двадцати тридцати сорока пятидесяти шестидесяти семидесяти восьмидесяти девяноста',
    'venti trenta quaranta cinquanta sessanta settanta ottanta novanta',
    'vinte trinta quarenta cinquenta sessenta setenta oitenta noventa',
    'twintig dertig veertig vijftig zestig zeventig tachtig negentig',
    'yirmi otuz kırk elli altmış yetmiş seksen doksan',
    'είκοσι τριάντα σαράντα πενήντα εξήντα εβδομήντα ογδόντα ενενήντα',
  ];
  const words: Record<string, number> = {
    hundred: 100,
    hundert: 100,
    cent: 100,
    thousand: 1000,
    tausend: 1000,
    million: 1e6,
    billion: 1e9,
  };
  const add = (word: string, value: number): void => {
    if (!EVERYDAY_WORDS.has(word)) words[word] ??= value;
  };
  for (const [first, list] of lists) for (const [i, word] of list.split(' ').entries()) add(word, first + i);
  for (const list of tens) for (const [i, word] of list.split(' ').entries()) add(word, (i + 2) * 10);
  return words;
}
