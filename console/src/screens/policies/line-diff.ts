/** What changed between two versions of a text, line by line. */

export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Lines around a change that say where it is. */
const CONTEXT_LINES = 2;
/** Pairs of lines that are compared. Longer texts are shown as removed and added as a whole. */
const PAIRS_MAX = 4_000_000;

/** Returns the changed lines with some lines around them; null stands for lines that were left out. */
export function changedLines(before: string, now: string): (DiffLine | null)[] {
  const lines = diffLines(before.split('\n'), now.split('\n'));
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).some(({ kind }) => kind !== 'same'),
  );
  const shown: (DiffLine | null)[] = [];
  for (const [at, line] of lines.entries()) {
    if (isNear[at]) shown.push(line);
    else if (at === 0 || isNear[at - 1]) shown.push(null);
  }
  return shown;
}

function diffLines(before: readonly string[], now: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < now.length && before[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(before.length, now.length) - start && before.at(-1 - end) === now.at(-1 - end)) end += 1;
  const as = (kind: DiffLine['kind']) => (text: string) => ({ kind, text });
  return [
    ...before.slice(0, start).map(as('same')),
    ...between(before.slice(start, before.length - end), now.slice(start, now.length - end)),
    ...before.slice(before.length - end).map(as('same')),
  ];
}

/** Returns the lines of two texts along their longest common subsequence. */
function between(before: readonly string[], now: readonly string[]): DiffLine[] {
  const width = now.length + 1;
  const lines: DiffLine[] = [];
  let at = 0;
  let to = 0;
  if (before.length * now.length <= PAIRS_MAX) {
    const common = new Uint16Array((before.length + 1) * width);
    for (let i = before.length - 1; i >= 0; i--)
      for (let j = now.length - 1; j >= 0; j--)
        common[i * width + j] =
          before[i] === now[j]
            ? common[(i + 1) * width + j + 1]! + 1
            : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    while (at < before.length && to < now.length) {
      if (before[at] === now[to]) {
        lines.push({ kind: 'same', text: before[at]! });
        at += 1;
        to += 1;
      } else if (common[(at + 1) * width + to]! >= common[at * width + to + 1]!) {
        lines.push({ kind: 'removed', text: before[at++]! });
      } else lines.push({ kind: 'added', text: now[to++]! });
    }
  }
  while (at < before.length) lines.push({ kind: 'removed', text: before[at++]! });
  while (to < now.length) lines.push({ kind: 'added', text: now[to++]! });
  return lines;
}
