/**
 * Removes the backslashes that Google writes before signs in its Markdown (`user\_name`, `Stop\!`, `\-40 °C`), where Markdown reads the
 * sign the same without them: people search for the words and read them in answers. Where it is not sure, they stay. Pure.
 */

const FENCE = /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(```|~~~)/;
const FENCE_END = /^[ \t>]*(?:`{3,}|~{3,})\s*$/;
/** Indented code, and lines with unusual code, a backslash at the end, or elements other than line breaks. They stay as they are. */
const UNSURE = /^(?: {4}|\t)(?!\s*(?:[-+*]|\d{1,9}[.)])\s)|``|\\`|\\$|(?<!\\)<(?!br ?\/?>)/;
/** What may begin a block: the mark of a heading, or all signs and numbers of lists up to the first letter. */
const HEAD = /^(?:#{1,6} |(?:(?!\\\[)[^\p{L}\p{N}`]|\d{1,9}(?=\\?[.)](?:\s|$)))*)/u;
const CODE = '`[^`]*(?:`|$)';
const SIGN = [
  '[-.+=>]',
  '!(?!\\\\?\\[)',
  '(?<=[\\p{L}\\p{N}]\\\\)(?:_(?=[\\p{L}\\p{N}])|#)',
  '(?<!&\\\\)#(?=[\\p{L}\\p{N}])',
  '(?<=\\s\\\\)\\*(?=\\s)',
  '(?<!~\\\\)~(?!\\\\?~)',
  '<(?=[\\s\\d])',
  '&(?!\\w+\\\\?;|\\\\?#)',
].join('|');
/** A number or word in brackets, but no name of a definition that Google adds, and no text of a link. */
const BRACKETS = '\\\\\\[((?!image\\d)[\\p{L}\\p{N}][\\p{L}\\p{N} ,]{0,40})\\\\\\](?!\\\\?[[(:])';
const ESCAPE = new RegExp(`${CODE}|\\\\\\\\|\\\\(${SIGN})|${BRACKETS}`, 'gu');

export function withoutEscapes(markdown: string): string {
  let fence: string | undefined;
  return markdown
    .split('\n')
    .map((line) => {
      const mark = FENCE.exec(line)?.[1];
      const isCode = fence !== undefined || mark !== undefined;
      if (fence === undefined) fence = mark;
      else if (mark === fence && FENCE_END.test(line)) fence = undefined;
      if (isCode || !line.includes('\\') || UNSURE.test(line)) return line;
      const head = HEAD.exec(line)![0];
      const text = line.slice(head.length).replace(ESCAPE, (whole, sign?: string, inside?: string) => {
        return sign ?? (inside === undefined ? whole : `[${inside}]`);
      });
      // `-40` starts no list without its backslash, `- 40` does.
      return (/^[\p{L}\p{N}]/u.test(text) ? head.replace(/(?<!\\)\\-$/, '-') : head) + text;
    })
    .join('\n');
}
