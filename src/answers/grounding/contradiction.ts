/**
 * Whether a claim says something else than a quote that it resembles. Pure.
 *
 * The claim is laid beside the quote, word for word. Where both go on alike before and after, but one word stands in place of
 * another, or a word of the one is left out in the other, the claim was altered if that word is a number, a name, a unit or
 * one that modifies (a negation, a quantifier, a comparison). What is left out together with what it belongs to, or stands in
 * another place as a whole, alters nothing.
 */
import { align, type Pair, type Stretch, stretchesOf } from './alignment.ts';
import { ALL, AT_MOST, COMPARISON, isNegation, MODAL, type Modifier, QUANTITY } from './modifiers.ts';
import { isSameNumber } from './numbers.ts';
import type { Token } from './wording.ts';

/** A gap with more content than this on a side is another wording, not a replaced word. */
const REPLACED_WORDS_MAX = 4;
/** The same in scripts whose characters are tokens. */
const REPLACED_CHARACTERS_MAX = 12;
/** Parts of a claim that stand elsewhere in the quote are looked for this many times. */
const MOVES_MAX = 3;
/** A part that moved has at least so much content. */
const MOVED_WORDS_MIN = 2;
/** A longer claim cannot be what a quote says. */
export const CLAIM_TOKENS_MAX = 800;

const AND =
  /^(?:and|or|nor|neither|weder|noch|ni|und|oder|et|ou|y|e|o|и|или|ve|và|και|și|و|और|와|과|및|と|や|和|与|與|及|或|และ)$/;
/** Marks who does something where what is done comes first. */
const AGENT = /^(?:by|von|durch|par|por|da|tarafından|bởi|από|द्वारा|被|由|より|โดย)$/;
const PRONOUN =
  /^(?:he|she|it|they|his|her|its|their|this|these|er|sie|es|sein|seine|ihr|ihre|il|elle|ils|elles|él|ella|ellos|ellas|он|она|оно|они|他|她|它|其|彼)$/;
/** A unit of one letter, as in 5 g. */
const UNIT_LETTER = /^[b-zµμ]$/;
const PREPOSITION =
  /^(?:after|before|from|to|in|on|at|for|with|without|under|over|against|through|into|near|since|until)$/;
const RANGE = /^(?:-|to|bis|à|a|до|إلى|से|至|到|から|에서|ถึง|đến|έως|la|ile|and|und|et|y|и)$/;

/** Claim and quote between two places where they agree. */
interface Gap {
  claim: readonly Token[];
  quote: readonly Token[];
  /** What both say before it, and after it; absent where one of them begins or ends. */
  before: Token | undefined;
  after: Token | undefined;
  /** Of all that the quote says. */
  known: ReadonlySet<string>;
}

