/**
 * How likely a passage holds the answer, and whether the best one answers at all. Pure.
 *
 * Two linear models over a few features that need no language model. Their weights were fitted on the questions of even number of
 * five sets (XQuAD en de zh, JSQuAD, KorQuAD 1; a softmax over the passages of each question, and a logistic regression of
 * "the paragraph with the answer is there" against "it was taken out, its neighbours were left"); `bench/answers.ts` reports on
 * the questions of odd number.
 */
import type { UnitKind } from '../util/sentences.ts';
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
  chunk: ContextChunk;
  chunkTerms: ReadonlySet<string>;
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
  /** Share of names and numbers of the question. */
  strong: number;
  /** Share of neighbouring question terms that stand near each other, in that order. */
  order: number;
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
  strong: 0,
  order: 0,
  relevance: 0,
  top: 0,
  number: 0,
  name: 0,
  time: 0,
  counted: 0,
  novel: 0,
};

const WEIGHTS: Features = {
  own: 4.7,
  near: 1.92,
  chunk: 1.48,
  chunkBest: 1.63,
  distinct: 2.34,
  strong: 0.29,
  order: 0.8,
  relevance: 3.26,
  top: 1.13,
  number: 1.14,
  name: 0.48,
  time: 1.09,
  counted: 1.14,
  novel: 0.52,
};

/** Set by hand: the question sets have none of these. Headings and scraps say little; a question is not its own answer. */
const HEADING_PENALTY = 3;
const QUESTION_PENALTY = 2;
const SCRAP_PENALTY = 1;
const SCRAP_CODE_POINTS = 12;

const ANSWERS = { bias: -3.92, ownAndNear: 2.18, chunk: 1.97, order: 1.69, missing: -3.63, missingStrong: -0.74 };
const ANSWERS_NUMBER_MISSING = -0.8;
const ANSWERS_MARGIN = 0.15;
const MARGIN_MAX = 6;
/** How far the chunk leads the others in relevance: a chunk that was taken out leaves its neighbours about equal. */
const ANSWERS_LEAD = 2.02;
const LEAD_MAX = 2;
/** Set by hand: in the sets no chunk stands alone. */
const LEAD_ALONE = 0.3;
/**
 * Scripts without blanks are searched by overlapping pairs of letters, so that a match says more of them; of Hangul, whose words are
 * cut as well, a little less than of whole words. Of the former Han and Kana were fitted; Thai was only looked at.
 */
const ANSWERS_WITHOUT_BLANKS = 0.34;
const ANSWERS_HANGUL = -0.1;
/** With fewer passages than this, how rare a term is among them says little. */
const PASSAGES_COUNTED_MIN = 30;
const NOVEL_TERMS_MAX = 20;

/** The question as it reads in each language of the chunks. */
export type Questions = ReadonlyMap<string | null, Question>;

/** Sets `features` and `score` of every candidate. They stand in order of chunk, then position. */
export function scorePassages(candidates: readonly Candidate[], questions: Questions): void {
  const frequency = frequencies(candidates);
  const bestChunkScore = Math.max(...candidates.map(({ chunk }) => chunk.score), Number.MIN_VALUE);
  const bestOwn = new Map<ContextChunk, number>();
  const shares = candidates.map((candidate, i) => {
    const before = candidates[i - 1]?.chunk === candidate.chunk ? candidates[i - 1] : undefined;
    const question = questions.get(candidate.chunk.language)!;
    const share = shareOf(question, frequency, candidates.length);
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
      strong:
        [...question.strong].filter((term) => candidate.terms.has(term)).length / Math.max(1, question.strong.size),
      order: orderShare(candidate.order, question),
      relevance: Math.max(0, candidate.chunk.score) / bestChunkScore,
      top: candidate.chunk === candidates[0]!.chunk ? 1 : 0,
      ...kindOfAnswer(candidate.text, question),
      novel: Math.min(1, candidate.order.filter((term) => !question.terms.has(term)).length / NOVEL_TERMS_MAX),
    };
    const { features } = candidate;
    const names = Object.keys(WEIGHTS) as (keyof Features)[];
    candidate.score = sum(names.map((name) => WEIGHTS[name] * features[name])) - penalty(candidate);
  }
}

