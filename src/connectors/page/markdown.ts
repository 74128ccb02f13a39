/** Converts the blocks of a page to Markdown. Headings go one level down, because the first level is the page's title. Pure. */
import { fileOf } from './files.ts';
import { pageUrl } from './id.ts';
import { cellOf, escapeText, inOneLine, linkOf, longestTicks, richTextOf } from './text.ts';
import { type PageBlock, plainText } from './wire.ts';

const HEADING_LEVEL_MAX = 6;
const FENCE_MIN = 3;

/** Languages that Markdown names differently; an empty name for texts without a language. */
const LANGUAGES: Readonly<Record<string, string>> = {
  'plain text': '',
  'c++': 'cpp',
  'c#': 'csharp',
  'f#': 'fsharp',
  'java/c/c++/c#': '',
  'visual basic': 'vbnet',
};

const LIST_TYPES: ReadonlySet<string> = new Set(['bulleted_list_item', 'numbered_list_item', 'to_do']);

const MEDIA_WORDS: Readonly<Record<string, string>> = {
  image: 'Image',
  video: 'Video',
  audio: 'Audio',
  pdf: 'PDF',
  file: 'File',
};

/** Converts blocks. Links to files of the workspace lead to `pageId`, because the files' own addresses expire. */
export function blocksToMarkdown(blocks: readonly PageBlock[], pageId: string): string {
  const parts: string[] = [];
  let before: PageBlock | undefined;
  let number = 0;
  for (const block of blocks) {
    number = nextNumber(block, before, number);
    const text = joinBlocks(blockToMarkdown(block, number, pageId), unreadableNote(block));
    if (text === '') continue;
    if (before !== undefined) parts.push(isSameList(before, block) ? '\n' : '\n\n');
    parts.push(text);
    before = block;
  }
  return parts.join('');
}

function nextNumber(block: PageBlock, before: PageBlock | undefined, number: number): number {
  if (block.type !== 'numbered_list_item') return 0;
  return before?.type === 'numbered_list_item' ? number + 1 : (block.content.list_start_index ?? 1);
}

/** Returns whether two blocks belong to one list. Tasks and bullets share a list; numbered items do not. */
function isSameList(a: PageBlock, b: PageBlock): boolean {
  if (!LIST_TYPES.has(a.type) || !LIST_TYPES.has(b.type)) return false;
  return (a.type === 'numbered_list_item') === (b.type === 'numbered_list_item');
}

function blockToMarkdown(block: PageBlock, number: number, pageId: string): string {
  const { type, content } = block;
  const text = () => richTextOf(content.rich_text);
  const below = () => blocksToMarkdown(block.children, pageId);
  switch (type) {
    case 'heading_1':
    case 'heading_2':
    case 'heading_3':
    case 'heading_4':
      return joinBlocks(heading(block), below());
    case 'bulleted_list_item':
      return listItem('- ', text(), below());
    case 'numbered_list_item':
      return listItem(`${number}. `, text(), below());
    case 'to_do':
      return listItem('- ', `[${content.checked === true ? 'x' : ' '}] ${text()}`, below());
    case 'toggle':
      return joinBlocks(richTextOf(content.rich_text, { bold: true }), below());
    case 'quote':
      return quoted(joinBlocks(text(), below()));
    case 'callout':
      return quoted(joinBlocks([content.icon?.emoji, text()].filter(Boolean).join(' '), below()));
    case 'code':
      return joinBlocks(fenced(block), richTextOf(content.caption));
    case 'equation':
      return `$$ ${(content.expression ?? '').replace(/\s+/g, ' ').trim()} $$`;
    case 'divider':
      return '---';
    case 'breadcrumb':
    case 'table_of_contents':
      return '';
    case 'table':
      return table(block);
    case 'image':
    case 'video':
    case 'audio':
    case 'pdf':
    case 'file':
      return media(block, pageId);
    case 'bookmark':
    case 'embed':
    case 'link_preview':
      return linkOf(cellOf(content.caption), content.url);
    case 'link_to_page':
      return linkToPage(block);
    case 'child_page':
    case 'child_database':
      return linkOf(escapeText(childTitle(block)), pageUrl(block.id));
    case 'transcription':
    case 'meeting_notes':
      return joinBlocks(richTextOf(Array.isArray(content.title) ? content.title : [], { bold: true }), below());
    case 'unsupported':
      return `[Unsupported block: ${content.block_type ?? 'unknown'}]`;
    default:
      return otherBlock(block, joinBlocks(text(), below()));
  }
}

