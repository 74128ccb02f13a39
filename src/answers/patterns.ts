/** Returns a pattern that matches what one of `patterns` matches. Long patterns are written in several lines with it. */
export function anyOf(patterns: readonly RegExp[], flags: string): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), flags);
}
