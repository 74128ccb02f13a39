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
import { plainDocument, plainHtml } from './source.ts';

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
  const { html, isDamaged } = await convert(bytes, parts, hidden);
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
    warnings: [
      ...(fits ? [] : ['The file is very long: its text was taken without structure.']),
      ...(isDamaged ? ['Parts of the file do not fit together: its text was taken without structure.'] : []),
    ],
    members: embeddedFiles(parts),
  });
}

async function convert(
  bytes: Uint8Array,
  parts: ZipPackage,
  hidden: ReadonlySet<string>,
): Promise<{ html: string; isDamaged: boolean }> {
  const [numbering, styles] = [parts.text('word/numbering.xml'), parts.text('word/styles.xml')];
  /** The document, then its notes and comments. */
  const sources: string[] = [];
  const safe = repackZip(
    bytes,
    (name) => WANTED.test(name),
    (name, data) => {
      if (name === 'word/numbering.xml') return strToU8(withoutBrokenLinks(numbering, styles));
      if (!TEXTS.test(name)) return data;
      const plain = plainDocument(withoutHiddenText(strFromU8(data), hidden));
      const isDocument = DOCUMENT.test(name);
      const xml = isDocument ? withNumbers(plain, numbering, styles, hidden) : plain;
      if (isDocument) sources.unshift(xml);
      else sources.push(xml);
      return strToU8(xml);
    },
  );
  const converted = await convertSafe(safe, sources);
  const numbered = placeNumbers(converted.html, ITEM_LABEL);
  const html = await withParts(numbered.replace(/<img alt="([^"]*)"[^<>]*>/g, imageText), parts);
  return { ...converted, html };
}

/** Returns the HTML of a file: without structure if the converter fails, as it does at references to what is not there. */
async function convertSafe(
  safe: Uint8Array,
  sources: readonly string[],
): Promise<{ html: string; isDamaged: boolean }> {
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer: Buffer.from(safe.buffer, safe.byteOffset, safe.byteLength) },
      {
        styleMap: STYLE_MAP,
        convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
        externalFileAccess: false,
        transformDocument: withAuthorsAndNotes,
      },
    );
    return { html: value, isDamaged: false };
  } catch (error) {
    const html = sources.map(plainHtml).join('');
    if (/^(?:<\/?p>|\s)*$/.test(html)) throw error;
    return { html, isDamaged: true };
  }
}

/** Returns the source of the numbering without links to styles that are not there, at which the converter fails. */
function withoutBrokenLinks(numbering: string, styles: string): string {
  return numbering.replace(/<w:numStyleLink\s+w:val="([^"<>]*)"\s*\/>/g, (link, id: string) =>
    styles.includes(`w:styleId="${id}"`) ? link : '',
  );
}

interface WordDocument {
  comments: { authorName?: string }[];
  notes: { resolve(reference: object): object | undefined };
}

/** Adds the names of the authors to comments, for which the converter writes initials only, and an empty note for each missing one. */
function withAuthorsAndNotes({ notes, ...document }: WordDocument): object {
  const comments = document.comments.map((comment) => {
    const author = (comment.authorName ?? '').trim();
    return { ...comment, authorInitials: author === '' ? '' : `${author}${AUTHOR_END}` };
  });
  const resolve = (reference: object) => notes.resolve(reference) ?? { ...reference, type: 'note', body: [] };
  return { ...document, comments, notes: { resolve } };
}

/** Returns the description of a picture, if its author wrote one. */
function imageText(_image: string, alt: string): string {
  const text = usefulAltText(alt);
  return text === '' ? '' : ` ![${text}] `;
}
