/**
 * Finds the words of a query in a text, as the analyzer compares them: another form of a word is found, another word is not. Pure.
 */
import { encodeTerm } from './analysis/encode.ts';
import { uniteHan } from './analysis/han-variants.ts';
import { isStopWord } from './analysis/stop-words.ts';
import { analyzeForIndex, analyzeQuery, UNDETERMINED } from './analyzer.ts';
import { normalize } from './fold.ts';
import { splitUnits } from './sentences.ts';

/** Half-open range of code points of a text. */
export interface Range {
  start: number;
  end: number;
}

export interface Highlights {
  /** The words of the query, ascending. They do not overlap. */
  words: Range[];
  /** The first of the sentences with most words of the query; null if no sentence has one. */
  sentence: Range | null;
}

/** The words of a query, analyzed for the texts of one language. */
export interface QueryTerms {
  language: string | null;
  /** Term -> the places in the query of the words that it stands for. */
  words: ReadonlyMap<string, readonly number[]>;
  /** Pairs, or single characters, of the parts of the query that have no blanks between words. */
  cjk: ReadonlyMap<string, number>;
  thai: ReadonlyMap<string, number>;
}

/** A match in UTF-16 units, and the places of the query that it matches. */
interface Match {
  start: number;
  end: number;
  places: readonly number[];
}

const LETTERS = '[\\p{L}\\p{M}\\p{N}\\u00ad\\u200c\\u200d]';
const CJK = `[[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Bopo}\\p{sc=Hang}]&&${LETTERS}]`;
const THAI = `[[\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}]&&${LETTERS}]`;
const WORD = `[${LETTERS}--${CJK}--${THAI}]`;
/** Runs of one kind of script. A word may have parts: `foo.bar`, `10,000`. */
const RUNS = new RegExp(`(${CJK}+)|(${THAI}+)|${WORD}+(?:[._,\\-]${WORD}+)*`, 'gv');
const NUMBER = /^\p{Nd}+(?:[.,]\p{Nd}+)+$/u;
const PARTS = new RegExp(`${WORD}+`, 'gv');

/** Characters with their marks. Half-width kana have the marks ﾞ and ﾟ behind them, which are one character with them elsewhere. */
const CHARACTERS = /.[\p{M}\uff9e\uff9f]*/gsu;

const thaiSegmenter = new Intl.Segmenter('th', { granularity: 'word' });
/** Maximum number of words of a query that are looked for. */
const QUERY_WORDS_MAX = 64;
/** Maximum length of a word that is looked for. */
const WORD_UNITS_MAX = 200;
/** A heading counts less than a sentence with as many words. */
const HEADING_PENALTY = 0.5;

/** Returns the words of a query for texts of this language. Stop words are left out, unless the query has no others. */
export function queryTerms(query: string, language: string | null): QueryTerms {
  const words = new Map<string, number[]>();
  const cjk = new Map<string, number>();
  const thai = new Map<string, number>();
  const own = language ?? UNDETERMINED;
  let place = 0;
  const parts: string[] = [];
  for (const run of query.matchAll(RUNS)) {
    if (place >= QUERY_WORDS_MAX) break;
    if (run[1] !== undefined) for (const pair of pairsOf(run[1])) cjk.set(pair.text, place++);
    else if (run[2] !== undefined) for (const { segment } of thaiWords(run[2])) thai.set(encodeTerm(segment), place++);
    else parts.push(...partsOf(run[0]).map(({ text }) => text));
  }
  const topical = parts.filter((part) => !isStop(part, own));
  const hasTopic = topical.length > 0 || cjk.size > 0 || thai.size > 0;
  for (const part of (hasTopic ? topical : parts).slice(0, QUERY_WORDS_MAX)) {
    const terms = new Set([...analyzeQuery(part, [own]), ...analyzeQuery(part, [UNDETERMINED])]);
    for (const term of terms) words.set(term, [...(words.get(term) ?? []), place]);
    place += 1;
  }
  return { language, words, cjk, thai };
}

/** Returns where a text has the words of a query, and its best sentence. */
export function highlight(text: string, query: QueryTerms): Highlights {
  const matches = [...text.matchAll(RUNS)].flatMap((run) => matchesIn(run, query)).sort((a, b) => a.start - b.start);
  if (matches.length === 0) return { words: [], sentence: null };
  const best = bestUnit(text, matches);
  const toCodePoints = codePointsOf(text, [...matches, ...(best ? [best] : [])]);
  return { words: merge(matches).map(toCodePoints), sentence: best ? toCodePoints(best) : null };
}

