/**
 * Finds whether a claim contradicts a quote that it resembles.
 *
 * The words of the claim are aligned with the words of the quote. Between two places where both agree there may be a gap: a word
 * stands in place of another, or one side lacks a word. A gap contradicts when its word is a number, a name, a unit or a modifier
 * (a negation, a quantity, a comparison). A gap does not contradict when a whole part is left out or stands elsewhere.
 */
import { align, type Pair, type Stretch, stretchesOf } from './alignment.ts';
import { hasUse } from './function-words.ts';
import { ALL, AT_MOST, COMPARISON, isNegation, LAST, MODAL, type Modifier, ORDER, QUANTITY } from './modifiers.ts';
import { isSameNumber } from './numbers.ts';
import type { Token } from './wording.ts';

/** Maximum words and characters of content on each side of a gap in which a word was replaced. A larger gap is another wording. */
const REPLACED_WORDS_MAX = 4;
const REPLACED_CHARACTERS_MAX = 12;
/** Maximum depth of the search for parts of a claim that stand elsewhere in the quote. */
const MOVES_MAX = 3;
/** Minimum content words of a part that moved. */
const MOVED_WORDS_MIN = 2;
/** A longer claim cannot be what a quote says. */
const CLAIM_TOKENS_MAX = 800;

/** A unit of one letter, as in "5 g". */
const UNIT_LETTER = /^[b-zµμ]$/;
const isJoin = ({ word }: Token): boolean => hasUse(word, 'joins');
const isAgent = ({ word }: Token): boolean => hasUse(word, 'agent');
const isRangeWord = ({ word }: Token): boolean => word === '-' || hasUse(word, 'range');

/** The tokens of claim and quote between two places where both agree. */
interface Gap {
  claim: readonly Token[];
  quote: readonly Token[];
  /** The tokens on which both agree before and after the gap. Undefined where the claim begins or ends. */
  before: Token | undefined;
  after: Token | undefined;
  /** The keys of all tokens of the quote. */
  quoteKeys: ReadonlySet<string>;
}

/**
 * Returns true when the claim says something else than the quote.
 *
 * @param moves how often a part of the claim may still be searched for elsewhere in the quote.
 */
export function contradicts(claim: readonly Token[], quote: readonly Token[], moves = MOVES_MAX): boolean {
  if (claim.length > CLAIM_TOKENS_MAX) return true;
  const pairs = align(claim, quote);
  const gaps = gapsOf(claim, quote, pairs);
  if (gaps.some(isAltered) || isSwapped(gaps, claim, pairs) || isInverted(gaps) || isRebound(claim, quote)) return true;
  if (hasNumberOfOtherLabel(claim, quote)) return true;
  if (sentencesOf(claim, pairs).some((one) => isBorrowed(one.claim, quote, one.pairs))) return true;
  if (moves === 0 || pairs.length === 0) return false;
  const matched = new Set(pairs.map(({ right }) => right));
  const rest = quote.filter((_, i) => !matched.has(i));
  return gaps.some((gap) => {
    if (contentOf(gap.claim).length < MOVED_WORDS_MIN) return false;
    return (
      isScrambled(gap.claim, rest) || (contentOf(gap.quote).length === 0 && contradicts(gap.claim, rest, moves - 1))
    );
  });
}

/** Returns each sentence of a claim with its pairs. */
function sentencesOf(claim: readonly Token[], pairs: readonly Pair[]): { claim: readonly Token[]; pairs: Pair[] }[] {
  const ends = [-1, ...claim.flatMap(({ isEnd }, i) => (isEnd ? i : [])), claim.length];
  return ends.slice(1).map((end, i) => {
    const from = ends[i]! + 1;
    const within = pairs.filter(({ left }) => left >= from && left < end);
    return { claim: claim.slice(from, end), pairs: within.map(({ left, right }) => ({ left: left - from, right })) };
  });
}

/**
 * Returns true when a number, a name or a modifier of the claim comes from another sentence of the quote than the rest of the
 * claim. The claim is compared only with the sentences that hold much of it.
 */
