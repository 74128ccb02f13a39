/** Parses Word files of 97 to 2003 without LibreOffice: paragraphs, tables and notes. */
import { Buffer } from 'node:buffer';
import WordExtractor from 'word-extractor';
import { openCompoundFile } from '../../detect/compound-file.ts';
import { badFile } from '../../failure.ts';
import type { ParsedFile } from '../../parsed.ts';
import { tableText } from '../data/table-text.ts';
import { TextBuilder } from '../text-builder.ts';

/** Typographic quotes and dashes stay. */
const AS_WRITTEN = { filterUnicode: false };
const WARNING = 'The file was read without LibreOffice: its headings and lists are paragraphs.';

/** Streams that have the properties of characters and styles. */
const PROPERTIES = ['WordDocument', '0Table', '1Table'];
/**
 * Properties that word-extractor does not read as Word does: it shows hidden text (sprmCFVanish), and it takes text in a colour for
 * right-to-left scripts (sprmCIcoBi) for deleted text. Source: [MS-DOC], 2.6.1 Character Properties.
 */
const MISREAD = /\x3c\x08\x01|\x60\x4a[\x01\x03\x05\x07\x09\x0b\x0d\x0f]/;

/** Parses a document. @throws FileError for a damaged document, and for one that only LibreOffice reads correctly. */
export async function parseOldWord(bytes: Uint8Array): Promise<ParsedFile> {
  const file = openCompoundFile(bytes);
  if (PROPERTIES.some((name) => MISREAD.test(Buffer.from(file.read(name) ?? []).toString('latin1')))) {
    const message =
      'Its hidden text or its colours need LibreOffice, which is not installed; or save the file as docx.';
    throw badFile('parse', 'Document needs LibreOffice', message);
  }
  const document = await new WordExtractor().extract(Buffer.from(bytes)).catch((cause: unknown) => {
    throw Object.assign(badFile('parse', 'Damaged document', 'The file is not a complete Word document.'), { cause });
  });
  const builder = new TextBuilder();
  writeParagraphs(builder, document.getBody(AS_WRITTEN));
  const others = [
    document.getTextboxes(AS_WRITTEN),
    document.getFootnotes(AS_WRITTEN),
    document.getEndnotes(AS_WRITTEN),
    document.getAnnotations(AS_WRITTEN),
    document.getHeaders(AS_WRITTEN),
  ];
  for (const text of others) writeParagraphs(builder, text);
  return builder.file('docx', {}, { warnings: [WARNING] });
}

/** Writes lines as paragraphs. Each cell of a table ends with a tab, so a line that ends with one is a row. */
function writeParagraphs(builder: TextBuilder, text: string): void {
  let rows: string[][] = [];
  const endTable = () => {
    const table = tableText(rows);
    if (table) builder.add(table.draft, table.text);
    rows = [];
  };
  for (const line of text.split('\n')) {
    if (line.endsWith('\t')) {
      rows.push(line.split('\t').slice(0, -1));
      continue;
    }
    endTable();
    builder.add({ kind: 'paragraph' }, line.trim());
  }
  endTable();
}
