/** Reads the words of a Markdown heading. Pure. */

/** An underscore between letters or digits is part of a name, not a mark, as in CommonMark. */
const EMPHASIS = [
  /(?<![\p{L}\p{N}_])(_{1,3})(?![\s_])([^_\n]{1,200}?)(?<![\s_])\1(?![\p{L}\p{N}_])/gu,
  /(\*{1,3})(?![\s*])([^*\n]{1,200}?)(?<![\s*])\1/gu,
];

/** Returns a heading without the marks of Markdown: `## **One** \`two_three()\` ##` gives `One two_three()`. */
export function plainHeading(source: string): string {
  const line = source
    .replace(/^#{1,6}[ \t]+/, '')
    .replace(/[ \t]+#+[ \t]*$/, '')
    .replace(/\n[=-]+[ \t]*$/, '');
  // Signs between backticks are no marks.
  return line
    .split('`')
    .map((part, index) => (index % 2 === 1 ? part : withoutMarks(part)))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}

function withoutMarks(text: string): string {
  return EMPHASIS.reduce((rest, mark) => rest.replace(mark, '$2'), text).replace(/\\([\\`*_{}[\]()#+.!~<>|-])/g, '$1');
}
