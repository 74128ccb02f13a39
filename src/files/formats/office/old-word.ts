/** Parses Word files up to 2003 without LibreOffice: headings, paragraphs, tables and notes. */
import type { ParsedFile } from '../../parsed.ts';
import { TextBuilder } from '../text-builder.ts';
import { type OldParagraph, readOldWord } from './old-word-text.ts';
import { ParagraphBlocks } from './rtf/blocks.ts';
import { PAGE_MARK, writeRunningTexts } from './running-text.ts';

const WARNING = 'The file was read without LibreOffice: bullets and numbers that Word adds are missing.';

/** Parses a document. @throws FileError for a damaged document, and for one that only LibreOffice reads correctly. */
export function parseOldWord(bytes: Uint8Array): ParsedFile {
  const parts = readOldWord(bytes, PAGE_MARK);
  const builder = new TextBuilder();
  for (const part of [parts.body, parts.boxes, parts.footnotes, parts.endnotes, parts.comments])
    writeParagraphs(builder, part);
  writeRunningTexts(
    [...parts.headers, ...parts.headerBoxes].map(({ text }) => text),
    builder,
  );
  return builder.file('docx', {}, { warnings: [WARNING] });
}

function writeParagraphs(builder: TextBuilder, paragraphs: readonly OldParagraph[]): void {
  const blocks = new ParagraphBlocks(builder);
  for (const { text, level, inTable, end } of paragraphs) {
    const heading = level > 0 ? { heading: Math.min(level, 6) } : {};
    const isCell = inTable || end !== 'paragraph';
    blocks.paragraph(text.replaceAll(PAGE_MARK, ''), { ...heading, indent: 0, inTable: isCell }, '');
    if (end === 'cell') blocks.endCell();
    if (end === 'row') blocks.endRow();
  }
  blocks.end();
}
