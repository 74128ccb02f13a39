/** Finds the marks of Markdown that are noise where a text is shown as it is, in a list or in one line. Pure. */

/** Fences of code blocks: with the language and other words, such as a title, or bare. */
const FENCE = /^[ \t>]*(?:`{3,}[^`]*|~{3,}[ \t]*[\w+#.-]*\s*)$/u;
const BARE_FENCE = /^[ \t>]*(?:`{3,}|~{3,})\s*$/u;
/**
 * The rule below the header of a table, and the number signs of headings. A single number sign stays, because it may be the prompt of a
 * shell.
 */
const LINE_MARK = /^[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+\s*$|^#{2,6}[ \t]+(?=\S)/u;
/** Bold words, also `**a**` beside `/**b**`. Not `x ** 2`, `f(*args, **options)` and globs such as `src/**`. */
const BOLD = /(?<![\w*`"']|(?<!\*\*)\/)\*\*(?=[\p{L}\p{N}\p{Pi}\p{Ps}"'`])[^*\n]*[^\s*(/]\*\*(?![\w*]|\/(?!\*\*))/gu;
const BOLD_MARK_LENGTH = 2;

/** Types whose text is shown as it is. Plain text is no such type, because manuals and other markup that become Markdown have it. */
const EXACT_TYPES: ReadonlySet<string | undefined> = new Set('code yaml csv tsv json jsonl parquet sqlite'.split(' '));

/** A part of a text, in UTF-16 units. */
export interface MarkPlace {
  start: number;
  end: number;
}

/**
 * Returns where the marks of Markdown are in a text of a file, in their order. Lines of code blocks have none, nor do programs and data.
 *
 * @param fileType the `file_type` of the source; undefined where it is not known.
 */
export function markdownMarks(text: string, fileType: string | undefined): MarkPlace[] {
  if (EXACT_TYPES.has(fileType)) return [];
  const marks: MarkPlace[] = [];
  const lines = text.split('\n');
  let isCode = beginsInCode(lines);
  let at = 0;
  for (const line of lines) {
    const isFence = FENCE.test(line);
    const mark = isFence ? line : isCode ? '' : (LINE_MARK.exec(line)?.[0] ?? '');
    if (mark !== '') marks.push({ start: at, end: at + mark.length });
    if (!isFence && !isCode)
      for (const { 0: bold, index } of line.matchAll(BOLD)) {
        const [start, end] = [at + index, at + index + bold.length];
        marks.push({ start, end: start + BOLD_MARK_LENGTH }, { start: end - BOLD_MARK_LENGTH, end });
      }
    if (isFence) isCode = !isCode;
    at += line.length + 1;
  }
  return marks;
}

/** True for a part of a text that begins inside a code block: its first fence has no pair, and a blank line or nothing follows. */
function beginsInCode(lines: readonly string[]): boolean {
  const first = lines.findIndex((line) => FENCE.test(line));
  return (
    BARE_FENCE.test(lines[first] ?? '') &&
    /^[\s>]*$/.test(lines[first + 1] ?? '') &&
    lines.filter((line) => FENCE.test(line)).length % 2 === 1
  );
}

export function withoutMarkdownMarks(text: string, fileType: string | undefined): string {
  let kept = '';
  let at = 0;
  for (const { start, end } of markdownMarks(text, fileType)) {
    kept += text.slice(at, start);
    at = end;
  }
  return kept + text.slice(at);
}
