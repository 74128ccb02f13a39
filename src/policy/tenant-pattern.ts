/** A tenant's regex on a linear-time engine. */
import { RE2JS } from 're2js';
import { parsePattern } from './pattern-syntax.ts';
import type { Finder } from './redaction-session.ts';

/** @throws PatternProblem; and the engine's own error for what it refuses, such as an unknown Unicode class. */
export function openPattern(pattern: string, ignoreCase: boolean): Finder {
  const { source, beginnings, longest } = parsePattern(pattern);
  const flags = ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
  const whole = RE2JS.compile(source, flags);
  const open = RE2JS.compile(`(?:${beginnings})\\z`, flags);
  return {
    scan(text, from, until, found) {
      const matcher = whole.matcher(text);
      let next = from;
      while (next < until && matcher.find(next)) {
        const start = matcher.start();
        if (start >= until) return until;
        next = matcher.end();
        found(start, next);
      }
      return next;
    },
    openFrom(text, from) {
      // A character can be two units.
      const matcher = open.matcher(text);
      return matcher.find(Math.max(from, text.length - 2 * longest)) ? matcher.start() : text.length;
    },
  };
}
