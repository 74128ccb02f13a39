/** Removes anchors from Markdown: they only give a place a name, and readers do not see them. Pure. */

/** An element without text, such as `<a id="usage"></a>` and `<a name="usage"/>`. */
const ANCHOR =
  /<a\s+(?:id|name)\s*=\s*(?:"[^"<>\n]{0,300}"|'[^'<>\n]{0,300}'|[^\s"'<>]{1,300})\s*(?:\/>|>\s{0,10}<\/a>)/gi;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const INDENTED_CODE = /^(?: {4}|\t)/;

/** Returns the source without anchors. Anchors in code stay. */
export function withoutAnchors(source: string): string {
  if (!/<a\s/i.test(source)) return source;
  let fence = '';
  const lines = source.split('\n').map((line) => {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && fence === '') fence = mark;
    else if (mark?.startsWith(fence)) fence = '';
    return fence !== '' || INDENTED_CODE.test(line) ? line : withoutAnchorsOfLine(line);
  });
  return lines.join('\n');
}

function withoutAnchorsOfLine(line: string): string {
  // Every second part is between backticks.
  const parts = line.split('`').map((part, index) => (index % 2 === 1 ? part : part.replace(ANCHOR, '')));
  return parts.join('`');
}
