/** Joins lines of running text. Pure. */

/** Returns the blank between two lines, or nothing for scripts without blanks between words. */
export function flowGlue(before: string, after: string): string {
  const wide = /[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef\u0e00-\u0e7f]/;
  return wide.test(before.at(-1)!) && wide.test(after[0]!) ? '' : ' ';
}
