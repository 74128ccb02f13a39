/**
 * Scores how likely a passage answers a question, and how likely the best passage answers at all.
 *
 * Both scores are linear models over features that need no language model. Most weights were fitted once: with a softmax over the
 * passages of each question, and with a logistic regression over answered and unanswerable questions. The training data were the tune
 * half of the questions about manuals (`bench/manuals/`), and the even questions of XQuAD (en de zh th), JSQuAD and KorQuAD 1. The weight
 * of `fileNamed` was set by hand on questions about translated manual pages in seven languages, and that of `senderNamed` on questions
 * about two mailing lists.
 * `npm run bench:manuals` and `bench/answers.ts` report on the other halves.
 */

import type { ContextChunk } from '../../llm/models.ts';
import type { UnitKind } from '../../text/sentences.ts';
import { plainOf } from './letter-groups.ts';
import { NAMES_DEFAULT, plainIdentifier, type Question } from './question.ts';

/** A passage that may answer: a unit of a chunk, or a piece of a long unit. */
export interface Candidate {
  number: number;
  kind: UnitKind;
  text: string;
  /** UTF-16 offsets in the content of the chunk, half-open. */
  start: number;
  end: number;
  /** Index of the unit in the chunk. */
  position: number;
  score: number;
  features: Features;
  terms: ReadonlySet<string>;
  /** Terms of the file name. */
  nameTerms: ReadonlySet<string>;
  /** Terms of the name of the sender of a mail. */
  senderTerms: ReadonlySet<string>;
  /** Terms of the file name and of the headings above. */
  headingTerms: ReadonlySet<string>;
  /**
   * Terms of the names of the entry's head: the first cell of a row, the term of a definition, or the last heading above. A head with
   * brackets at its end has three names: `Slink (2.1)`, `Slink` and `2.1`.
   */
  headTerms: readonly ReadonlySet<string>[];
  chunk: ContextChunk;
  /** Terms of all passages of the chunk, and of its titles and context. */
  chunkTerms: ReadonlySet<string>;
}

/**
 * All features are between 0 and 1. "Share" means a share of the question's terms. In a weighted share rare terms count more, and terms
 * that no passage has do not count.
 */
export interface Features {
  /** Weighted share that the passage has. */
  inPassage: number;
  /** Weighted share that only the previous passage or the headings have. */
  nearby: number;
  /** Share of the terms of a name of the entry's head that the question names: of the name with the highest share. */
  headNamed: number;
  /** Share that the passage and its two neighbours in the chunk have. */
  withNeighbours: number;
  /**
   * Share that only the titles have beside the passage and its neighbours. What stands below the title of a contract need not repeat its
   * name. This feature ranks passages, and is no evidence that one answers. 0 in a mail, whose header has the words of all its replies.
   */
  onlyTitles: number;
  /** Share that the chunk has, with titles and context. */
  inChunk: number;
  /** Share that the file name and the headings above have. */
  inTitles: number;
  /** 1 when the question names the file, such as the manual page `rsync.1`. A file of code has other names. */
  fileNamed: number;
  /** Share of the terms of the sender's name that the question names. */
  senderNamed: number;
  /** Weighted share of the question's letter groups that the passage or its titles have. It counts as evidence, and in mails. */
  letters: number;
  /** Search score of the chunk divided by the score of the best chunk. */
  relevance: number;
  /** 1 when the question asks for a number, and the passage has a number that the question does not have. */
  newNumber: number;
  /** 1 when the question asks for a default, and the passage names one. */
  namedDefault: number;
  /** 1 for code. */
  code: number;
  /** 1 in a changelog, which describes earlier versions, and in a test, which shows one case. */
  changelog: number;
  /** 1 for lines of a mail that it repeats of the mail that it answers. They are no words of its sender. */
  repeated: number;
}

