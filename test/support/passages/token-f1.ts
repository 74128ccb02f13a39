/** Similarity of two texts as bags of words: the harmonic mean of precision and recall. */

/** 1 when both texts have the same words equally often; order, case and punctuation do not count. */
export function tokenF1(actual: string, expected: string): number {
  const wanted = bag(expected);
  const found = bag(actual);
  const total = size(wanted) + size(found);
  if (total === 0) return 1;
  let common = 0;
  for (const [word, count] of found) common += Math.min(count, wanted.get(word) ?? 0);
  return (2 * common) / total;
}

/** Runs of letters and digits; characters of scripts without blanks count one by one. */
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
