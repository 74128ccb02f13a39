/**
 * Finds the quote of a chunk that supports a sentence best, and checks by rules whether the quote supports it.
 *
 * A sentence is verified when four conditions hold. The quote has every number with its unit, and every name. The quote has at least
 * 60 % of the words. The keys that the sentence names have no other values in the chunk (entries.ts). And the clauses of the chunk that
 * are most like the clauses of the sentence negate the same. A copied sentence needs only the words, and may be longer than a quote.
 */
import { cutIntoPieces, splitCode, splitUnits, type UnitKind, unwrapped } from '../../text/sentences.ts';
import { codePointLength } from '../../util/code-points.ts';
import { type Claim, type Clause, type Item, isTerm, type Statement, statementOf, termsOf } from './claims.ts';
import { asClause, byKey, COVERAGE_MIN, contradictedKeys, type Entry, entryOf } from './entries.ts';
import type { FoundNumber } from './numbers.ts';

export const QUOTE_CODE_POINTS_MAX = 300;
/** Maximum words that a reason names. */
const LISTED_WORDS_MAX = 5;

export interface Support {
  /** A part of the chunk's content, at most QUOTE_CODE_POINTS_MAX code points. */
  quote: string;
  verified: boolean;
  /** Why the sentence is not verified, in plain words. Null when it is verified. */
  reason: string | null;
  /** True when a number, a name or a negation differs, or the sentence is too long. No model may decide otherwise. */
  isRefuted: boolean;
}

/** A sentence of the chunk, a line of a record or of code, or a piece of a long one. */
interface Part extends Statement {
  start: number;
  end: number;
  codePoints: number;
  entry: Entry | null;
}

/** A chunk prepared for looking up sentences in it. */
export interface Evidence {
  content: string;
  language: string | null;
  parts: readonly Part[];
}

/** Returns a chunk as parts of which quotes consist. */
export function evidenceOf(content: string, language: string | null, isCode = false): Evidence {
  const units = isCode ? splitCode(content) : splitUnits(content);
  const parts = units.flatMap(({ kind, start, end }, i) => {
    const isHeader = kind === 'row' && units[i - 1]?.kind !== 'row';
    // A number that several lines have is there several times.
    const counts = [...statementOf(content.slice(start, end), language).keys].filter((key) => key.includes('×'));
    return linesOf(content, kind, start, end).flatMap((line): Part[] => {
      const whole = content.slice(line.start, line.end);
      const entry = isHeader ? null : entryOf(whole, kind, language);
      const isLong = codePointLength(whole) > QUOTE_CODE_POINTS_MAX;
      return (isLong ? cutIntoPieces(content, line.start, line.end) : [line]).map((piece) => {
        const text = content.slice(piece.start, piece.end);
        const statement = statementOf(text, language);
        // A negation in the key may deny the value, as in `Not included: batteries`, or not: `Without a check: the caller has checked it`.
        const asOne = entry === null ? [] : statementOf(asClause(text), language).clauses;
        const keys = new Set([...statement.keys, ...counts]);
        const clauses = [...statement.clauses, ...asOne];
        return { ...piece, codePoints: codePointLength(text), entry, keys, numbers: statement.numbers, clauses };
      });
    });
  });
  return { content, language, parts };
}

