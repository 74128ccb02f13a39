/** Reads the text of a page in reading order, with the place of each character in pdfium. */
import { type PdfiumModule, utf16, withMemory } from './pdfium.ts';
import { hasRightToLeft, readingOrder } from './right-to-left.ts';

export interface PageText {
  text: string;
  /** Returns pdfium's index of the character that has a UTF-16 unit of the text. */
  indexOf(unit: number): number;
  /** Returns the first unit of pdfium's character; -1 if the text lacks it. */
  unitOf(index: number): number;
}

export function readPageText(module: PdfiumModule, textPage: number): PageText {
  const count = textPage ? module._FPDFText_CountChars(textPage) : 0;
  const text = count <= 0 ? '' : rawText(module, textPage, count);
  const indices = charIndices(module, textPage, text, count);
  if (!hasRightToLeft(text)) return { text, indexOf: (unit) => indices[unit]!, unitOf: (at) => indices.indexOf(at) };
  const read = readingOrder(text, edgesOf(module, textPage, indices));
  const ordered = read.order.map((unit) => indices[unit]!);
  return { text: read.text, indexOf: (unit) => ordered[unit]!, unitOf: (at) => ordered.indexOf(at) };
}

function rawText(module: PdfiumModule, textPage: number, count: number): string {
  return withMemory(module, (count + 1) * 2, (buffer) => {
    const length = module._FPDFText_GetText(textPage, 0, count, buffer);
    return length > 1 ? utf16(module, buffer, (length - 1) * 2) : '';
  });
}

/** Maps units of the text to pdfium's indices, which also count characters that are missing from the text. */
function charIndices(module: PdfiumModule, textPage: number, text: string, count: number): Int32Array {
  const indices = new Int32Array(text.length);
  let character = -1;
  for (let unit = 0; unit < text.length; unit += 1) {
    if ((text.charCodeAt(unit) & 0xfc00) !== 0xdc00) character += 1;
    indices[unit] = count === text.length ? unit : module._FPDFText_GetCharIndexFromTextIndex(textPage, character);
  }
  return indices;
}

function edgesOf(module: PdfiumModule, textPage: number, indices: Int32Array): Record<'left' | 'right', Float32Array> {
  const edges = { left: new Float32Array(indices.length), right: new Float32Array(indices.length) };
  withMemory(module, 16, (pointer) => {
    for (const [unit, index] of indices.entries()) {
      const isPlaced = module._FPDFText_GetLooseCharBox(textPage, index, pointer);
      edges.left[unit] = isPlaced ? module.HEAPF32[pointer >> 2]! : Number.NaN;
      edges.right[unit] = isPlaced ? module.HEAPF32[(pointer >> 2) + 2]! : Number.NaN;
    }
  });
  return edges;
}
