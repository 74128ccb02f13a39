/**
 * Finds matches in text that arrives in pieces, and returns the text that no later match can change.
 *
 * Every finder tells the first offset at which later text may still begin, lengthen or undo a match. All matches before the lowest
 * of these offsets are final. A complete text is one piece, followed by the end.
 */
import { openCanonicalReader, withPlainBars } from './canonical-text.ts';

export interface Finder {
  /** Reports the matches that begin in [from, until) of a text in canonical form, from left to right. Returns the next offset to scan. */
  scan(text: string, from: number, until: number, found: (start: number, end: number) => void): number;
  /**
   * Returns the lowest offset from `from` on at which later text could complete, lengthen or undo a match; the length of the text if
   * there is no such offset.
   */
  openFrom(text: string, from: number): number;
  /** True if `scan` may return before `until` to limit its time; the caller then calls it again from the returned offset. */
  readonly isSlow?: boolean;
  /** True if the finder reads a text in which wide bars stay, so that they do not end cells of tables. */
  readonly readsWideBars?: boolean;
  /** Called when so many units are dropped from the beginning of the text, for finders that keep offsets in the whole text. */
  forget?(units: number): void;
}

export interface FinderRule {
  finder: Finder;
  /** Position of the rule in the policy. */
  order: number;
  /** Smaller is stricter. */
  strictness: number;
  replace(match: string): string;
  blocks: boolean;
  describes: {
    rule: string;
    kind: 'entity' | 'regex' | 'dictionary';
    entity: string | null;
    action: 'mask' | 'hash' | 'drop' | 'block';
  };
}

export type SessionMatch = FinderRule['describes'] & { start: number; end: number; replacement: string };

export interface Session {
  /** Adds text. Runs in steps, so that other work can run in between. Returns the redacted text that no later text can change. */
  push(delta: string): Generator<undefined, string>;
  /** Returns the rest of the redacted text. */
  end(): Generator<undefined, string>;
  readonly blocked: boolean;
  readonly matches: SessionMatch[];
}

/** Offsets are UTF-16 units of the whole text. */
interface Found {
  start: number;
  end: number;
  text: string;
  rule: FinderRule;
}

/** How far before a match finders may look, in units of the canonical form. */
export const LOOK_BACK = 128;

export function openSession(rules: readonly FinderRule[]): Session {
  return new RedactionSession(rules);
}

class RedactionSession implements Session {
  readonly matches: SessionMatch[] = [];
  blocked = false;
  readonly #rules: readonly FinderRule[];
  readonly #reader = openCanonicalReader(true);
  /** The kept end of the canonical form, and where each of its units begins and ends in the whole text. */
  #text = '';
  #starts = new Int32Array();
  #ends = new Int32Array();
  /** For each rule the next offset to scan, in units of the kept canonical form. */
  readonly #next: number[];
  /** The kept end of the text, and the offset at which it begins. */
  #kept = '';
  #keptAt = 0;
  /** The text before this offset was returned or replaced. */
  #covered = 0;
  /** Matches that are not final yet. */
  #waiting: Found[] = [];
  /** An offset and the number of code points before it. */
  #counted = { at: 0, points: 0 };

  constructor(rules: readonly FinderRule[]) {
    this.#rules = rules;
    this.#next = rules.map(() => 0);
  }

  push(delta: string): Generator<undefined, string> {
    return this.#advance(delta, false);
  }

  end(): Generator<undefined, string> {
    return this.#advance('', true);
  }

  *#advance(delta: string, isEnd: boolean): Generator<undefined, string> {
    if (this.blocked) return '';
    this.#read(delta, isEnd);
    const text = this.#text;
    const plain = withPlainBars(text);
    const starts = this.#starts;
    const { read } = this.#reader;
    const startOf = (unit: number): number => (unit >= text.length ? read : starts[unit]!);

