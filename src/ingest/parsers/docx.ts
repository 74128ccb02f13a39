/** Word files: converted to HTML, then written as blocks. */
import { Buffer } from 'node:buffer';
import mammoth from 'mammoth';
import { originMetadata } from '../metadata-values.ts';
import type { ParsedFile } from '../parsed.ts';
import { repackZip } from '../zip.ts';
import { fitsTree, parseTree, rootOf, stripTags } from './dom.ts';
import { writeHtmlBlocks } from './html-blocks.ts';
import { coreProperties } from './office-xml.ts';
import { TextBuilder } from './text-builder.ts';
import { openPackage } from './zip-package.ts';

/** Pictures and fonts are left behind; they are most of a file's bytes. */
const WANTED = /^(\[Content_Types\]\.xml|_rels\/|docProps\/core\.xml|word\/(_rels\/)?[^/]+\.(xml|rels)$)/;

const STYLE_MAP = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => p:fresh",
  "p[style-name='Quote'] => blockquote:fresh",
  "p[style-name='Intense Quote'] => blockquote:fresh",
  "p[style-name='Code'] => pre:separator('\\n')",
  "p[style-name='Source Code'] => pre:separator('\\n')",
  "p[style-name='HTML Preformatted'] => pre:separator('\\n')",
];

/** @throws FileError for an archive that is damaged or over its limits, and for too much text. */
export async function parseDocx(bytes: Uint8Array): Promise<ParsedFile> {
  const safe = repackZip(bytes, (name) => WANTED.test(name));
  const { value: html } = await mammoth.convertToHtml(
    { buffer: Buffer.from(safe.buffer, safe.byteOffset, safe.byteLength) },
    {
      styleMap: STYLE_MAP,
      convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
      externalFileAccess: false,
    },
  );
  const parts = openPackage(bytes);
  const builder = new TextBuilder();
  const fits = fitsTree(html);
  if (fits) writeHtmlBlocks(rootOf(parseTree(html)), builder);
  else for (const text of stripTags(html).split('\n\n')) builder.add({ kind: 'paragraph' }, text);
  const properties = coreProperties(parts);
  const title = properties['title'];
  return {
    fileType: 'docx',
    text: builder.text(),
    blocks: builder.blocks,
    ...(title === undefined ? {} : { title }),
    metadata: originMetadata(properties),
    warnings: fits ? [] : ['The file is very long: its text was taken without structure.'],
  };
}
