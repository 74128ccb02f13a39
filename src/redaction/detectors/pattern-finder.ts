/** Makes a finder from a pattern and a check of its matches. */
import { type Finder, LOOK_BACK } from '../redaction-session.ts';

/** The part of a match that counts; or, if nothing counts, the offset at which the search goes on. */
type Verdict = { start: number; end: number } | { goOnAt: number };

interface PatternDetector {
  /** Has the flag g, and every repetition has a bound. Looks only at members, the next character and LOOK_BACK. */
  pattern: RegExp;
  accept?(match: string, text: string, start: number): boolean | Verdict;
  /** The characters that a match can contain, and the characters with which it can begin. */
  members: RegExp;
  first: RegExp;
  /** Has the flag y. Matches the beginning of a match, if that is more than one character of `first`. */
  begins?: RegExp;
  /** A text that every match contains. */
  needs?: string;
  longest: number;
}

export function patternFinder({ pattern, accept, needs, ...run }: PatternDetector): Finder {
  const openIn = { ...run, isMember: tester(run.members), isFirst: tester(run.first) };
  return {
    scan(text, from, until, found) {
      let next = from;
      for (;;) {
        if (needs !== undefined && text.indexOf(needs, next) < 0) return Math.max(next, until);
        pattern.lastIndex = next;
        const match = pattern.exec(text);
        if (!match || match.index >= until) return Math.max(next, until);
        const verdict = accept?.(match[0], text, match.index) ?? true;
        if (verdict === false) next = match.index + 1;
        else if (verdict !== true && 'goOnAt' in verdict) next = verdict.goOnAt;
        else {
          const { start, end } =
            verdict === true ? { start: match.index, end: match.index + match[0].length } : verdict;
          found(start, end);
          next = end;
        }
      }
    },
    openFrom: (text, from) => openRun(text, from, openIn),
  };
}

/** Returns where the last run of members begins, at most `longest` before the end, at a character that can begin a match. */
function openRun(
  text: string,
  from: number,
  { isMember, isFirst, begins, longest }: { isMember: Tester; isFirst: Tester; begins?: RegExp; longest: number },
): number {
  const lowest = Math.max(from, text.length - longest - 1);
  let at = text.length;
  while (at > lowest && isMember(text.charCodeAt(at - 1))) at--;
  while (at < text.length && !(isFirst(text.charCodeAt(at)) && beginsAt(begins, text, at))) at++;
  return at;
}

function beginsAt(begins: RegExp | undefined, text: string, at: number): boolean {
  if (!begins) return true;
  begins.lastIndex = at;
  return begins.test(text);
}

export type Tester = (code: number) => boolean;

/** Returns a test whether a UTF-16 unit is in a class; no class contains a surrogate. */
function tester(characters: RegExp): Tester {
  const known = new Uint8Array(0x10000);
  return (code) => {
    if (known[code] === 0) known[code] = characters.test(String.fromCharCode(code)) ? 2 : 1;
    return known[code] === 2;
  };
}

const CONTEXT_LENGTH = 40;

/** Returns true if words shortly before a number tell its kind. */
export function saysBefore(words: RegExp, text: string, start: number, length = CONTEXT_LENGTH): boolean {
  return words.test(text.slice(Math.max(0, start - Math.min(length, LOOK_BACK)), start));
}

export function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '');
}
