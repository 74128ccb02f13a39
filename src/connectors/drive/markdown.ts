/**
 * Removes the backslashes that Google writes before signs in its Markdown (`user\_name`, `Stop\!`, `\-40 °C`), where Markdown reads the
 * sign the same without them: people search for the words and read them in answers. Pure.
 */

/** The start or the end of a block of code, also in a list or a quote. */
const FENCE = /^(?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))*(`{3,}|~{3,})([^`]*)$/;
const CODE_OR_ESCAPE = /\\([!-/:-@[-`{-~])|`[^`]*`/g;
/** UTF-16 units of a line; longer lines, which no person writes, stay as they are. */
const LINE_UNITS_MAX = 64 * 1024;
/** Google allows about a million characters in a document; what is more stays as it is. */
const TEXT_UNITS_MAX = 1_500_000;
/** A line whose code has one backtick at each end. Other lines stay as they are. */
const PLAIN_LINE = /^(?:[^`\\]|\\.?|`[^`]+`(?!`))*$/;
/** Quote and list marks before the text of a line. */
const MARKS = /^(?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))*/;
/** The signs at the start of a text that could make it another block. */
const BLOCK_SIGNS = /^(?:[\\#>+=~|*_`[-]|\d{1,9}\\[.)])*/;
const BLOCK_START =
  /^(?:#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|\d{1,9}[.)](?=\s|$)|=+\s*$|-{2,}|(?:[*_-]\s*){3,}$|~{3,}|\||`{3,}|\[[^\]]*\]:)/;

export function withoutEscapes(markdown: string): string {
  let fence = '';
  let units = 0;
  return markdown
    .split('\n')
    .map((line) => {
      const [, mark, behind = ''] = FENCE.exec(line) ?? [];
      if (fence === '' && mark !== undefined) fence = mark;
      else if (fence !== '') fence = mark?.startsWith(fence) && behind.trim() === '' ? '' : fence;
      else if (line.includes('\\') && line.length <= LINE_UNITS_MAX && units < TEXT_UNITS_MAX) {
        units += line.length;
        return PLAIN_LINE.test(line) ? lineWithoutEscapes(line) : line;
      }
      return line;
    })
    .join('\n');
}

function lineWithoutEscapes(line: string): string {
  const from = MARKS.exec(line)![0].length;
  const text = line.slice(from);
  // `-40` starts no list without its backslash, `- 40` does.
  const kept = BLOCK_START.test(text.replaceAll('\\', '')) ? from + BLOCK_SIGNS.exec(text)![0].length : 0;
  const hasLink = /(?<!\\)\]\(/.test(line);
  return line.replace(CODE_OR_ESCAPE, (found: string, sign: string | undefined, at: number) => {
    if (sign === undefined || at < kept || (hasLink && '[]()'.includes(sign))) return found;
    return isNeeded(sign, line[at - 1] ?? '', line.slice(at + 2)) ? found : sign;
  });
}

function isNeeded(sign: string, before: string, after: string): boolean {
  switch (sign) {
    case '\\':
    case '|':
    case '`':
      return true;
    case '_':
      return !(isWord(before) && isWord(after[0] ?? '')) && !(isGap(before) && isGap(after[0] ?? ''));
    case '*':
      return !(isGap(before) && isGap(after[0] ?? ''));
    case '~':
      return before === '~' || after.startsWith('~') || after.startsWith('\\~');
    case '<':
      return /^\\?[a-z/?!]/i.test(after);
    case '&':
      return /^(?:\\?#)?\w+;/.test(after);
    case '!':
      return before === '<' || after.startsWith('[');
    case '/':
    case '?':
      return before === '<';
    case ']':
      return /^\\?[[(:]/.test(after);
    default:
      return false;
  }
}

function isWord(character: string): boolean {
  return /^[\p{L}\p{N}]$/u.test(character);
}

function isGap(character: string): boolean {
  return character === '' || /^\s$/.test(character);
}
