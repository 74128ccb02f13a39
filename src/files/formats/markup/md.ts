/** Parses Markdown: keeps the source of top-level blocks, without front matter and comments. */
import MarkdownIt, { type Env, type Token } from 'markdown-it';
import type { ChunkMetadataKey, TypedMetadata } from '../../../corpus/values.ts';
import type { Link } from '../../../text/link-line.ts';
import { plainHeading } from '../../chunk/heading-text.ts';
import { HEAD_ROWS, withOneHeader } from '../../columns/header.ts';
import { pageLinks } from '../../links.ts';
import { KeyPicker, typedValue } from '../../metadata-values.ts';
import type { Block, BlockKind, BlockLink, ParsedFile } from '../../parsed.ts';
import { TextBuilder } from '../text-builder.ts';
import { withoutAnchors } from './anchors.ts';
import { readFrontMatter } from './front-matter.ts';

const KINDS: Record<string, BlockKind> = {
  heading_open: 'heading',
  paragraph_open: 'paragraph',
  bullet_list_open: 'list',
  ordered_list_open: 'list',
  blockquote_open: 'quote',
  table_open: 'table',
  fence: 'code',
  code_block: 'code',
  html_block: 'paragraph',
};

/** Only blocks are parsed. Inline rules need quadratic time on hostile input and are not needed. */
const markdown = new MarkdownIt({ html: true });
markdown.core.ruler.enableOnly(['normalize', 'block']);

/** The language of a code block that holds the packed lines of a drawing. Its words stand before the block. */
const DRAWING_DATA = 'compressed-json';

/** Position marks that models for text recognition write between blocks. */
const POSITION_MARKS = /<\|ref\|>[^<\n]{0,200}<\|\/ref\|>|<\|det\|>[^<\n]{0,2000}<\|\/det\|>/g;

/**
 * Parses Markdown; never fails for bad markup. HTML blocks are parsed as HTML. `links` are links that the source does not show,
 * in order.
 */
export async function parseMd(
  source: string,
  keys: readonly ChunkMetadataKey[],
  links: readonly BlockLink[] = [],
): Promise<ParsedFile> {
  const front = readFrontMatter(source);
  const builder = new TextBuilder();
  const body = source.slice(front.bodyStart);
  const extraLinks = linkReader(links);
  let at = front.bodyStart;
  for (const piece of pieces(links.length > 0 ? body : withoutAnchors(withoutPictureData(body)))) {
    await writeBlocks(piece, builder, at, extraLinks);
    at += piece.length;
  }
  const text = builder.text();
  const picker = new KeyPicker(keys);
  const chunkMetadata = picker.pick((key) => front.values.get(key));
  const title = front.values.get('title') ?? firstTitle(text, builder.blocks);
  const facts = {
    title,
    author: front.values.get('author') ?? front.values.get('authors'),
    created: front.values.get('created') ?? front.values.get('date'),
    language: front.values.get('language') ?? front.values.get('lang'),
    description: front.values.get('description'),
    tags: front.values.get('tags'),
  };
  const file = builder.file('md', facts, { ...(picker.active && { chunkMetadata }), warnings: picker.warnings() });
  return { ...file, metadata: { ...otherMetadata(front.values), ...file.metadata } };
}

/** Maximum number of other keys of front matter that become metadata. */
const OTHER_KEYS_MAX = 20;
/** Keys that have metadata of their own, and the record by which the files of an archive are found. */
const OWN_KEYS = new Set(
  'title author authors created date language lang description tags parent_source_id'.split(' '),
);

