/** Declares parts of pdfium's C interface that the wrapper does not offer. */
import type { Area } from './area.ts';

export interface PdfiumModule {
  HEAPU8: Uint8Array;
  HEAP32: Int32Array;
  HEAPF32: Float32Array;
  wasmExports: { malloc(bytes: number): number; free(pointer: number): void };
  _FPDF_ClosePage(page: number): void;
  _FPDF_GetMetaText(document: number, tag: number, buffer: number, bytes: number): number;
  _FPDFText_LoadPage(page: number): number;
  _FPDFText_ClosePage(textPage: number): void;
  _FPDFText_CountChars(textPage: number): number;
  _FPDFText_GetText(textPage: number, start: number, count: number, buffer: number): number;
  _FPDFText_GetFontSize(textPage: number, index: number): number;
  /** Writes six floats: a, b, c, d, e, f. */
  _FPDFText_GetMatrix(textPage: number, index: number, matrix: number): number;
  /** Writes two doubles: the place of the character on its base line. */
  _FPDFText_GetCharOrigin(textPage: number, index: number, x: number, y: number): number;
  _FPDFText_GetFontInfo(textPage: number, index: number, name: number, bytes: number, flags: number): number;
  /** Writes at most `units` UTF-16 units; returns how many the text has. */
  _FPDFText_GetBoundedText: BoundedText;
  _FPDFText_GetCharIndexAtPos(textPage: number, x: number, y: number, xTolerance: number, yTolerance: number): number;
  _FPDFText_GetCharIndexFromTextIndex(textPage: number, index: number): number;
  /** Writes four floats: left, top, right, bottom. */
  _FPDFText_GetLooseCharBox(textPage: number, index: number, rectangle: number): number;
  _FPDFText_GetUnicode(textPage: number, index: number): number;
  /** Returns 1 for a character whose font does not say which character it is. */
  _FPDFText_HasUnicodeMapError(textPage: number, index: number): number;
  /** Returns 1 for a character that pdfium added to the text of the page. */
  _FPDFText_IsGenerated(textPage: number, index: number): number;
  /** In radians. */
  _FPDFText_GetCharAngle(textPage: number, index: number): number;
  _FPDFText_GetTextObject(textPage: number, index: number): number;
  _FPDFPage_CountObjects(page: number): number;
  _FPDFPage_GetObject(page: number, index: number): number;
  _FPDFPageObj_GetType(object: number): number;
  /** Writes six floats. */
  _FPDFPageObj_GetMatrix(object: number, matrix: number): number;
  _FPDFPageObj_GetMarkedContentID(object: number): number;
  _FPDF_StructTree_GetForPage(page: number): number;
  _FPDF_StructTree_Close(tree: number): void;
  _FPDF_StructTree_CountChildren(tree: number): number;
  _FPDF_StructTree_GetChildAtIndex(tree: number, index: number): number;
  _FPDF_StructElement_GetType(element: number, buffer: number, bytes: number): number;
  _FPDF_StructElement_CountChildren(element: number): number;
  _FPDF_StructElement_GetChildAtIndex(element: number, index: number): number;
  _FPDF_StructElement_GetChildMarkedContentID(element: number, index: number): number;
  _FPDF_StructElement_GetAttributeCount(element: number): number;
  _FPDF_StructElement_GetAttributeAtIndex(element: number, index: number): number;
  _FPDF_StructElement_Attr_GetValue(attributes: number, name: number): number;
  /** Writes a float. */
  _FPDF_StructElement_Attr_GetNumberValue(value: number, number: number): number;
  _FPDFFormObj_CountObjects(form: number): number;
  _FPDFFormObj_GetObject(form: number, index: number): number;
  /** Writes two integers: the fill mode, and whether the outline is drawn. */
  _FPDFPath_GetDrawMode(path: number, fill: number, stroke: number): number;
  _FPDFPath_CountSegments(path: number): number;
  _FPDFPath_GetPathSegment(path: number, index: number): number;
  _FPDFPathSegment_GetType(segment: number): number;
  /** Writes two floats. */
  _FPDFPathSegment_GetPoint(segment: number, x: number, y: number): number;
  _FPDFPathSegment_GetClose(segment: number): number;
  /** Advances the integer at `position` and writes the integer at `link`. */
  _FPDFLink_Enumerate(page: number, position: number, link: number): number;
  /** Writes four floats: left, top, right, bottom. */
  _FPDFLink_GetAnnotRect(link: number, rectangle: number): number;
  _FPDFLink_GetAction(link: number): number;
  _FPDFAction_GetType(action: number): number;
  _FPDFAction_GetURIPath(document: number, action: number, buffer: number, bytes: number): number;
  _FPDFDoc_GetAttachmentCount(document: number): number;
  _FPDFDoc_GetAttachment(document: number, index: number): number;
  _FPDFAttachment_GetName(attachment: number, buffer: number, bytes: number): number;
  /** Writes at most `bytes` of the file, and its size to `size`; returns 0 if the file cannot be read. */
  _FPDFAttachment_GetFile(attachment: number, buffer: number, bytes: number, size: number): number;
  _FPDFAnnot_GetFileAttachment(annotation: number): number;
  _FPDFPage_GetAnnotCount(page: number): number;
  _FPDFPage_GetAnnot(page: number, index: number): number;
  _FPDFPage_CloseAnnot(annotation: number): void;
  _FPDFAnnot_GetSubtype(annotation: number): number;
  _FPDFAnnot_GetFlags(annotation: number): number;
  /** Writes four floats: left, top, right, bottom. */
  _FPDFAnnot_GetRect(annotation: number, rectangle: number): number;
  _FPDFAnnot_GetStringValue(annotation: number, key: number, buffer: number, bytes: number): number;
  _FPDFAnnot_GetFormFieldType(form: number, annotation: number): number;
  _FPDFAnnot_GetFormFieldName(form: number, annotation: number, buffer: number, bytes: number): number;
  _FPDFAnnot_GetFormFieldValue(form: number, annotation: number, buffer: number, bytes: number): number;
}