/** How likely the best passage answers at all: the logarithm of the odds, for questions like those of the sets. */
export function answerLogOdds(best: Candidate, candidates: readonly Candidate[], questions: Questions): number {
  const question = questions.get(best.chunk.language)!;
  const { own, near, chunk, order, number } = best.features;
  const frequency = frequencies(candidates);
  const weigh = (term: string): number => rarity(frequency.get(term) ?? 0, candidates.length);
  const missing = [...question.terms].filter((term) => !frequency.has(term));
  const missingStrong = [...question.strong].filter((term) => !best.chunkTerms.has(term));
  const others = candidates.filter((one) => one.chunk !== best.chunk);
  const margin = others.length === 0 ? 0 : best.score - Math.max(...others.map((one) => one.score));
  return (
    ANSWERS.bias +
    ANSWERS.ownAndNear * (own + near) +
    ANSWERS.chunk * chunk +
    ANSWERS.order * order +
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

const WITHOUT_BLANKS = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

function scriptBias(text: string): number {
  if (/\p{sc=Hangul}/u.test(text)) return ANSWERS_HANGUL;
  return WITHOUT_BLANKS.test(text) ? ANSWERS_WITHOUT_BLANKS : 0;
}

function frequencies(candidates: readonly Candidate[]): Map<string, number> {
  const frequency = new Map<string, number>();
  for (const one of candidates) {
    for (const term of new Set([...one.terms, ...one.headingTerms]))
      frequency.set(term, (frequency.get(term) ?? 0) + 1);
  }
  return frequency;
}

/** Inverse document frequency, over passages. */
function rarity(count: number, passages: number): number {
  return Math.log(1 + (Math.max(passages, PASSAGES_COUNTED_MIN) - count + 0.5) / (count + 0.5));
}

/** Share of the weight of the question's terms that any passage holds. */
function shareOf(question: Question, frequency: ReadonlyMap<string, number>, passages: number) {
  const weights = new Map(
    [...question.terms].flatMap((term) => {
      const count = frequency.get(term);
      return count === undefined ? [] : [[term, rarity(count, passages)]];
    }),
  );
  const total = sum([...weights.values()]) || 1;
  return (isHeld: (term: string) => boolean): number =>
    sum([...weights].map(([term, weight]) => (isHeld(term) ? weight : 0))) / total;
}

function kindOfAnswer(text: string, question: Question): Pick<Features, 'number' | 'name' | 'time' | 'counted'> {
  const asked = normal(question.text);
  const isNew = (pattern: RegExp): boolean => (text.match(pattern) ?? []).some((word) => !asked.includes(normal(word)));
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

function orderShare(order: readonly string[], question: Question): number {
  const positions = new Map<string, number[]>();
  order.forEach((term, i) => {
    if (question.terms.has(term)) positions.set(term, [...(positions.get(term) ?? []), i]);
  });
  let pairs = 0;
  for (let i = 1; i < question.order.length; i++) {
    const left = positions.get(question.order[i - 1]!) ?? [];
    const right = positions.get(question.order[i]!) ?? [];
    if (left.some((at) => right.some((other) => other > at && other - at <= 3))) pairs++;
  }
  return pairs / Math.max(1, question.order.length - 1);
}

function penalty({ kind, text }: Candidate): number {
  return (
    (kind === 'heading' ? HEADING_PENALTY : 0) +
    (/[?？؟]\s*$/.test(text) ? QUESTION_PENALTY : 0) +
    ([...text].length < SCRAP_CODE_POINTS ? SCRAP_PENALTY : 0)
  );
}

function normal(text: string): string {
  return text.normalize('NFKC').replace(/\s+/g, ' ').toLowerCase();
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
