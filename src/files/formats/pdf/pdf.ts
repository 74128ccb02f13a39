/** Parses PDF files with pdfium: reads lines with font sizes per page, then groups them (files/formats/pdf/layout.ts). */
import { Buffer } from 'node:buffer';
import { type PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium';
import { withSymbols } from '../../detect/decode.ts';
import { badFile, FileError, overLimit } from '../../failure.ts';
import type { ParsedFile } from '../../parsed.ts';
import type { Tools } from '../../tools.ts';
import { TextBuilder } from '../text-builder.ts';
import { type PageHandles, pageLinks, pageNotes } from './annotations.ts';
import { PdfAttachments } from './attachments.ts';
import { type Readable, UnmappedPages } from './characters/unmapped.ts';
import { type FormField, type PlacedValue, placeFields } from './fields.ts';
import { readGlyphs, textTurn, turned } from './graphics.ts';
import { layoutPages, type PdfPage } from './layout.ts';
import { ocrPages, UNREADABLE_REASON } from './ocr-text.ts';
import { type PageText, readPageText } from './page-text.ts';
import { fontSize, type PdfiumModule, textOfCall, withName } from './pdfium.ts';
import { TagReader } from './structure.ts';
import { fillIn, lineAt, type PlacedLine, placeTables, readTables } from './tables/page-tables.ts';

/** Bytes of a PDF, which is in memory twice: once here and once in pdfium. */
const PDF_BYTES_MAX = 150 * 1024 * 1024;
const PDF_PAGES_MAX = 20_000;
/** Maximum pictures of pages that OCR reads; each one takes seconds. */
const OCR_PAGES_MAX = 300;
/** The resolution that suits OCR best, unless a page would exceed OCR_SIDE_MAX. */
const OCR_DOTS_PER_INCH = 300;
/** Dots of the longer side of a page. */
const OCR_SIDE_MAX = 4000;
const POINTS_PER_INCH = 72;
/** A page with a picture and fewer letters has no text of its own, at most a stamp or a page number. */
const PICTURE_LETTERS_MAX = 16;
/** Objects of a page that are checked for a picture. */
const OBJECTS_MAX = 100;
/** pdfium's number of a picture object. */
const PICTURE_OBJECT = 3;

/** Parses a PDF. @throws FileError for a file that is damaged, encrypted, or over PDF_BYTES_MAX or PDF_PAGES_MAX. */
export async function parsePdf(bytes: Uint8Array, { ocr }: Tools): Promise<ParsedFile> {
  if (bytes.length > PDF_BYTES_MAX) throw overLimit(`PDF files are read up to ${PDF_BYTES_MAX / 1024 / 1024} MiB.`);
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(bytes).catch((error: unknown) => {
    throw loadFailure(error);
  });
  const count = document.getPageCount();
  if (count > PDF_PAGES_MAX) throw overLimit(`The PDF has ${count} pages; the limit is ${PDF_PAGES_MAX}.`);
  const { module, documentIdx } = document as unknown as { module: PdfiumModule; documentIdx: number };
  let formHandle: number | undefined;
  const form = () => (formHandle ??= document.initializeFormFields());
  const attachments = new PdfAttachments(module);
  attachments.addAll(documentIdx);
  const shared = { module, document: documentIdx, form, attachments };
  const tags = new TagReader(module);
  const pages: PdfPage[] = [];
  const pictures: number[] = [];
  const unmapped = new UnmappedPages();
  for (let index = 0; index < count; index += 1) {
    const { pageIdx } = document.getPage(index) as unknown as { pageIdx: number };
    const { isPicture, unmapped: words, ...page } = readPage(shared, pageIdx, tags);
    pages.push(page);
    if (isPicture) pictures.push(index);
    else if (words) unmapped.add(index, words);
  }
  const shown = pictures.slice(0, OCR_PAGES_MAX);
  const read = ocr ? await readPictures(document, shown, pages, ocr) : NONE_READ;
  const coded = unmapped.unreadable();
  const readCoded = ocr
    ? await readPictures(document, coded.slice(0, OCR_PAGES_MAX - shown.length), pages, ocr)
    : NONE_READ;
  const meta = (tag: string) => metaText(module, documentIdx, tag);
  const properties = {
    title: meta('Title'),
    author: meta('Author'),
    created: pdfDate(meta('CreationDate')),
    modified: pdfDate(meta('ModDate')),
    description: meta('Subject'),
    keywords: meta('Keywords'),
  };
  document.destroy();
  library.destroy();

  const builder = new TextBuilder();
  layoutPages(pages, builder);
  const isEmpty = builder.blocks.length === 0;
  attachments.writeNames(builder);
  const warnings = [
    ...pictureWarnings(pictures.length, read, count, isEmpty),
    ...codeWarnings(coded.length - readCoded.read + readCoded.unreadable, count, ocr !== undefined),
    ...attachments.warnings(),
  ];
  const { members } = attachments;
  return builder.file('pdf', { ...properties, title: usefulTitle(properties.title) }, { warnings, members });
}

/**
 * Reads the lines of pages from their pictures. Returns how many pages OCR read, and in how many it could read no word. @throws FileError
 * if it could read none and the PDF has no other text.
 */
async function readPictures(
  document: PDFiumDocument,
  pictures: readonly number[],
  pages: readonly PdfPage[],
  ocr: NonNullable<Tools['ocr']>,
): Promise<OcrCounts> {
  let [read, unreadable] = [0, 0];
  let failure: unknown;
  for (const index of pictures) {
    try {
      const [page] = ocrPages(await ocr(await pictureOf(document, index)));
      if (page && page.lines.length > 0) pages[index]!.lines = page.lines;
      if (page?.isUnreadable) unreadable += 1;
      read += 1;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined && pages.every(({ lines, notes }) => lines.length + notes.length === 0)) throw failure;
  return { read, unreadable };
}

interface OcrCounts {
  read: number;
  unreadable: number;
}

const NONE_READ: OcrCounts = { read: 0, unreadable: 0 };
const OCR_HINT = 'Words in pictures are read with PINAKES_OCR=tesseract where tesseract is installed.';

/** Warns of pages whose fonts do not say which characters they show, and whose picture was not read. */
function codeWarnings(coded: number, pages: number, hasOcr: boolean): string[] {
  if (coded === 0) return [];
  const which = `${coded} of ${pages} ${coded === 1 ? 'pages has' : 'pages have'} words that are wrong: `;
  return [`${which}their fonts do not say which characters they show.${hasOcr ? '' : ` ${OCR_HINT}`}`];
}

function pictureWarnings(pictures: number, { read, unreadable }: OcrCounts, pages: number, isEmpty: boolean): string[] {
  if (pictures === 0) return isEmpty && pages > 0 ? ['The PDF has no text layer.'] : [];
  if (read === 0) {
    const which = isEmpty
      ? 'The PDF has no text layer: its pages are pictures.'
      : `${pictures} of ${pages} pages ${pictures === 1 ? 'is a picture' : 'are pictures'}.`;
    return [`${which} ${OCR_HINT}`];
  }
  const warnings = isEmpty ? ['No words were found in the pictures that are the pages of this PDF.'] : [];
  if (unreadable > 0)
    warnings.push(`${unreadable} of ${pictures} pages that are pictures could not be read. ${UNREADABLE_REASON}`);
  if (pictures > read) warnings.push(`Only ${read} of ${pictures} pages that are pictures were read.`);
  return warnings;
}

/** Renders a page as a grey picture (PGM). */
async function pictureOf(document: PDFiumDocument, index: number): Promise<Uint8Array> {
  const page = document.getPage(index);
  const { originalWidth, originalHeight } = page.getOriginalSize();
  const side = Math.max(originalWidth, originalHeight, 1);
  const scale = Math.min(OCR_DOTS_PER_INCH / POINTS_PER_INCH, OCR_SIDE_MAX / side);
  const { width, height, data } = await page.render({ scale, render: 'bitmap', colorSpace: 'Gray' });
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), data]);
}