function isBorrowed(claim: readonly Token[], quote: readonly Token[], pairs: readonly Pair[]): boolean {
  const stretches = stretchesOf(quote, pairs);
  const contentIn = (stretch: Stretch): Token[] => contentOf(stretch.map(({ left }) => claim[left]!));
  const best = stretches.toSorted(
    (one, other) => contentIn(other).length - contentIn(one).length || other.length - one.length,
  )[0];
  const isBest = (one: Stretch): boolean =>
    contentIn(one).length === contentIn(best!).length && one.length === best!.length;
  const main = stretches.filter((one) => isBest(one) || !isShort(contentIn(one)));
  if (main.length === stretches.length) return false;
  const source = main.flatMap((stretch) => sentenceAround(quote, stretch));
  const mainPairs = align(claim, source);
  const gaps = gapsOf(claim, source, mainPairs);
  return gaps.some(isOtherFact) || isSwapped(gaps, claim, mainPairs);
}

/** Returns true when the claim gives the number of one labelled line to the label of another: "Basic: 10" and "Premium: 20". */
function hasNumberOfOtherLabel(claim: readonly Token[], quote: readonly Token[]): boolean {
  const ends = [-1, ...quote.flatMap(({ isEnd }, i) => (isEnd ? i : [])), quote.length];
  const lines = ends.slice(1).map((end, i) => quote.slice(ends[i]! + 1, end));
  const labelOf = (line: readonly Token[]): Set<string> =>
    new Set(line.filter(({ isLabel, isContent }) => isLabel && isContent).map(({ key }) => key));
  const labelled = lines
    .map((line) => ({ label: labelOf(line), numbers: line.filter(({ readings }) => readings !== null) }))
    .filter(({ label, numbers }) => label.size > 0 && numbers.length > 0);
  const lineMatches = labelled.map(({ label, numbers }) => ({
    isNamed: claim.some(({ key }) => label.has(key) && labelled.filter((one) => one.label.has(key)).length === 1),
    hasNumber: claim.some((one) => one.readings !== null && numbers.some((other) => agree(one, other))),
  }));
  return (
    lineMatches.some(({ isNamed, hasNumber }) => isNamed && !hasNumber) &&
    lineMatches.some(({ isNamed, hasNumber }) => !isNamed && hasNumber)
  );
}

/** Returns the sentence of the quote around the stretch. */
function sentenceAround(quote: readonly Token[], stretch: Stretch): readonly Token[] {
  const before = quote.slice(0, stretch[0]!.right).findLastIndex(({ isEnd }) => isEnd);
  const after = quote.findIndex(({ isEnd }, i) => isEnd && i > stretch.at(-1)!.right);
  return quote.slice(before + 1, after < 0 ? quote.length : after + 1);
}

/** Returns true when the gap has another fact. Another name does not count where a pronoun of the quote may stand for the name. */
function isOtherFact(gap: Gap): boolean {
  if (isModified(gap)) return true;
  if (!isSmall(gap)) return false;
  return hasOtherNumber(gap) || (hasOtherName(gap) && !gap.quote.some(({ word }) => hasUse(word, 'pronoun')));
}

/** Returns true when a part that moved has another order than in the quote, such as two names that changed roles. */
function isScrambled(moved: readonly Token[], rest: readonly Token[]): boolean {
  if ([...moved, ...rest].some(isAgent) || moved.some(isJoin)) return false;
  const pairs = align(moved, rest);
  const content = contentOf(moved.filter((_, i) => !pairs.some(({ left }) => left === i))).filter(
    (one) => !isCharacter(one),
  );
  const unpaired = rest.filter((_, i) => !pairs.some(({ right }) => right === i));
  return (
    pairs.some(({ left }) => moved[left]!.isContent) &&
    content.some((one) => unpaired.some(({ key }) => key === one.key))
  );
}

