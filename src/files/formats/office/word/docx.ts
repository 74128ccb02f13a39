/** Parses Word files: they are written as HTML, then as blocks. */
import { badFile } from '../../../failure.ts';
import type { ParsedFile } from '../../../parsed.ts';
import { writeHtml } from '../../html/blocks.ts';
import { fitsTree } from '../../html/dom.ts';
import { ITEM_LABEL } from '../../html/elements.ts';
import { TextBuilder } from '../../text-builder.ts';
import { findElements, readXml } from '../../xml/tree.ts';
import { embeddedFiles } from '../embedded-files.ts';
import { coreProperties } from '../office-xml.ts';
import { writeRunningTexts } from '../running-text.ts';
import { openPackage } from '../zip-package.ts';
import { BlockWriter } from './blocks.ts';
import { runningParagraphs } from './headers.ts';
import { LineReader } from './lines.ts';
import { openNotes } from './notes.ts';
import { Counter } from './numbering.ts';
import { partOfType, readParts, targetsOf } from './parts.ts';
import { readStyles } from './styles.ts';

const LABELED = new RegExp(`<li ${ITEM_LABEL}="([^"]*)">`, 'g');

/** Parses a Word file. @throws FileError for an archive that is damaged or over its limits, and for too much text. */
export async function parseDocx(bytes: Uint8Array): Promise<ParsedFile> {
  const parts = openPackage(bytes);
  const document = partOfType(parts, '', 'officeDocument', 'document');
  const part = (type: string) => readXml(parts.text(partOfType(parts, document, type)));
  const styles = readStyles(part('styles'));
  const body = findElements(readXml(parts.text(document)), 'body')[0];
  if (!body) throw badFile('parse', 'Damaged file', 'The file has no content.');
  const note = openNotes(parts, document, styles);
  const lines = new LineReader({ styles, targets: targetsOf(parts, document), note, isRunning: false });
  const counter = new Counter(part('numbering'), styles);
  const html = new BlockWriter({ styles, counter, lines, parts: await readParts(parts, document) }).of(body);
  const builder = new TextBuilder();
  const fits = fitsTree(html);
  writeHtml(fits ? html : html.replace(LABELED, '<li>$1 '), builder, { labels: true });
  writeRunningTexts(runningParagraphs(parts, document, styles), builder);
  return builder.file('docx', coreProperties(parts), {
    warnings: fits ? [] : ['The file is very long: its text was taken without structure.'],
    members: embeddedFiles(parts),
  });
}