function hasPicture(module: PdfiumModule, page: number): boolean {
  const count = Math.min(module._FPDFPage_CountObjects(page), OBJECTS_MAX);
  for (let index = 0; index < count; index += 1) {
    if (module._FPDFPageObj_GetType(module._FPDFPage_GetObject(page, index)) === PICTURE_OBJECT) return true;
  }
  return false;
}

function loadFailure(error: unknown): Error {
  const message = error instanceof Error ? error.message : '';
  if (/password/i.test(message)) return badFile('parse', 'Encrypted PDF', 'The PDF is protected by a password.');
  return badFile('parse', 'Damaged PDF', 'The file is not a complete PDF.');
}

/** Reads a page and closes it at once, because thousands of open pages use much memory. */
function readPage(
  shared: Omit<PageHandles, 'page' | 'textPage'>,
  page: number,
  tags: TagReader,
): PdfPage & { isPicture: boolean } & Pick<Readable, 'unmapped'> {
  const { module } = shared;
  const textPage = module._FPDFText_LoadPage(page);
  const read = textPage ? pageContent({ ...shared, page, textPage }, tags) : { lines: [], notes: [] };
  const letters = read.lines.reduce((sum, { text }) => sum + (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0), 0);
  const isPicture = letters < PICTURE_LETTERS_MAX && hasPicture(module, page);
  if (textPage) module._FPDFText_ClosePage(textPage);
  module._FPDF_ClosePage(page);
  return { ...read, isPicture };
}

