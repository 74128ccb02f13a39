/** Parses Word files up to 2003 without LibreOffice: headings, paragraphs, tables and notes. */
import type { ParsedFile } from '../../parsed.ts';
import { tableText } from '../data/table-text.ts';
import { TextBuilder } from '../text-builder.ts';
import { type OldParagraph, readOldWord } from './old-word-text.ts';
import { PAGE_MARK, writeRunningTexts } from './running-text.ts';

const WARNING = 'The file was read without LibreOffice: its lists are paragraphs.';

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
  let rows: string[][] = [];
  const cells: string[] = [];
  let cell = '';
  const endTable = () => {
    if (cell !== '') cells.push(cell);
    cell = '';
    if (cells.length > 0) rows.push(cells.splice(0));
    const table = tableText(rows);
    if (table) builder.add(table.draft, table.text);
    rows = [];
  };
  for (const { text: marked, level, inTable, end } of paragraphs) {
    const text = marked.replaceAll(PAGE_MARK, '');
    if (end === 'row') rows.push(cells.splice(0));
    else if (end === 'cell') {
      cells.push(`${cell}${text}`);
      cell = '';
    } else if (inTable) cell += `${text} `;
    else {
      endTable();
      if (level > 0)
        builder.add(
          { kind: 'heading', level },
          text && `${'#'.repeat(Math.min(level, 6))} ${text.replaceAll('\n', ' ')}`,
        );
      else builder.add({ kind: 'paragraph' }, text);
    }
  }
  endTable();
}
