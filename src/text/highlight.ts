/**
 * Finds the words of a query in a text, as the analyzer compares them: another form of a word is found, another word is not. Pure.
 */

import { openOffsets } from '../util/code-points.ts';
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
  /** Key of a piece -> the places in the query of the pieces that it stands for. */
  places: ReadonlyMap<string, readonly number[]>;
}

/** A piece of a text in UTF-16 units: a word, or a pair of characters in scripts without blanks. */
interface Piece {
  start: number;
  end: number;
  text: string;
  /** The key of a piece in a script without blanks; undefined for a word, whose terms depend on the language. */
  key?: string;
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
const QUERY_WORDS_MAX = 200;
/** Maximum length of a word that is looked for. */
const WORD_UNITS_MAX = 200;
/** A heading counts less than a sentence with as many words. */
const HEADING_PENALTY = 0.5;

/** Returns the words of a query for texts of this language. Stop words are left out, unless the query has no others. */
export function queryTerms(query: string, language: string | null): QueryTerms {
  const own = language ?? UNDETERMINED;
  const pieces = [...query.matchAll(RUNS)].flatMap((run) => piecesOf(run)).slice(0, QUERY_WORDS_MAX);
  const topical = pieces.filter(({ text, key }) => key !== undefined || !isStop(text, own));
  const places = new Map<string, number[]>();
  for (const [place, { text, key }] of (topical.length > 0 ? topical : pieces).entries()) {
    if (key !== undefined) places.set(key, [place]);
    else
      for (const term of new Set([...analyzeQuery(text, [own]), ...analyzeQuery(text, [UNDETERMINED])]))
        places.set(term, [...(places.get(term) ?? []), place]);
  }
  return { language, places };
}

/** Returns where a text has the words of a query, and its best sentence. */
export function highlight(text: string, query: QueryTerms): Highlights {
  const matches = [...text.matchAll(RUNS)].flatMap((run) => matchesIn(run, query)).sort((a, b) => a.start - b.start);
  if (matches.length === 0) return { words: [], sentence: null };
  const best = bestUnit(text, matches);
  const { pointsAt } = openOffsets(text);
  const toCodePoints = ({ start, end }: Range): Range => ({ start: pointsAt(start), end: pointsAt(end) });
  return { words: merge(matches).map(toCodePoints), sentence: best ? toCodePoints(best) : null };
}

function matchesIn(run: RegExpExecArray, query: QueryTerms): Match[] {
  const pieces = piecesOf(run);
  const inPieces = pieces.flatMap((piece) => matchOf(piece, query));
  if (inPieces.length > 0 || pieces[0]?.key !== undefined) return inPieces;
  return matchOf({ start: run.index, end: run.index + run[0].length, text: run[0] }, query);
}

/** Returns the piece with the places of the query that it matches. */
function matchOf({ start, end, text, key }: Piece, { places, language }: QueryTerms): Match[] {
  if (places.size === 0 || text.length > WORD_UNITS_MAX) return [];
  const keys = key === undefined ? analyzeForIndex(text, language).split(' ') : [key];
  const found = keys.flatMap((one) => places.get(one) ?? []);
  return found.length === 0 ? [] : [{ start, end, places: found }];
}

/**
 * Returns the pieces of a run: the parts of a word that marks such as `.` and `-` join, or pairs of characters, or words of a dictionary.
 * A number has no parts.
 */
function piecesOf({ 0: run, 1: cjk, 2: thai, index }: RegExpExecArray): Piece[] {
  if (cjk !== undefined) return pairsOf(cjk, index);
  const parts =
    thai !== undefined
      ? [...thaiSegmenter.segment(thai)].map(({ segment, index: at }) => [at, segment] as const)
      : NUMBER.test(run)
        ? [[0, run] as const]
        : [...run.matchAll(PARTS)].map((part) => [part.index, part[0]] as const);
  return parts.map(([at, text]) => ({
    start: index + at,
    end: index + at + text.length,
    text,
    ...(thai !== undefined && { key: encodeTerm(normalize(text)) }),
  }));
}

/** Returns the pairs of neighbouring characters of a run, or its only character. A single character is no word by itself. */
function pairsOf(run: string, index: number): Piece[] {
  const characters = run.match(CHARACTERS) ?? [];
  const size = Math.min(2, characters.length);
  let start = index;
  return characters.slice(0, characters.length - size + 1).map((first, i) => {
    const text = characters.slice(i, i + size).join('');
    const piece = { start, end: start + text.length, text, key: uniteHan(normalize(text)) };
    start += first.length;
    return piece;
  });
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
