/**
 * A tenant's regex on a linear-time engine.
 *
 * The engine's automaton says fast whether a piece has a match at all; where it is takes a slower way, that costs the size of
 * the pattern for every character. So the second is asked about pieces that have one only.
 */
import { RE2JS } from 're2js';
import { parsePattern } from './pattern-syntax.ts';
import type { Finder } from './redaction-session.ts';

/** Places at which a match can begin that are looked at together, in UTF-16 units. */
const WINDOW_LENGTH = 256;
/** Steps times length up to which it is worked out what may become a match; beyond, as much as the longest is held back. */
const OPEN_WORK_MAX = 10_000;

/** @throws PatternProblem; and the engine's own error for what it refuses, such as an unknown Unicode class. */
export function openPattern(pattern: string, ignoreCase: boolean): Finder {
  const { source, beginnings, longest, steps } = parsePattern(pattern);
  const flags = ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
  const whole = RE2JS.compile(source, flags);
  const open = steps * longest <= OPEN_WORK_MAX ? RE2JS.compile(`(?:${beginnings})\\z`, flags) : undefined;
  // A character can be two units.
  const reach = 2 * longest + 1;

  /** The first match that begins in [from, from + WINDOW_LENGTH). */
  function findInWindow(text: string, from: number): { start: number; end: number } | undefined {
    const before = Math.max(0, from - 1);
    const piece = text.slice(before, from + WINDOW_LENGTH + reach);
    if (!whole.test(piece)) return undefined;
    const matcher = whole.matcher(piece);
    return matcher.find(from - before) ? { start: before + matcher.start(), end: before + matcher.end() } : undefined;
  }

  return {
    isSlow: true,
    scan(text, from, until, found) {
      if (from >= until) return from;
      const match = findInWindow(text, from);
      const last = Math.min(from + WINDOW_LENGTH, until);
      if (!match || match.start >= last) return last;
      found(match.start, match.end);
      return match.end;
    },
    openFrom(text, from) {
      const lowest = Math.max(from, text.length - 2 * longest);
      if (!open) return lowest;
      const matcher = open.matcher(text.slice(Math.max(0, lowest - 1)));
      return matcher.find(Math.min(1, lowest)) ? Math.max(0, lowest - 1) + matcher.start() : text.length;
    },
  };
}
