/**
 * Checks a sentence against the result of a query, by rules. Pure.
 *
 * A sentence is verified when its numbers are cells of the result, each in the row of the text that stands beside it, when its names are
 * in the result or in the statement, and when it negates nothing. Numbers of the conditions may be repeated.
 */
import { detectLanguage } from '../../text/language.ts';
import { claimOf, termsOf } from './claims.ts';
import { normalizeDigits } from './digits.ts';
import { claimedNumbersIn, type FoundNumber, numbersIn } from './numbers.ts';

export interface ComputedResult {
  sql: string;
  columns: readonly string[];
  rows: readonly (readonly unknown[])[];
}

export interface ResultSupport {
  verified: boolean;
  /** Why the sentence is not verified, in plain words. Null when it is verified. */
  reason: string | null;
  /** Positions of the rows of the result that the sentence is about; empty if it names none. */
  rows: number[];
}

/** A text in a statement. */
const LITERAL = /'((?:[^']|'')*)'/g;
/** Shorter texts of cells are parts of too many words. */
const MENTION_UNITS_MIN = 2;
/** Maximum cells that are compared with a sentence. */
const CELLS_MAX = 5_000;
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})(?![\d-])/;

interface ComparedCell {
  row: number;
  /** The ways to write the cell, in lower case. */
  texts: readonly string[];
  isDate: boolean;
  /** Readings of the numbers in the cell. */
  numbers: ReadonlySet<string>;
  /** The number of a cell that is nothing but a number. */
  value: number | null;
}

/** A cell in a sentence, and the rows that have it. */
interface Mention {
  at: number;
  end: number;
  /** True for a number and a date: it needs the text of its row beside it. */
  isFact: boolean;
  rows: ReadonlySet<number>;
}

/** Returns the function that checks a sentence. @param question in German, its nouns do not count as names. */
export function openResultCheck(result: ComputedResult, question: string): (sentence: string) => ResultSupport {
  const languages = [...new Set(['en', detectLanguage(question) ?? 'en'])];
  const cells = cellsOf(result.rows, languages);
  const conditions = new Set(conditionsOf(result.sql).flatMap((text) => readingsIn(text)));
  const literals = [...result.sql.matchAll(LITERAL)].map(([, text]) => text!);
  const dates = literals.flatMap((text) => formsOf(DATE.exec(text), languages));
  const known = [...result.columns, result.sql, ...dates, ...cells.flatMap(({ texts }) => texts)].join('\n');

  return (sentence) => {
    const language = detectLanguage(sentence) ?? detectLanguage(question);
    const claim = claimOf(sentence, language);
    if (claim.isTooLong) return refused('The sentence is too long to be checked.');
    const text = normalizeDigits(sentence).toLowerCase();
    const texts = cells.flatMap((cell) => mentionsOf(cell, text));
    const longest = withoutInner(texts);
    const outside = claimedNumbersIn(sentence, language).filter(
      ({ at }) => !longest.some((one) => one.at <= at && at < one.end),
    );
    const numbers = outside.map((number) => ({ number, rows: rowsOf(number, cells) }));
    const about = [...new Set([...longest, ...numbers].flatMap(({ rows }) => [...rows]))].sort((a, b) => a - b);

    const foreign = numbers.find(({ number, rows }) => rows.size === 0 && !isCondition(number, conditions));
    if (foreign) return refused(`The result of the query has no cell ${foreign.number.written}.`, about);
    const name = foreignName(sentence, language, `${known}\n${language === 'de' ? question : ''}`);
    if (name !== undefined) return refused(`The result of the query lacks “${name}”.`, about);
    if (claim.clauses.some(({ negations }) => negations > 0))
      return refused('The result of a query does not confirm a negation.', about);

    const ofNumbers = numbers
      .filter(({ rows }) => rows.size > 0)
      .map(({ number, rows }): Mention => ({ at: number.at, end: number.at, isFact: true, rows }));
    const mentions = [...ofNumbers, ...longest];
    if (!mentions.some(({ isFact }) => isFact)) {
      const namesAll = longest.length > 0 && about.length === result.rows.length;
      return namesAll
        ? confirmed(about)
        : refused('The sentence has no number of the result, and does not name all its rows.', about);
    }
    const rows = pairedRows(mentions);
    return rows ? confirmed(rows) : refused('A number and the text beside it are not in one row of the result.', about);
  };
}