/** Converts paragraphs, columns, tabs, synced blocks and unknown blocks: their text and their nested blocks. */
function otherBlock(block: PageBlock, text: string): string {
  if (text !== '' || Array.isArray(block.content.rich_text) || CONTAINERS.has(block.type)) return text;
  return `[Unsupported block: ${block.type}]`;
}

function unreadableNote({ type, unreadable }: PageBlock): string {
  return unreadable ? `[Unreadable block: ${type}]` : '';
}

const CONTAINERS: ReadonlySet<string> = new Set(['column_list', 'column', 'tab', 'synced_block', 'template']);

function childTitle({ content }: PageBlock): string {
  return typeof content.title === 'string' && content.title.trim() !== '' ? content.title : 'Untitled';
}

function joinBlocks(...texts: string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}

function heading({ type, content }: PageBlock): string {
  const text = inOneLine(richTextOf(content.rich_text));
  if (text === '') return '';
  return `${'#'.repeat(Math.min(HEADING_LEVEL_MAX, Number(type.at(-1)) + 1))} ${text}`;
}

/** Formats a list item. Nested blocks are indented like its text: lists follow directly, other blocks after an empty line. */
function listItem(marker: string, text: string, below: string): string {
  const indent = ' '.repeat(marker.length);
  const gap = /^(?:- |\d+\. )/.test(below) ? '\n' : '\n\n';
  const whole = below === '' ? text : `${text}${gap}${below}`;
  return `${marker}${whole.replace(/\n(?=[^\n])/g, `\n${indent}`)}`.trimEnd();
}

function quoted(text: string): string {
  return text === '' ? '' : text.replace(/^/gm, '> ').replace(/^> $/gm, '>');
}

function fenced({ content }: PageBlock): string {
  const code = plainText(content.rich_text);
  const fence = '`'.repeat(Math.max(FENCE_MIN, longestTicks(code) + 1));
  const language = (content.language ?? '').toLowerCase();
  return `${fence}${LANGUAGES[language] ?? language.replace(/\s+/g, '-')}\n${code}\n${fence}`;
}

/** Formats a table. A table without a header row gets an empty one, because Markdown requires one. */
function table(block: PageBlock): string {
  const rows = block.children.map(({ content }) => (content.cells ?? []).map((cell) => cellOf(cell)));
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width === 0) return '';
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, index) => cells[index] ?? '').join(' | ')} |`;
  const [head = [], ...body] = block.content.has_column_header === true ? rows : [[], ...rows];
  return [line(head), `|${' --- |'.repeat(width)}`, ...body.map(line)].join('\n');
}

function media(block: PageBlock, pageId: string): string {
  const { type, content } = block;
  const word = MEDIA_WORDS[type] ?? 'File';
  const caption = cellOf(content.caption);
  const file = fileOf(content);
  const address = file?.hosted ? pageUrl(pageId, block.id) : file?.url;
  if (type === 'image') return `!${bracketed(caption || word, address)}`;
  const name = file?.name ?? word;
  return [bracketed(escapeText(name), address), caption].filter((part) => part !== '').join(' – ');
}

function bracketed(label: string, address: string | undefined): string {
  const link = linkOf(label, address);
  return link.startsWith('[') ? link : `[${link}]`;
}

function linkToPage({ content }: PageBlock): string {
  const id = content.page_id ?? content.database_id;
  if (id === undefined) return '';
  const unnamed = content.database_id === undefined ? 'Link to a page' : 'Link to a database';
  return linkOf(typeof content.title === 'string' ? escapeText(content.title) || unnamed : unnamed, pageUrl(id));
}