/** Returns the gaps between pairs that have tokens on a side. */
function gapsOf(claim: readonly Token[], quote: readonly Token[], pairs: readonly Pair[]): Gap[] {
  const gaps: Gap[] = [];
  const quoteKeys = new Set(quote.map(({ key }) => key));
  let last: Pair = { left: -1, right: -1 };
  for (const pair of [...pairs, { left: claim.length, right: quote.length }]) {
    let quoted = quote.slice(last.right + 1, pair.right);
    // Sentences before the first pair and after the last one do not replace anything in the claim.
    if (last.right < 0) quoted = quoted.slice(quoted.findLastIndex(({ isEnd }) => isEnd) + 1);
    const end = pair.right === quote.length ? quoted.findIndex(({ isEnd }) => isEnd) : -1;
    gaps.push({
      claim: claim.slice(last.left + 1, pair.left).filter(({ isEnd }) => !isEnd),
      quote: end < 0 ? quoted : quoted.slice(0, end),
      before: claim[last.left],
      after: claim[pair.left],
      quoteKeys,
    });
    last = pair;
  }
  return gaps.filter((gap) => gap.claim.length > 0 || gap.quote.length > 0);
}

function isAltered(gap: Gap): boolean {
  return (
    isModified(gap) ||
    isHalfRange(gap) ||
    isUnknownInsertion(gap) ||
    (isSmall(gap) && (hasOtherNumber(gap) || hasOtherName(gap) || isOtherThing(gap) || isNegatedForm(gap)))
  );
}

function contentOf(tokens: readonly Token[]): Token[] {
  return tokens.filter(({ isContent }) => isContent);
}

/** Returns true for a token of a script in which each character is a token. */
function isCharacter({ isCaseless, word }: Token): boolean {
  return isCaseless && word.length <= 2 && !/\p{sc=Hang}/u.test(word);
}

function isSmall({ claim, quote }: Gap): boolean {
  return [claim, quote].every((side) => isShort(contentOf(side)));
}

function isShort(content: readonly Token[]): boolean {
  const characters = content.filter(isCharacter).length;
  return content.length - characters <= REPLACED_WORDS_MAX && characters <= REPLACED_CHARACTERS_MAX;
}

