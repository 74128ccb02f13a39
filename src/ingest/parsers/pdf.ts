/** PDF files by pdfium: lines per page with their font sizes, then pdf-layout.ts. */
import { PDFiumLibrary, type PDFiumPage } from '@hyzyla/pdfium';
import { badFile, overLimit } from '../failure.ts';
import { originMetadata } from '../metadata-values.ts';
import type { ParsedFile } from '../parsed.ts';
import { layoutPages, type PdfLine } from './pdf-layout.ts';
import { TextBuilder } from './text-builder.ts';

/** Bytes of a PDF: it is held twice, once here and once by pdfium. */
export const PDF_BYTES_MAX = 150 * 1024 * 1024;
export const PDF_PAGES_MAX = 20_000;

/** The parts of pdfium's C interface that the wrapper does not offer. */
interface PdfiumModule {
  HEAPU8: Uint8Array;
  wasmExports: { malloc(bytes: number): number; free(pointer: number): void };
  _FPDFText_LoadPage(page: number): number;
  _FPDFText_ClosePage(textPage: number): void;
  _FPDFText_CountChars(textPage: number): number;
  _FPDFText_GetText(textPage: number, start: number, count: number, buffer: number): number;
  HEAPF32: Float32Array;
  _FPDFText_GetFontSize(textPage: number, index: number): number;
  /** Writes six floats: a, b, c, d, e, f. */
  _FPDFText_GetMatrix(textPage: number, index: number, matrix: number): number;
  _FPDFText_GetFontInfo(textPage: number, index: number, name: number, bytes: number, flags: number): number;
  _FPDF_GetMetaText(document: number, tag: number, buffer: number, bytes: number): number;
  _FPDF_ClosePage(page: number): void;
}

/** @throws FileError for a file that is damaged, encrypted, or over PDF_BYTES_MAX or PDF_PAGES_MAX. */
export async function parsePdf(bytes: Uint8Array): Promise<ParsedFile> {
  if (bytes.length > PDF_BYTES_MAX) throw overLimit(`PDF files are read up to ${PDF_BYTES_MAX / 1024 / 1024} MiB.`);
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(bytes).catch((error: unknown) => {
    throw loadFailure(error);
  });
  const count = document.getPageCount();
  if (count > PDF_PAGES_MAX) throw overLimit(`The PDF has ${count} pages; the limit is ${PDF_PAGES_MAX}.`);
  const { module, documentIdx } = document as unknown as { module: PdfiumModule; documentIdx: number };
  const pages: PdfLine[][] = [];
  for (let index = 0; index < count; index += 1) pages.push(pageLines(module, document.getPage(index)));
  const meta = (tag: string) => metaText(module, documentIdx, tag);
  const properties = {
    title: meta('Title'),
    author: meta('Author'),
    created: pdfDate(meta('CreationDate')),
    keywords: meta('Keywords'),
  };
  document.destroy();
  library.destroy();

  const builder = new TextBuilder();
  layoutPages(pages, builder);
  const text = builder.text();
  const title = usefulTitle(properties.title);
  return {
    fileType: 'pdf',
    text,
    blocks: builder.blocks,
    ...(title === undefined ? {} : { title }),
    metadata: originMetadata({ ...properties, title }),
    warnings: text === '' && count > 0 ? ['The PDF has no text layer: its pages are pictures.'] : [],
  };
}

function loadFailure(error: unknown): Error {
  const message = error instanceof Error ? error.message : '';
  if (/password/i.test(message)) return badFile('parse', 'Encrypted PDF', 'The PDF is protected by a password.');
  return badFile('parse', 'Damaged PDF', 'The file is not a complete PDF.');
}

/** Text lines of a page with their type. Pages are closed at once: thousands of open ones take memory. */
function pageLines(module: PdfiumModule, page: PDFiumPage): PdfLine[] {
  const { pageIdx } = page as unknown as { pageIdx: number };
  const textPage = module._FPDFText_LoadPage(pageIdx);
  if (!textPage) return [];
  const text = pageText(module, textPage);
  const scratch = module.wasmExports.malloc(SCRATCH_BYTES);
  const lines: PdfLine[] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed !== '') {
      const first = at + line.indexOf(trimmed);
      const middle = at + line.search(/\S/) + nearestLetter(trimmed);
      const last = first + trimmed.length - 1;
      const bold =
        trimmed.length <= BOLD_UNITS_MAX &&
        isBold(module, textPage, first, scratch) &&
        isBold(module, textPage, last, scratch);
      lines.push({ text: trimmed, size: fontSize(module, textPage, middle, scratch), bold });
    }
    at += line.length + 1;
  }
  module.wasmExports.free(scratch);
  module._FPDFText_ClosePage(textPage);
  module._FPDF_ClosePage(pageIdx);
  return lines;
}

