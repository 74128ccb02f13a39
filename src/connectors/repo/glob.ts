/**
 * Globs as gitignore has them, matched without backtracking over the whole pattern: patterns come from tenants, and a regular
 * expression made of one could run for ever. Pure.
 */

/** Of one pattern, in UTF-16 units. */
export const GLOB_UNITS_MAX = 500;

/** One character of a path segment: `undefined` is `*`. */
type Piece = ((character: string) => boolean) | undefined;
/** A segment of a pattern, or `**`. */
type Segment = readonly Piece[] | '**';

export interface Glob {
  /** Whether the path is meant: itself or, as in gitignore, through a folder above it. */
  matches(path: string): boolean;
  /** Whether the path itself is meant, as in gitattributes. */
  matchesItself(path: string): boolean;
  /** As `matchesItself`, for a path that is a folder: a pattern with `/` at its end may mean it. */
  matchesFolder(path: string): boolean;
}

/** `undefined` for what never matches: blank lines and comments. A leading `!` is the caller's to take off. */
export function compileGlob(pattern: string): Glob | undefined {
  if (pattern.length > GLOB_UNITS_MAX || pattern.startsWith('#')) return undefined;
  let text = withoutTrailingBlanks(pattern);
  const foldersOnly = text.endsWith('/');
  if (foldersOnly) text = text.slice(0, -1);
  if (text === '') return undefined;
  const anchored = text.includes('/');
  if (text.startsWith('/')) text = text.slice(1);
  const parts = text.split('/').map((part): Segment | null => (part === '**' ? part : compileSegment(part)));
  if (parts.includes(null)) return undefined;
  const segments = (anchored ? parts : ['**', ...parts]) as Segment[];
  const reached = (path: string) => reach(segments, path.split('/'));
  return {
    matches(path) {
      const ends = reached(path);
      return ends.some((yes, end) => yes && end > 0 && (!foldersOnly || end < ends.length - 1));
    },
    matchesItself(path) {
      return !foldersOnly && reached(path).at(-1) === true;
    },
    matchesFolder(path) {
      return reached(path).at(-1) === true;
    },
  };
}

/**
 * The last pattern that matches decides; `!` before it says no. Nothing but negations begins with everything. Unlike in
 * gitignore a negation also counts below a folder that was taken: what somebody leaves out stays out.
 */
export function compilePathFilters(patterns: readonly string[]): (path: string) => boolean {
  const rules = patterns.flatMap((pattern) => {
    const negated = pattern.startsWith('!');
    const glob = compileGlob(negated ? pattern.slice(1) : pattern);
    return glob ? [{ negated, glob }] : [];
  });
  const otherwise = rules.every((rule) => rule.negated);
  return (path) => {
    const decisive = rules.findLast((rule) => rule.glob.matches(path));
    return decisive ? !decisive.negated : otherwise;
  };
}

/** For every number of leading path segments: whether the pattern ends right there. */
function reach(pattern: readonly Segment[], path: readonly string[]): boolean[] {
  const characters = path.map((segment) => Array.from(segment));
  let reached = [true, ...path.map(() => false)];
  pattern.forEach((segment, index) => {
    const next = reached.map(() => false);
    if (segment === '**') {
      const first = reached.indexOf(true);
      // At the end it stands for what is inside, elsewhere for any folders, also none.
      if (first !== -1) next.fill(true, index === pattern.length - 1 ? first + 1 : first);
    } else {
      for (let end = 1; end < next.length; end += 1)
        next[end] = reached[end - 1]! && segmentMatches(segment, characters[end - 1]!);
    }
    reached = next;
  });
  return reached;
}

/** Goes back to the last `*` only, which is enough: time is at most the product of both lengths. */
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

/** Null for a bracket that is not closed: as in git, such a pattern matches nothing. */
function compileSegment(text: string): Piece[] | null {
  const pieces: Piece[] = [];
  const characters = Array.from(text);
  for (let i = 0; i < characters.length; i += 1) {
    const own = characters[i]!;
    if (own === '*') {
      if (pieces.length === 0 || pieces.at(-1) !== undefined) pieces.push(undefined);
    } else if (own === '?') pieces.push(() => true);
    else if (own === '[') {
      const set = compileSet(characters, i + 1);
      if (!set) return null;
      pieces.push(set.test);
      i = set.end;
    } else {
      const meant = own === '\\' ? characters[++i] : own;
      if (meant === undefined) return null;
      pieces.push((character) => character === meant);
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

/** What stands between brackets, from behind the first. */
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
      const known = CLASSES[name];
      if (!known) return undefined;
      tests.push((character) => known.test(character));
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

/** Blanks at the end do not count unless a backslash stands before them. */
function withoutTrailingBlanks(pattern: string): string {
  let end = pattern.length;
  while (end > 0 && pattern[end - 1] === ' ' && pattern[end - 2] !== '\\') end -= 1;
  return pattern.slice(0, end);
}