type BoundedText = (
  textPage: number,
  left: number,
  top: number,
  right: number,
  bottom: number,
  buffer: number,
  units: number,
) => number;

/** Bytes of one text that a call returns. */
const TEXT_BYTES_MAX = 64 * 1024;

export const AREA_BYTES = 16;
const MATRIX_BYTES = 24;
const ORIGIN_BYTES = 16;

/** Runs `use` with memory of the module and frees the memory afterwards. */
export function withMemory<T>(module: PdfiumModule, bytes: number, use: (pointer: number) => T): T {
  const pointer = module.wasmExports.malloc(bytes);
  try {
    return use(pointer);
  } finally {
    module.wasmExports.free(pointer);
  }
}

export type Matrix = readonly [number, number, number, number, number, number];
export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Returns the matrix of an object. `scratch` is memory for six floats. */
export function matrixOf(module: PdfiumModule, object: number, scratch: number): Matrix {
  if (!module._FPDFPageObj_GetMatrix(object, scratch)) return IDENTITY;
  return [...module.HEAPF32.subarray(scratch >> 2, (scratch >> 2) + 6)] as unknown as Matrix;
}

/** Returns the place of a corner of a path on the page. `scratch` is memory for two floats. */
function pointOf(module: PdfiumModule, segment: number, matrix: Matrix, scratch: number): [number, number] {
  const [a, b, c, d, e, f] = matrix;
  module._FPDFPathSegment_GetPoint(segment, scratch, scratch + 4);
  const [x, y] = [module.HEAPF32[scratch >> 2]!, module.HEAPF32[(scratch >> 2) + 1]!];
  return [a * x + c * y + e, b * x + d * y + f];
}

export interface Outline {
  corners: readonly (readonly [x: number, y: number])[];
  isCurved: boolean;
  isClosed: boolean;
}

/** pdfium's numbers of segments of a path. */
const [BEZIER_TO, MOVE_TO] = [1, 2];

