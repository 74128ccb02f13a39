/**
 * Finds the passages of retrieved chunks that answer a question, without a model.
 *
 * passage-score.ts scores the passages. When even the best passage hardly answers, there is no answer.
 */

import type { ContextChunk } from '../../llm/models.ts';
import { namingHeading, withoutExtension } from '../../text/chunk-terms.ts';
import { isDirectory } from '../../text/directory.ts';
import { detectLanguage } from '../../text/language.ts';
import { indexedContext } from '../../text/link-line.ts';
import { isTerminated, splitCode, splitUnits, type UnitKind } from '../../text/sentences.ts';
import { codePointLength } from '../../util/code-points.ts';
import { raiseSure } from './code-question.ts';
import { columnNames } from './column-names.ts';
import { EMPTY_LINE, headOf, isInOneRecord, namesOf, repeatsKey, unnumbered } from './heads.ts';
import { mailHeader, senderOf, titleHeaderEnd } from './mail-header.ts';
import { asksAll, ofAskedPart, withoutParts } from './numbered-part.ts';
import {
  answerLogOdds,
  type Candidate,
  NO_FEATURES,
  overlap,
  type Questions,
  saysLess,
  scorePassages,
} from './passage-score.ts';
import { piecesOf, withInnerItems } from './pieces.ts';
import { inFoundSpelling, plainIdentifier, readQuestion } from './question.ts';
import { isQuotable } from './quotable.ts';
import { allTerms, topicTerms } from './words.ts';

/** Maximum length of a passage. It grows around its best unit. */
export const PASSAGE_CODE_POINTS_MAX = 400;
/** The same for code: most functions with their comments are not longer. */
const CODE_CODE_POINTS_MAX = 1_000;
export const PASSAGES_MAX = 3;
/** Maximum chunks that are read. Chunks of a lower rank rarely answer. */
const CHUNKS_MAX = 12;
/** Maximum difference of score between the best passage and a further one. */
const FURTHER_SCORE_DROP_MAX = 2;
/** Minimum log odds for an answer. A higher value gives fewer wrong answers and fewer right ones: bench/answers.ts prints the curve. */
export const ANSWER_LOG_ODDS_MIN = -0.85;
/** Minimum share of its terms that a passage shares with a larger one to count as a duplicate. */
const DUPLICATE_OVERLAP_MIN = 0.8;

/** A unit of a chunk that is quoted word for word. */
export interface QuotedUnit {
  number: number;
  kind: UnitKind;
  text: string;
  /** Offset in the content of the chunk. */
  start: number;
  /** Separates the unit from the unit before it in the answer. */
  before: '' | ' ' | '\n' | '\n\n';
}

/** Neighbouring units of one chunk, in reading order. */
export interface Passage {
  number: number;
  text: string;
  quoted: QuotedUnit[];
  /** A logarithm: a score that is higher by 1 makes the passage e times as likely to contain the answer. */
  score: number;
}

export interface Extract {
  /** The best passage comes first. */
  passages: Passage[];
  /** Logarithm of the odds that the best passage answers. Below ANSWER_LOG_ODDS_MIN there is no answer. */
  logOdds: number;
}

/** Returns the passages that answer best; none when nothing matches. */
export function extractPassages(question: string, chunks: readonly ContextChunk[]): Extract {
  const { candidates, questions, asks, outside } = scoredPassages(question, chunks);
  const isSure = raiseSure(question, candidates);
  const found = choose(candidates, questions);
  const extract = isSure ? { ...found, logOdds: Math.max(found.logOdds, 0) } : found;
  if (asks === 'whole') return { ...extract, logOdds: Number.POSITIVE_INFINITY };
  if (asks === 'heading' && extract.passages.length > 0) return { ...extract, logOdds: Math.max(extract.logOdds, 0) };
  if (outside === undefined || extract.logOdds >= ANSWER_LOG_ODDS_MIN) return extract;
  // The part hardly answers. The best of all passages answers if it is in the part, or if it speaks of the part.
  const all = choose(outside.all, scored(outside.all, question), new Set(outside.speaking));
  return all.logOdds > extract.logOdds ? all : extract;
}