const SCRATCH_BYTES = 256;
/** Names of bold fonts, those of TeX included. */
const BOLD_FONT = /bold|black|heavy|demi|(^|\+)(cm|sf|ec)bx|-medi(um)?(ital)?$/i;
/** Longer lines are no headings, whatever their type. */
const BOLD_UNITS_MAX = 160;

/** Blanks between words are made up by pdfium and have no type: the index of a character that has. */
function nearestLetter(text: string): number {
  const middle = text.length >> 1;
  for (let i = middle; i < text.length; i += 1) if (text.charCodeAt(i) > 0x20) return i;
  return 0;
}

/** Size on the page in points: many writers set size 1 and scale by the text matrix. 0 when unknown. */
function fontSize(module: PdfiumModule, textPage: number, index: number, scratch: number): number {
  const size = module._FPDFText_GetFontSize(textPage, index);
  if (!module._FPDFText_GetMatrix(textPage, index, scratch)) return 0;
  const [, b = 0, , d = 0] = module.HEAPF32.subarray(scratch >> 2, (scratch >> 2) + 6);
  const scaled = size * Math.hypot(b, d);
  return scaled > 0 && scaled < 1000 ? scaled : 0;
}

function isBold(module: PdfiumModule, textPage: number, index: number, scratch: number): boolean {
  const length = module._FPDFText_GetFontInfo(textPage, index, scratch, SCRATCH_BYTES, 0);
  if (length <= 1 || length > SCRATCH_BYTES) return false;
  const name = String.fromCharCode(...module.HEAPU8.subarray(scratch, scratch + length - 1));
  return BOLD_FONT.test(name);
}

function pageText(module: PdfiumModule, textPage: number): string {
  const count = module._FPDFText_CountChars(textPage);
  if (count <= 0) return '';
  const buffer = module.wasmExports.malloc((count + 1) * 2);
  try {
    const length = module._FPDFText_GetText(textPage, 0, count, buffer);
    return length > 1 ? utf16(module, buffer, (length - 1) * 2) : '';
  } finally {
    module.wasmExports.free(buffer);
  }
}

function metaText(module: PdfiumModule, document: number, tag: string): string | undefined {
  const name = module.wasmExports.malloc(tag.length + 1);
  module.HEAPU8.set(
    [...tag].map((char) => char.charCodeAt(0)),
    name,
  );
  module.HEAPU8[name + tag.length] = 0;
  const bytes = module._FPDF_GetMetaText(document, name, 0, 0);
  let value: string | undefined;
  if (bytes > 2 && bytes < META_BYTES_MAX) {
    const buffer = module.wasmExports.malloc(bytes);
    module._FPDF_GetMetaText(document, name, buffer, bytes);
    value =
      utf16(module, buffer, bytes - 2)
        .toWellFormed()
        .replaceAll('\0', '')
        .trim() || undefined;
    module.wasmExports.free(buffer);
  }
  module.wasmExports.free(name);
  return value;
}

const META_BYTES_MAX = 64 * 1024;

function utf16(module: PdfiumModule, pointer: number, bytes: number): string {
  return new TextDecoder('utf-16le').decode(module.HEAPU8.slice(pointer, pointer + bytes));
}

/** `D:20240102030405+01'00'` as an ISO date and time. */
function pdfDate(raw: string | undefined): string | undefined {
  const parts = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-]\d\d)'?(\d\d)?)?/.exec(raw ?? '');
  if (!parts) return undefined;
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', , offset, offsetMinute = '00'] =
    parts;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${offset ? `${offset}:${offsetMinute}` : 'Z'}`;
}

/** Writers leave file names and template names in the title. */
function usefulTitle(title: string | undefined): string | undefined {
  if (title === undefined || /\.(docx?|xlsx?|pptx?|pdf|tex|dvi|indd|qxd|rtf|odt)$/i.test(title)) return undefined;
  return /^(untitled|title|microsoft word\b.*)$/i.test(title) ? undefined : title;
}
