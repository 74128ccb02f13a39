/**
 * How likely a passage holds the answer, and whether the best one answers at all. Pure.
 *
 * Two linear models over a few features that need no language model. Their weights were fitted on the questions of even number of
 * seven sets (XQuAD en de zh th, JSQuAD, KorQuAD 1, DRCD; a softmax over the passages of each question, and a logistic regression of
 * "the paragraph with the answer is there" against "it was taken out, its neighbours were left"); `bench/answers.ts` reports on
 * the questions of odd number. On the even ones boosted trees over three times as many features were no better than these lines.
 */
import type { UnitKind } from '../util/sentences.ts';
import { plainOf } from './letter-groups.ts';
import type { ContextChunk } from './models.ts';
import type { Question } from './question.ts';

export interface Candidate {
  number: number;
  kind: UnitKind;
  text: string;
  /** Position in the chunk. */
  position: number;
  score: number;
  features: Features;
  terms: ReadonlySet<string>;
  order: readonly string[];
  headingTerms: ReadonlySet<string>;
  /** Share of all letter groups of the question that its chunk and what is around it hold. */
  chunkLetters: number;
  chunk: ContextChunk;
  /** Of all its passages, and of what stands around it. */
  chunkTerms: ReadonlySet<string>;
  /** The titles above its chunk and what is known of its context, as letters are compared. */
  around: string;
}

/** Shares are of the weight of those terms of the question that any passage holds: 0..1. */
export interface Features {
  /** Held by the passage itself. */
  own: number;
  /** Held by the passage before it or the headings above it only. */
  near: number;
  /** Held by its chunk. */
  chunk: number;
  /** The largest `own` in its chunk. */
  chunkBest: number;
  /** Count of the question's terms in it against the question's: unweighted. */
  distinct: number;
  /** Share of the letter groups of the question, weighted by how few of the chunks hold them. */
  letters: number;
  /** Of the chunk, against the best chunk. */
  relevance: number;
  top: number;
  /** It has a number, a name, a time, something counted that is not in the question, which asks for one. */
  number: number;
  name: number;
  time: number;
  counted: number;
  /** Terms that are not the question's: up to 20 count. */
  novel: number;
}

export const NO_FEATURES: Features = {
  own: 0,
  near: 0,
  chunk: 0,
  chunkBest: 0,
  distinct: 0,
  letters: 0,
  relevance: 0,
  top: 0,
  number: 0,
  name: 0,
  time: 0,
  counted: 0,
  novel: 0,
};

const WEIGHTS: Features = {
  own: 3.34,
  near: 3.54,
  chunk: 0.88,
  chunkBest: 1.56,
  distinct: 1.14,
  letters: 3.82,
  relevance: 3.55,
  top: 0.82,
  number: 0.88,
  name: 0.41,
  time: 1.76,
  counted: 1.89,
  novel: 1.7,
};

/** Set by hand: the question sets have none of these. Headings and scraps say little; a question is not its own answer. */
const HEADING_PENALTY = 3;
const QUESTION_PENALTY = 2;
const SCRAP_PENALTY = 1;
const SCRAP_CODE_POINTS = 12;

const ANSWERS = {
  bias: -3.9,
  own: 2.46,
  near: 0.97,
  chunk: 1.64,
  chunkLetters: 2.32,
  missing: -3.32,
  missingStrong: -0.95,
};
const ANSWERS_NUMBER_MISSING = -0.95;
const ANSWERS_MARGIN = 0.19;
const MARGIN_MAX = 6;
/** How far the chunk leads the others in relevance: a chunk that was taken out leaves its neighbours about equal. */
const ANSWERS_LEAD = 1.57;
const LEAD_MAX = 2;
/** Set by hand: in the sets no chunk stands alone. */
const LEAD_ALONE = 0;
/**
 * Scripts are cut into terms in different ways, so that a match says more or less of them. Set so that one threshold refuses as many
 * of the questions without an answer in each script: somewhat more than half at ANSWER_LOG_ODDS_MIN, of the even questions.
 */
const ANSWERS_HANGUL = -0.37;
const ANSWERS_KANA = 0.25;
const ANSWERS_HAN = 0.52;
const ANSWERS_SOUTH_EAST_ASIAN = 0.05;
/** With fewer passages than this, how rare a term is among them says little. */
const PASSAGES_COUNTED_MIN = 30;
/** The same of letter groups among chunks. */
const CHUNKS_COUNTED_MIN = 10;
const NOVEL_TERMS_MAX = 20;