/** Returns the values of `left` without those that `right` has too. Values with equal keys match, each once. */
function without<Value>(left: readonly Value[], right: readonly Value[], keyOf: (one: Value) => string): Value[] {
  const rest = right.map(keyOf);
  return left.filter((one) => {
    const at = rest.indexOf(keyOf(one));
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

function modifiersOf(tokens: readonly Token[]): Modifier[] {
  return tokens.flatMap(({ modifier }) => modifier ?? []);
}

const meaningOf = ({ kind, value }: Modifier): string => `${kind} ${value}`;

/** Returns true when the claim added a modifier, dropped one, or replaced one by another of its kind. */
function isModified(gap: Gap): boolean {
  const claimed = modifiersOf(gap.claim);
  const quoted = modifiersOf(gap.quote);
  const added = without(claimed, quoted, meaningOf);
  const dropped = without(quoted, claimed, meaningOf);
  if (added.length + dropped.length === 0) return false;
  // "may not" and "must not" say the same.
  const isForbidden = isNegation(gap.after?.modifier);
  const isOther = (one: Modifier, other: Modifier): boolean =>
    one.kind === other.kind && !(one.kind === MODAL && isForbidden);
  if (isSmall(gap) && added.some((one) => dropped.some((other) => isOther(one, other)))) return true;
  // A modifier that comes or goes together with content belongs to this content.
  const isAddedAlone = contentOf(gap.claim).length === 0;
  const isDroppedAlone = contentOf(gap.quote).length === 0;
  return (
    (isAddedAlone && added.some((one) => !one.isTopic && !isGeneral(one))) ||
    (isDroppedAlone && dropped.some((one) => !one.isTopic && !isGeneral(one) && !isBound(one)))
  );
}

/** "Staff get" means all staff. */
function isGeneral({ kind, value }: Modifier): boolean {
  return kind === QUANTITY && value === ALL;
}

/** "Up to five may" and "five may" do not contradict each other. */
function isBound({ kind, value }: Modifier): boolean {
  return kind === COMPARISON && value === AT_MOST;
}

function hasOtherNumber({ claim, quote }: Gap): boolean {
  const claimed = claim.filter(({ readings }) => readings !== null);
  const quoted = quote.filter(({ readings }) => readings !== null);
  const isLast = (tokens: readonly Token[]): boolean =>
    tokens.some(({ modifier }) => modifier?.kind === ORDER && modifier.value === LAST);
  const added = claimed.filter((one) => !quoted.some((other) => agree(one, other)));
  const dropped = quoted.filter((one) => !claimed.some((other) => agree(one, other)));
  if (added.length > 0 && isLast(quote)) return true;
  if (dropped.length > 0 && isLast(claim)) return true;
  // A single word in place of a number may be a number word that the lists lack.
  const mayBeNumber =
    quote.length === 1 &&
    claim.length > 0 &&
    claim.every((one) => one.isContent && (claim.length === 1 || isCharacter(one)));
  return dropped.length > 0 && (added.length > 0 || mayBeNumber);
}

function agree(left: Token, right: Token): boolean {
  return isSameNumber(left.readings!, right.readings!);
}

/** Returns true when the claim has only one number of the range "3 to 5". */
function isHalfRange({ claim, quote, before, after }: Gap): boolean {
  if (quote.length !== 2 || claim.length > 0) return false;
  const [first, second] = quote as [Token, Token];
  if (before?.readings != null && isRangeWord(first) && second.readings !== null) return true;
  return after?.readings != null && first.readings !== null && isRangeWord(second);
}

/** Returns true when the added tokens only changed places because one side is in the passive voice. */
function isMovedByVoice(added: readonly Token[], gap: Gap): boolean {
  return namesAgent(gap) && added.every(({ key }) => gap.quoteKeys.has(key));
}

function namesAgent({ claim, quote }: Gap): boolean {
  return [...claim, ...quote].some(isAgent);
}

function hasOtherName(gap: Gap): boolean {
  const { claim, quote } = gap;
  const claimed = claim.filter(({ isName }) => isName);
  const quoted = quote.filter(({ isName }) => isName);
  const key = ({ key }: Token): string => key;
  const added = without(claimed, quoted, key);
  return added.length > 0 && without(quoted, claimed, key).length > 0 && !isMovedByVoice(added, gap);
}

/** Returns true when another word replaces one of the quote: after a number, or in a script in which any word may be a name. */
function isOtherThing(gap: Gap): boolean {
  const { claim, quote, before } = gap;
  const [claimed] = claim;
  const [quoted] = quote;
  if (claimed === undefined || quoted === undefined) return false;
  const isThing = (one: Token): boolean => one.isContent || one.isCaseless || UNIT_LETTER.test(one.word);
  if (before?.readings != null && isThing(claimed) && isThing(quoted) && !isSameWord(claimed, quoted)) return true;
  const replaceable = quote.filter(({ isCaseless }) => isCaseless);
  const isIn = (one: Token, others: readonly Token[]): boolean => others.some((other) => isSameWord(one, other));
  const added = claim.filter((one) => one.isCaseless && !isIn(one, replaceable));
  return added.length > 0 && replaceable.some((one) => !isIn(one, claim)) && !isMovedByVoice(added, gap);
}

/** Returns true when the claim adds a word that the quote does not have, in a script in which any word may be a name. */
function isUnknownInsertion({ claim, quote, quoteKeys }: Gap): boolean {
  const added = claim.filter((one) => isCharacter(one) && one.isContent && !quoteKeys.has(one.key));
  return added.length >= 2 && added.length === contentOf(claim).length && contentOf(quote).length === 0;
}

/** Returns true for two forms of one word: a compound with the word, or a Korean verb with another ending. */
function isSameWord(left: Token, right: Token): boolean {
  if (left.key === right.key) return true;
  const [short, long] = left.word.length < right.word.length ? [left.word, right.word] : [right.word, left.word];
  const isLong = short.length >= (/\p{sc=Hang}/u.test(short) ? 2 : 3);
  if (isLong && (long.startsWith(short) || long.endsWith(short))) return !isPrefixed(short, long);
  return (
    /\p{sc=Hang}/u.test(short) && short[0] === long[0] && [left, right].every(({ key }) => /[다요며고서]$/u.test(key))
  );
}

function isPrefixed(short: string, long: string): boolean {
  return (
    /^(?:un|in|im|il|ir|dis|non|mis|anti|des|dés|не|ά|α)$/u.test(long.slice(0, -short.length)) && long.endsWith(short)
  );
}

/** Returns true for "paid" in place of "unpaid", and for a verb in place of its negated form. */
function isNegatedForm({ claim, quote }: Gap): boolean {
  return contentOf(claim).some((one) =>
    contentOf(quote).some((other) => {
      const [short, long] = one.word.length < other.word.length ? [one.word, other.word] : [other.word, one.word];
      if (short.length >= 3 && isPrefixed(short, long)) return true;
      const isSameVerb = one.word.slice(0, 2) === other.word.slice(0, 2);
      return isSameVerb && isNegation(one.modifier) !== isNegation(other.modifier);
    }),
  );
}

/** Returns true when two words have changed places: each stands where the quote has the other. */
function isSwapped(gaps: readonly Gap[], claim: readonly Token[], pairs: readonly Pair[]): boolean {
  const has = (tokens: readonly Token[], token: Token): boolean =>
    tokens.some(({ key, isContent }) => isContent && key === token.key);
  // Words that are only joined by "and" may change places.
  const isOnlyJoined = pairs.every(({ left }) => isJoin(claim[left]!) || claim[left]!.isEnd);
  if (isOnlyJoined) return false;
  return gaps.some((first, i) =>
    gaps.slice(i + 1).some((second, j) => {
      if (!isSmall(first) || !isSmall(second)) return false;
      if (gaps.slice(i, i + j + 2).some(namesAgent)) return false;
      if (first.after !== undefined && first.after === second.before && isJoin(first.after)) return false;
      return contentOf(first.claim).some(
        (one) =>
          has(second.quote, one) &&
          !has(first.quote, one) &&
          contentOf(second.claim).some(
            (other) => other.key !== one.key && has(first.quote, other) && !has(second.quote, other),
          ),
      );
    }),
  );
}

/** Returns true when a name stands before a preposition that it follows in the quote: "Keene after Soon" for "Soon after Keene". */
function isInverted(gaps: readonly Gap[]): boolean {
  const quoted = gaps.flatMap(({ quote }) => quote.slice(1).map((two, i) => [quote[i]!, two] as const));
  return gaps.some(({ claim }) =>
    claim
      .slice(1)
      .some(
        (preposition, i) =>
          hasUse(preposition.word, 'preposition') &&
          quoted.some(([one, name]) => one.key === preposition.key && name.isName && name.key === claim[i]!.key),
      ),
  );
}

/** Returns true when a number or a name took the place of another one after a word, and the claim has the other one elsewhere. */
function isRebound(claim: readonly Token[], quote: readonly Token[]): boolean {
  const claimed = followersOf(claim);
  const quoted = followersOf(quote);
  const facts = new Set(claim.filter(isFact).map(({ key }) => key));
  const quotedFacts = new Set(quote.filter(isFact).map(({ key }) => key));
  for (const [word, followers] of claimed) {
    const others = quoted.get(word);
    if (others === undefined) continue;
    const moved = [...others].some((other) => facts.has(other) && !followers.has(other));
    if (moved && [...followers].some((one) => quotedFacts.has(one) && !others.has(one))) return true;
  }
  return false;
}

/** Returns the keys of the numbers and names after each word. Numbers and names are apart. */
function followersOf(tokens: readonly Token[]): Map<string, Set<string>> {
  const followers = new Map<string, Set<string>>();
  for (const [i, token] of tokens.entries()) {
    const before = tokens[i - 1];
    if (before === undefined || before.isEnd || isJoin(before) || !isFact(token)) continue;
    const key = `${before.key} ${token.readings === null ? 'name' : 'number'}`;
    followers.set(key, (followers.get(key) ?? new Set()).add(token.key));
  }
  return followers;
}

function isFact({ readings, isName }: Token): boolean {
  return readings !== null || isName;
}
