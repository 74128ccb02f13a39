/** Tells where a capital may only open a sentence. Pure. */

/**
 * Returns true for the first word of a sentence, also behind a short bracket such as `- [x]` and `[Note]`, and for a word after a colon or
 * an opening quote.
 */
export function isOpening(text: string, at: number): boolean {
  return (
    /(?:^|[.:!?"“”„«»‘(|])[\s*_#>•-]*$/u.test(text.slice(Math.max(0, at - 12), at)) ||
    /^[\s\d.*_#>|•-]*(?:\[[^[\]]{0,40}\][\s*_]*)?$/u.test(text.slice(0, at))
  );
}
