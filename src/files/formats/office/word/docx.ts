/** Parses Word files: they are converted to HTML, then written as blocks. */
import { Buffer } from 'node:buffer';
import { strFromU8, strToU8 } from 'fflate';
import mammoth from 'mammoth';
import { repackZip } from '../../../detect/zip.ts';
import type { ParsedFile } from '../../../parsed.ts';
import { usefulAltText } from '../../html/alt-text.ts';
import { writeHtmlBlocks } from '../../html/blocks.ts';
import { fitsTree, parseTree, rootOf, stripTags } from '../../html/dom.ts';
import { ITEM_LABEL } from '../../html/elements.ts';
import { TextBuilder } from '../../text-builder.ts';
import { embeddedFiles } from '../embedded-files.ts';
import { coreProperties } from '../office-xml.ts';
import { writeRunningTexts } from '../running-text.ts';
import { openPackage, type ZipPackage } from '../zip-package.ts';
import { runningParagraphs } from './headers.ts';
import { hiddenStyles, withoutHiddenText } from './hidden-text.ts';
import { AUTHOR_END, placeNotes } from './notes.ts';
import { placeNumbers, withNumbers } from './numbering.ts';
import { withParts } from './parts.ts';
import { plainDocument } from './source.ts';

/** Matches the parts that the converter gets: no pictures and fonts, which are most of a file's bytes. */
const WANTED = /^(\[Content_Types\]\.xml|_rels\/|docProps\/core\.xml|word\/(_rels\/)?[^/]+\.(xml|rels)$)/;

const DOCUMENT = /^word\/document2?\.xml$/;
const TEXTS = /^word\/(?:document2?|footnotes|endnotes|comments)\.xml$/;

const STYLE_MAP = [
  'comment-reference => sup',
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => p:fresh",
  "p[style-name='Quote'] => blockquote:fresh",
  "p[style-name='Intense Quote'] => blockquote:fresh",
  "p[style-name='Code'] => pre:separator('\\n')",
  "p[style-name='Source Code'] => pre:separator('\\n')",
  "p[style-name='HTML Preformatted'] => pre:separator('\\n')",
];

const LABELED = new RegExp(`<li ${ITEM_LABEL}="([^"]*)">`, 'g');

/** Parses a Word file. @throws FileError for an archive that is damaged or over its limits, and for too much text. */
export async function parseDocx(bytes: Uint8Array): Promise<ParsedFile> {
  const parts = openPackage(bytes);
  const hidden = hiddenStyles(parts.text('word/styles.xml'));
  const html = await convert(bytes, parts, hidden);
  const builder = new TextBuilder();
  const fits = fitsTree(html);
  if (fits) {
    const document = parseTree(html);
    placeNotes(document);
    writeHtmlBlocks(rootOf(document), builder, { labels: true });
  } else
    for (const text of stripTags(html.replace(LABELED, '<li>$1 ')).split('\n\n'))
      builder.add({ kind: 'paragraph' }, text);
  writeRunningTexts(runningParagraphs(parts, hidden), builder);
  const properties = coreProperties(parts);
  return builder.file('docx', properties, {
    warnings: fits ? [] : ['The file is very long: its text was taken without structure.'],
    members: embeddedFiles(parts),
  });
}

async function convert(bytes: Uint8Array, parts: ZipPackage, hidden: ReadonlySet<string>): Promise<string> {
  const [numbering, styles] = [parts.text('word/numbering.xml'), parts.text('word/styles.xml')];
  const safe = repackZip(
    bytes,
    (name) => WANTED.test(name),
    (name, data) => {
      if (!TEXTS.test(name)) return data;
      const xml = plainDocument(withoutHiddenText(strFromU8(data), hidden));
      return strToU8(DOCUMENT.test(name) ? withNumbers(xml, numbering, styles) : xml);
    },
  );
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(safe.buffer, safe.byteOffset, safe.byteLength) },
    {
      styleMap: STYLE_MAP,
      convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
      externalFileAccess: false,
      transformDocument: withAuthors,
    },
  );
  const numbered = placeNumbers(value, ITEM_LABEL);
  return withParts(numbered.replace(/<img alt="([^"]*)"[^<>]*>/g, imageText), parts);
}

/** Adds the names of the authors to comments, for which the converter writes initials only. */
function withAuthors(document: { comments: { authorName?: string }[] }): object {
  const comments = document.comments.map((comment) => {
    const author = (comment.authorName ?? '').trim();
    return { ...comment, authorInitials: author === '' ? '' : `${author}${AUTHOR_END}` };
  });
  return { ...document, comments };
}

/** Returns the description of a picture, if its author wrote one. */
function imageText(_image: string, alt: string): string {
  const text = usefulAltText(alt);
  return text === '' ? '' : ` ![${text}] `;
}