/** The question as it reads in each language of the chunks. */
export type Questions = ReadonlyMap<string | null, Question>;

/** Sets `features` and `score` of every candidate. They stand in order of chunk, then position. */
export function scorePassages(candidates: readonly Candidate[], questions: Questions): void {
  const frequency = frequencies(candidates);
  const lettersHeld = shareLetters(candidates, questions);
  const bestChunkScore = Math.max(...candidates.map(({ chunk }) => chunk.score), Number.MIN_VALUE);
  const bestOwn = new Map<ContextChunk, number>();
  const shareIn = new Map(
    [...questions].map(([language, question]) => [language, shareOf(question, frequency, candidates.length)]),
  );
  const shares = candidates.map((candidate, i) => {
    const before = candidates[i - 1]?.chunk === candidate.chunk ? candidates[i - 1] : undefined;
    const share = shareIn.get(candidate.chunk.language)!;
    const own = share((term) => candidate.terms.has(term));
    bestOwn.set(candidate.chunk, Math.max(own, bestOwn.get(candidate.chunk) ?? 0));
    return {
      own,
      near: share(
        (term) => !candidate.terms.has(term) && (candidate.headingTerms.has(term) || before?.terms.has(term) === true),
      ),
      chunk: share((term) => candidate.chunkTerms.has(term)),
    };
  });
  for (const [i, candidate] of candidates.entries()) {
    const question = questions.get(candidate.chunk.language)!;
    const held = [...question.terms].filter((term) => candidate.terms.has(term)).length;
    candidate.features = {
      ...shares[i]!,
      chunkBest: bestOwn.get(candidate.chunk)!,
      distinct: held / Math.max(1, question.terms.size),
      letters: lettersHeld[i]!.passage ?? shares[i]!.own,
      relevance: Math.max(0, candidate.chunk.score) / bestChunkScore,
      top: candidate.chunk === candidates[0]!.chunk ? 1 : 0,
      ...kindOfAnswer(candidate.text, question),
      novel: Math.min(1, candidate.order.filter((term) => !question.terms.has(term)).length / NOVEL_TERMS_MAX),
    };
    candidate.chunkLetters = lettersHeld[i]!.chunk ?? shares[i]!.chunk;
    const { features } = candidate;
    const names = Object.keys(WEIGHTS) as (keyof Features)[];
    candidate.score = sum(names.map((name) => WEIGHTS[name] * features[name])) - penalty(candidate);
  }
}

/** How likely the best passage answers at all: the logarithm of the odds, for questions like those of the sets. */
export function answerLogOdds(best: Candidate, candidates: readonly Candidate[], questions: Questions): number {
  const question = questions.get(best.chunk.language)!;
  const { own, near, chunk, number } = best.features;
  const frequency = frequencies(candidates);
  const weigh = (term: string): number =>
    rarity(frequency.get(term) ?? 0, Math.max(candidates.length, PASSAGES_COUNTED_MIN));
  const missing = [...question.terms].filter((term) => !frequency.has(term));
  const missingStrong = [...question.strong].filter((term) => !best.chunkTerms.has(term));
  const others = candidates.filter((one) => one.chunk !== best.chunk);
  const margin = others.length === 0 ? 0 : best.score - Math.max(...others.map((one) => one.score));
  return (
    ANSWERS.bias +
    ANSWERS.own * own +
    ANSWERS.near * near +
    ANSWERS.chunk * chunk +
    ANSWERS.chunkLetters * best.chunkLetters +
    (ANSWERS.missing * sum(missing.map(weigh))) / Math.max(1, sum([...question.terms].map(weigh))) +
    (ANSWERS.missingStrong * missingStrong.length) / Math.max(1, question.strong.size) +
    (question.asksNumber && number === 0 ? ANSWERS_NUMBER_MISSING : 0) +
    ANSWERS_MARGIN * Math.min(MARGIN_MAX, margin) +
    ANSWERS_LEAD * leadOf(best.chunk, candidates) +
    scriptBias(question.text)
  );
}

