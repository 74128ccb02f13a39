/**
 * Writes the XML of a Word file as HTML, as the reader of Word files does. Its link `web` leads to a page, and all notes are the same. The
 * id `again` is a further reference to a note.
 */
import { BlockWriter } from '../../../src/files/formats/office/word/blocks.ts';
import { LineReader } from '../../../src/files/formats/office/word/lines.ts';
import { Counter } from '../../../src/files/formats/office/word/numbering.ts';
import { readStyles } from '../../../src/files/formats/office/word/styles.ts';
import { localAttribute, readXml } from '../../../src/files/formats/xml/tree.ts';

interface Around {
  styles?: string;
  numbering?: string;
  /** The HTML of other parts by relationship id. */
  parts?: Readonly<Record<string, string>>;
}

export function wordHtml(xml: string, { styles: source = '', numbering = '', parts = {} }: Around = {}): string {
  const styles = readStyles(readXml(source));
  const lines = new LineReader({
    styles,
    targets: new Map([['web', 'https://b.example']]),
    note: (reference) => ({ mark: '[^1]', html: localAttribute(reference, 'id') === 'again' ? '' : 'note' }),
    isRunning: false,
  });
  const counter = new Counter(readXml(numbering), styles);
  const written = new Map(Object.entries(parts).map(([id, html]) => [id, { html }]));
  const writer = new BlockWriter({ styles, counter, lines, parts: written });
  return writer.of(readXml(xml));
}