function confirmed(rows: number[]): ResultSupport {
  return { verified: true, reason: null, rows };
}

function refused(reason: string, rows: number[] = []): ResultSupport {
  return { verified: false, reason, rows };
}

/** @param languages in which dates are written. */
function cellsOf(rows: ComputedResult['rows'], languages: readonly string[]): ComparedCell[] {
  const cells: ComparedCell[] = [];
  for (const [row, values] of rows.entries()) {
    for (const cell of values.flatMap((value) => (Array.isArray(value) ? value : [value]))) {
      if (cell === null || cell === undefined || cells.length >= CELLS_MAX) continue;
      const written = typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
      const text = normalizeDigits(written).toLowerCase();
      const isNumber = PLAIN_NUMBER.test(text);
      const date = DATE.exec(text);
      const texts = isNumber ? [] : [text, ...formsOf(date, languages)];
      const numbers = new Set(isNumber ? [plain(text)] : date ? [date[1]!] : readingsIn(written));
      cells.push({ row, texts, isDate: date !== null, numbers, value: isNumber ? Number(text) : null });
    }
  }
  return cells;
}

/** Returns the usual ways to write a date, and its month. */
function formsOf(date: RegExpExecArray | null, languages: readonly string[]): string[] {
  if (date === null) return [];
  const [, year = '', month = '', day = ''] = date;
  const [m, d] = [String(Number(month)), String(Number(day))];
  const monthIn = (language: string, form: 'long' | 'short'): string => {
    const format = new Intl.DateTimeFormat(language, { month: form, day: 'numeric', timeZone: 'UTC' });
    const parts = format.formatToParts(Date.UTC(2000, Number(month) - 1, 15));
    return parts
      .find(({ type }) => type === 'month')!
      .value.toLowerCase()
      .replace('.', '');
  };
  const names = languages.flatMap((language) => [monthIn(language, 'long'), monthIn(language, 'short')]);
  return [
    ...[`${year}-${month}-${day}`, `${day}.${month}.${year}`, `${day}/${month}/${year}`, `${month}/${day}/${year}`],
    ...[`${d}.${m}.${year}`, `${d}/${m}/${year}`, `${m}/${d}/${year}`],
    ...names.flatMap((name) => [`${d} ${name} ${year}`, `${d}. ${name} ${year}`, `${d} de ${name} de ${year}`]),
    ...names.flatMap((name) => [`${name} ${d}, ${year}`, `${name} ${year}`]),
  ];
}

/** Returns the digits as `numbersIn` reads them. */
function plain(digits: string): string {
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}

function readingsIn(text: string): string[] {
  return numbersIn(text, null).flatMap(({ readings }) => readings);
}

/** Returns the parts of a statement in which conditions stand: literals, and what follows WHERE and HAVING. */
function conditionsOf(sql: string): string[] {
  const clauses = /\b(?:where|having)\b(.*?)(?=\b(?:group\s+by|order\s+by|limit|qualify|having)\b|$)/gis;
  const parts = [...sql.matchAll(LITERAL), ...sql.matchAll(clauses)];
  return parts.map(([, text]) => text!.replace(/[<>=!]/g, ' '));
}

function isCondition({ readings }: FoundNumber, conditions: ReadonlySet<string>): boolean {
  return readings.some((reading) => conditions.has(reading));
}

