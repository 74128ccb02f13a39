/** Parses files in reStructuredText and AsciiDoc. */
import { originMetadata } from '../../metadata-values.ts';
import type { ParsedFile } from '../../parsed.ts';
import { TextBuilder } from '../text-builder.ts';
import { writeAsciidoc } from './asciidoc.ts';
import { LinkMarks } from './link-marks.ts';
import { writeRst } from './rst.ts';

/** Parses a file; never fails for bad markup. Included files are named in warnings, because they are separate sources. */
export function parseOutline(fileType: 'rst' | 'asciidoc', source: string): ParsedFile {
  const marks = new LinkMarks();
  const builder = new TextBuilder();
  const clean = marks.clean(source);
  const read =
    fileType === 'rst'
      ? { includes: writeRst(clean, builder, marks), author: '' }
      : writeAsciidoc(clean, builder, marks);
  if (builder.blocks.length === 0 && read.includes.length > 0)
    builder.add({ kind: 'paragraph' }, `See ${read.includes.join(', ')}.`);
  const text = builder.text();
  const first = builder.blocks[0];
  const title = first?.kind === 'heading' ? first.headingPath?.[0] : undefined;
  return {
    fileType: 'txt',
    text,
    blocks: builder.blocks,
    ...(title === undefined ? {} : { title }),
    metadata: originMetadata({ title, author: read.author || undefined }),
    warnings: read.includes.map(
      (name) => `The file includes ${name}, which is read separately if it was also uploaded.`,
    ),
  };
}
