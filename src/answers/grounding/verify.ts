/**
 * Finds the part of a chunk that supports a sentence, and says whether it does. Pure; nothing here trusts a model.
 *
 * A sentence is verified when its quote holds every number and proper name of it, at least 60 % of its content terms, says it
 * with the same polarity (a clause that is negated on one side only is not supported), and does not contradict it word for word.
 */

import { cutIntoPieces, splitUnits, type Unit } from '../../text/sentences.ts';
import { codePointLength } from '../../util/code-points.ts';
import { allTermsOf, type Claim, type Clause, clausesOf, hasName, type NameIndex, nameIndexOf } from './claims.ts';
import { contradicts } from './contradiction.ts';
import { missesNumber, numbersIn, type Readings } from './numbers.ts';
import { reasonOf } from './reason.ts';
import { type Token, tokensOf } from './wording.ts';

export const QUOTE_CODE_POINTS_MAX = 300;
/** Share of a sentence's content terms that its quote must hold. */
export const COVERAGE_MIN = 0.6;

export interface Support {
  /** A stretch of the chunk's content, at most QUOTE_CODE_POINTS_MAX code points. */
  quote: string;
  verified: boolean;
  /** Why not, in plain words; null when it is verified. */
  reason: string | null;
}

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
  /** Every quote that there may be. */
  windows: readonly Window[];
}

/** Cuts a chunk's content into parts from which quotes are put together. */
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

/** A sentence too long for a quote falls into pieces, of which quotes are put together. */
function piecesOf(content: string, { start, end }: Unit): { start: number; end: number }[] {
  return codePointLength(content.slice(start, end)) > QUOTE_CODE_POINTS_MAX
    ? cutIntoPieces(content, start, end)
    : [{ start, end }];
}

/** Quotes that hold what a sentence says are compared with it word for word, the best first. */
const COMPARED_QUOTES_MAX = 6;

/** The best quote for all `claims` together; `verified` when it supports each of them. */
export function findSupport(claims: readonly Claim[], evidence: Evidence): Support {
  return bestOf(claims, evidence.windows);
}

/** True when a quote that was found for other claims supports this one too. */
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

/** Of the first claim that the passage does not support. */
function reasonAgainst(searches: readonly Search[], window: Window | undefined): string {
  if (window === undefined) return 'The passage is empty.';
  const failed = searches.find(({ checks }) => !checks.get(window)!.holds) ?? searches[0];
  return failed === undefined ? 'Nothing is claimed.' : reasonOf(failed.claim, window, failed.checks.get(window)!);
}

/** What is known of a claim and the quotes that there may be. */
interface Search {
  claim: Claim;
  checks: ReadonlyMap<Window, Check>;
  /** Quotes that resemble the claim, the shortest first. */
  alike: readonly Window[];
  /** Those that were compared with it word for word. */
  compared: Map<Window, boolean>;
}

function searchOf(claim: Claim, windows: readonly Window[]): Search {
  const checks = new Map(windows.map((window) => [window, check(claim, window)]));
  const alike = windows
    .filter((window) => checks.get(window)!.resembles)
    .toSorted((left, right) => left.text.length - right.text.length);
  return { claim, checks, alike, compared: new Map() };
}

/** What a part of a quote contradicts is not true for what stands around it, nor for what is less like the claim. */
function isContradicted({ claim, checks, alike, compared }: Search, window: Window): boolean {
  const { coverage } = checks.get(window)!;
  return [
    ...alike.filter((one) => isWithin(one, window)).slice(0, COMPARED_QUOTES_MAX),
    ...alike.filter((one) => checks.get(one)!.coverage > coverage).slice(0, COMPARED_QUOTES_MAX),
  ].some((one) => {
    const known = compared.get(one) ?? (!checks.get(one)!.holds || contradicts(claim.wording, wordingOf(one)));
    compared.set(one, known);
    return known;
  });
}

function isWithin(inner: Window, outer: Window): boolean {
  return outer.first <= inner.first && inner.last <= outer.last;
}

interface Window {
  /** Of the parts that it is made of. */
  first: number;
  last: number;
  text: string;
  names: NameIndex;
  language: string | null;
  numbers: readonly Readings[];
  terms: ReadonlySet<string>;
  clauses: readonly Clause[];
  /** Read when it is first asked for. */
  wording: readonly Token[] | null;
}

function wordingOf(window: Window): readonly Token[] {
  window.wording ??= tokensOf(window.text, window.language);
  return window.wording;
}

/** Runs of neighbouring parts that fit into a quote. */
function windowsOf(content: string, language: string | null, parts: readonly Part[]): Window[] {
  const windows: Window[] = [];
  for (let first = 0; first < parts.length; first++) {
    let length = 0;
    for (let last = first; last < parts.length; last++) {
      // Part lengths underestimate by the blanks between parts: nothing is cut because of the margin.
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

interface Check {
  /** It has the facts and most of the words. */
  resembles: boolean;
  /** And negates where the claim does. */
  holds: boolean;
  /** Numbers and names that were found. */
  facts: number;
  /** Share of the claim's terms. */
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
 * Each clause is compared with those clauses of the quote that are most like it; what a quote says in one clause may also be
 * said in several.
 */
function samePolarity(claimed: readonly Clause[], quoted: readonly Clause[]): boolean {
  const compared = claimed.map((clause) => {
    const likeness = quoted.map((other) => likenessOf(clause, other));
    const most = Math.max(0, ...likeness);
    const alike = most === 0 ? [] : quoted.filter((_, i) => likeness[i] === most);
    return { clause, alike };
  });
  return compared.every(({ clause, alike }) => {
    // A negation is itself a claim, so it must be found; a plain clause about other things says nothing against the quote.
    if (alike.length === 0) return clause.negations === 0;
    if (alike.some((other) => other.negations === clause.negations)) return true;
    const parts = compared.filter((one) => one.alike[0] === alike[0]);
    return parts.length > 1 && sum(parts.map((one) => one.clause.negations)) === alike[0]!.negations;
  });
}

/** Content that both share counts first, then how much of all their words. */
function likenessOf(left: Clause, right: Clause): number {
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
