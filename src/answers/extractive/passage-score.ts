/**
 * Scores how likely a passage answers a question, and how likely the best one answers at all. Pure.
 *
 * Both are linear models over features that need no language model. The weights were fitted once: a softmax over the passages of
 * each question, and a logistic regression over answered and unanswerable questions, on the tune half of the questions about
 * manuals (`bench/manuals/`) and the even questions of XQuAD (en de zh th), JSQuAD and KorQuAD 1. `npm run bench:manuals` and
 * `bench/answers.ts` report on the other halves.
 */

import type { ContextChunk } from '../../llm/models.ts';
import type { UnitKind } from '../../text/sentences.ts';
import { plainOf } from './letter-groups.ts';
import type { Question } from './question.ts';

/** A unit of a chunk, or a piece of a long one. */
export interface Candidate {
  number: number;
  kind: UnitKind;
  text: string;
  /** UTF-16 offsets in the content of the chunk, half-open. */
  start: number;
  end: number;
  /** Index of its unit in the chunk. */
  position: number;
  score: number;
  features: Features;
  terms: ReadonlySet<string>;
  /** Terms of the file name and of the headings above. */
  headingTerms: ReadonlySet<string>;
  /** Terms of what its entry is about: the first cell of a row, the term of a definition, the heading right above. */
  headTerms: ReadonlySet<string>;
  chunk: ContextChunk;
  /** Terms of all passages of its chunk, and of its titles and context. */
  chunkTerms: ReadonlySet<string>;
}

/** All 0..1. "Share" means: of the question's terms; "weighted" means: rare terms count more, absent ones nothing. */
export interface Features {
  /** Weighted share that the passage holds. */
  own: number;
  /** Weighted share that only the passage before it or its headings hold. */
  near: number;
  /** How much of the head of its entry the question names. */
  named: number;
  /** Share that the passage and its neighbours in the chunk, one on each side, hold. */
  around: number;
  /** Share that its chunk holds, titles and context included. */
  chunk: number;
  /** Share that the file name and the headings above hold. */
  titles: number;
  /** Weighted share of the question's letter groups that the passage holds. */
  letters: number;
  /** Search score of the chunk against that of the best chunk. */
  relevance: number;
  /** 1: the question asks for a number, and the passage has one that the question has not. */
  number: number;
  /** 1: the question asks for a default, and the passage names one. */
  default: number;
  /** 1 each: what the passage is. */
  code: number;
  heading: number;
  /** 1: it stands in a changelog, which tells how things were. */
  past: number;
}

export const NO_FEATURES: Features = {
  own: 0,
  near: 0,
  named: 0,
  around: 0,
  chunk: 0,
  titles: 0,
  letters: 0,
  relevance: 0,
  number: 0,
  default: 0,
  code: 0,
  heading: 0,
  past: 0,
};

const WEIGHTS: Features = {
  own: 2.5,
  near: 2.03,
  named: 2.11,
  around: 3.83,
  chunk: 1.99,
  titles: 1.95,
  letters: 1.13,
  relevance: 5.06,
  number: 1.8,
  default: 2.63,
  code: -1.14,
  heading: -1.17,
  past: -1.21,
};

/** With fewer passages than this, how rare a term is among them says little. */
const PASSAGES_COUNTED_MIN = 30;
/** The same of letter groups among chunks. */
const CHUNKS_COUNTED_MIN = 10;

const CHANGELOG = /\bchange-?\s?(?:log|s)\b|\brelease notes\b|\bwhat.?s new\b|^news\b|\bversion \d+\.\d/iu;

/** The question as it reads in each language of the chunks. */
export type Questions = ReadonlyMap<string | null, Question>;

