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

/** Number words of one language that are everyday words, or name another number, in another. */
const EVERYDAY_WORDS = new Set(['once', 'sei', 'sete', 'tre', 'due']);
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

/** Every number of `text`: digits of any script with separators, sign and magnitude word, number words, CJK numerals. */
export function numbersIn(text: string): Readings[] {
  const normal = asciiDigits(text.normalize('NFKC').replaceAll('−', '-').toLowerCase());
  const found: Readings[] = [];
  const scaledUntil = new Set<number>();
  for (const match of normal.matchAll(NUMBER)) {
    const end = match.index + match[0].length;
    const magnitude = MAGNITUDE.exec(normal.slice(end, end + 16));
    if (magnitude !== null) scaledUntil.add(end + magnitude[0].length);
    const sign = isNegative(normal, match.index) ? '-' : '';
    const readings = readingsOf(match[0].replaceAll(' ', '')).map((reading) => sign + scaled(reading, magnitude?.[1]));
    const after = normal.slice(end, end + 2);
    const unit = magnitude !== null ? undefined : ORDINAL_END.test(after) ? ORDINAL : CJK_UNIT.exec(after)?.[0];
    found.push(unit === undefined ? readings : [...readings, ...readings.map((reading) => reading + unit)]);
  }
  for (const match of normal.matchAll(WORD)) {
    if (scaledUntil.has(match.index + match[0].length)) continue;
    const ordinal = ORDINALS.get(match[0]);
    // "First, …" counts what is said.
    if (ordinal !== undefined && normal[match.index + match[0].length] !== ',') found.push([`${ordinal}${ORDINAL}`]);
    const value = wordValue(normal, match.index, match[0]);
    if (value !== undefined) found.push([String(value)]);
  }
  for (const match of normal.matchAll(CJK_NUMERAL)) {
    if (!isCjkNumber(normal, match.index, match[0])) continue;
    const value = String(cjkValue(match[0]));
    // One alone is also part of many words: it is the number only together with its unit.
    found.push([match[0].length > 1 ? value : value + normal[match.index + 1]!]);
  }
  for (const [word] of normal.matchAll(THAI_NUMERAL)) found.push([String(THAI_NUMERALS.indexOf(word) + 1)]);
  return found;
}

/** True when every number of `needed` is one of `available`. */
export function missesNumber(needed: readonly Readings[], available: readonly Readings[]): boolean {
  const known = new Set(available.flat());
  return needed.some((readings) => !readings.some((reading) => known.has(reading)));
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
  if (parts.length === 2) readings.push(decimal(parts[0]!, last));
  return readings.length > 0 ? readings : [parts.map(withoutLeadingZeros).join('.')]; // a version or a date
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
  const value = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
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
    [2, 'два три четыре пять шесть семь восемь девять десять'],
  ];
  const tens = [
    'twenty thirty forty fifty sixty seventy eighty ninety',
    'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig',
    'vingt trente quarante cinquante soixante',
    'veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa',
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
