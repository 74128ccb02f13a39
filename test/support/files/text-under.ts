/** Reads the text layer of a PDF under rectangles, with pdfium: what a mark at these places covers. */
import { type PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium';

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface TextModule {
  HEAPF64: Float64Array;
  HEAP32: Int32Array;
  wasmExports: { malloc(size: number): number; free(pointer: number): void };
  _FPDFText_LoadPage(page: number): number;
  _FPDFText_ClosePage(page: number): void;
  _FPDFText_CountChars(page: number): number;
  _FPDFText_GetUnicode(page: number, index: number): number;
  _FPDFText_GetCharBox(page: number, index: number, left: number, right: number, bottom: number, top: number): number;
  _FPDF_PageToDevice(...args: number[]): number;
}

const GRID = 10_000;
/** Rectangles are rounded. A diacritical mark has no width, and stands at the edge of its letter. */
const ROUNDING = 0.0003;

/** Returns the characters of each page whose centres lie in one of its rectangles, in the order of the text layer. */
export async function textUnder(pdf: Uint8Array, boxes: ReadonlyMap<number, readonly Box[]>): Promise<string> {
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(pdf);
  try {
    return [...boxes].map(([page, rectangles]) => underOn(document, page, rectangles)).join('');
  } finally {
    document.destroy();
    library.destroy();
  }
}

function underOn(document: PDFiumDocument, number: number, boxes: readonly Box[]): string {
  const { module, pageIdx: page } = document.getPage(number - 1) as unknown as { module: TextModule; pageIdx: number };
  const textPage = module._FPDFText_LoadPage(page);
  const memory = module.wasmExports.malloc(32);
  const [left, right, bottom, top] = [0, 1, 2, 3].map((at) => memory + at * 8) as [number, number, number, number];
  const at = (pointer: number): number => module.HEAPF64[pointer >> 3]!;
  let text = '';
  for (let index = 0; index < module._FPDFText_CountChars(textPage); index += 1) {
    if (!module._FPDFText_GetCharBox(textPage, index, left, right, bottom, top)) continue;
    const [x, y] = [(at(left) + at(right)) / 2, (at(bottom) + at(top)) / 2];
    module._FPDF_PageToDevice(page, 0, 0, GRID, GRID, 0, x, y, memory, memory + 4);
    const [shownX, shownY] = [module.HEAP32[memory >> 2]! / GRID, module.HEAP32[(memory >> 2) + 1]! / GRID];
    if (boxes.some((box) => isIn(box, shownX, shownY)))
      text += String.fromCodePoint(module._FPDFText_GetUnicode(textPage, index));
  }
  module.wasmExports.free(memory);
  module._FPDFText_ClosePage(textPage);
  return text;
}

function isIn({ x, y, width, height }: Box, atX: number, atY: number): boolean {
  const isBetween = (at: number, from: number, to: number): boolean => at >= from - ROUNDING && at <= to + ROUNDING;
  return isBetween(atX, x, x + width) && isBetween(atY, y, y + height);
}