const COMMENT = /^(?:\/[/*]|(?:\*|#|--)(?!\S))/;
/** A line without a word belongs to the line above it. */
const NUMBERS = /^\P{L}*\d\P{L}*$/u;

/** Returns the lines of code and of a record. Elsewhere, and in comments, a line break is a line wrap. */
function linesOf(content: string, kind: UnitKind, start: number, end: number): { start: number; end: number }[] {
  if (kind !== 'code' && kind !== 'record') return [{ start, end }];
  const lines: { start: number; end: number; isComment: boolean }[] = [];
  for (const { 0: text, index } of content.slice(start, end).matchAll(/\S[^\n]*/g)) {
    const line = { start: start + index, end: start + index + text.length, isComment: COMMENT.test(text) };
    const last = lines.at(-1);
    if (last && ((last.isComment && line.isComment) || NUMBERS.test(text))) last.end = line.end;
    else lines.push(line);
  }
  return lines;
}

/** How well neighbouring parts of a chunk support some claims. */
interface Window {
  first: number;
  last: number;
  /** Which items of all claims the parts have. */
  has: Uint8Array;
  /** The better window has the higher number at the first place where two ranks differ. */
  rank: readonly number[];
}

/** Returns the best quote for all `claims` together. The result is verified when the quote supports each claim. */
export function findSupport(claims: readonly Claim[], evidence: Evidence): Support {
  const items = claims.flatMap((claim) => claim.items);
  const best = bestWindow(claims, items, evidence.parts);
  if (best === undefined) return refuted('', 'The passage is empty.');
  const from = evidence.parts[best.first]!.start;
  const quote = evidence.content.slice(from, evidence.parts[best.last]!.end);
  if (claims.some(({ isTooLong }) => isTooLong)) return refuted(quote, 'The sentence is too long to be checked.');
  const open = claims.filter((claim) => !isCopied(claim, evidence));
  // A copy of several lines may repeat a number that each line has once.
  const copied = new Set(claims.filter((claim) => !open.includes(claim)).flatMap((claim) => claim.items));
  const lacking = joinLetters(items.map((item, i) => (best.has[i] === 0 && !copied.has(item) ? item : null)));
  const facts = lacking.filter(({ kind }) => kind === 'number' || kind === 'name');
  if (facts.length > 0) return refuted(quote, lackingFact(facts, evidence.parts));
  for (const claim of open) {
    const claimed = new Set(claim.items.filter(isTerm).map(({ text }) => text));
    const keyed = byKey(claimed, evidence.parts);
    const others = new Set(keyed.others);
    const clausesIn = (parts: readonly Part[]): Clause[] =>
      parts.filter((part) => !others.has(part)).flatMap(({ clauses }) => clauses);
    // The rest of the chunk counts too: another quote with the right words must not hide that the passage says the opposite.
    const stated = [clausesIn(evidence.parts.slice(best.first, best.last + 1)), clausesIn(evidence.parts)];
    if (stated.some((clauses) => negatesOtherwise(claim.clauses, clauses)))
      return refuted(quote, 'The passage and the sentence differ in a negation.');
    const contradicted = contradictedKeys(claim.items, claimed, keyed);
    if (contradicted.length > 0) return refuted(quote, lacks('entry', contradicted));
  }
  const isSupported = lacking.every(({ kind }) => kind === 'term') && best.rank[0] === 1;
  const reason = isSupported ? null : lackingWords(claims, lacking, evidence.language);
  return { quote, verified: isSupported, reason, isRefuted: false };
}

/** Returns the items without nulls. Neighbouring letters become one word. */
function joinLetters(items: readonly (Item | null)[]): Item[] {
  const found: Item[] = [];
  for (const [i, item] of items.entries()) {
    const before = items[i - 1];
    if (item === null) continue;
    if (item.kind === 'word' && before?.kind === 'word' && [...item.text].length === 1)
      found.push({ ...item, text: found.pop()!.text + item.text });
    else found.push(item);
  }
  return found;
}

/**
 * Returns true when the claim is whole sentences of the passage, word for word, whatever their line wraps. Part of a sentence may mean its
 * opposite.
 */
function isCopied({ sentence }: Claim, { content, parts }: Evidence): boolean {
  const copy = unwrapped(sentence.trim());
  return parts.some(({ start }, first) => {
    for (let last = first; last < parts.length; last++) {
      const { end } = parts[last]!;
      // Joining lines only shortens a text. Without this line, the work grows with the cube of the number of sentences.
      if (end - start < copy.length) continue;
      const text = unwrapped(content.slice(start, end));
      if (text === copy) return true;
      if (text.length > copy.length) return false;
    }
    return false;
  });
}

function refuted(quote: string, reason: string): Support {
  return { quote, verified: false, reason, isRefuted: true };
}

/** Returns the best run of neighbouring parts that is short enough for a quote. */
function bestWindow(claims: readonly Claim[], items: readonly Item[], parts: readonly Part[]): Window | undefined {
  const found = foundIn(parts, claims);
  let best: Window | undefined;
  for (let first = 0; first < parts.length; first++) {
    const has = new Uint8Array(items.length);
    let codePoints = 0;
    for (let last = first; last < parts.length; last++) {
      const gap = last > first ? parts[last]!.start - parts[last - 1]!.end : 0;
      codePoints += parts[last]!.codePoints + gap;
      if (last > first && codePoints > QUOTE_CODE_POINTS_MAX) break;
      const before = best;
      let isNew = last === first;
      for (const i of found[last]!) {
        isNew ||= has[i] === 0;
        has[i] = 1;
      }
      if (!isNew) continue;
      const rank = [...rankOf(claims, items, has), -codePoints];
      if (before === undefined || isHigher(rank, before.rank)) best = { first, last, has: has.slice(), rank };
    }
  }
  return best;
}

/** Returns which items each part has, as indexes of the items of all claims. */
function foundIn(parts: readonly Part[], claims: readonly Claim[]): number[][] {
  const found = parts.map((): number[] => []);
  let offset = 0;
  for (const { items } of claims) {
    const inParts = parts.map(({ keys }) => itemsIn(items, keys));
    const shared = inParts.map((indexes) => indexes.filter((i) => items[i]!.kind === 'term').length);
    const needsWord = items.some(isWord);
    const claimed = new Set(items.flatMap(({ number }) => number?.readings ?? []));
    const needed = items.map(({ number }) =>
      number === undefined ? 0 : Math.max(...parts.map((part, p) => shared[p]! * shareNeeded(number, claimed, part))),
    );
    for (const [p, indexes] of inParts.entries()) {
      // The numbers and names of a part without a word of the claim belong to other things.
      if (needsWord && !indexes.some((i) => isWord(items[i]!))) continue;
      for (const i of indexes) if (shared[p]! >= needed[i]!) found[p]!.push(offset + i);
    }
    offset += items.length;
  }
  return found;
}

function itemsIn(items: readonly Item[], has: ReadonlySet<string>): number[] {
  return items.flatMap(({ keys }, i) => (keys.some((key) => has.has(key)) ? [i] : []));
}

/**
 * Returns how many of the terms that a part shares with a claim another part must share so that its number counts: all where the part has
 * the number with another unit, and a third where it has the unit with a number that the claim lacks. A claim may join two sentences.
 */
function shareNeeded({ unit, readings }: FoundNumber, claimed: ReadonlySet<string>, { numbers }: Part): number {
  if (numbers.some((one) => one.unit !== unit && one.readings.some((reading) => readings.includes(reading)))) return 1;
  return numbers.some((one) => one.unit === unit && !one.readings.some((reading) => claimed.has(reading))) ? 1 / 3 : 0;
}

const isWord = ({ kind, text }: Item): boolean => kind === 'term' && /\p{L}/u.test(text);

/** Returns whether each claim has enough coverage, the number of facts that were found, and the coverage. */
function rankOf(claims: readonly Claim[], items: readonly Item[], has: Uint8Array): number[] {
  let at = 0;
  let facts = 0;
  let coverage = 0;
  let isCovered = true;
  for (const claim of claims) {
    let terms = 0;
    let covered = 0;
    for (const end = at + claim.items.length; at < end; at++) {
      if (items[at]!.kind !== 'term') facts += has[at]!;
      else {
        terms++;
        covered += has[at]!;
      }
    }
    const share = terms === 0 ? 0 : covered / terms;
    coverage += share;
    isCovered &&= share >= COVERAGE_MIN;
  }
  return [isCovered ? 1 : 0, facts, coverage];
}

function isHigher(left: readonly number[], right: readonly number[]): boolean {
  const at = left.findIndex((value, i) => value !== right[i]);
  return at >= 0 && left[at]! > right[at]!;
}

/**
 * Returns true when a clause of the claim negates otherwise than the most similar clauses of the passage. Several clauses of the
 * claim may stand for one clause of the passage: then their negations are added.
 */
function negatesOtherwise(claimed: readonly Clause[], stated: readonly Clause[]): boolean {
  const compared = claimed.map((clause) => {
    const similarities = stated.map((other) => similarityOf(clause, other));
    const highest = Math.max(0, ...similarities);
    return { clause, similar: highest === 0 ? [] : stated.filter((_, i) => similarities[i] === highest) };
  });
  return compared.some(({ clause, similar }) => {
    // A negation is itself a claim, so the passage must have it. A clause without negation about another topic contradicts nothing.
    if (similar.length === 0) return clause.negations > 0;
    if (similar.some((other) => other.negations === clause.negations)) return false;
    const parts = compared.filter((one) => one.similar[0] === similar[0]);
    const negations = parts.reduce((sum, one) => sum + one.clause.negations, 0);
    return parts.length === 1 || negations !== similar[0]!.negations;
  });
}

/**
 * Returns how alike two clauses are: the share of their terms that both have, times the square of the number of these terms. Without the
 * square, a short clause about something else would be more alike than a long one that says all of the claim.
 */
function similarityOf({ terms: left }: Clause, { terms: right }: Clause): number {
  const shared = left.intersection(right).size;
  return shared ** 3 / (left.size + right.size - shared);
}

function lackingFact(facts: readonly Item[], parts: readonly Part[]): string {
  const isThere = (key: string): boolean => parts.some(({ keys }) => keys.has(key));
  const numbers = facts.filter(({ kind }) => kind === 'number');
  const missing = numbers.filter(({ keys }) => !keys.some(isThere));
  if (missing.length > 0) {
    const hasOtherUnit = ({ number }: Item): boolean => number?.readings.some((one) => isThere(`#${one}`)) ?? false;
    return lacks(
      'number',
      missing.map((one) => (hasOtherUnit(one) ? { text: one.number!.withUnit } : one)),
    );
  }
  return numbers.length > 0 ? lacks('elsewhere', numbers) : lacks('name', facts);
}

function lackingWords(claims: readonly Claim[], lacking: readonly Item[], language: string | null): string {
  const words = lacking.filter(({ kind }) => kind === 'word');
  if (words.length > 0) return lacks('word', words);
  const terms = new Set(lacking.map(({ text }) => text));
  const listed = claims
    .flatMap(({ sentence }) => [...sentence.toLowerCase().matchAll(/[\p{L}\p{M}\p{N}]+/gu)])
    .filter(([word]) => [...termsOf(word, language)].some((term) => terms.has(term)));
  const found = listed.map(([text]) => ({ text }));
  return found.length > 0 ? lacks('word', found) : 'The passage lacks most of what the sentence says.';
}

/** How a reason begins when one thing is lacking, and when several are. The console has these texts in other languages. */
const LACKS = {
  number: ['The passage lacks the number', 'The passage lacks the numbers'],
  elsewhere: [
    'Only another sentence of the passage has the number',
    'Only other sentences of the passage have the numbers',
  ],
  entry: ['The passage says something else about', 'The passage says something else about'],
  name: ['The passage lacks the name', 'The passage lacks the names'],
  word: ['The passage lacks the word', 'The passage lacks the words'],
} as const;

/** Returns a sentence such as `The passage lacks the numbers 28, 30.` */
function lacks(kind: keyof typeof LACKS, found: readonly { text: string }[]): string {
  const words = [...new Set(found.map(({ text }) => text))];
  const listed = words.slice(0, LISTED_WORDS_MAX).join(', ');
  const more = words.length > LISTED_WORDS_MAX ? ', …' : '';
  return `${LACKS[kind][words.length > 1 ? 1 : 0]} ${listed}${more}.`;
}