function otherMetadata(values: ReadonlyMap<string, string>): TypedMetadata {
  const others = [...values].filter(([key]) => !OWN_KEYS.has(key)).slice(0, OTHER_KEYS_MAX);
  return Object.fromEntries(
    others.flatMap(([key, text]) => {
      const value = typedValue(text, 'string');
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
}

/** UTF-16 units that are parsed at once: the parser's tokens need many times the memory of their text. */
const PIECE_UNITS = 512 * 1024;

/** Splits a long source where a block surely starts: at an unindented letter or `#` after an empty line, outside fences. */
function* pieces(source: string): Generator<string> {
  let from = 0;
  let fence = '';
  for (let line = 0; line < source.length; ) {
    const newline = source.indexOf('\n', line);
    const end = newline === -1 ? source.length : newline;
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(source.slice(line, Math.min(end, line + 80)))?.[1];
    if (mark && fence === '') fence = mark;
    else if (mark?.startsWith(fence)) fence = '';
    const next = end + 1;
    if (next - from > PIECE_UNITS && fence === '' && end === line && /[\p{L}#]/u.test(source[next] ?? '')) {
      yield source.slice(from, next);
      from = next;
    }
    line = next;
  }
  if (from < source.length) yield source.slice(from);
}

/** Returns a function for the links before a position that earlier calls have not returned. */
function linkReader(links: readonly BlockLink[]): (end: number) => Link[] {
  let next = 0;
  return (end) => {
    const from = next;
    while (next < links.length && links[next]!.at < end) next += 1;
    return links.slice(from, next);
  };
}

/** Writes blocks with their source; HTML blocks become Markdown. */
async function writeBlocks(
  source: string,
  builder: TextBuilder,
  from: number,
  extraLinks: (end: number) => Link[],
): Promise<void> {
  const lines = lineStarts(source);
  const at = (line: number) => (line < lines.length ? lines[line]! : source.length);
  const env: Env = {};
  const tokens = markdown.parse(source, env);
  for (const [index, token] of tokens.entries()) {
    const kind = KINDS[token.type];
    if (token.level !== 0 || !kind || !token.map) continue;
    const start = at(token.map[0]);
    const end = at(token.map[1]);
    const text = source.slice(start, end);
    if (token.type === 'html_block') (await import('../html/blocks.ts')).writeHtml(text, builder);
    else if (kind === 'code') {
      if (token.info.trim() !== DRAWING_DATA) builder.add({ kind }, text);
    } else {
      const links = [...linksOf(text, env.references ?? {}), ...extraLinks(from + end)];
      if (kind === 'heading') builder.add({ kind, level: Number(token.tag.slice(1)), links }, text);
      else if (kind === 'table')
        builder.add({ kind, ...tableRows(tokens, index, text, (line) => at(line) - start), links }, text);
      else {
        const ends = () => codeEnds(tokens, index, text, (line) => at(line) - start);
        builder.add({ kind, links }, withoutInvisible(text, ends));
      }
    }
  }
}

type References = NonNullable<Env['references']>;

const INLINE_LINK = /\[([^[\]\n]{0,300})\](?:\(\s*<?([^\s()<>]{1,2000})|\[([^[\]\n]{0,300})\])?/g;
const readLink = pageLinks(undefined);

/** Returns the links `[text](address)`, and `[text][name]` and `[name]` by the definitions, which are not part of the text. */
function linksOf(text: string, references: References): Link[] {
  return [...text.matchAll(INLINE_LINK)].flatMap(([, label = '', address, name]) => {
    if (address !== undefined) {
      const url = readLink(address);
      return url === undefined ? [] : [{ text: label, url }];
    }
    const key = markdown.utils.normalizeReference(name || label);
    const url = Object.hasOwn(references, key) ? readLink(references[key]!.href) : undefined;
    return url === undefined ? [] : [{ text: label, url }];
  });
}

/**
 * Pictures whose bytes are in the text as `data:` addresses of links, definitions and `src`. The bytes are no words. They may
 * contain white space if their end is certain.
 */
const PICTURE_DATA =
  /(\]\(\s*<?|\bsrc\s*=\s*["'])data:[^\s()[\]"'<>]*(?:\s+[A-Za-z0-9+/=]+)*?(?=\s*[)"'>])|(\]:\s*<?|\]\(\s*<?)data:[^\s()[\]"'<>]*/gi;

function withoutPictureData(source: string): string {
  return source.replace(PICTURE_DATA, (_found, closed?: string, open?: string) => closed ?? open ?? '');
}

function withoutInvisible(text: string, ends: () => ReadonlyMap<number, number>): string {
  const visible = text.includes('<!--') ? withoutComments(text, ends()) : text;
  return visible.includes('<|') ? visible.replace(POSITION_MARKS, '') : visible;
}

/** A backtick or backslash without a meaning, a run of backticks, or the start of a comment. */
const MARK = /\\[\\`]|`+|<!--/g;

/** A comment that is shown as code stays. `ends` has, for marks where code starts, its end. */
function withoutComments(text: string, ends: ReadonlyMap<number, number>): string {
  const parts: string[] = [];
  let from = 0;
  const marks = new RegExp(MARK);
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    const codeEnd = ends.get(mark.index);
    if (codeEnd !== undefined) marks.lastIndex = codeEnd;
    if (codeEnd !== undefined || mark[0] !== '<!--') continue;
    const close = text.indexOf('-->', mark.index + 4);
    if (close === -1) break;
    parts.push(text.slice(from, mark.index));
    from = close + 3;
    marks.lastIndex = from;
  }
  return parts.join('') + text.slice(from);
}
/** Returns the ends of code within the block at `index`, by the first mark in it. A code span ends within its paragraph. */
function codeEnds(tokens: readonly Token[], index: number, text: string, at: (line: number) => number) {
  const ends = new Map<number, number>();
  for (let i = index + 1; i < tokens.length && tokens[i]!.level > 0; i += 1) {
    const { type, map } = tokens[i]!;
    if (!map) continue;
    const [start, end] = [at(map[0]), at(map[1])];
    // Cells have no place of their own.
    if (type === 'inline' || type === 'tr_open') addCodeSpans(text, start, end, ends);
    else if (KINDS[type] === 'code') {
      const first = text.slice(start, end).search(MARK);
      if (first !== -1) ends.set(start + first, end);
    }
  }
  return ends;
}

/** Adds, for each run of backticks with another run of its length behind it, where that run ends. */
function addCodeSpans(text: string, start: number, end: number, ends: Map<number, number>): void {
  const next = new Map<number, number>();
  for (const { 0: run, index } of [...text.slice(start, end).matchAll(/`+/g)].reverse()) {
    const at = start + index;
    // An escaped backtick opens no code, but may close it: code has no escapes.
    const escaped = isEscaped(text, at) ? 1 : 0;
    const codeEnd = next.get(run.length - escaped);
    if (codeEnd !== undefined) ends.set(at + escaped, codeEnd);
    next.set(run.length, at + run.length);
  }
}

function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === '\\') from -= 1;
  return (at - from) % 2 === 1;
}

/**
 * Returns the header, which is the first row, and the starts of the other rows. The delimiter row has no token. A second row of headers
 * stays a row of the text, and its names are also in the header.
 */
function tableRows(tokens: readonly Token[], index: number, text: string, at: (line: number) => number) {
  const rowStarts: number[] = [];
  const head: string[] = [];
  for (let i = index; i < tokens.length && tokens[i]!.type !== 'table_close'; i += 1) {
    const { type, map } = tokens[i]!;
    if (type !== 'tr_open' || !map) continue;
    if (head.length > 0) rowStarts.push(at(map[0]));
    if (head.length < HEAD_ROWS) head.push(asRow(text.slice(at(map[0]), at(map[1]))));
  }
  const rows = head.map((row) => row.slice(1, -1).split(/(?<!\\)\|/));
  const [names] = withOneHeader(rows);
  return { tableHeader: names && names !== rows[0] ? `| ${names.join(' | ')} |` : (head[0] ?? ''), rowStarts };
}

/** Returns a row with a bar at each end, where other readers expect them, and without the marks of a quotation. */
function asRow(line: string): string {
  const row = line.replace(/^[\s>]*\|?|(?<!\\)\|\s*$/g, '');
  return `| ${row.trim()} |`;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return starts;
}

/** Returns the title: a level-1 heading at the start of the text, or the only one if no other heading is before it. */
function firstTitle(text: string, blocks: readonly Block[]): string | undefined {
  const headings = blocks.filter(({ kind }) => kind === 'heading');
  const first = headings[0];
  if (first?.level !== 1) return undefined;
  if (first !== blocks[0] && headings.some(({ level }, index) => index > 0 && level === 1)) return undefined;
  return plainHeading(text.slice(first.start, first.end)) || undefined;
}