/** The logarithm of the chunk's relevance against the mean of the others. */
function leadOf(chunk: ContextChunk, candidates: readonly Candidate[]): number {
  const others = new Set(candidates.map((one) => one.chunk));
  others.delete(chunk);
  if (others.size === 0) return LEAD_ALONE;
  const mean = sum([...others].map(({ score }) => Math.max(score, 0))) / others.size;
  const lead = Math.log(Math.max(chunk.score, Number.MIN_VALUE) / Math.max(mean, Number.MIN_VALUE));
  return Math.max(-LEAD_MAX, Math.min(LEAD_MAX, lead));
}

function scriptBias(text: string): number {
  if (/\p{sc=Hangul}/u.test(text)) return ANSWERS_HANGUL;
  if (/[\p{sc=Hira}\p{sc=Kana}]/u.test(text)) return ANSWERS_KANA;
  if (/\p{sc=Han}/u.test(text)) return ANSWERS_HAN;
  return /[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u.test(text) ? ANSWERS_SOUTH_EAST_ASIAN : 0;
}

function frequencies(candidates: readonly Candidate[]): Map<string, number> {
  const frequency = new Map<string, number>();
  for (const one of candidates) {
    for (const term of new Set([...one.terms, ...one.headingTerms]))
      frequency.set(term, (frequency.get(term) ?? 0) + 1);
  }
  return frequency;
}

/** Inverse document frequency: of what `count` of `all` hold. */
function rarity(count: number, all: number): number {
  return Math.log(1 + (all - count + 0.5) / (count + 0.5));
}

/** What the passages, and their chunks, hold of the question's letter groups; undefined where it has none. */
function shareLetters(candidates: readonly Candidate[], questions: Questions) {
  const held = candidates.map(({ text, chunk }) => groupsIn(plainOf(text), questions.get(chunk.language)!));
  const byChunk = new Map<ContextChunk, Set<string>>();
  for (const [i, { chunk, around }] of candidates.entries()) {
    const found = byChunk.get(chunk) ?? new Set(groupsIn(around, questions.get(chunk.language)!));
    for (const group of held[i]!) found.add(group);
    byChunk.set(chunk, found);
  }
  const counts = new Map<string, number>();
  for (const groups of byChunk.values()) for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1);
  const all = Math.max(byChunk.size, CHUNKS_COUNTED_MIN);
  const weigh = (groups: Iterable<string>, { letters }: Question): number =>
    sum([...groups].map((group) => letters.get(group)! * rarity(counts.get(group) ?? 0, all)));
  const totals = new Map(
    [...questions].map(([language, question]) => {
      const groups = [...question.letters.keys()];
      const found = groups.filter((group) => counts.has(group));
      return [language, { found: weigh(found, question), any: weigh(groups, question) }];
    }),
  );
  return candidates.map(({ chunk }, i) => {
    const question = questions.get(chunk.language)!;
    const { found, any } = totals.get(chunk.language)!;
    if (any === 0) return { passage: undefined, chunk: undefined };
    return { passage: weigh(held[i]!, question) / (found || 1), chunk: weigh(byChunk.get(chunk)!, question) / any };
  });
}

function groupsIn(plain: string, { letters }: Question): string[] {
  return [...letters.keys()].filter((group) => plain.includes(group));
}

/** Share of the weight of the question's terms that any passage holds. */
function shareOf(question: Question, frequency: ReadonlyMap<string, number>, passages: number) {
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

function kindOfAnswer(text: string, question: Question): Pick<Features, 'number' | 'name' | 'time' | 'counted'> {
  const asked = plainOf(question.text);
  const isNew = (pattern: RegExp): boolean =>
    (text.match(pattern) ?? []).some((word) => !asked.includes(plainOf(word)));
  return {
    number: question.asksNumber && isNew(/\p{N}+/gu) ? 1 : 0,
    name: question.asksName && isNew(/(?<=\S\s)\p{Lu}\p{L}+/gu) ? 1 : 0,
    time: question.asksTime && /(?<!\p{N})(?:1\p{Nd}{3}|20\p{Nd}{2})(?!\p{N})/u.test(text) ? 1 : 0,
    counted: question.counters.some((word) =>
      new RegExp(`[\\p{N}一二三四五六七八九十百千万]\\s?${word}`, 'u').test(text),
    )
      ? 1
      : 0,
  };
}

function penalty({ kind, text }: Candidate): number {
  return (
    (kind === 'heading' ? HEADING_PENALTY : 0) +
    (/[?？؟]\s*$/.test(text) ? QUESTION_PENALTY : 0) +
    ([...text].length < SCRAP_CODE_POINTS ? SCRAP_PENALTY : 0)
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
