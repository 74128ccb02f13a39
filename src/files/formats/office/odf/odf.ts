/** Parses OpenDocument texts, workbooks and presentations (odt, ods, odp). */

import type { ChunkMetadataKey } from '../../../../corpus/values.ts';
import { badFile } from '../../../failure.ts';
import { KeyPicker } from '../../../metadata-values.ts';
import type { ParsedFile } from '../../../parsed.ts';
import { TextBuilder } from '../../text-builder.ts';
import { childAt, findElements, readXml, textOf } from '../../xml/tree.ts';
import { hiddenWarnings } from '../hidden.ts';
import { writeRunningTexts } from '../running-text.ts';
import { openPackage } from '../zip-package.ts';
import { masterFooters, runningParagraphs } from './headers.ts';
import { numberParagraphs } from './heading-numbers.ts';
import { chartsOn, placeObjects } from './objects.ts';
import { writeOdfSheets } from './sheets.ts';
import { writeOdfSlides } from './slides.ts';
import { OdfWriter, readStyles } from './text.ts';

export type OdfType = 'odt' | 'ods' | 'odp';

/** Parses a file. @throws FileError for a file that is damaged, encrypted or over a limit. */
export function parseOdf(bytes: Uint8Array, fileType: OdfType, keys: readonly ChunkMetadataKey[]): ParsedFile {
  const parts = openPackage(bytes);
  if (parts.text('META-INF/manifest.xml').includes('encryption-data')) {
    throw badFile('parse', 'Encrypted file', 'The file is protected by a password.');
  }
  const content = readXml(parts.text('content.xml'));
  const body = findElements(content, 'body')[0];
  if (!body) throw badFile('parse', 'Damaged file', 'The file has no content.');
  const builder = new TextBuilder();
  const picker = new KeyPicker(keys);
  const styleSheet = readXml(parts.text('styles.xml'));
  const styles = readStyles(content, styleSheet);
  if (fileType !== 'ods') {
    placeObjects(content, parts);
    numberParagraphs(body, [content, styleSheet]);
  }
  let hidden = 0;
  if (fileType === 'ods') hidden = writeOdfSheets(body, builder, picker, styles, (sheet) => chartsOn(sheet, parts));
  else if (fileType === 'odp') {
    hidden = writeOdfSlides(body, builder, styles);
    writeRunningTexts([...findElements(body, 'footer-decl').map(textOf), ...masterFooters(styleSheet)], builder);
  } else {
    const writer = new OdfWriter(styles, (draft, text) => builder.add(draft, text));
    writer.blocks(body);
    writer.end();
    writeRunningTexts(runningParagraphs(styleSheet, styles), builder);
  }
  const meta = findElements(readXml(parts.text('meta.xml')), 'meta').at(0);
  const value = (name: string) => textOf(childAt(meta, name)).trim() || undefined;
  const title = value('title');
  return builder.file(
    fileType,
    {
      title,
      author: value('initial-creator') ?? value('creator'),
      created: value('creation-date'),
      modified: value('date'),
      language: value('language'),
      description: value('description') ?? value('subject'),
      keywords: value('keyword'),
    },
    { warnings: [...picker.warnings(), ...hiddenWarnings(hidden, fileType === 'odp' ? 'slide' : 'sheet')] },
  );
}