/** Returns the lines of a page with its links, notes and form fields. */
function pageContent(handles: PageHandles, tags: TagReader): PdfPage & Pick<Readable, 'unmapped'> {
  const { module, page, textPage } = handles;
  const read = readPageText(module, textPage);
  const pageText = { ...read, text: withSymbols(read.text) };
  const { text } = pageText;
  const plain = pageLines(module, textPage, pageText);
  const lines = placeTables(plain, text, readTables(module, page, textPage, pageText, tags));
  const { notes, fields } = pageNotes(handles);
  for (const { index, ...link } of lines.length > 0 ? pageLinks(handles) : []) {
    const line = lineAt(lines, pageText.unitOf(index)) ?? lines.at(-1)!;
    line.links = [...(line.links ?? []), link];
  }
  for (const { unit, isBefore, name, value } of placedValues(handles, pageText, fields)) {
    const line = lineAt(lines, unit);
    if (line?.table) fillIn(line, unit, value, isBefore);
    else if (line) {
      // Values come from the end, so that earlier positions stay valid.
      const at = unit + (isBefore ? 0 : 1) - line.start;
      line.text = `${line.text.slice(0, at)}${isBefore ? `${value} ` : ` ${value}`}${line.text.slice(at)}`;
    } else notes.push(name === '' ? value : `${name}: ${value}`);
  }
  return { lines, notes, ...(read.unmapped ? { unmapped: read.unmapped } : {}) };
}

/** Returns the values of filled form fields at their labels, from the end of the text. */
function placedValues(
  { module, textPage }: PageHandles,
  pageText: PageText,
  fields: readonly FormField[],
): PlacedValue[] {
  if (!fields.some(({ value }) => value !== '')) return [];
  const turn = textTurn(module, textPage, pageText.text);
  const turnedFields = fields.map((field) => ({ ...field, area: turned(field.area, turn) }));
  return placeFields(turnedFields, readGlyphs(module, textPage, pageText, turn));
}

/** Returns the text lines of a page with font size and weight. */
function pageLines(module: PdfiumModule, textPage: number, { text, indexOf }: PageText): PlacedLine[] {
  const scratch = module.wasmExports.malloc(SCRATCH_BYTES);
  const lines: PlacedLine[] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed !== '') {
      const start = at + line.indexOf(trimmed);
      const middle = at + line.search(/\S/) + nearestLetter(trimmed);
      const end = start + trimmed.length - 1;
      const bold =
        trimmed.length <= BOLD_UNITS_MAX &&
        isBold(module, textPage, indexOf(start), scratch) &&
        isBold(module, textPage, indexOf(end), scratch);
      lines.push({ text: trimmed, size: fontSize(module, textPage, indexOf(middle)), bold, start, end });
    }
    at += line.length + 1;
  }
  module.wasmExports.free(scratch);
  return lines;
}

const SCRATCH_BYTES = 256;
/** Names of bold fonts, including fonts of TeX. */
const BOLD_FONT = /bold|black|heavy|demi|(^|\+)(cm|sf|ec)bx|-medi(um)?(ital)?$/i;
/** Longer lines are no headings, whatever their font. */
const BOLD_UNITS_MAX = 160;

/** Returns the index of a character with a font: pdfium invents blanks between words, and they have none. */
function nearestLetter(text: string): number {
  const middle = text.length >> 1;
  for (let i = middle; i < text.length; i += 1) if (text.charCodeAt(i) > 0x20) return i;
  return 0;
}

function isBold(module: PdfiumModule, textPage: number, index: number, scratch: number): boolean {
  const length = module._FPDFText_GetFontInfo(textPage, index, scratch, SCRATCH_BYTES, 0);
  if (length <= 1 || length > SCRATCH_BYTES) return false;
  const name = String.fromCharCode(...module.HEAPU8.subarray(scratch, scratch + length - 1));
  return BOLD_FONT.test(name);
}

function metaText(module: PdfiumModule, document: number, tag: string): string | undefined {
  return withName(module, tag, (name) =>
    textOfCall(module, (buffer, bytes) => module._FPDF_GetMetaText(document, name, buffer, bytes)),
  );
}

/** Converts `D:20240102030405+01'00'` to an ISO date and time. */
function pdfDate(raw: string | undefined): string | undefined {
  const parts = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-]\d\d)'?(\d\d)?)?/.exec(raw ?? '');
  if (!parts) return undefined;
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', , offset, offsetMinute = '00'] =
    parts;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${offset ? `${offset}:${offsetMinute}` : 'Z'}`;
}

/** Returns the title unless it is a file name or a template name that a writer left there. */
function usefulTitle(title: string | undefined): string | undefined {
  if (title === undefined || /\.(docx?|xlsx?|pptx?|pdf|tex|dvi|indd|qxd|rtf|odt)$/i.test(title)) return undefined;
  return /^(untitled|title|microsoft word\b.*)$/i.test(title) ? undefined : title;
}
