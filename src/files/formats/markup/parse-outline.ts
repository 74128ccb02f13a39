/** Parses files in reStructuredText and AsciiDoc, with the files of their source group that they include. */
import { decodeText } from '../../detect/decode.ts';
import type { ParsedFile } from '../../parsed.ts';
import type { Tools } from '../../tools.ts';
import { TextBuilder } from '../text-builder.ts';
import { type HeldFile, IncludedFiles } from './included-files.ts';
import { LinkMarks } from './link-marks.ts';
import { writeRst } from './rst.ts';

type OutlineType = 'rst' | 'asciidoc';

/** Maximum number of paths that are looked up for one file. */
const LOOKUPS_MAX = 500;
/** The file is read once more for each level of includes, so that includes inside code samples are not followed. */
const ROUNDS_MAX = 20;

/** Parses a file with its includes. @param path the file's path in its group; undefined if the group has no paths. */
export async function parseWithIncludes(
  fileType: OutlineType,
  source: string,
  path: string | undefined,
  { include }: Tools,
): Promise<ParsedFile> {
  const held = new Map<string, HeldFile>();
  for (let round = 1; ; round += 1) {
    const files = new IncludedFiles(include && path, held);
    const parsed = await parseOutline(fileType, source, files);
    if (!include || files.wanted.size === 0 || round > ROUNDS_MAX) return parsed;
    for (const name of files.wanted) held.set(name, held.size < LOOKUPS_MAX ? textOf(await include(name)) : TOO_MANY);
  }
}

const TOO_MANY: HeldFile = { problem: `which was left out: a file includes at most ${LOOKUPS_MAX} files` };

function textOf(found: Uint8Array | string): HeldFile {
  if (typeof found === 'string') return { problem: found };
  const text = new LinkMarks().clean(decodeText(found).text);
  return text.includes('\0') ? { problem: 'which is not a text' } : { text };
}

/** Parses a file; never fails for bad markup. Files that it includes and that `files` does not have are named in warnings. */
export async function parseOutline(
  fileType: OutlineType,
  source: string,
  files = new IncludedFiles(),
): Promise<ParsedFile> {
  const marks = new LinkMarks();
  const builder = new TextBuilder();
  let author = '';
  if (fileType === 'rst') writeRst(marks.clean(source), builder, marks, files);
  else author = await (await import('./asciidoc.ts')).writeAsciidoc(source, builder, files);
  if (builder.blocks.length === 0 && files.missing.length > 0)
    builder.add({ kind: 'paragraph' }, `See ${files.missing.join(', ')}.`);
  const first = builder.blocks[0];
  const title = first?.kind === 'heading' ? (first.title ?? first.headingPath?.[0]) : undefined;
  return builder.file('txt', { title, author: author || undefined }, { warnings: files.warnings });
}