/** Returns all passages of the best chunks with their scores, in order of chunk and place. */
export function scoredPassages(question: string, chunks: readonly ContextChunk[]) {
  const ranked = [...chunks].sort((a, b) => b.score - a.score || a.number - b.number);
  // A slide or a sheet is often too short to tell its language. The words of its text are then read as those of the question are.
  const asked = detectLanguage(question);
  const all = ranked
    .slice(0, CHUNKS_MAX)
    .map((chunk) => ({ ...chunk, language: chunk.language ?? asked }))
    .filter(({ content, headingPath, isCode }) => isCode || !isDirectory(content, headingPath))
    .flatMap((chunk) => candidatesOf(chunk, question))
    .filter((one) => isQuotable(one.text, question));
  const { candidates, speaking } = ofAskedPart(all, question);
  const asks = speaking && asksAll(candidates, question);
  // The number is found, though its word may be missing: "12. Termination" is section 12.
  const text = speaking && asks !== 'whole' ? withoutParts(question) : question;
  const questions = scored(candidates, text);
  // A part is read from its start.
  if (asks === 'whole') for (const [i, one] of candidates.entries()) one.score = -i;
  return { candidates, questions, asks, outside: speaking && { all, speaking } };
}

/** Scores the candidates, and returns the question as it was read. */
function scored(candidates: readonly Candidate[], text: string): Questions {
  const passages = candidates.flatMap(({ terms, headingTerms }) => [terms, headingTerms]);
  const read = (language: string | null) => inFoundSpelling(readQuestion(text, language), passages);
  const languages = new Set(candidates.map(({ chunk }) => chunk.language));
  const questions = new Map([...languages].map((one) => [one, read(one)]));
  scorePassages(candidates, questions);
  return questions;
}

/** @param allowed are the candidates that may be quoted. There is no answer if the best one is not among them. */
function choose(candidates: readonly Candidate[], questions: Questions, allowed?: ReadonlySet<Candidate>): Extract {
  const ranked = ofNamedEntry(candidates, questions)
    .filter((one) => one.features.inPassage + one.features.nearby > 0)
    .sort((a, b) => Number(a.kind === 'heading') - Number(b.kind === 'heading') || b.score - a.score);
  const best = ranked[0];
  if (best === undefined || allowed?.has(best) === false) return { passages: [], logOdds: Number.NEGATIVE_INFINITY };
  const quoted = candidates.filter((one) => allowed?.has(one) !== false);
  const chosen = [grow(best, quoted)];
  const rest = restOf(best, chosen[0]!, ranked, questions);
  if (rest !== undefined && allowed?.has(rest) !== false) {
    const passage = grow(rest, quoted);
    chosen.push(overlaps(passage, chosen[0]!) ? [rest] : passage);
  }
  for (const one of ranked) {
    if (allowed?.has(one) === false || saysLess(one, best, questions)) continue;
    if (chosen.length === PASSAGES_MAX || one.score < best.score - FURTHER_SCORE_DROP_MAX) break;
    const passage = grow(one, quoted);
    if (!chosen.some((other) => overlaps(passage, other) || isDuplicate(passage, other))) chosen.push(passage);
  }
  return { passages: joined(chosen, quoted).map(toPassage), logOdds: answerLogOdds(best, candidates, questions) };
}

/**
 * Returns the best candidate of the chunk that has a term of the question that the passage lacks, in the same record or in a text without
 * headings: the name of a company stands at the top of a letter, and the sum that is asked for below.
 */