/** Sets `features` and `score` of every candidate. They stand in order of chunk, then position. */
export function scorePassages(candidates: readonly Candidate[], questions: Questions): void {
  const frequency = frequencies(candidates);
  const letters = shareLetters(candidates, questions);
  const bestChunkScore = Math.max(...candidates.map(({ chunk }) => chunk.score), Number.MIN_VALUE);
  const weightedIn = new Map(
    [...questions].map(([language, question]) => [language, weightedShare(question, frequency, candidates.length)]),
  );
  for (const [i, candidate] of candidates.entries()) {
    const { terms, headTerms, headingTerms, chunk, chunkTerms, kind, text } = candidate;
    const [before, after] = [candidates[i - 1], candidates[i + 1]].map((one) =>
      one?.chunk === chunk ? one : undefined,
    );
    const neighbours = [before, after].flatMap((one) => (one ? [one.terms] : []));
    const question = questions.get(chunk.language)!;
    const weighted = weightedIn.get(chunk.language)!;
    const share = (held: ReadonlySet<string>): number =>
      overlap(question.terms, held) / Math.max(1, question.terms.size);
    const own = weighted((term) => terms.has(term));
    candidate.features = {
      own,
      near: weighted((term) => !terms.has(term) && (headingTerms.has(term) || before?.terms.has(term) === true)),
      named: overlap(headTerms, question.terms) / Math.max(1, headTerms.size),
      around: share(new Set([terms, ...neighbours].flatMap((held) => [...held]))),
      chunk: share(chunkTerms),
      titles: share(headingTerms),
      letters: letters[i] ?? own,
      relevance: Math.max(0, chunk.score) / bestChunkScore,
      number: question.asksNumber && hasNewNumber(text, question) ? 1 : 0,
      default: question.asksDefault && NAMES_DEFAULT.test(text) ? 1 : 0,
      code: kind === 'code' ? 1 : 0,
      heading: kind === 'heading' ? 1 : 0,
      past: [chunk.name, ...chunk.headingPath].some((title) => CHANGELOG.test(title)) ? 1 : 0,
    };
    const names = Object.keys(WEIGHTS) as (keyof Features)[];
    candidate.score = sum(names.map((name) => WEIGHTS[name] * candidate.features[name]));
  }
}

const NAMES_DEFAULT =
  /\bdefaults?\b|\bstandard(?:mäßig|wert)?\b|\bvoreinge|\bdéfaut\b|\bdefecto\b|\bpredefini|既定|デフォルト|初期値|默认|默認|預設|기본/iu;

function hasNewNumber(text: string, question: Question): boolean {
  const asked = plainOf(question.text);
  return (text.match(/\p{N}+/gu) ?? []).some((digits) => !asked.includes(plainOf(digits)));
}

/** What tells whether the best passage answers at all. */
interface Evidence {
  /** Score of the best passage. */
  score: number;
  /** Share of the weight of the question's terms that no passage holds: 0..1. */
  missing: number;
  /** Share of the question's names and numbers that its chunk lacks: 0..1. */
  missingNames: number;
  /** Logarithm of its chunk's search score against the mean of the others: -LEAD_MAX..LEAD_MAX. */
  lead: number;
}

const EVIDENCE_BIAS = -6.89;
/** That of missing names is set by hand: the sets are large, and hardly a question names what they lack. */
const EVIDENCE_WEIGHTS: Evidence = { score: 0.51, missing: -2.11, missingNames: -1, lead: 2.79 };
const LEAD_MAX = 2;
/** Set by hand: in the question sets no chunk stands alone. */
const LEAD_ALONE = 0.3;

/** The logarithm of the odds that the best passage answers, for questions like those the weights were fitted on. */
export function answerLogOdds(best: Candidate, candidates: readonly Candidate[], questions: Questions): number {
  const evidence = evidenceOf(best, candidates, questions);
  const names = Object.keys(EVIDENCE_WEIGHTS) as (keyof Evidence)[];
  return EVIDENCE_BIAS + sum(names.map((name) => EVIDENCE_WEIGHTS[name] * evidence[name]));
}

