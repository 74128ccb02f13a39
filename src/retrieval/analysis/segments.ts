/** Terms of scripts that write no blanks between words. */

/** The segmenter is handed at most this many UTF-16 units at once: its memory grows with the run. */
const SEGMENT_UNITS_MAX = 1000;

const segmenters = {
  cjk: new Intl.Segmenter('ja', { granularity: 'word' }),
  thai: new Intl.Segmenter('th', { granularity: 'word' }),
};

/** Overlapping pairs of characters; a single character stands alone. */
export function bigrams(run: string, add: (term: string) => void): void {
  const characters = [...run];
  if (characters.length === 1) add(run);
  for (let i = 1; i < characters.length; i++) add(characters[i - 1]! + characters[i]!);
}

/** Words of a run as the dictionary of its script sees them. */
export function words(run: string, kind: keyof typeof segmenters, add: (term: string) => void): void {
  for (let start = 0; start < run.length; start += SEGMENT_UNITS_MAX) {
    for (const { segment } of segmenters[kind].segment(run.slice(start, start + SEGMENT_UNITS_MAX))) add(segment);
  }
}
