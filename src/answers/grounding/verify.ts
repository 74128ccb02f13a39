/**
 * Finds the quote of a chunk that supports a sentence best, and checks whether the quote supports it. The check does not ask a model.
 *
 * A sentence is verified when four conditions hold. The quote has every number and proper name of the sentence. The quote has at
 * least 60 % of the content terms. The quote negates the same clauses. And the quote does not contradict the sentence word by word.
 */

import { cutIntoPieces, splitUnits, type Unit } from '../../text/sentences.ts';
import { codePointLength } from '../../util/code-points.ts';
import { allTermsOf, type Claim, type Clause, clausesOf, hasName, type NameIndex, nameIndexOf } from './claims.ts';
import { contradicts } from './contradiction.ts';
import { missesNumber, numbersIn, type Readings } from './numbers.ts';
import { reasonOf } from './reason.ts';
import { type Token, tokensOf } from './wording.ts';

export const QUOTE_CODE_POINTS_MAX = 300;
/** Share of a sentence's content terms that its quote must have. */
const COVERAGE_MIN = 0.6;

export interface Support {
  /** A part of the chunk's content, at most QUOTE_CODE_POINTS_MAX code points. */
  quote: string;
  verified: boolean;
  /** Why the sentence is not verified, in plain words. Null when it is verified. */
  reason: string | null;
}

/** A sentence of the chunk, or a piece of a long one. */
interface Part {
  start: number;
  end: number;
  codePoints: number;
  numbers: readonly Readings[];
  terms: ReadonlySet<string>;
  names: NameIndex;
}

/** A chunk prepared for looking up sentences in it. */
export interface Evidence {
  content: string;
  language: string | null;
  parts: readonly Part[];
  /** All possible quotes. */
  windows: readonly Window[];
}

/** Returns the possible quotes of a chunk. Each consists of neighbouring sentences or pieces of a long sentence. */
export function evidenceOf(content: string, language: string | null): Evidence {
  const parts = splitUnits(content)
    .flatMap((unit) => piecesOf(content, unit))
    .map(({ start, end }) => {
      const text = content.slice(start, end);
      return {
        start,
        end,
        codePoints: codePointLength(text),
        numbers: numbersIn(text),
        terms: allTermsOf(text, language),
        names: nameIndexOf(text, language),
      };
    });
  return { content, language, parts, windows: windowsOf(content, language, parts) };
}

/** Cuts a sentence that is too long for a quote into pieces. */
function piecesOf(content: string, { start, end }: Unit): { start: number; end: number }[] {
  return codePointLength(content.slice(start, end)) > QUOTE_CODE_POINTS_MAX
    ? cutIntoPieces(content, start, end)
    : [{ start, end }];
}

/** Maximum quotes that are compared with a sentence word by word. The best quotes come first. */
const COMPARED_QUOTES_MAX = 6;

/** Returns the best quote for all `claims` together. The result is verified when the quote supports each claim. */
export function findSupport(claims: readonly Claim[], evidence: Evidence): Support {
  return bestOf(claims, evidence.windows);
}

/** Returns true when a quote that was found for other claims supports this claim too. */
export function isSupportedBy(quote: string, claim: Claim, evidence: Evidence): boolean {
  const whole = evidence.windows.find((window) => window.text === quote);
  if (whole === undefined) return false;
  return bestOf(
    [claim],
    evidence.windows.filter((window) => isWithin(window, whole)),
  ).verified;
}

function bestOf(claims: readonly Claim[], windows: readonly Window[]): Support {
  const searches = claims.map((claim) => searchOf(claim, windows));
  const ranked = windows
    .map((window) => {
      const found = searches.map(({ checks }) => checks.get(window)!);
      const holds = found.every((one) => one.holds);
      const rank = [
        holds ? 1 : 0,
        sum(found.map((one) => one.facts)),
        sum(found.map((one) => one.coverage)),
        -window.text.length,
      ];
      return { window, holds, rank };
    })
    .toSorted((left, right) => compareRanks(right.rank, left.rank));
  const best = ranked
    .slice(0, COMPARED_QUOTES_MAX)
    .find(({ window, holds }) => holds && searches.every((search) => !isContradicted(search, window)));
  if (best !== undefined) return { quote: best.window.text, verified: true, reason: null };
  const nearest = ranked[0]?.window;
  return { quote: nearest?.text ?? '', verified: false, reason: reasonAgainst(searches, nearest) };
}

/** Returns why the passage does not support the first unsupported claim. */
function reasonAgainst(searches: readonly Search[], window: Window | undefined): string {
  if (window === undefined) return 'The passage is empty.';
  const failed = searches.find(({ checks }) => !checks.get(window)!.holds) ?? searches[0];
  return failed === undefined ? 'Nothing is claimed.' : reasonOf(failed.claim, window, failed.checks.get(window)!);
}

/** A claim, and what was found out about it and the possible quotes. */
interface Search {
  claim: Claim;
  checks: ReadonlyMap<Window, Check>;
  /** Quotes that resemble the claim, the shortest first. */
  similar: readonly Window[];
  /** Whether a quote contradicts the claim, for the quotes that were already compared word by word. */
  contradictions: Map<Window, boolean>;
}

function searchOf(claim: Claim, windows: readonly Window[]): Search {
  const checks = new Map(windows.map((window) => [window, check(claim, window)]));
  const similar = windows
    .filter((window) => checks.get(window)!.resembles)
    .toSorted((left, right) => left.text.length - right.text.length);
  return { claim, checks, similar, contradictions: new Map() };
}