const WEIGHTS: Features = {
  inPassage: 2.5,
  nearby: 2.03,
  headNamed: 2.11,
  withNeighbours: 3.83,
  onlyTitles: 3.83,
  inChunk: 1.99,
  inTitles: 1.95,
  fileNamed: 2,
  senderNamed: 2,
  letters: 1.13,
  relevance: 5.06,
  newNumber: 1.8,
  namedDefault: 2.63,
  code: -1.14,
  changelog: -1.21,
  repeated: -0.6,
};

export const NO_FEATURES = Object.fromEntries(Object.keys(WEIGHTS).map((name) => [name, 0])) as unknown as Features;

/** Minimum number of passages for the rarity of terms. Among fewer passages the rarity of a term says little. */
const PASSAGES_COUNTED_MIN = 30;
/** Minimum number of chunks for the rarity of letter groups. */
const CHUNKS_COUNTED_MIN = 10;

const CHANGELOG = /\bchange-?\s?(?:log|s)\b|\brelease notes\b|\bwhat.?s new\b|^news\b|\bversion \d+\.\d/iu;

/** The name of a file with tests: `search.test.ts`, `test_search.py`, `search_spec.rb`, `SearchTest.java`. */
const TEST_FILE = /(?:^|[._-])(?:test|spec)s?[._-]|\p{Ll}Tests?\.\w+$/u;

function isAside({ name, headingPath, isCode }: ContextChunk): boolean {
  return (isCode === true && TEST_FILE.test(name)) || [name, ...headingPath].some((title) => CHANGELOG.test(title));
}

/** The question as the analyzer reads it, by language of the chunks. */
export type Questions = ReadonlyMap<string | null, Question>;

/** Sets `features` and `score` of all candidates. The candidates must be in order of chunk, then position. */
export function scorePassages(candidates: readonly Candidate[], questions: Questions): void {
  const frequency = frequencies(candidates);
  const letters = shareLetters(candidates, questions);
  const bestChunkScore = Math.max(...candidates.map(({ chunk }) => chunk.score), Number.MIN_VALUE);
  const weightedIn = new Map(
    [...questions].map(([language, question]) => [language, weightedShare(question, frequency, candidates.length)]),
  );
  for (const [i, candidate] of candidates.entries()) {
    const { terms, nameTerms, senderTerms, headTerms, headingTerms, chunk, chunkTerms, kind, text } = candidate;
    const isRepeated = senderTerms.size > 0 && hasQuotedLine(candidate);
    const [before, after] = [candidates[i - 1], candidates[i + 1]].map((one) =>
      one?.chunk === chunk ? one : undefined,
    );
    const neighbours = [before, after].flatMap((one) => (one ? [one.terms] : []));
    const question = questions.get(chunk.language)!;
    const weighted = weightedIn.get(chunk.language)!;
    const share = (available: ReadonlySet<string>): number =>
      overlap(question.terms, available) / Math.max(1, question.terms.size);
    const around = new Set([terms, ...neighbours].flatMap((some) => [...some]));
    const inPassage = weighted((term) => terms.has(term));
    candidate.features = {
      inPassage,
      nearby: weighted((term) => !terms.has(term) && (headingTerms.has(term) || before?.terms.has(term) === true)),
      headNamed: Math.max(...headTerms.map((name) => overlap(name, question.terms) / Math.max(1, name.size))),
      withNeighbours: share(around),
      onlyTitles: senderTerms.size > 0 ? 0 : share(headingTerms.difference(around)),
      inChunk: share(chunkTerms),
      inTitles: share(headingTerms),
      fileNamed: !chunk.isCode && nameTerms.size > 0 && nameTerms.isSubsetOf(question.terms) ? 1 : 0,
      senderNamed: isRepeated ? 0 : overlap(senderTerms, question.terms) / Math.max(1, senderTerms.size),
      letters: letters[i] ?? inPassage,
      relevance: Math.max(0, chunk.score) / bestChunkScore,
      newNumber: question.asksNumber && hasNewNumber(text, question) ? 1 : 0,
      namedDefault: question.asksDefault && text.search(NAMES_DEFAULT) >= 0 ? 1 : 0,
      code: kind === 'code' ? 1 : 0,
      changelog: isAside(chunk) ? 1 : 0,
      repeated: isRepeated ? 1 : 0,
    };
    const names = Object.keys(WEIGHTS) as (keyof Features)[];
    candidate.score = sum(names.map((name) => WEIGHTS[name] * candidate.features[name]));
  }
}

