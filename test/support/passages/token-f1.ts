/**
 * Returns the similarity of two texts: the harmonic mean of precision and recall of their words. It is 1 if both texts
 * have the same words equally often. Order, case and punctuation do not count.
 */
export function tokenF1(actual: string, expected: string): number {
  const wanted = bag(expected);
  const found = bag(actual);
  const total = size(wanted) + size(found);
  if (total === 0) return 1;
  let common = 0;
  for (const [word, count] of found) common += Math.min(count, wanted.get(word) ?? 0);
  return (2 * common) / total;
}

/** Counts the words: runs of letters and digits. In Chinese, Japanese and Korean each character is a word. */
function bag(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(
      /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|(?:(?![\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3])[\p{L}\p{M}\p{N}])+/gu,
    );
  for (const [word] of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function size(counts: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
}
