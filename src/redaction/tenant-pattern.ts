/**
 * Runs a tenant's regex on a linear-time engine.
 *
 * The engine's automaton tells quickly whether a piece of text contains a match. Finding its offsets is slower: every character
 * costs the size of the pattern. The slow search therefore runs only on pieces that contain a match.
 */
import { RE2JS } from 're2js';
import { parsePattern } from './pattern-syntax.ts';
import type { Finder } from './redaction-session.ts';

/** Number of offsets, in UTF-16 units, that one search tries as the beginning of a match. */
const WINDOW_LENGTH = 256;
/** Maximum steps times length for a search of prefixes of matches. Larger patterns hold back the length of their longest match. */
const OPEN_WORK_MAX = 10_000;

/** Returns the finder of the regex. @throws PatternProblem; or the engine's error, for example for an unknown Unicode class. */
export function openPattern(pattern: string, ignoreCase: boolean): Finder {
  const { source, beginnings, longest, steps } = parsePattern(pattern);
  const flags = ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
  const whole = RE2JS.compile(source, flags);
  const open = steps * longest <= OPEN_WORK_MAX ? RE2JS.compile(`(?:${beginnings})\\z`, flags) : undefined;
  // A character can have two units.
  const reach = 2 * longest + 1;

  /** Returns the first match that begins in [from, from + WINDOW_LENGTH). */
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
