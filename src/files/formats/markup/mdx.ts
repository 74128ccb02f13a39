/** Converts MDX to Markdown: removes code. Components keep their content and the words of their attributes. */

/** Attributes whose words readers see. */
const VISIBLE_ATTRIBUTE =
  /^(?:title|label|name|alt|caption|summary|description|header|heading|text|value|path|type|default|query|body)$/i;
/** Returns Markdown with the words of components, in linear time. */
export function mdxToMarkdown(source: string): string {
  const out: string[] = [];
  let fence = '';
  let isModule = false;
  let from = 0;
  const flush = (to: number) => {
    if (to > from) out.push(withoutComponents(source.slice(from, to)));
    from = to;
  };
  for (let line = 0; line < source.length; ) {
    const newline = source.indexOf('\n', line);
    const next = newline === -1 ? source.length : newline + 1;
    const text = source.slice(line, next);
    const mark = /^ {0,12}(`{3,}|~{3,})/.exec(text)?.[1];
    if (fence !== '') {
      if (mark?.startsWith(fence)) {
        fence = '';
        out.push(source.slice(from, next));
        from = next;
      }
    } else if (mark) {
      flush(line);
      fence = mark;
    } else if (
      isModule ||
      /^(?:import|export)\s(?=.*(?:from\s*['"]|['"];?\s*$|[={(]|default|const|function))/.test(text)
    ) {
      // Code of the page continues up to an empty line.
      flush(line);
      isModule = text.trim() !== '';
      from = next;
    }
    line = next;
  }
  if (fence === '') flush(source.length);
  else out.push(source.slice(from));
  return out.join('');
}

/** Removes components from text outside fences. */
function withoutComponents(source: string): string {
  const out: string[] = [];
  let from = 0;
  let paragraph = 0;
  const unclosed = new Set<string>();
  const opening = /`+|\{\/\*|<\/?[A-Z][\w.]{0,80}(?=[\s/>])|<\/?>/g;
  for (let found = opening.exec(source); found; found = opening.exec(source)) {
    const at = found.index;
    if (found[0].startsWith('`')) {
      if (paragraph < at) paragraph = (source.indexOf('\n\n', at) + 1 || source.length + 1) - 1;
      const close = unclosed.has(found[0]) ? -1 : source.indexOf(found[0], at + found[0].length);
      if (close === -1) unclosed.add(found[0]);
      else if (close < paragraph) opening.lastIndex = close + found[0].length;
      continue;
    }
    const isComment = found[0] === '{/*';
    const end = isComment ? source.indexOf('*/}', at) + 3 : tagEnd(source, at + found[0].length);
    // A tag that never ends is text, and so is everything after it.
    if (end < at + 3) break;
    out.push(source.slice(from, at));
    if (!isComment) out.push(wordsOf(source.slice(at + found[0].length, end - 1)));
    from = end;
    opening.lastIndex = end;
  }
  return out.join('') + source.slice(from);
}

/** Returns the index after the `>` that ends a tag, outside strings and braces, or -1. */
function tagEnd(source: string, from: number): number {
  if (source[from - 1] === '>') return from;
  let depth = 0;
  for (let at = from; at < source.length; at += 1) {
    const sign = source[at]!;
    if (sign === '{') depth += 1;
    else if (sign === '}') depth -= 1;
    else if (sign === '>' && depth <= 0 && source[at - 1] !== '=') return at + 1;
    else if (sign === '"' || (depth > 0 && (sign === "'" || sign === '`'))) {
      at = source.indexOf(sign, at + 1);
      if (at === -1) return -1;
    }
  }
  return -1;
}

/** Returns the words of a tag's attributes, one attribute per line; lists of objects become list items. */
function wordsOf(attributes: string): string {
  const lines: string[] = [];
  const pattern = /([A-Za-z][\w-]{0,60})=(?:"([^"]*)"|'([^']*)'|\{)/g;
  for (let found = pattern.exec(attributes); found; found = pattern.exec(attributes)) {
    const text = found[2] ?? found[3];
    if (text !== undefined) {
      if (VISIBLE_ATTRIBUTE.test(found[1]!) && /\p{L}/u.test(text)) lines.push(text);
      continue;
    }
    const end = expressionEnd(attributes, pattern.lastIndex);
    lines.push(...expressionWords(attributes.slice(pattern.lastIndex, end), VISIBLE_ATTRIBUTE.test(found[1]!)));
    pattern.lastIndex = end;
  }
  return lines.length === 0 ? '' : `\n\n${lines.join('\n')}\n\n`;
}

function expressionEnd(source: string, from: number): number {
  let depth = 1;
  for (let at = from; at < source.length; at += 1) {
    const sign = source[at]!;
    if (sign === '{') depth += 1;
    else if (sign === '}') depth -= 1;
    else if (/["'`]/.test(sign)) {
      at = source.indexOf(sign, at + 1);
      if (at === -1) break;
    }
    if (depth === 0) return at;
  }
  return source.length;
}

/** Returns `- name: type: description` for each object of a list, and visible strings unchanged. */
function expressionWords(expression: string, isVisible: boolean): string[] {
  const lines: string[] = [];
  let previousEnd = 0;
  for (const found of expression.matchAll(/(?:([A-Za-z]\w{0,60})\s*:\s*)?(["'`])((?:\\.|(?!\2)[^\\])*)\2/g)) {
    const [whole, key, , text] = found;
    const isNew = expression.slice(previousEnd, found.index).includes('{');
    previousEnd = found.index + whole.length;
    const words = text!.replace(/\\(.)/g, '$1').trim();
    if (words === '') continue;
    if (key === undefined) {
      if (isVisible) lines.push(words);
    } else if (isNew || lines.length === 0) lines.push(`- ${words}`);
    else if (VISIBLE_ATTRIBUTE.test(key)) lines.push(`${lines.pop()}: ${words}`);
  }
  return lines;
}