/** Returns true when a quote inside `window`, or a quote that is more like the claim than `window`, contradicts the claim. */
function isContradicted({ claim, checks, similar, contradictions }: Search, window: Window): boolean {
  const { coverage } = checks.get(window)!;
  return [
    ...similar.filter((one) => isWithin(one, window)).slice(0, COMPARED_QUOTES_MAX),
    ...similar.filter((one) => checks.get(one)!.coverage > coverage).slice(0, COMPARED_QUOTES_MAX),
  ].some((one) => {
    const contradicted =
      contradictions.get(one) ?? (!checks.get(one)!.holds || contradicts(claim.wording, wordingOf(one)));
    contradictions.set(one, contradicted);
    return contradicted;
  });
}

function isWithin(inner: Window, outer: Window): boolean {
  return outer.first <= inner.first && inner.last <= outer.last;
}

/** A possible quote: neighbouring parts of a chunk. */
interface Window {
  /** Index of the first part and of the last one. */
  first: number;
  last: number;
  text: string;
  names: NameIndex;
  language: string | null;
  numbers: readonly Readings[];
  terms: ReadonlySet<string>;
  clauses: readonly Clause[];
  /** Null until wordingOf() is called. */
  wording: readonly Token[] | null;
}

function wordingOf(window: Window): readonly Token[] {
  window.wording ??= tokensOf(window.text, window.language);
  return window.wording;
}

/** Returns all runs of neighbouring parts that are short enough for a quote. */
function windowsOf(content: string, language: string | null, parts: readonly Part[]): Window[] {
  const windows: Window[] = [];
  for (let first = 0; first < parts.length; first++) {
    let length = 0;
    for (let last = first; last < parts.length; last++) {
      // Two code points are added for the blanks between parts. Longer gaps end the window.
      length += parts[last]!.codePoints + (last > first ? 2 : 0);
      if (last > first && (length > QUOTE_CODE_POINTS_MAX || gapsOf(parts, first, last) > 2 * (last - first))) break;
      windows.push({ first, last, ...windowOf(content, language, parts.slice(first, last + 1)) });
    }
  }
  return windows;
}

function joined(indexes: readonly NameIndex[]): NameIndex {
  return {
    lower: indexes.map((index) => index.lower).join('\n'),
    words: new Set(indexes.flatMap((index) => [...index.words])),
    capitalised: new Set(indexes.flatMap((index) => [...index.capitalised])),
  };
}

function gapsOf(parts: readonly Part[], first: number, last: number): number {
  let gaps = 0;
  for (let i = first; i < last; i++) gaps += parts[i + 1]!.start - parts[i]!.end;
  return gaps;
}

function windowOf(content: string, language: string | null, parts: readonly Part[]): Omit<Window, 'first' | 'last'> {
  const text = content.slice(parts[0]!.start, parts[parts.length - 1]!.end);
  return {
    text,
    names: joined(parts.map((part) => part.names)),
    language,
    numbers: parts.flatMap((part) => part.numbers),
    terms: new Set(parts.flatMap((part) => [...part.terms])),
    clauses: clausesOf(text, language),
    wording: null,
  };
}

/** How well a quote supports a claim, before the comparison word by word. */
interface Check {
  /** The quote has the numbers, the names and most of the terms. */
  resembles: boolean;
  /** The quote resembles the claim and negates the same clauses. */
  holds: boolean;
  /** How many numbers and names of the claim the quote has. */
  facts: number;
  /** Share of the claim's terms that the quote has. */
  coverage: number;
}

function check(claim: Claim, window: Window): Check {
  const numbersFound = claim.numbers.filter((readings) => !missesNumber([readings], window.numbers)).length;
  const namesFound = claim.names.filter((name) => hasName(name, window.names, window.language)).length;
  const coverage = claim.terms.size === 0 ? 0 : overlap(claim.terms, window.terms) / claim.terms.size;
  const hasFacts = numbersFound === claim.numbers.length && namesFound === claim.names.length;
  const resembles = hasFacts && coverage >= COVERAGE_MIN;
  return {
    resembles,
    holds: resembles && samePolarity(claim.clauses, window.clauses),
    facts: numbersFound + namesFound,
    coverage,
  };
}

/**
 * Returns true when claim and quote negate the same. Each clause of the claim is compared with the most similar clauses of the quote.
 * Several clauses of the claim may stand for one clause of the quote: then their negations are added.
 */
function samePolarity(claimed: readonly Clause[], quoted: readonly Clause[]): boolean {
  const compared = claimed.map((clause) => {
    const similarities = quoted.map((other) => similarityOf(clause, other));
    const highest = Math.max(0, ...similarities);
    const similar = highest === 0 ? [] : quoted.filter((_, i) => similarities[i] === highest);
    return { clause, similar };
  });
  return compared.every(({ clause, similar }) => {
    // A negation is itself a claim, so the quote must have it. A clause without negation about another topic contradicts nothing.
    if (similar.length === 0) return clause.negations === 0;
    if (similar.some((other) => other.negations === clause.negations)) return true;
    const parts = compared.filter((one) => one.similar[0] === similar[0]);
    return parts.length > 1 && sum(parts.map((one) => one.clause.negations)) === similar[0]!.negations;
  });
}

/** Returns the number of shared terms, plus the share of all words that both have: a fraction that decides between equals. */
function similarityOf(left: Clause, right: Clause): number {
  const shared = overlap(left.terms, right.terms);
  if (shared === 0) return 0;
  const words = overlap(left.words, right.words);
  return shared + words / (left.words.size + right.words.size - words + 1);
}

function overlap(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let shared = 0;
  for (const term of left) if (right.has(term)) shared++;
  return shared;
}

function compareRanks(left: readonly number[], right: readonly number[]): number {
  for (let i = 0; i < left.length; i++) {
    const difference = left[i]! - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
