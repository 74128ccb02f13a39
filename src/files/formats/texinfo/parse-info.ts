/** Parses info files of makeinfo as plain text. Menus and tables of nodes are left out: they only lead to places in the file. */
import type { ParsedFile } from '../../parsed.ts';
import { paragraphs } from '../txt.ts';
import { withHeadings } from '../txt-headings.ts';

/** The character between nodes. */
const NODE_MARK = '\x1f';
const NODE_HEAD = /^\n?File: [^\n]*\n/;
const TABLE = /^\n?(?:Tag Table|Indirect|End Tag Table|Local Variables)/;
const DIRECTORY =
  /^INFO-DIR-SECTION [^\n]*\n|^START-INFO-DIR-ENTRY\n(?:(?!END-INFO-DIR-ENTRY)[^\n]*\n){0,500}END-INFO-DIR-ENTRY\n/gm;
/** A menu or an index: its first line, the entries, and the indented lines with which they go on. */
const MENU = /^\* Menu:[^\n]*\n(?:[ \t]*\n|\* [^\n]*\n|(?: {8,}|\t|[ \t]+\(line )[^\n]*\n)*/gm;
/** An entry below a heading within a menu. */
const ENTRY = /^\* [^:\n]{1,200}::[^\n]*\n(?: {8,}[^\n]*\n)*/gm;
/** A reference: the name of the node, or a label before it. */
const NOTE = /(?:\bsee\s+)?\*note\s+([^:]{1,300})(?:::)?/gi;
const ALL_NODES = /^ *\W{0,4}The Detailed Node Listing[\s\S]*/m;
/** A mark of an index or a picture for programs, between two backspaces. */
const COOKIE = /^[^\n]?\x08\[[^\n]{0,500}\x08\]/gm;

/** Parses an info file. The heading of its top node is the title; other parts of the file have none. */
export function parseInfo(source: string): ParsedFile {
  const isTop = /^File: [^\n]*Node: Top,/m.test(source);
  const nodes = source.split(NODE_MARK).filter((node) => !TABLE.test(node));
  const text = nodes
    .map((node) =>
      [NODE_HEAD, DIRECTORY, COOKIE, ALL_NODES, MENU, ENTRY].reduce(
        (rest, mark) => rest.replace(mark, ''),
        `${node}\n`,
      ),
    )
    .join('\n\n')
    .replace(NOTE, 'see $1')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  const all = paragraphs(text, 0, text.length);
  const blocks = withHeadings(text, all) ?? all;
  const title = isTop && blocks.find(({ kind }) => kind === 'heading')?.title;
  return { fileType: 'txt', text, blocks, metadata: {}, warnings: [], ...(title && { title }) };
}
