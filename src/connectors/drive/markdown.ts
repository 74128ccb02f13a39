/**
 * Removes the backslashes that Google writes before signs in its Markdown (`user\_name`, `Stop\!`, `\-40 °C`), where Markdown reads the
 * sign the same without them: people search for the words and read them in answers. Where it is not sure, they stay. Pure.
 */

const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/;
const CODE_OR_ESCAPE = /\\([!-/:-@[-`{-~])|`[^`]*`/g;
/** UTF-16 units of a line; longer lines, which no person writes, stay as they are. */
const LINE_UNITS_MAX = 64 * 1024;
/** Google allows about a million characters in a document; what is more stays as it is. */
const TEXT_UNITS_MAX = 1_500_000;
/** A line without elements but line breaks, whose code has one backtick at each end. Other lines stay as they are. */
const PLAIN_LINE = /^(?:[^`\\<]|\\(?:.|$)|(?<=[^\s>])(?:<br ?\/?>)+|`[^`]+`(?!`))*$/;
/** A bracket of a link, picture or definition. */
const LINK = /(?<!\\)(?:\\\\)*[[\]]/;
/** Quote and list marks before the text of a line. */
const MARKS = /^(?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))*/;
/** Text behind such white space is code, unless it is a deeper item right below an item. */
const CODE_INDENT = / {4}|\t/;
const DEEP_ITEM = /^ *(?:[-+*]|\d{1,9}[.)]) {1,3}$/;
/** The signs at the start of a text that could make it another block. */
const BLOCK_SIGNS = /^(?:[\\#>+=~|*_`[-]|\d{1,9}\\[.)])*/;
const BLOCK_START =
  /^(?:#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|\d{1,9}[.)](?=\s|$)|=+\s*$|-{2,}|(?:[*_-]\s*){3,}$|~{3,}|\||`{3,}|\[[^\]]*\]:)/;

export function withoutEscapes(markdown: string): string {
  let fence = { mark: '', before: '' };
  let units = 0;
  let wasItem = false;
  let isPlain = true;
  return markdown
    .split('\n')
    .map((line) => {
      if (fence.mark !== '') {
        // Code that ends in another way, such as with its list, is not known to have ended.
        if (closes(line, fence)) fence = { mark: '', before: '' };
        return line;
      }
      const marks = MARKS.exec(line)![0];
      const mark = FENCE.exec(line.slice(marks.length))?.[0];
      if (mark !== undefined) {
        fence = { mark, before: marks.replace(/[^ \t>]/g, ' ') };
        wasItem = false;
        return line;
      }
      // Code and elements may go on in the next lines.
      isPlain = line.trim() === '' || (isPlain && line.length <= LINE_UNITS_MAX && PLAIN_LINE.test(line));
      const isCode = CODE_INDENT.test(marks) && !(wasItem && DEEP_ITEM.test(marks));
      wasItem = !isCode && DEEP_ITEM.test(marks) && /^[*_\\]*[\p{L}\p{N}]/u.test(line.slice(marks.length));
      if (isCode || !isPlain || !line.includes('\\') || units >= TEXT_UNITS_MAX) return line;
      units += line.length;
      return lineWithoutEscapes(line, marks.length);
    })
    .join('\n');
}

function closes(line: string, { mark, before }: { mark: string; before: string }): boolean {
  const end = line.trimEnd();
  return end.startsWith(before + mark) && /^(?:`+|~+)$/.test(end.slice(before.length));
}

function lineWithoutEscapes(line: string, from: number): string {
  const text = line.slice(from);
  // `-40` starts no list without its backslash, `- 40` does.
  const kept = BLOCK_START.test(text.replaceAll('\\', '')) ? from + BLOCK_SIGNS.exec(text)![0].length : 0;
  const hasLink = LINK.test(line);
  return line.replace(CODE_OR_ESCAPE, (found: string, sign: string | undefined, at: number) => {
    if (sign === undefined || at < kept || (hasLink && '[]()'.includes(sign))) return found;
    return isNeeded(sign, line[at - 1] ?? '', line.slice(at + 2, at + 40)) ? found : sign;
  });
}

function isNeeded(sign: string, before: string, after: string): boolean {
  switch (sign) {
    case '_':
      return !(isWord(before) && isWord(after[0] ?? '')) && !(isGap(before) && isGap(after[0] ?? ''));
    case '*':
      return !(isGap(before) && isGap(after[0] ?? ''));
    case '~':
      return before === '~' || after.startsWith('~') || after.startsWith('\\~');
    case '<':
      return /^\\?[a-z/?!]/i.test(after);
    case '&':
      return /^(?:\\?#)?\w+\\?;/.test(after);
    case '#':
      // At its end a heading may have further signs.
      return before === '&' || (!isWord(before) && /^[\\#\s]*$/.test(after));
    case '!':
      return after.startsWith('[');
    case '[':
      // Names of definitions that Google adds.
      return /^(?:image\d|\\?\^)/.test(after);
    case ']':
      return /^\\?[[(:]/.test(after);
    default:
      // Google escapes no other signs.
      return !'#+-.=>(){}'.includes(sign);
  }
}

function isWord(character: string): boolean {
  return /^[\p{L}\p{N}]$/u.test(character);
}

function isGap(character: string): boolean {
  return character === '' || /^\s$/.test(character);
}