/** Returns the rows with the number: exactly, or rounded to the decimals that are written. */
function rowsOf({ readings }: FoundNumber, cells: readonly ComparedCell[]): Set<number> {
  const isIn = ({ numbers, value }: ComparedCell): boolean =>
    readings.some((reading) => {
      if (numbers.has(reading) || numbers.has(plain(reading))) return true;
      const decimals = /^-?\d+\.(\d+)$/.exec(reading)?.[1]?.length ?? 0;
      return decimals > 0 && value !== null && Number(value.toFixed(decimals)) === Number(reading);
    });
  return new Set(cells.filter(isIn).map(({ row }) => row));
}

/** Returns where a cell stands in a sentence as whole words. */
function mentionsOf({ texts, isDate, row }: ComparedCell, sentence: string): Mention[] {
  return texts.flatMap((text) =>
    placesOf(text, sentence).map((place) => ({ ...place, isFact: isDate, rows: new Set([row]) })),
  );
}

function placesOf(text: string, sentence: string): { at: number; end: number }[] {
  if (text.length < MENTION_UNITS_MIN) return [];
  const found: { at: number; end: number }[] = [];
  for (let at = sentence.indexOf(text); at !== -1; at = sentence.indexOf(text, at + 1)) {
    const end = at + text.length;
    const isWhole =
      !(isCased(text[0]!) && isCased(sentence[at - 1] ?? '')) &&
      !(isCased(text.at(-1)!) && isCased(sentence[end] ?? ''));
    if (isWhole) found.push({ at, end });
  }
  return found;
}

function isCased(letter: string): boolean {
  return /^[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{Nd}]$/u.test(letter);
}

/** Returns each mentioned text once, with all its rows, without texts that are parts of longer ones. */
function withoutInner(mentions: readonly Mention[]): Mention[] {
  const byPlace = Map.groupBy(mentions, ({ at, end }) => `${at} ${end}`);
  const merged = [...byPlace.values()].map((same) => ({
    ...same[0]!,
    rows: new Set(same.flatMap(({ rows }) => [...rows])),
  }));
  const isInner = (one: Mention): boolean =>
    merged.some((other) => other !== one && other.at <= one.at && one.end <= other.end);
  return merged.filter((one) => !isInner(one));
}

/** Returns a name of the sentence that neither the result nor the statement has. */
function foreignName(sentence: string, language: string | null, known: string): string | undefined {
  const words = known.replaceAll('_', ' ');
  const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const terms = new Set([...termsOf(words, language), ...termsOf(words, null), ...wordsIn(words)]);
  // An identifier such as A-17 is known when its parts are.
  const lacking = claimOf(sentence, language).items.find(
    ({ kind, text, keys }) =>
      kind === 'name' &&
      !wordsIn(text).every((word) => terms.has(word)) &&
      !keys.some((key) => terms.has(key.replace(/^\^/, ''))),
  );
  return lacking?.text;
}

/**
 * Returns the rows of the numbers. Undefined if a number is in another row than the texts beside it, which stand either all before their
 * numbers or all behind them.
 */
function pairedRows(mentions: readonly Mention[]): number[] | undefined {
  const inOrder = mentions.toSorted((a, b) => a.at - b.at);
  return paired(inOrder) ?? paired(inOrder.toReversed());
}

function paired(mentions: readonly Mention[]): number[] | undefined {
  const hasTexts = mentions.some(({ isFact }) => !isFact);
  const rows = new Set<number>();
  let beside: ReadonlySet<number> | null = null;
  let isAfterNumber = false;
  for (const mention of mentions) {
    if (!mention.isFact) {
      const both: ReadonlySet<number> | null = beside && !isAfterNumber ? mention.rows.intersection(beside) : null;
      beside = both === null ? mention.rows : both.size > 0 ? both : mention.rows.union(beside!);
      isAfterNumber = false;
      continue;
    }
    isAfterNumber = true;
    if (hasTexts && beside === null) return undefined;
    const own: ReadonlySet<number> = beside === null ? mention.rows : mention.rows.intersection(beside);
    if (own.size === 0) return undefined;
    for (const row of own) rows.add(row);
  }
  return [...rows].sort((a, b) => a - b);
}
