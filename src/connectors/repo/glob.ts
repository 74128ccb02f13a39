/**
 * Matches globs with the rules of gitignore, without backtracking over the whole pattern. Tenants write the patterns, and a
 * regular expression made of one could run for ever. Pure.
 */

/** UTF-16 units of one pattern. */
export const GLOB_UNITS_MAX = 500;

/** Matches one character of a path segment; `undefined` is `*`. */
type Piece = ((character: string) => boolean) | undefined;
/** A segment of a pattern, or `**`. */
type Segment = readonly Piece[] | '**';

export interface Glob {
  /** Returns whether the pattern matches the path or, as in gitignore, a folder above it. */
  matches(path: string): boolean;
  /** Returns whether the pattern matches the path itself, as in gitattributes. */
  matchesItself(path: string): boolean;
  /** Works like `matchesItself` for the path of a folder, which a pattern with a final `/` may match. */
  matchesFolder(path: string): boolean;
}

/** Compiles a pattern. Returns undefined for blank lines, comments and invalid patterns. The caller removes a leading `!`. */
export function compileGlob(pattern: string): Glob | undefined {
  if (pattern.length > GLOB_UNITS_MAX || pattern.startsWith('#')) return undefined;
  let text = withoutTrailingBlanks(pattern);
  const matchesFoldersOnly = text.endsWith('/');
  if (matchesFoldersOnly) text = text.slice(0, -1);
  if (text === '') return undefined;
  const anchored = text.includes('/');
  if (text.startsWith('/')) text = text.slice(1);
  const parts = text.split('/').map((part): Segment | null => (part === '**' ? part : compileSegment(part)));
  if (parts.includes(null)) return undefined;
  const segments = (anchored ? parts : ['**', ...parts]) as Segment[];
  const endsOf = (path: string) => reach(segments, path.split('/'));
  return {
    matches(path) {
      const ends = endsOf(path);
      return ends.some((yes, end) => yes && end > 0 && (!matchesFoldersOnly || end < ends.length - 1));
    },
    matchesItself(path) {
      return !matchesFoldersOnly && endsOf(path).at(-1) === true;
    },
    matchesFolder(path) {
      return endsOf(path).at(-1) === true;
    },
  };
}

/**
 * Compiles path filters. The last matching pattern decides; a pattern with `!` excludes. If all patterns exclude, all other
 * paths are included. Unlike in gitignore, a negation also excludes paths below an included folder.
 */
export function compilePathFilters(patterns: readonly string[]): (path: string) => boolean {
  const rules = patterns.flatMap((pattern) => {
    const negated = pattern.startsWith('!');
    const glob = compileGlob(negated ? pattern.slice(1) : pattern);
    return glob ? [{ negated, glob }] : [];
  });
  const otherwise = rules.every((rule) => rule.negated);
  return (path) => {
    const lastMatch = rules.findLast((rule) => rule.glob.matches(path));
    return lastMatch ? !lastMatch.negated : otherwise;
  };
}

/** Returns, for every number of leading path segments, whether the pattern can end there. */
function reach(pattern: readonly Segment[], path: readonly string[]): boolean[] {
  const characters = path.map((segment) => Array.from(segment));
  let endsOf = [true, ...path.map(() => false)];
  pattern.forEach((segment, index) => {
    const next = endsOf.map(() => false);
    if (segment === '**') {
      const first = endsOf.indexOf(true);
      // At the end `**` matches everything inside; elsewhere it matches any number of folders, also none.
      if (first !== -1) next.fill(true, index === pattern.length - 1 ? first + 1 : first);
    } else {
      for (let end = 1; end < next.length; end += 1)
        next[end] = endsOf[end - 1]! && segmentMatches(segment, characters[end - 1]!);
    }
    endsOf = next;
  });
  return endsOf;
}

/** Backtracks only to the last `*`, which is enough. The time is at most the product of both lengths. */
function segmentMatches(pieces: readonly Piece[], text: readonly string[]): boolean {
  let piece = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < text.length) {
    const test = pieces[piece];
    if (piece < pieces.length && test === undefined) {
      star = piece++;
      starAt = at;
    } else if (test?.(text[at]!)) {
      piece += 1;
      at += 1;
    } else if (star >= 0) {
      piece = star + 1;
      at = ++starAt;
    } else return false;
  }
  while (piece < pieces.length && pieces[piece] === undefined) piece += 1;
  return piece === pieces.length;
}

/** Compiles a segment. Returns null for an unclosed bracket: as in git, such a pattern matches nothing. */
function compileSegment(text: string): Piece[] | null {
  const pieces: Piece[] = [];
  const characters = Array.from(text);
  for (let i = 0; i < characters.length; i += 1) {
    const character = characters[i]!;
    if (character === '*') {
      if (pieces.length === 0 || pieces.at(-1) !== undefined) pieces.push(undefined);
    } else if (character === '?') pieces.push(() => true);
    else if (character === '[') {
      const set = compileSet(characters, i + 1);
      if (!set) return null;
      pieces.push(set.test);
      i = set.end;
    } else {
      const literal = character === '\\' ? characters[++i] : character;
      if (literal === undefined) return null;
      pieces.push((tested) => tested === literal);
    }
  }
  return pieces;
}

const CLASSES: Record<string, RegExp> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /[\u0000-\u001f\u007f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[A-Z]/,
  xdigit: /[A-Fa-f0-9]/,
};

/** Compiles a bracket expression that starts after its `[`. */
function compileSet(
  characters: readonly string[],
  start: number,
): { test: (character: string) => boolean; end: number } | undefined {
  const negated = characters[start] === '!' || characters[start] === '^';
  const first = negated ? start + 1 : start;
  const tests: ((character: string) => boolean)[] = [];
  let i = first;
  for (; i < characters.length && (characters[i] !== ']' || i === first); i += 1) {
    const name =
      characters[i] === '[' ? /^\[:([a-z]{1,10}):\]/.exec(characters.slice(i, i + 14).join(''))?.[1] : undefined;
    if (name !== undefined) {
      const classPattern = CLASSES[name];
      if (!classPattern) return undefined;
      tests.push((character) => classPattern.test(character));
      i += name.length + 3;
      continue;
    }
    const from = characters[i] === '\\' ? characters[++i] : characters[i];
    let to = from;
    if (characters[i + 1] === '-' && characters[i + 2] !== undefined && characters[i + 2] !== ']') {
      i += 2;
      to = characters[i] === '\\' ? characters[++i] : characters[i];
    }
    if (from === undefined || to === undefined) return undefined;
    const [low, high] = [from.codePointAt(0)!, to.codePointAt(0)!];
    tests.push((character) => character.codePointAt(0)! >= low && character.codePointAt(0)! <= high);
  }
  if (i >= characters.length) return undefined;
  return { test: (character) => tests.some((test) => test(character)) !== negated, end: i };
}

/** Removes trailing blanks that no backslash escapes. */
function withoutTrailingBlanks(pattern: string): string {
  let end = pattern.length;
  while (end > 0 && pattern[end - 1] === ' ' && pattern[end - 2] !== '\\') end -= 1;
  return pattern.slice(0, end);
}
