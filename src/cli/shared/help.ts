/** Lays out the help of commands. On a terminal, long lines are wrapped between words. Pure. */

/** A narrower column of words is not wrapped any more. */
const CELLS_MIN = 20;
/** Longer lines are hard to read. */
const CELLS_MAX = 100;

/** Returns lines of two columns, indented by two blanks. */
export function table(rows: readonly (readonly [string, string])[], columns?: number): string {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  const before = width + 4;
  return rows
    .map(([left, right]) => {
      const lines = wrapped(right, columns === undefined ? undefined : Math.min(columns, CELLS_MAX) - before);
      return `  ${left.padEnd(width)}  ${lines.join(`\n${' '.repeat(before)}`)}\n`;
    })
    .join('');
}

/** Returns the text with its paragraphs in the width of the terminal. Indented lines are commands, which stay as they are. */
export function filled(text: string, columns?: number): string {
  if (columns === undefined) return text;
  return text.replaceAll(/^\S.*(?:\n\S.*)*/gm, (paragraph) =>
    wrapped(paragraph.replaceAll('\n', ' '), Math.min(columns, CELLS_MAX)).join('\n'),
  );
}

function wrapped(text: string, width: number | undefined): string[] {
  if (width === undefined) return [text];
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (line !== '' && line.length + 1 + word.length > Math.max(CELLS_MIN, width)) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}
