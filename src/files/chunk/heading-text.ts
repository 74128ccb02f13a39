/** Reads the words of a Markdown heading. Pure. */
import { oneLine } from '../../util/code-points.ts';

/** An underscore between letters or digits is part of a name, not a mark, as in CommonMark. */
const EMPHASIS = [
  /(?<![\p{L}\p{N}_])(_{1,3})(?![\s_])([^_\n]{1,200}?)(?<![\s_])\1(?![\p{L}\p{N}_])/gu,
  /(\*{1,3})(?![\s*])([^*\n]{1,200}?)(?<![\s*])\1/gu,
  /(~~)(?![\s~=])([^~=\n]{1,200}?)(?<![\s~=])\1/gu,
  // Next to words it compares them: `a==b`.
  /(?<![\p{L}\p{N})\]~=])(==)(?![\s~=])([^~=\n]{1,200}?)(?<![\s~=])\1(?![\p{L}\p{N}([~=])/gu,
];
/** The address of a link or picture, with its title. It may have one pair of parentheses. */
const ADDRESS = String.raw`\((?:[^()\n]|\([^()\n]{0,200}\)){0,2000}\)`;
const PICTURE = new RegExp(String.raw`!\[([^[\]\n]{0,300})\](?:${ADDRESS}|\[[^[\]\n]{0,300}\])`, 'g');
const PICTURE_TAG = /<img\b[^<>]{0,2000}>/gi;
const LINK = new RegExp(String.raw`(?<![\p{L}\p{N}\])])\[([^[\]\n]{0,300})\](?:${ADDRESS}|\[[^[\]\n]{0,300}\])`, 'gu');
/** A link to another note, as vaults write it: the text behind the bar is shown. */
const NOTE_LINK = /!?\[\[(?:[^[\]|\n]{1,300}\|)?([^[\]|\n]{1,300})\]\]/g;
const FOOTNOTE = /\[\^[^[\]\s]{1,50}\]/g;
/** Elements with text. A name in angle brackets alone, such as `<a>`, is a placeholder. */
const TAGS =
  /<(a|b|code|del|em|font|i|ins|kbd|mark|s|small|span|strong|sub|sup|u)(?:\s[^<>]{0,2000})?>([^<>]{0,300})<\/\1>/gi;
/** The name or the classes of a heading at its end. */
const ATTRIBUTES = /\{:?[ \t]*[#.][^{}\n]{0,200}\}[ \t#]*$/;

const ESCAPED = /\\([!-/:-@[-`{-~])/g;

/** Returns a heading without the marks of Markdown: `## **One** \`two_three()\` ##` gives `One two_three()`. */
export function plainHeading(source: string): string {
  const line = source
    .replace(/^#{1,6}[ \t]+/, '')
    .replace(/\n[=-]+[ \t]*$/, '')
    .replace(ATTRIBUTES, '')
    .replace(/[ \t]+#+[ \t]*$/, '');
  return words(line.replace(PICTURE, '').replace(PICTURE_TAG, '')) || words(line.replace(PICTURE, '$1'));
}

function words(line: string): string {
  const linked = line.replace(LINK, '$1').replace(NOTE_LINK, '$1').replace(FOOTNOTE, '');
  // Signs between backticks are no marks.
  const parts = linked.split('`').map((part, index) => (index % 2 === 1 ? part : withoutMarks(part)));
  return oneLine(parts.join(''));
}

function withoutMarks(text: string): string {
  return EMPHASIS.reduce((rest, mark) => rest.replace(mark, '$2'), text.replace(TAGS, '$2')).replace(ESCAPED, '$1');
}
