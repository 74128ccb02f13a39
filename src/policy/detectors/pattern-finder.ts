/** Detectors that look with one of our own patterns, then check what it found. */
import type { Finder } from '../redaction-session.ts';

interface PatternDetector {
  /** With the flag g. Looks ahead by one character at most, back by LOOK_BACK at most; every repetition has a bound. */
  pattern: RegExp;
  /** False: not one. Narrows a match by returning where it begins and ends. */
  accept?(match: string, text: string, start: number): boolean | { start: number; end: number };
  /** Characters that a match can consist of, and those that it can begin with. */
  members: RegExp;
  first: RegExp;
  longest: number;
}

export function patternFinder({ pattern, accept, members, first, longest }: PatternDetector): Finder {
  const isMember = tester(members);
  const isFirst = tester(first);
  return {
    scan(text, from, until, found) {
      let next = from;
      for (;;) {
        pattern.lastIndex = next;
        const match = pattern.exec(text);
        if (!match || match.index >= until) return Math.max(next, until);
        const verdict = accept?.(match[0], text, match.index) ?? true;
        if (verdict === false) {
          next = match.index + 1;
          continue;
        }
        const { start, end } = verdict === true ? { start: match.index, end: pattern.lastIndex } : verdict;
        found(start, end);
        next = end;
      }
    },
    openFrom: (text, from) => openRun(text, from, { isMember, isFirst, longest }),
  };
}

/** Where the last run of members begins, at most `longest` before the end, without what no match begins with. */
export function openRun(
  text: string,
  from: number,
  { isMember, isFirst, longest }: { isMember: Tester; isFirst: Tester; longest: number },
): number {
  const lowest = Math.max(from, text.length - longest);
  let at = text.length;
  while (at > lowest && isMember(text.charCodeAt(at - 1))) at--;
  while (at < text.length && !isFirst(text.charCodeAt(at))) at++;
  return at;
}

export type Tester = (code: number) => boolean;

/** Whether a UTF-16 unit is in a class; halves of characters beyond the first plane are in none. */
export function tester(characters: RegExp): Tester {
  const known = new Uint8Array(0x10000);
  return (code) => {
    if (known[code] === 0) known[code] = characters.test(String.fromCharCode(code)) ? 2 : 1;
    return known[code] === 2;
  };
}