function matchesIn(run: RegExpExecArray, query: QueryTerms): Match[] {
  const [whole, cjk, thai] = run;
  const at = run.index;
  if (cjk !== undefined)
    return pairsOf(cjk).flatMap(({ text, start, end }) => matchOf(at + start, at + end, query.cjk.get(text)));
  if (thai !== undefined)
    return thaiWords(thai).flatMap(({ segment, index, length }) =>
      matchOf(at + index, at + index + length, query.thai.get(encodeTerm(segment))),
    );
  const inParts = partsOf(whole).flatMap(({ text, start, end }) => {
    const places = placesOf(text, query);
    return places.length === 0 ? [] : [{ start: at + start, end: at + end, places }];
  });
  if (inParts.length > 0) return inParts;
  const places = placesOf(whole, query);
  return places.length === 0 ? [] : [{ start: at, end: at + whole.length, places }];
}

function matchOf(start: number, end: number, place: number | undefined): Match[] {
  return place === undefined ? [] : [{ start, end, places: [place] }];
}

/** Returns the places of the query that a word of the text matches. */
function placesOf(word: string, { words, language }: QueryTerms): number[] {
  if (words.size === 0 || word.length > WORD_UNITS_MAX) return [];
  return analyzeForIndex(word, language)
    .split(' ')
    .flatMap((term) => words.get(term) ?? []);
}

/** Returns the parts of a word that marks such as `.` and `-` join. A number has no parts. */
function partsOf(word: string): { text: string; start: number; end: number }[] {
  if (NUMBER.test(word)) return [{ text: word, start: 0, end: word.length }];
  return [...word.matchAll(PARTS)].map((part) => ({
    text: part[0],
    start: part.index,
    end: part.index + part[0].length,
  }));
}

/** Returns the pairs of neighbouring characters of a run, or its only character. A single character is no word by itself. */
function pairsOf(run: string): { text: string; start: number; end: number }[] {
  const characters = run.match(CHARACTERS) ?? [];
  const size = Math.min(2, characters.length);
  const pairs: { text: string; start: number; end: number }[] = [];
  for (let i = 0, start = 0; i + size <= characters.length; i++) {
    const pair = characters.slice(i, i + size).join('');
    pairs.push({ text: uniteHan(normalize(pair)), start, end: start + pair.length });
    start += characters[i]!.length;
  }
  return pairs;
}

function thaiWords(run: string): { segment: string; index: number; length: number }[] {
  return [...thaiSegmenter.segment(run)].map(({ segment, index }) => ({
    segment: normalize(segment),
    index,
    length: segment.length,
  }));
}

function isStop(word: string, language: string): boolean {
  const lower = normalize(word).toLowerCase();
  return isStopWord(lower, language === UNDETERMINED ? 'en' : language) || isStopWord(lower, 'en');
}

/** Returns the first unit with most distinct words of the query. */
function bestUnit(text: string, matches: readonly Match[]): { start: number; end: number } | undefined {
  let best: { start: number; end: number; score: number } | undefined;
  let first = 0;
  for (const { start, end, kind } of splitUnits(text)) {
    while (first < matches.length && matches[first]!.end <= start) first += 1;
    const places = new Set<number>();
    for (let i = first; i < matches.length && matches[i]!.start < end; i++)
      for (const place of matches[i]!.places) places.add(place);
    const score = places.size - (kind === 'heading' ? HEADING_PENALTY : 0);
    if (score > (best?.score ?? 0)) best = { start, end, score };
  }
  return best;
}

/** Returns the matches without overlaps: matches that overlap or touch become one. */
function merge(matches: readonly Match[]): Range[] {
  const merged: Range[] = [];
  for (const { start, end } of matches) {
    const last = merged.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/** Returns a function from UTF-16 ranges of the text to ranges of code points. */
function codePointsOf(text: string, ranges: readonly Range[]): (range: Range) => Range {
  const wanted = [...new Set(ranges.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  const points = new Map<number, number>();
  let count = 0;
  let at = 0;
  for (const place of wanted) {
    for (; at < place; at += text.codePointAt(at)! > 0xffff ? 2 : 1) count += 1;
    points.set(place, count);
  }
  return ({ start, end }) => ({ start: points.get(start)!, end: points.get(end)! });
}
