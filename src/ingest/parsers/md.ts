/** Markdown: the text is the source itself (without front matter), cut into its top-level blocks. */
import MarkdownIt from 'markdown-it';
import { KeyPicker, originMetadata } from '../metadata-values.ts';
import type { Block, BlockKind, ChunkMetadataKey, ParsedFile } from '../parsed.ts';
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

/** Only blocks are parsed: inline rules are quadratic on hostile input and not needed. */
const markdown = new MarkdownIt({ html: true });
markdown.core.ruler.enableOnly(['normalize', 'block']);

export function parseMd(source: string, keys: readonly ChunkMetadataKey[]): ParsedFile {
  const front = readFrontMatter(source);
  const text = source.slice(front.bodyStart).replace(/^\n+/, '');
  const blocks = blocksOf(text);
  const picker = new KeyPicker(keys);
  const chunkMetadata = picker.pick((key) => front.values.get(key));
  const title = front.values.get('title') ?? firstTitle(text, blocks);
  return {
    fileType: 'md',
    text,
    blocks,
    ...(title === undefined ? {} : { title }),
    metadata: originMetadata({
      title,
      author: front.values.get('author') ?? front.values.get('authors'),
      created: front.values.get('created') ?? front.values.get('date'),
      language: front.values.get('language') ?? front.values.get('lang'),
      description: front.values.get('description'),
      tags: front.values.get('tags'),
    }),
    ...(picker.active ? { chunkMetadata } : {}),
    warnings: picker.warnings(),
  };
}

function blocksOf(text: string): Block[] {
  const lines = lineStarts(text);
  const at = (line: number) => (line < lines.length ? lines[line]! : text.length);
  const blocks: Block[] = [];
  let table: Block | undefined;
  for (const token of markdown.parse(text, {})) {
    if (token.type === 'tr_open' && table && token.map) addRow(text, table, at(token.map[0]), at(token.map[1]));
    if (token.type === 'table_close') table = undefined;
    const kind = KINDS[token.type];
    if (token.level !== 0 || !kind || !token.map) continue;
    const start = at(token.map[0]);
    const block: Block = { kind, start, end: trimEnd(text, start, at(token.map[1])) };
    if (block.end <= start) continue;
    if (kind === 'heading') block.level = Number(token.tag.slice(1));
    if (kind === 'table') table = Object.assign(block, { tableHeader: '', rowStarts: [] });
    blocks.push(block);
  }
  return blocks;
}

/** The first row is the header; the delimiter row has no token of its own. */
function addRow(text: string, table: Block, start: number, end: number): void {
  if (table.tableHeader === '') table.tableHeader = text.slice(start, end).trim();
  else table.rowStarts!.push(start);
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return starts;
}

function trimEnd(text: string, start: number, end: number): number {
  let to = end;
  while (to > start && text.charCodeAt(to - 1) <= 0x20) to -= 1;
  return to;
}

/** A level-1 heading that opens the text names it. */
function firstTitle(text: string, blocks: readonly Block[]): string | undefined {
  const first = blocks[0];
  if (first?.kind !== 'heading' || first.level !== 1) return undefined;
  const line = text
    .slice(first.start, first.end)
    .replace(/^#+\s*/, '')
    .split('\n')[0]!;
  return line.replace(/[*_`]+/g, '').trim() || undefined;
}