function evidenceOf(best: Candidate, candidates: readonly Candidate[], questions: Questions): Evidence {
  const { terms, names } = questions.get(best.chunk.language)!;
  const frequency = frequencies(candidates);
  const passages = Math.max(candidates.length, PASSAGES_COUNTED_MIN);
  const weigh = (some: Iterable<string>): number =>
    sum([...some].map((term) => rarity(frequency.get(term) ?? 0, passages)));
  const missing = [...terms].filter((term) => !frequency.has(term));
  return {
    score: best.score,
    missing: weigh(missing) / Math.max(1, weigh(terms)),
    missingNames: (names.size - overlap(names, best.chunkTerms)) / Math.max(1, names.size),
    lead: leadOf(best.chunk, candidates),
  };
}

function leadOf(chunk: ContextChunk, candidates: readonly Candidate[]): number {
  const others = new Set(candidates.map((one) => one.chunk));
  others.delete(chunk);
  if (others.size === 0) return LEAD_ALONE;
  const mean = sum([...others].map(({ score }) => Math.max(score, 0))) / others.size;
  const lead = Math.log(Math.max(chunk.score, Number.MIN_VALUE) / Math.max(mean, Number.MIN_VALUE));
  return Math.max(-LEAD_MAX, Math.min(LEAD_MAX, lead));
}

/** In how many passages, headings included, a term occurs. */
function frequencies(candidates: readonly Candidate[]): Map<string, number> {
  const frequency = new Map<string, number>();
  for (const one of candidates) {
    for (const term of new Set([...one.terms, ...one.headingTerms]))
      frequency.set(term, (frequency.get(term) ?? 0) + 1);
  }
  return frequency;
}

/** Inverse document frequency of what `count` of `all` hold. */
function rarity(count: number, all: number): number {
  return Math.log(1 + (all - count + 0.5) / (count + 0.5));
}

/** For each candidate the weighted share of the question's letter groups that it holds; undefined where the question has none. */
function shareLetters(candidates: readonly Candidate[], questions: Questions): (number | undefined)[] {
  const held = candidates.map(({ text, chunk }) => groupsIn(plainOf(text), questions.get(chunk.language)!));
  const byChunk = new Map<ContextChunk, Set<string>>();
  for (const [i, { chunk }] of candidates.entries())
    byChunk.set(chunk, new Set([...(byChunk.get(chunk) ?? []), ...held[i]!]));
  const counts = new Map<string, number>();
  for (const groups of byChunk.values()) for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1);
  const all = Math.max(byChunk.size, CHUNKS_COUNTED_MIN);
  const weigh = (groups: Iterable<string>, { letters }: Question): number =>
    sum([...groups].map((group) => letters.get(group)! * rarity(counts.get(group) ?? 0, all)));
  const totals = new Map(
    [...questions].map(([language, question]) => {
      const found = [...question.letters.keys()].filter((group) => counts.has(group));
      return [language, weigh(found, question) || 1];
    }),
  );
  return candidates.map(({ chunk }, i) => {
    const question = questions.get(chunk.language)!;
    return question.letters.size === 0 ? undefined : weigh(held[i]!, question) / totals.get(chunk.language)!;
  });
}

function groupsIn(plain: string, { letters }: Question): string[] {
  return [...letters.keys()].filter((group) => plain.includes(group));
}

/** Share of the weight of those terms of the question that any passage holds. */
function weightedShare(question: Question, frequency: ReadonlyMap<string, number>, passages: number) {
  const weights = new Map(
    [...question.terms].flatMap((term) => {
      const count = frequency.get(term);
      return count === undefined ? [] : [[term, rarity(count, Math.max(passages, PASSAGES_COUNTED_MIN))]];
    }),
  );
  const total = sum([...weights.values()]) || 1;
  return (isHeld: (term: string) => boolean): number =>
    sum([...weights].map(([term, weight]) => (isHeld(term) ? weight : 0))) / total;
}

function overlap(terms: ReadonlySet<string>, others: ReadonlySet<string>): number {
  return [...terms].filter((term) => others.has(term)).length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