    let until = text.length;
    if (!isEnd)
      for (const [i, { finder }] of this.#rules.entries()) {
        until = Math.min(
          until,
          finder.openFrom(finder.readsWideBars ? text : plain, Math.min(this.#next[i]!, text.length)),
        );
        yield;
      }
    /** Returns an offset between characters: one character may have become several units. */
    const between = (unit: number): number => {
      let at = unit;
      while (at > 0 && at < text.length && starts[at] === starts[at - 1]) at--;
      return at;
    };
    until = between(until);

    for (const [i, rule] of this.#rules.entries()) {
      const found = (start: number, end: number): void => {
        this.#waiting.push({
          start: startOf(start),
          end: this.#ends[end - 1]!,
          text: rule.describes.action === 'hash' ? plain.slice(start, end).replaceAll(/[\t\n]/g, ' ') : '',
          rule,
        });
      };
      let next = this.#next[i]!;
      do {
        next = rule.finder.scan(rule.finder.readsWideBars ? text : plain, next, until, found);
        yield;
      } while (rule.finder.isSlow && next < until);
      this.#next[i] = Math.max(next, until);
    }
    const out = this.#settle(startOf(until));
    this.#forget(between(Math.max(0, until - LOOK_BACK)), startOf);
    return this.blocked ? '' : out;
  }

  /** Replaces the matches before `limit`, which are final: from left to right, the longest first, then the strictest. */
  #settle(limit: number): string {
    const waiting = this.#waiting.sort(inOrder);
    const parts: string[] = [];
    let open: Found[] = [];
    let i = 0;
    for (;;) {
      while (i < waiting.length && waiting[i]!.start <= this.#covered) open.push(waiting[i++]!);
      open = open.filter((one) => one.end > this.#covered);
      // The part of a match after the end of the previous match is replaced separately.
      const best = open.length > 0 ? open.reduce((a, b) => (longerOrStricter(a, b) <= 0 ? a : b)) : waiting[i];
      if (!best) break;
      const start = Math.max(best.start, this.#covered);
      if (start >= limit) break;
      const replacement = best.rule.replace(best.text);
      parts.push(this.#slice(this.#covered, start), replacement);
      this.matches.push({
        ...best.rule.describes,
        start: this.#points(start),
        end: this.#points(best.end),
        replacement,
      });
      this.#covered = best.end;
    }
    this.blocked ||= waiting.some(({ rule }) => rule.blocks);
    this.#waiting = [...open, ...waiting.slice(i)];
    if (this.#covered < limit) {
      parts.push(this.#slice(this.#covered, limit));
      this.#covered = limit;
    }
    return parts.join('');
  }

  #slice(start: number, end: number): string {
    return this.#kept.slice(start - this.#keptAt, end - this.#keptAt);
  }

  /** Returns the number of code points before `at`; callers pass growing offsets. */
  #points(at: number): number {
    const piece = this.#slice(this.#counted.at, at);
    const pairs = piece.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
    this.#counted = { at, points: this.#counted.points + piece.length - pairs };
    return this.#counted.points;
  }

  /** Adds the next piece of the text. */
  #read(delta: string, isEnd: boolean): void {
    this.#kept += delta;
    const { text, starts, ends } = this.#reader.push(delta, isEnd);
    if (text === '') return;
    this.#text += text;
    this.#starts = joined(this.#starts, starts);
    this.#ends = joined(this.#ends, ends);
  }

  #forget(units: number, startOf: (unit: number) => number): void {
    const length = startOf(units) - this.#keptAt;
    if (length === 0) return;
    if (this.#keptAt + length > this.#counted.at) this.#points(this.#keptAt + length);
    this.#kept = this.#kept.slice(length);
    this.#keptAt += length;
    this.#text = this.#text.slice(units);
    this.#starts = this.#starts.slice(units);
    this.#ends = this.#ends.slice(units);
    for (const [i, { finder }] of this.#rules.entries()) {
      this.#next[i]! -= units;
      finder.forget?.(units);
    }
  }
}

function joined(one: Int32Array<ArrayBuffer>, other: Int32Array): Int32Array<ArrayBuffer> {
  const both = new Int32Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

function inOrder(a: Found, b: Found): number {
  return a.start - b.start || longerOrStricter(a, b);
}

function longerOrStricter(a: Found, b: Found): number {
  return b.end - a.end || a.rule.strictness - b.rule.strictness || a.rule.order - b.rule.order;
}
