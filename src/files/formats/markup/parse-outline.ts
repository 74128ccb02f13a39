/** Parses files in reStructuredText and AsciiDoc. Files that they include are sources of their own. */
import type { ParsedFile } from '../../parsed.ts';
import { TextBuilder } from '../text-builder.ts';
import { writeAsciidoc } from './asciidoc.ts';
import { LinkMarks } from './link-marks.ts';
import { writeRst } from './rst.ts';

const INCLUDES_NAMED_MAX = 10;

/** Parses a file; never fails for bad markup. Warnings name the files that it includes. */
export function parseOutline(fileType: 'rst' | 'asciidoc', source: string): ParsedFile {
  const marks = new LinkMarks();
  const builder = new TextBuilder();
  const clean = marks.clean(source);
  const { author, included } =
    fileType === 'asciidoc'
      ? writeAsciidoc(clean, builder, marks)
      : { author: '', included: writeRst(clean, builder, marks) };
  const named = [...included].slice(0, INCLUDES_NAMED_MAX);
  if (builder.blocks.length === 0 && named.length > 0) builder.add({ kind: 'paragraph' }, `See ${named.join(', ')}.`);
  const first = builder.blocks[0];
  const title = first?.kind === 'heading' ? first.headingPath?.[0] : undefined;
  const warnings = named.map((name) => `The file includes ${name}, which is read separately.`);
  return builder.file('txt', { title, author: author || undefined }, { warnings });
}