function hasNewNumber(text: string, question: Question): boolean {
  const asked = plainOf(question.text);
  return (text.match(/\p{N}+/gu) ?? []).some((digits) => !asked.includes(plainOf(digits)));
}

/** The features that decide whether the best passage answers at all. */
interface Evidence {
  /** Score of the best passage. */
  score: number;
  /** Share of the weight of the question's terms that no passage has: 0 to 1. */
  missing: number;
  /** Share of the question's names and numbers that no passage has: 0 to 1. */
  missingNames: number;
  /**
   * Logarithm of the search score of its chunk divided by the lowest score of the others: -LEAD_MAX to LEAD_MAX. Copies of the text
   * in other files, which their mean would count, do not lower it.
   */
  lead: number;
}

const EVIDENCE_BIAS = -7.1;
/**
 * The weights of `missingNames` and `lead`, and the bias, were set by hand on the training data after the others had been fitted. Few of
 * its questions name something that its texts lack.
 */
const EVIDENCE_WEIGHTS: Evidence = { score: 0.51, missing: -2.11, missingNames: -2, lead: 2 };
const LEAD_MAX = 2;
/** The lead of a single chunk. It was set by hand, because the training data has no question with a single chunk. */
const LEAD_ALONE = 0.5;

/** Returns the logarithm of the odds that the best passage answers. The odds hold for questions like those of the training data. */
export function answerLogOdds(best: Candidate, candidates: readonly Candidate[], questions: Questions): number {
  if (lacksIdentifier(best, candidates, questions)) return Number.NEGATIVE_INFINITY;
  const evidence = evidenceOf(best, candidates, questions);
  const names = Object.keys(EVIDENCE_WEIGHTS) as (keyof Evidence)[];
  return EVIDENCE_BIAS + sum(names.map((name) => EVIDENCE_WEIGHTS[name] * evidence[name]));
}

/** Returns true when no chunk has an identifier that the question names. What is said about others that have its words does not answer. */
function lacksIdentifier({ chunk }: Candidate, candidates: readonly Candidate[], questions: Questions): boolean {
  const { identifiers } = questions.get(chunk.language)!;
  if (identifiers.length === 0) return false;
  const texts = [...new Set(candidates.map((one) => one.chunk))].map(({ name, headingPath, content, context }) =>
    plainIdentifier([name, ...headingPath, context, content].join(' ')),
  );
  return identifiers.some((identifier) => !texts.some((text) => text.includes(identifier)));
}

function evidenceOf(best: Candidate, candidates: readonly Candidate[], questions: Questions): Evidence {
  const { terms, names } = questions.get(best.chunk.language)!;
  const frequency = frequencies(candidates);
  const passages = Math.max(candidates.length, PASSAGES_COUNTED_MIN);
  const weigh = (some: Iterable<string>): number =>
    sum([...some].map((term) => rarity(frequency.get(term) ?? 0, passages)));
  const missing = [...terms].filter((term) => !frequency.has(term));
  return {
    score: best.score - WEIGHTS.onlyTitles * best.features.onlyTitles,
    missing: weigh(missing) / Math.max(1, weigh(terms)),
    missingNames: [...names].filter((term) => !frequency.has(term)).length / Math.max(1, names.size),
    lead: leadOf(best.chunk, candidates),
  };
}

function leadOf(chunk: ContextChunk, candidates: readonly Candidate[]): number {
  const others = new Set(candidates.map((one) => one.chunk));
  others.delete(chunk);
  if (others.size === 0) return LEAD_ALONE;
  const lowest = Math.min(...[...others].map(({ score }) => score));
  const lead = Math.log(Math.max(chunk.score, Number.MIN_VALUE) / Math.max(lowest, Number.MIN_VALUE));
  return Math.max(-LEAD_MAX, Math.min(LEAD_MAX, lead));
}