function restOf(
  best: Candidate,
  passage: readonly Candidate[],
  ranked: readonly Candidate[],
  questions: Questions,
): Candidate | undefined {
  const { chunk, headingTerms, kind } = best;
  if (chunk.headingPath.length > 0 && kind !== 'record') return undefined;
  const lacking = questions
    .get(chunk.language)!
    .terms.difference(new Set([headingTerms, ...passage.map(({ terms }) => terms)].flatMap((terms) => [...terms])));
  return ranked.find(
    (one) =>
      one.chunk === chunk &&
      overlap(lacking, one.terms) > 0 &&
      (kind !== 'record' || isInOneRecord(chunk.content, best, one)),
  );
}

/**
 * Returns the candidates of the entry or definition that the question names, if there is one: what is the default of `max_retries` stands
 * there, and not where another entry mentions it.
 */
function ofNamedEntry(candidates: readonly Candidate[], questions: Questions): readonly Candidate[] {
  const own = candidates.filter(({ chunk }) => {
    const [asked, other] = questions.get(chunk.language)!.identifiers;
    const [heading = ''] = namingHeading(chunk.headingPath, chunk.isCode === true);
    const [name = ''] = heading.split(/[\s=,(<[]/);
    const parts = name.split(/::|->|[./]/);
    return other === undefined && parts.some((_, i) => plainIdentifier(parts.slice(i).join('')) === asked);
  });
  return own.length > 0 ? own : candidates;
}

/** Joins passages that follow one another in a chunk, because a reader reads them as one. The better one keeps its place. */
function joined(chosen: readonly Candidate[][], candidates: readonly Candidate[]): Candidate[][] {
  const follows = (upper: readonly Candidate[], lower: readonly Candidate[]): boolean =>
    lower[0]!.kind !== 'heading' &&
    !isOtherRecord(upper.at(-1)!, lower[0]!, upper) &&
    lower[0]!.chunk === upper[0]!.chunk &&
    candidates.indexOf(lower[0]!) === candidates.indexOf(upper.at(-1)!) + 1;
  const passages: Candidate[][] = [];
  for (let passage of chosen) {
    let place = passages.length;
    for (;;) {
      const at = passages.findIndex((other) => follows(other, passage) || follows(passage, other));
      const [other] = at === -1 ? [] : passages.splice(at, 1);
      if (other === undefined) break;
      passage = follows(other, passage) ? [...other, ...passage] : [...passage, ...other];
      place = Math.min(place, at);
    }
    passages.splice(place, 0, passage);
  }
  return passages;
}

function candidatesOf(chunk: ContextChunk, question: string): Candidate[] {
  const headerEnd = titleHeaderEnd(chunk.content, question);
  const all = chunk.isCode ? splitCode(chunk.content) : withInnerItems(chunk.content, splitUnits(chunk.content));
  const units = all.filter(({ start }) => start >= headerEnd);
  const mail = mailHeader(chunk.content) || mailHeader(chunk.context);
  const header = headerEnd > 0 ? chunk.content.slice(0, headerEnd) : mailHeader(chunk.context);
  const fileName = withoutExtension(chunk.name);
  const titles = [fileName, ...chunk.headingPath, header].join('\n');
  const context = (!chunk.isCode && indexedContext(chunk.context)) || '';
  const above = new Set(allTerms(titles, chunk.language));
  const chunkTerms = new Set([...above, ...allTerms(context, chunk.language)]);
  let headingTerms = above;
  const nameTerms = new Set(topicTerms(fileName, chunk.language));
  const senderTerms = new Set(topicTerms(senderOf(mail), chunk.language));
  const termsOf = (text: string): ReadonlySet<string> => new Set(allTerms(text, chunk.language));
  const termsByColumns = new Map<string, ReadonlySet<string>>();
  let head = namesOf(unnumbered(chunk.headingPath.at(-1) ?? '')).map(termsOf);
  return units.flatMap((unit, position) => {
    const unitHead = headOf(chunk.content.slice(unit.start, unit.end), unit.kind);
    const headTerms = unitHead === undefined ? head : namesOf(unitHead).map(termsOf);
    const columns = (unit.kind === 'row' && columnNames(chunk, unit.start)?.join('\n')) || '';
    const columnTerms = termsByColumns.get(columns) ?? termsOf(columns);
    termsByColumns.set(columns, columnTerms);
    const titleTerms = columnTerms.size > 0 ? headingTerms.union(columnTerms) : headingTerms;
    const passages = piecesOf(chunk.content, unit).map(({ start, end }) => {
      const text = chunk.content.slice(start, end);
      const order = allTerms(text, chunk.language);
      for (const term of order) chunkTerms.add(term);
      return {
        number: chunk.number,
        kind: unit.kind,
        text,
        start,
        end,
        position,
        score: 0,
        features: NO_FEATURES,
        terms: new Set(order),
        nameTerms,
        senderTerms,
        headingTerms: titleTerms,
        headTerms,
        chunk,
        chunkTerms,
      };
    });
    if (unit.kind === 'heading') {
      head = namesOf(unnumbered(chunk.content.slice(unit.start, unit.end))).map(termsOf);
      headingTerms = new Set([...above, ...head[0]!]);
    }
    return passages;
  });
}

/**
 * Returns the passage around `best`. Neighbouring units of its chunk join while they belong together and fit, the higher score first.
 *
 * A heading above ends the passage. Rows, list items and records stand on their own: a neighbour joins only when its score is close.
 */
function grow(best: Candidate, candidates: readonly Candidate[]): Candidate[] {
  const at = candidates.indexOf(best);
  let [first, last] = [at, at];
  let length = codePointLength(best.text);
  const lengthMax = best.kind === 'code' ? CODE_CODE_POINTS_MAX : PASSAGE_CODE_POINTS_MAX;
  const fits = (inner: Candidate, outer: Candidate | undefined): outer is Candidate =>
    outer !== undefined &&
    outer.chunk === best.chunk &&
    Math.abs(outer.position - inner.position) <= 1 &&
    length + 1 + codePointLength(outer.text) <= lengthMax;
  for (;;) {
    const [head, tail] = [candidates[first]!, candidates[last]!];
    const passage = candidates.slice(first, last + 1);
    const before = candidates[first - 1];
    const after = candidates[last + 1];
    const joinsBefore =
      head.kind !== 'heading' && fits(head, before) && isOnTopic(before) && belongs(before, head, best, passage);
    const joinsAfter = fits(tail, after) && !isTitleBelow(tail, after) && belongs(tail, after, best, passage);
    if (!joinsBefore && !joinsAfter) break;
    if (joinsAfter && (!joinsBefore || after.score >= before!.score)) {
      last += 1;
      length += codePointLength(after.text) + 1;
    } else {
      first -= 1;
      length += codePointLength(before!.text) + 1;
    }
  }
  return candidates.slice(first, last + 1);
}

/** Returns true when `upper` and the unit `lower` below it are read together. */
function belongs(upper: Candidate, lower: Candidate, best: Candidate, passage: readonly Candidate[]): boolean {
  if (upper.kind === 'heading') return !/^#{1,6}\s/.test(upper.text) || saysMore(upper, passage);
  if (upper.position === lower.position) return true;
  if (upper.kind === 'sentence' && lower.kind === 'sentence') return true;
  if (upper.chunk.isCode && upper.kind === lower.kind) return true;
  if (isOtherRecord(upper, lower, passage)) return false;
  if (isSameEntry(upper, lower)) return true;
  const outer = passage.includes(upper) ? lower : upper;
  if (outer.kind === 'code' && best.kind === 'sentence' && [upper, lower].includes(best)) return true;
  if (introduces(upper) || (lower.kind === upper.kind && passage.some(introduces))) return true;
  return outer.score >= best.score - FURTHER_SCORE_DROP_MAX;
}

/** Returns true when a heading names something that neither the titles of its chunk nor the passage name: the citation lacks it, too. */
function saysMore({ terms, headingTerms }: Candidate, passage: readonly Candidate[]): boolean {
  return [...terms].some((term) => !headingTerms.has(term) && !passage.some((one) => one.terms.has(term)));
}

/** Returns true for units of one entry: fields open an entry, or stand in it. */
function isSameEntry(upper: Candidate, lower: Candidate): boolean {
  if (upper.kind === 'record') return true;
  return lower.kind === 'record' && !EMPTY_LINE.test(upper.chunk.content.slice(upper.end, lower.start));
}

/** Returns true for units of two records: a key comes again, or another document of YAML begins. */
function isOtherRecord(upper: Candidate, lower: Candidate, passage: readonly Candidate[]): boolean {
  if (upper.kind !== 'record' || lower.kind !== 'record') return false;
  if (/\n---[ \t]*\n/.test(upper.chunk.content.slice(upper.end, lower.start))) return true;
  const [first, last] = passage.includes(upper) ? [passage[0]!, lower] : [upper, passage.at(-1)!];
  return repeatsKey(lower.chunk.content, first, lower, last.end);
}

/** A unit above the best one joins only when it is about the question. A unit below may continue the answer in other words. */
function isOnTopic({ kind, features }: Candidate): boolean {
  return kind === 'heading' || kind === 'record' || features.inPassage > 0;
}

/** Returns true for a heading. A short line below a sentence that announces it, such as a value below its label, is none. */
function isTitleBelow(upper: Candidate, { kind, text }: Candidate): boolean {
  return kind === 'heading' && (!introduces(upper) || /^#{1,6}\s/.test(text));
}

/** Returns true for a sentence that announces the list, table or code below it. */
function introduces({ kind, text }: Candidate): boolean {
  return kind === 'sentence' && /[:：]$/u.test(text);
}

function overlaps(left: readonly Candidate[], right: readonly Candidate[]): boolean {
  return left.some((one) => right.includes(one));
}

/** Compares words as they are written: a translation may keep paragraphs of the original, and its terms have another language's stems. */
function isDuplicate(left: readonly Candidate[], right: readonly Candidate[]): boolean {
  const [a, b] = [left, right].map((passage) => new Set(allTerms(passage.map(({ text }) => text).join(' '), null)));
  const [small, large] = a!.size <= b!.size ? [a!, b!] : [b!, a!];
  if (small.size === 0) return true;
  return [...small].filter((term) => large.has(term)).length / small.size >= DUPLICATE_OVERLAP_MIN;
}

function toPassage(units: readonly Candidate[]): Passage {
  const { number, chunk } = units[0]!;
  const quoted = units.map(({ kind, text, start }, i) => {
    const gap = i === 0 ? '' : chunk.content.slice(units[i - 1]!.end, start);
    return { number, kind, text, start, before: i === 0 ? ('' as const) : separatorOf(units[i - 1]!, units[i]!, gap) };
  });
  const text = quoted.map((one) => one.before + one.text).join('');
  return { number, text, quoted, score: Math.max(...units.map(({ score }) => score)) };
}

/**
 * Returns what separates two units in the answer. Sentences of one paragraph and pieces of one unit continue on the same line. Short
 * lines of a letter or a receipt stay lines, and code keeps an empty line.
 */
function separatorOf(upper: Candidate, lower: Candidate, gap: string): QuotedUnit['before'] {
  if (upper.position === lower.position) return gap.includes('\n') ? '\n' : gap === '' ? '' : ' ';
  if (upper.kind === 'code' && lower.kind === 'code' && EMPTY_LINE.test(gap)) return '\n\n';
  const isShortLine = gap.includes('\n') && !isTerminated(upper.text);
  if (upper.kind !== 'sentence' || EMPTY_LINE.test(gap) || isShortLine) return '\n';
  return gap === '' || /[。！？．｡]["'」』）]*$/.test(upper.text) ? '' : ' ';
}