export function contradicts(claim: readonly Token[], quote: readonly Token[], moves = MOVES_MAX): boolean {
  if (claim.length > CLAIM_TOKENS_MAX) return true;
  const pairs = align(claim, quote);
  const gaps = gapsOf(claim, quote, pairs);
  if (gaps.some(isAltered) || isSwapped(gaps, claim, pairs) || isInverted(gaps) || isRebound(claim, quote)) return true;
  if (isOfOtherLabel(claim, quote)) return true;
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

/** Each sentence of a claim with its pairs. */
function sentencesOf(claim: readonly Token[], pairs: readonly Pair[]): { claim: readonly Token[]; pairs: Pair[] }[] {
  const ends = [-1, ...claim.flatMap(({ isEnd }, i) => (isEnd ? i : [])), claim.length];
  return ends.slice(1).map((end, i) => {
    const from = ends[i]! + 1;
    const within = pairs.filter(({ left }) => left >= from && left < end);
    return { claim: claim.slice(from, end), pairs: within.map(({ left, right }) => ({ left: left - from, right })) };
  });
}

/**
 * A number, a name or a modifier was found in another sentence than what it belongs to. The claim is held against those
 * sentences only that say much of it.
 */
function isBorrowed(claim: readonly Token[], quote: readonly Token[], pairs: readonly Pair[]): boolean {
  const stretches = stretchesOf(quote, pairs);
  const said = (stretch: Stretch): Token[] => contentOf(stretch.map(({ left }) => claim[left]!));
  const most = stretches.toSorted(
    (one, other) => said(other).length - said(one).length || other.length - one.length,
  )[0];
  const isMost = (one: Stretch): boolean => said(one).length === said(most!).length && one.length === most!.length;
  const own = stretches.filter((one) => isMost(one) || !isFew(said(one)));
  if (own.length === stretches.length) return false;
  const source = own.flatMap((stretch) => sentenceAround(quote, stretch));
  const kept = align(claim, source);
  const gaps = gapsOf(claim, source, kept);
  return gaps.some(isOtherFact) || isSwapped(gaps, claim, kept);
}

/** Of lines with labels, the number of one was put to the label of another: "Basic: 10" and "Premium: 20". */
function isOfOtherLabel(claim: readonly Token[], quote: readonly Token[]): boolean {
  const ends = [-1, ...quote.flatMap(({ isEnd }, i) => (isEnd ? i : [])), quote.length];
  const lines = ends.slice(1).map((end, i) => quote.slice(ends[i]! + 1, end));
  const labelOf = (line: readonly Token[]): Set<string> =>
    new Set(line.filter(({ isLabel, isContent }) => isLabel && isContent).map(({ key }) => key));
  const labelled = lines
    .map((line) => ({ label: labelOf(line), numbers: line.filter(({ readings }) => readings !== null) }))
    .filter(({ label, numbers }) => label.size > 0 && numbers.length > 0);
  const told = labelled.map(({ label, numbers }) => ({
    isNamed: claim.some(({ key }) => label.has(key) && labelled.filter((one) => one.label.has(key)).length === 1),
    hasNumber: claim.some((one) => one.readings !== null && numbers.some((other) => agree(one, other))),
  }));
  return (
    told.some(({ isNamed, hasNumber }) => isNamed && !hasNumber) &&
    told.some(({ isNamed, hasNumber }) => !isNamed && hasNumber)
  );
}

function sentenceAround(quote: readonly Token[], stretch: Stretch): readonly Token[] {
  const before = quote.slice(0, stretch[0]!.right).findLastIndex(({ isEnd }) => isEnd);
  const after = quote.findIndex(({ isEnd }, i) => isEnd && i > stretch.at(-1)!.right);
  return quote.slice(before + 1, after < 0 ? quote.length : after + 1);
}

/** A name in another's place tells nothing where a pronoun may stand for it. */
function isOtherFact(gap: Gap): boolean {
  if (isModified(gap)) return true;
  if (!isSmall(gap)) return false;
  return hasOtherNumber(gap) || (hasOtherName(gap) && !gap.quote.some(({ word }) => PRONOUN.test(word)));
}

/** What moved is not in its order any more, as when two have changed their parts in what happened. */
function isScrambled(moved: readonly Token[], rest: readonly Token[]): boolean {
  if ([...moved, ...rest].some(({ word }) => AGENT.test(word)) || moved.some(({ word }) => AND.test(word)))
    return false;
  const pairs = align(moved, rest);
  const content = contentOf(moved.filter((_, i) => !pairs.some(({ left }) => left === i))).filter(
    (one) => !isCharacter(one),
  );
  const left = rest.filter((_, i) => !pairs.some(({ right }) => right === i));
  return (
    pairs.some(({ left: at }) => moved[at]!.isContent) && content.some((one) => left.some(({ key }) => key === one.key))
  );
}

function gapsOf(claim: readonly Token[], quote: readonly Token[], pairs: readonly Pair[]): Gap[] {
  const gaps: Gap[] = [];
  const known = new Set(quote.map(({ key }) => key));
  let last: Pair = { left: -1, right: -1 };
  for (const pair of [...pairs, { left: claim.length, right: quote.length }]) {
    let quoted = quote.slice(last.right + 1, pair.right);
    // What stands in other sentences before or after is not in place of anything.
    if (last.right < 0) quoted = quoted.slice(quoted.findLastIndex(({ isEnd }) => isEnd) + 1);
    const end = pair.right === quote.length ? quoted.findIndex(({ isEnd }) => isEnd) : -1;
    gaps.push({
      claim: claim.slice(last.left + 1, pair.left).filter(({ isEnd }) => !isEnd),
      quote: end < 0 ? quoted : quoted.slice(0, end),
      before: claim[last.left],
      after: claim[pair.left],
      known,
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

/** Of a script in which each character is a token. */
function isCharacter({ isCaseless, word }: Token): boolean {
  return isCaseless && word.length <= 2 && !/\p{sc=Hang}/u.test(word);
}

function isSmall({ claim, quote }: Gap): boolean {
  return [claim, quote].every((side) => isFew(contentOf(side)));
}

function isFew(content: readonly Token[]): boolean {
  const characters = content.filter(isCharacter).length;
  return content.length - characters <= REPLACED_WORDS_MAX && characters <= REPLACED_CHARACTERS_MAX;
}

/** What one side says more than the other, in tokens of equal `value`. */
function without<Value>(left: readonly Value[], right: readonly Value[], value: (one: Value) => string): Value[] {
  const rest = right.map(value);
  return left.filter((one) => {
    const at = rest.indexOf(value(one));
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

function modifiersOf(tokens: readonly Token[]): Modifier[] {
  return tokens.flatMap(({ modifier }) => modifier ?? []);
}

const said = ({ kind, value }: Modifier): string => `${kind} ${value}`;

/** A modifier was put in, left out, or replaced by another of its kind. */
function isModified(gap: Gap): boolean {
  const claimed = modifiersOf(gap.claim);
  const quoted = modifiersOf(gap.quote);
  const put = without(claimed, quoted, said);
  const left = without(quoted, claimed, said);
  if (put.length + left.length === 0) return false;
  // "may not" and "must not" say the same.
  const isForbidden = isNegation(gap.after?.modifier);
  const isOther = (one: Modifier, other: Modifier): boolean =>
    one.kind === other.kind && !(one.kind === MODAL && isForbidden);
  if (isSmall(gap) && put.some((one) => left.some((other) => isOther(one, other)))) return true;
  // With content of its own it came or went as a part of something.
  const isPutAlone = contentOf(gap.claim).length === 0;
  const isLeftAlone = contentOf(gap.quote).length === 0;
  return (
    (isPutAlone && put.some((one) => !one.isTopic && !isGeneral(one))) ||
    (isLeftAlone && left.some((one) => !one.isTopic && !isGeneral(one) && !isBound(one)))
  );
}

/** "Staff get" is said of all staff. */
function isGeneral({ kind, value }: Modifier): boolean {
  return kind === QUANTITY && value === ALL;
}

/** "Up to five may" and "five may" hold together. */
function isBound({ kind, value }: Modifier): boolean {
  return kind === COMPARISON && value === AT_MOST;
}

function hasOtherNumber({ claim, quote }: Gap): boolean {
  const claimed = claim.filter(({ readings }) => readings !== null);
  const quoted = quote.filter(({ readings }) => readings !== null);
  const isLast = (tokens: readonly Token[]): boolean =>
    tokens.some(({ modifier }) => modifier?.kind.startsWith('first') === true && modifier.value === '1');
  const put = claimed.filter((one) => !quoted.some((other) => agree(one, other)));
  const left = quoted.filter((one) => !claimed.some((other) => agree(one, other)));
  if (put.length > 0 && isLast(quote)) return true;
  if (left.length > 0 && isLast(claim)) return true;
  // A word that is not known as a number may be one all the same.
  const isOne =
    quote.length === 1 &&
    claim.length > 0 &&
    claim.every((one) => one.isContent && (claim.length === 1 || isCharacter(one)));
  return left.length > 0 && (put.length > 0 || isOne);
}

function agree(left: Token, right: Token): boolean {
  return isSameNumber(left.readings!, right.readings!);
}

/** Of "3 to 5" only one number is left, or another second one was put beside it. */
function isHalfRange({ claim, quote, before, after }: Gap): boolean {
  if (quote.length !== 2 || claim.length > 0) return false;
  const [first, second] = quote as [Token, Token];
  if (before?.readings != null && RANGE.test(first.word) && second.readings !== null) return true;
  return after?.readings != null && first.readings !== null && RANGE.test(second.word);
}

/** Who does what may be told in another voice: then names of the quote stand in other places. */
function isOtherVoice(put: readonly Token[], gap: Gap): boolean {
  return isInOtherVoice(gap) && put.every(({ key }) => gap.known.has(key));
}

function isInOtherVoice({ claim, quote }: Gap): boolean {
  return [...claim, ...quote].some(({ word }) => AGENT.test(word));
}

function hasOtherName(gap: Gap): boolean {
  const { claim, quote } = gap;
  const claimed = claim.filter(({ isName }) => isName);
  const quoted = quote.filter(({ isName }) => isName);
  const key = ({ key }: Token): string => key;
  const put = without(claimed, quoted, key);
  return put.length > 0 && without(quoted, claimed, key).length > 0 && !isOtherVoice(put, gap);
}

/** Another word stands where the quote has one: after a number, or in a script in which any word may be a name. */
function isOtherThing(gap: Gap): boolean {
  const { claim, quote, before } = gap;
  const [claimed] = claim;
  const [quoted] = quote;
  if (claimed === undefined || quoted === undefined) return false;
  const isThing = (one: Token): boolean => one.isContent || one.isCaseless || UNIT_LETTER.test(one.word);
  if (before?.readings != null && isThing(claimed) && isThing(quoted) && !isSameWord(claimed, quoted)) return true;
  const left = quote.filter(({ isCaseless }) => isCaseless);
  const isKnown = (one: Token, others: readonly Token[]): boolean => others.some((other) => isSameWord(one, other));
  const put = claim.filter((one) => one.isCaseless && !isKnown(one, left));
  return put.length > 0 && left.some((one) => !isKnown(one, claim)) && !isOtherVoice(put, gap);
}

/** Where any word may be a name, one that the quote does not have was put in. */
function isUnknownInsertion({ claim, quote, known }: Gap): boolean {
  const put = claim.filter((one) => isCharacter(one) && one.isContent && !known.has(one.key));
  return put.length >= 2 && put.length === contentOf(claim).length && contentOf(quote).length === 0;
}

/** The same word in another form: a compound of it, or a Korean verb with another ending. */
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

/** "paid" and "unpaid"; a verb and its negated form. */
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

/** Two words have changed places: each stands where the quote has the other. */
function isSwapped(gaps: readonly Gap[], claim: readonly Token[], pairs: readonly Pair[]): boolean {
  const has = (tokens: readonly Token[], token: Token): boolean =>
    tokens.some(({ key, isContent }) => isContent && key === token.key);
  // Two that are only joined may change places.
  const joins = pairs.every(({ left }) => AND.test(claim[left]!.word) || claim[left]!.isEnd);
  if (joins) return false;
  return gaps.some((first, i) =>
    gaps.slice(i + 1).some((second, j) => {
      if (!isSmall(first) || !isSmall(second)) return false;
      if (gaps.slice(i, i + j + 2).some(isInOtherVoice)) return false;
      if (first.after !== undefined && first.after === second.before && AND.test(first.after.word)) return false;
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

/** A name stands before the preposition that it follows in the quote: "Soon after Keene" and "Keene after Soon". */
function isInverted(gaps: readonly Gap[]): boolean {
  const quoted = gaps.flatMap(({ quote }) => quote.slice(1).map((two, i) => [quote[i]!, two] as const));
  return gaps.some(({ claim }) =>
    claim
      .slice(1)
      .some(
        (preposition, i) =>
          PREPOSITION.test(preposition.word) &&
          quoted.some(([one, name]) => one.key === preposition.key && name.isName && name.key === claim[i]!.key),
      ),
  );
}

/** A number or name follows the word that another one follows in the quote, and that one went elsewhere. */
function isRebound(claim: readonly Token[], quote: readonly Token[]): boolean {
  const claimed = followersOf(claim);
  const quoted = followersOf(quote);
  const facts = new Set(claim.filter(isFact).map(({ key }) => key));
  const known = new Set(quote.filter(isFact).map(({ key }) => key));
  for (const [word, followers] of claimed) {
    const others = quoted.get(word);
    if (others === undefined) continue;
    const moved = [...others].some((other) => facts.has(other) && !followers.has(other));
    if (moved && [...followers].some((one) => known.has(one) && !others.has(one))) return true;
  }
  return false;
}

/** Keys of the numbers and names that stand after a word, by word and by which of both they are. */
function followersOf(tokens: readonly Token[]): Map<string, Set<string>> {
  const followers = new Map<string, Set<string>>();
  for (const [i, token] of tokens.entries()) {
    const before = tokens[i - 1];
    if (before === undefined || before.isEnd || AND.test(before.word) || !isFact(token)) continue;
    const key = `${before.key} ${token.readings === null ? 'name' : 'number'}`;
    followers.set(key, (followers.get(key) ?? new Set()).add(token.key));
  }
  return followers;
}

function isFact({ readings, isName }: Token): boolean {
  return readings !== null || isName;
}