/** Returns the outlines of a path with more than one corner. `scratch` is memory for two floats. */
export function outlinesOf(
  module: PdfiumModule,
  count: number,
  segmentAt: (index: number) => number,
  matrix: Matrix,
  scratch: number,
): Outline[] {
  const outlines: (Outline & { corners: [number, number][] })[] = [];
  for (let index = 0; index < count; index += 1) {
    const segment = segmentAt(index);
    const type = module._FPDFPathSegment_GetType(segment);
    if (type === MOVE_TO || outlines.length === 0) outlines.push({ corners: [], isCurved: false, isClosed: false });
    const outline = outlines.at(-1)!;
    if (type === BEZIER_TO) outline.isCurved = true;
    if (module._FPDFPathSegment_GetClose(segment)) outline.isClosed = true;
    outline.corners.push(pointOf(module, segment, matrix, scratch));
  }
  // A path may end with a move that draws nothing.
  return outlines.filter(({ corners }) => corners.length > 1);
}

/** Returns the matrix that does what the first does, then what the second does. */
export function combined([a, b, c, d, e, f]: Matrix, [A, B, C, D, E, F]: Matrix): Matrix {
  return [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F];
}

/** Reads four floats in the order left, top, right, bottom. */
export function areaAt(module: PdfiumModule, pointer: number): Area {
  const [left = 0, top = 0, right = 0, bottom = 0] = module.HEAPF32.subarray(pointer >> 2, (pointer >> 2) + 4);
  return { left, bottom, right, top };
}

/** Returns the box of a character, with the space that its font has around it; undefined for a character without a place. */
export function boxOf(module: PdfiumModule, textPage: number, index: number): Area | undefined {
  return withMemory(module, AREA_BYTES, (pointer) =>
    module._FPDFText_GetLooseCharBox(textPage, index, pointer) ? areaAt(module, pointer) : undefined,
  );
}

/** Returns the font size on the page in points, 0 if unknown. Many writers set size 1 and scale by the text matrix. */
export function fontSize(module: PdfiumModule, textPage: number, index: number): number {
  const size = module._FPDFText_GetFontSize(textPage, index);
  return withMemory(module, MATRIX_BYTES, (pointer) => {
    if (!module._FPDFText_GetMatrix(textPage, index, pointer)) return 0;
    const [, b = 0, , d = 0] = module.HEAPF32.subarray(pointer >> 2, (pointer >> 2) + 6);
    const scaled = size * Math.hypot(b, d);
    return scaled > 0 && scaled < 1000 ? scaled : 0;
  });
}

/** Returns the height of a character's base line on the page; NaN if unknown. */
export function baseLine(module: PdfiumModule, textPage: number, index: number): number {
  return withMemory(module, ORIGIN_BYTES, (pointer) =>
    module._FPDFText_GetCharOrigin(textPage, index, pointer, pointer + ORIGIN_BYTES / 2)
      ? new DataView(module.HEAPU8.buffer).getFloat64(pointer + ORIGIN_BYTES / 2, true)
      : Number.NaN,
  );
}

/** Runs `use` with a pointer to a name as a C string. */
export function withName<T>(module: PdfiumModule, name: string, use: (pointer: number) => T): T {
  return withMemory(module, name.length + 1, (pointer) => {
    for (let i = 0; i < name.length; i += 1) module.HEAPU8[pointer + i] = name.charCodeAt(i);
    module.HEAPU8[pointer + name.length] = 0;
    return use(pointer);
  });
}

/**
 * Reads a UTF-16 text by two calls, as pdfium requires: the first returns its bytes with the closing zero, the second the text.
 */
export function textOfCall(module: PdfiumModule, call: (buffer: number, bytes: number) => number): string | undefined {
  const bytes = call(0, 0);
  if (bytes <= 2 || bytes >= TEXT_BYTES_MAX) return undefined;
  return withMemory(module, bytes, (buffer) => {
    call(buffer, bytes);
    const text = utf16(module, buffer, bytes - 2).toWellFormed();
    return text.replaceAll('\0', '').trim() || undefined;
  });
}

export function utf16(module: PdfiumModule, pointer: number, bytes: number): string {
  return new TextDecoder('utf-16le').decode(module.HEAPU8.slice(pointer, pointer + bytes));
}
