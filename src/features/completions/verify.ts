/**
 * Finds the part of a chunk that supports a sentence, and says whether it does. Pure; nothing here trusts a model.
 *
 * A sentence is verified when its quote holds every number and proper name of it, at least 60 % of its content terms, and says
 * it with the same polarity: a clause that is negated on one side only is not supported.
 */
import { cutIntoPieces, splitUnits, type Unit } from '../../util/sentences.ts';
import { allTermsOf, type Claim, type Clause, clausesOf, hasName, type NameIndex, nameIndexOf } from './claims.ts';
import { missesNumber, numbersIn, type Readings } from './numbers.ts';

export const QUOTE_CODE_POINTS_MAX = 300;
/** Share of a sentence's content terms that its quote must hold. */
export const COVERAGE_MIN = 0.6;

export interface Support {
  /** A stretch of the chunk's content, at most QUOTE_CODE_POINTS_MAX code points. */
  quote: string;
  verified: boolean;
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
        codePoints: codePoints(text),
        numbers: numbersIn(text),
        terms: allTermsOf(text, language),
        names: nameIndexOf(text, language),
      };
    });
  return { content, language, parts, windows: windowsOf(content, language, parts) };
}

/** A sentence too long for a quote falls into pieces, of which quotes are put together. */
function piecesOf(content: string, { start, end }: Unit): { start: number; end: number }[] {
  return codePoints(content.slice(start, end)) > QUOTE_CODE_POINTS_MAX
    ? cutIntoPieces(content, start, end)
    : [{ start, end }];
}

/** The best quote for all `claims` together; `verified` when it supports each of them. */
export function findSupport(claims: readonly Claim[], evidence: Evidence): Support {
  let best: { support: Support; rank: readonly number[] } = { support: { quote: '', verified: false }, rank: [-1] };
  for (const window of evidence.windows) {
    const checks = claims.map((claim) => check(claim, window));
    const verified = checks.every((one) => one.verified);
    const rank = [
      verified ? 1 : 0,
      sum(checks.map((one) => one.facts)),
      sum(checks.map((one) => one.coverage)),
      -window.text.length,
    ];
    if (isHigher(rank, best.rank)) best = { support: { quote: window.text, verified }, rank };
  }
  return best.support;
}

/** True when a quote that was found for other claims supports this one too. */
export function isSupportedBy(quote: string, claim: Claim, evidence: Evidence): boolean {
  return evidence.windows.some((window) => window.text === quote && check(claim, window).verified);
}

interface Window {
  text: string;
  names: NameIndex;
  language: string | null;
  numbers: readonly Readings[];
  terms: ReadonlySet<string>;
  clauses: readonly Clause[];
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
      windows.push(windowOf(content, language, parts.slice(first, last + 1)));
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

function windowOf(content: string, language: string | null, parts: readonly Part[]): Window {
  const text = content.slice(parts[0]!.start, parts[parts.length - 1]!.end);
  return {
    text,
    names: joined(parts.map((part) => part.names)),
    language,
    numbers: parts.flatMap((part) => part.numbers),
    terms: new Set(parts.flatMap((part) => [...part.terms])),
    clauses: clausesOf(text, language),
  };
}

function check(claim: Claim, window: Window): { verified: boolean; facts: number; coverage: number } {
  const numbersFound = claim.numbers.filter((readings) => !missesNumber([readings], window.numbers)).length;
  const namesFound = claim.names.filter((name) => hasName(name, window.names, window.language)).length;
  const coverage = claim.terms.size === 0 ? 0 : overlap(claim.terms, window.terms) / claim.terms.size;
  const hasFacts = numbersFound === claim.numbers.length && namesFound === claim.names.length;
  return {
    verified: hasFacts && coverage >= COVERAGE_MIN && samePolarity(claim.clauses, window.clauses),
    facts: numbersFound + namesFound,
    coverage,
  };
}

/** Each clause is compared with those clauses of the quote that are most like it. */
function samePolarity(claimed: readonly Clause[], quoted: readonly Clause[]): boolean {
  return claimed.every((clause) => {
    const likeness = quoted.map((other) => likenessOf(clause, other));
    const most = Math.max(0, ...likeness);
    // A negation is itself a claim, so it must be found; a plain clause about other things says nothing against the quote.
    if (most === 0) return clause.negations === 0;
    return quoted.some((other, i) => likeness[i] === most && other.negations === clause.negations);
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

function isHigher(left: readonly number[], right: readonly number[]): boolean {
  for (let i = 0; i < left.length; i++) {
    const difference = left[i]! - (right[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Length of a text in code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