/** Returns for each term the number of passages that contain it, headings included. */
function frequencies(candidates: readonly Candidate[]): Map<string, number> {
  const frequency = new Map<string, number>();
  for (const one of candidates) {
    for (const term of new Set([...one.terms, ...one.headingTerms]))
      frequency.set(term, (frequency.get(term) ?? 0) + 1);
  }
  return frequency;
}

/** Returns the inverse document frequency of a term that `count` of `all` passages contain. */
function rarity(count: number, all: number): number {
  return Math.log(1 + (all - count + 0.5) / (count + 0.5));
}

/** Returns for each candidate the weighted share of the question's letter groups in it and its titles; undefined without groups. */
function shareLetters(candidates: readonly Candidate[], questions: Questions): (number | undefined)[] {
  const groupsOf = (text: string, { language }: ContextChunk) => groupsIn(plainOf(text), questions.get(language)!);
  const byChunk = new Map<ContextChunk, Set<string>>();
  for (const chunk of new Set(candidates.map((candidate) => candidate.chunk)))
    byChunk.set(chunk, new Set(groupsOf([chunk.name, ...chunk.headingPath].join('\n'), chunk)));
  const groupsByCandidate = candidates.map(({ text, chunk }) =>
    byChunk.get(chunk)!.union(new Set(groupsOf(text, chunk))),
  );
  for (const [i, { chunk }] of candidates.entries())
    for (const group of groupsByCandidate[i]!) byChunk.get(chunk)!.add(group);
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
    return question.letters.size === 0
      ? undefined
      : weigh(groupsByCandidate[i]!, question) / totals.get(chunk.language)!;
  });
}

function groupsIn(plain: string, { letters }: Question): string[] {
  return [...letters.keys()].filter((group) => plain.includes(group));
}

/**
 * Returns a function for the weighted share of the terms that its argument accepts. The share refers to the terms of the question that
 * at least one passage contains.
 */
function weightedShare(question: Question, frequency: ReadonlyMap<string, number>, passages: number) {
  const weights = new Map(
    [...question.terms].flatMap((term) => {
      const count = frequency.get(term);
      return count === undefined ? [] : [[term, rarity(count, Math.max(passages, PASSAGES_COUNTED_MIN))]];
    }),
  );
  const total = sum([...weights.values()]) || 1;
  return (accepts: (term: string) => boolean): number =>
    sum([...weights].map(([term, weight]) => (accepts(term) ? weight : 0))) / total;
}

/**
 * Returns true when a passage, with its titles, has only some of the numbers of the question that the best one has, or a record only some
 * of the terms: what is said about version 3.0.0, or about another service, does not add to what is asked for.
 */
export function saysLess(one: Candidate, best: Candidate, questions: Questions): boolean {
  const isLess = (own: ReadonlySet<string>, all: ReadonlySet<string>): boolean =>
    own.size < all.size && own.isSubsetOf(all);
  const asked = ({ chunk }: Candidate): Question => questions.get(chunk.language)!;
  const numbersOf = (of: Candidate): ReadonlySet<string> =>
    new Set(
      [...asked(of).names].filter((name) => /\d/.test(name) && (of.terms.has(name) || of.headingTerms.has(name))),
    );
  if (isLess(numbersOf(one), numbersOf(best))) return true;
  const termsOf = (of: Candidate): ReadonlySet<string> => asked(of).terms.intersection(of.terms.union(of.headingTerms));
  return one.kind === 'record' && isLess(termsOf(one), termsOf(best));
}

/** Returns true for a passage with a line that a reply repeats: `> Yes. At noon.` */
function hasQuotedLine({ chunk: { content }, start, end }: Candidate): boolean {
  return /^>/m.test(content.slice(content.lastIndexOf('\n', start - 1) + 1, end));
}

/** Returns how many of the terms are among the others. */
export function overlap(terms: ReadonlySet<string>, others: ReadonlySet<string>): number {
  return [...terms].filter((term) => others.has(term)).length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
