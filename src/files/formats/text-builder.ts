/** Collects a file's extracted text and its blocks; keeps offsets exact by construction. */

import type { Link } from '../../text/link-line.ts';
import { cleanText } from '../detect/decode.ts';
import { overLimit } from '../failure.ts';
import { placeLinks } from '../links.ts';
import { originMetadata } from '../metadata-values.ts';
import type { Block, ParsedFile } from '../parsed.ts';

/** Maximum length of the extracted text of a file. */
export const TEXT_UNITS_MAX = 48 * 1024 * 1024;

const FLUSH_PARTS = 4096;

export type BlockDraft = Omit<Block, 'start' | 'end' | 'rowStarts' | 'links'> & {
  /** Row starts relative to the block's own text. */
  rowStarts?: number[];
  /** Links in the order of their texts. */
  links?: readonly Link[];
};

/** Returns code between fences of more backticks than the code itself contains. */
export function fenced(raw: string, language = ''): string {
  const code = raw.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
  if (code === '') return '';
  const longest = (code.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${code}\n${ticks}`;
}

/** Writes blocks one after the other, separated by a blank line. */
export class TextBuilder {
  readonly blocks: Block[] = [];
  private parts: string[] = [];
  private written = '';
  private length = 0;

  /** Appends one block and returns it; the caller may set further members. Empty text is ignored. */
  add(draft: BlockDraft, text: string, separator = '\n\n'): Block | undefined {
    const body = cleanText(text).trimEnd();
    if (body.trim() === '') return undefined;
    const lead = this.length > 0 ? separator : '';
    const start = this.length + lead.length;
    const { rowStarts, links, ...rest } = draft;
    const block: Block = { ...rest, start, end: start + body.length };
    if (rowStarts) block.rowStarts = rowStarts.map((offset) => start + offset);
    if (links && links.length > 0)
      block.links = placeLinks(body, links).map((link) => ({ ...link, at: start + link.at }));
    this.push(lead + body);
    this.blocks.push(block);
    return block;
  }

  /** Appends text that belongs to no block. */
  addPlain(text: string, separator = '\n\n'): void {
    this.push((this.length > 0 ? separator : '') + cleanText(text));
  }

  /** Length of the text written until now. */
  get units(): number {
    return this.length;
  }

  /** Returns the text written until now. */
  text(): string {
    this.written += this.parts.join('');
    this.parts = [];
    return this.written;
  }

  /** Returns the file of the blocks. `facts` are what the file says of itself: its title, author, dates. */
  file(
    fileType: ParsedFile['fileType'],
    facts: Record<string, string | undefined> = {},
    more: Partial<ParsedFile> = {},
  ): ParsedFile {
    const title = facts['title'] === undefined ? {} : { title: facts['title'] };
    const metadata = originMetadata(facts);
    return { fileType, text: this.text(), blocks: this.blocks, ...title, metadata, warnings: [], ...more };
  }

  private push(text: string): void {
    this.length += text.length;
    if (this.length > TEXT_UNITS_MAX) {
      throw overLimit(`The file contains more than ${TEXT_UNITS_MAX / 1024 / 1024} million characters of text.`);
    }
    this.parts.push(text);
    if (this.parts.length >= FLUSH_PARTS) this.text();
  }
}
