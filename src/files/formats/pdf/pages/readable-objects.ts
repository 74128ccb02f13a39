/**
 * Takes everything off a page that may show words which no rule can read. Rules read the characters of a page. Pictures, drawings and
 * patterns can show the same words, and so can characters of which the file says that they mean something else.
 */
import type { Area } from '../area.ts';
import {
  combined,
  IDENTITY,
  type Matrix,
  matrixOf,
  type Outline,
  outlinesOf,
  type PdfiumModule,
  withMemory,
  withName,
} from '../pdfium.ts';
import { barsOf, plainShape } from './plain-shapes.ts';

/** pdfium's numbers of objects. */
const [TEXT_OBJECT, PATH_OBJECT, IMAGE_OBJECT, FORM_OBJECT] = [1, 2, 3, 5];
const NORMAL_BLENDING = 'Normal';
const OBJECTS_MAX = 100_000;
const DEPTH_MAX = 8;
/** Segments of a path that is looked at. A longer path is a drawing. */
const SEGMENTS_MAX = 200;
/** Segments of the edge of a clipped text. An edge with more may have the shapes of letters. */
const TEXT_CLIP_SEGMENTS_MAX = 40;
/** A text is one letter or ligature if neither of its sides is longer, in units of its font size. Two digits are longer. */
const GLYPH_EMS_MAX = 0.95;
const SCRATCH_BYTES = 64;
const OPAQUE = 255;
/** Characters that name nothing: private ones, and those that stand for an unknown character. */
const UNNAMED = /[\ue000-\uf8ff\ufffd\0]/;

export interface ObjectModule extends PdfiumModule {
  /** Writes a float. */
  _FPDFTextObj_GetFontSize(text: number, size: number): number;
  _FPDFPageObj_SetIsActive(object: number, isActive: number): number;
  _FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number;
  _FPDFPageObj_CountMarks(object: number): number;
  _FPDFPageObj_GetMark(object: number, index: number): number;
  _FPDFPageObjMark_GetParamValueType(mark: number, key: number): number;
  _FPDFPageObj_HasTransparency(object: number): number;
  _FPDFPageObj_SetBlendMode(object: number, mode: number): void;
  _FPDFPageObj_GetFillColor(object: number, red: number, green: number, blue: number, alpha: number): number;
  _FPDFPageObj_SetFillColor(object: number, red: number, green: number, blue: number, alpha: number): number;
  _FPDFPageObj_GetStrokeColor(object: number, red: number, green: number, blue: number, alpha: number): number;
  _FPDFPageObj_SetStrokeColor(object: number, red: number, green: number, blue: number, alpha: number): number;
  _FPDFPageObj_GetClipPath(object: number): number;
  _FPDFClipPath_CountPaths(clip: number): number;
  _FPDFClipPath_CountPathSegments(clip: number, path: number): number;
  _FPDFClipPath_GetPathSegment(clip: number, path: number, segment: number): number;
}

/**
 * Leaves on the page texts that say what they are, and straight lines and rectangles in plain colours. Returns the bounds of the pictures
 * that it has taken off, in points from the lower left corner; undefined if the page has too many objects to look at.
 */
export function keepReadable(module: ObjectModule, page: number, textPage: number, text: string): Area[] | undefined {
  return withMemory(module, SCRATCH_BYTES, (scratch) =>
    withName(module, 'ActualText', (actualText) =>
      withName(module, NORMAL_BLENDING, (normal) => {
        const keeper = new Keeper(module, scratch, actualText, normal);
        const isWhole = keeper.look(
          module._FPDFPage_CountObjects(page),
          (index) => module._FPDFPage_GetObject(page, index),
          { matrix: IDENTITY, depth: 0, isGroup: false },
        );
        keeper.dropBars();
        keeper.dropUnnamed(textPage, text);
        return isWhole ? keeper.pictures : undefined;
      }),
    ),
  );
}

/** Where an object stands: the matrix, the depth and the transparency of the forms around it. */
interface Surroundings {
  matrix: Matrix;
  depth: number;
  isGroup: boolean;
}

class Keeper {
  readonly pictures: Area[] = [];
  private readonly shapes = new Map<Area, number>();
  private readonly module: ObjectModule;
  private readonly scratch: number;
  private readonly actualText: number;
  private readonly normal: number;
  private objects = 0;

  constructor(module: ObjectModule, scratch: number, actualText: number, normal: number) {
    this.module = module;
    this.scratch = scratch;
    this.actualText = actualText;
    this.normal = normal;
  }

  /** Looks at objects and at those in forms. Returns false when there are too many. */
  look(count: number, objectAt: (index: number) => number, around: Surroundings): boolean {
    this.objects += Math.max(0, count);
    if (this.objects > OBJECTS_MAX) return false;
    for (let index = 0; index < count; index += 1) {
      const object = objectAt(index);
      const type = this.module._FPDFPageObj_GetType(object);
      if (type === FORM_OBJECT && around.depth < DEPTH_MAX) {
        if (!this.lookInto(object, around)) return false;
      } else if (type === TEXT_OBJECT) {
        if (!this.isPlainText(object)) this.drop(object);
      } else if (type === PATH_OBJECT) {
        if (around.isGroup || !this.isPlainPath(object, around.matrix)) this.drop(object);
      } else {
        if (type === IMAGE_OBJECT) this.addPicture(object, around.matrix);
        this.drop(object);
      }
    }
    return true;
  }

  /** Takes rows of bars off the page. */
  dropBars(): void {
    for (const shape of barsOf([...this.shapes.keys()])) this.drop(this.shapes.get(shape)!);
  }

  /** Takes texts off the page that have a character without a meaning. */
  dropUnnamed(textPage: number, text: string): void {
    const { module } = this;
    if (!UNNAMED.test(text)) return;
    const count = module._FPDFText_CountChars(textPage);
    for (let index = 0; index < count; index += 1)
      if (UNNAMED.test(String.fromCharCode(module._FPDFText_GetUnicode(textPage, index))))
        this.drop(module._FPDFText_GetTextObject(textPage, index));
  }

  private lookInto(form: number, around: Surroundings): boolean {
    const { module } = this;
    return this.look(module._FPDFFormObj_CountObjects(form), (index) => module._FPDFFormObj_GetObject(form, index), {
      matrix: combined(matrixOf(module, form, this.scratch), around.matrix),
      depth: around.depth + 1,
      // pdfium does not tell a group with a mask, which may be of text, from one without.
      isGroup: around.isGroup || module._FPDFPageObj_HasTransparency(form) === 1 || !this.isClippedPlainly(form),
    });
  }

  private drop(object: number): void {
    this.module._FPDFPageObj_SetIsActive(object, 0);
  }

  /** Whether a text shows the characters that it names, in a plain colour. */
  private isPlainText(text: number): boolean {
    const { module } = this;
    const marks = module._FPDFPageObj_CountMarks(text);
    for (let index = 0; index < marks; index += 1) {
      const mark = module._FPDFPageObj_GetMark(text, index);
      const isReplaced = module._FPDFPageObjMark_GetParamValueType(mark, this.actualText) !== 0;
      if (isReplaced && !this.isOneGlyph(text)) return false;
    }
    return this.clipSegments(text) <= TEXT_CLIP_SEGMENTS_MAX && this.makePlain(text);
  }

  /** Whether a text is as small as a single letter or ligature. */
  private isOneGlyph(text: number): boolean {
    const { module, scratch } = this;
    const [a, b, c, d] = matrixOf(module, text, scratch);
    if (!module._FPDFTextObj_GetFontSize(text, scratch)) return false;
    const em = module.HEAPF32[scratch >> 2]! * Math.max(Math.hypot(a, b), Math.hypot(c, d));
    const bounds = this.boundsOf(text);
    return (
      bounds !== undefined && Math.max(bounds.right - bounds.left, bounds.top - bounds.bottom) <= em * GLYPH_EMS_MAX
    );
  }

  private boundsOf(object: number): Area | undefined {
    const { module, scratch } = this;
    if (!module._FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12)) return undefined;
    const [left = 0, bottom = 0, right = 0, top = 0] = module.HEAPF32.subarray(scratch >> 2, (scratch >> 2) + 4);
    return { left, bottom, right, top };
  }

  /** Whether a path is a line, a rectangle, or several of them, of the size that a layout has. */
  private isPlainPath(path: number, outer: Matrix): boolean {
    if (!this.isClippedPlainly(path) || !this.makePlain(path)) return false;
    const matrix = combined(matrixOf(this.module, path, this.scratch), outer);
    const { module } = this;
    const outlines = this.outlinesOf(
      module._FPDFPath_CountSegments(path),
      (index) => module._FPDFPath_GetPathSegment(path, index),
      matrix,
    );
    const shapes = outlines?.map(plainShape) ?? [undefined];
    if (shapes.some((shape) => shape === undefined)) return false;
    for (const shape of shapes) this.shapes.set(shape!, path);
    return true;
  }

  /** Replaces patterns by plain colours. Returns false if a mask remains, which may have the shapes of letters. */
  private makePlain(object: number): boolean {
    const { module } = this;
    module._FPDFPageObj_SetBlendMode(object, this.normal);
    const fill = this.colorOf(module._FPDFPageObj_GetFillColor, object);
    const stroke = this.colorOf(module._FPDFPageObj_GetStrokeColor, object);
    module._FPDFPageObj_SetFillColor(object, ...fill.plain, OPAQUE);
    module._FPDFPageObj_SetStrokeColor(object, ...stroke.plain, OPAQUE);
    if (module._FPDFPageObj_HasTransparency(object)) return false;
    module._FPDFPageObj_SetFillColor(object, ...fill.plain, fill.alpha);
    module._FPDFPageObj_SetStrokeColor(object, ...stroke.plain, stroke.alpha);
    return true;
  }

  private colorOf(
    read: ObjectModule['_FPDFPageObj_GetFillColor'],
    object: number,
  ): { plain: [red: number, green: number, blue: number]; alpha: number } {
    const { scratch } = this;
    const at = scratch >> 2;
    this.module.HEAP32.fill(0, at, at + 3);
    this.module.HEAP32[at + 3] = OPAQUE;
    read(object, scratch, scratch + 4, scratch + 8, scratch + 12);
    const [red, green, blue, alpha] = this.module.HEAP32.subarray(at, at + 4);
    return { plain: [red!, green!, blue!], alpha: alpha! };
  }

  private isClippedPlainly(object: number): boolean {
    const { module } = this;
    const clip = module._FPDFPageObj_GetClipPath(object);
    const count = clip === 0 ? 0 : module._FPDFClipPath_CountPaths(clip);
    for (let path = 0; path < count; path += 1) {
      const segments = module._FPDFClipPath_CountPathSegments(clip, path);
      const segmentAt = (index: number): number => module._FPDFClipPath_GetPathSegment(clip, path, index);
      const outlines = this.outlinesOf(segments, segmentAt, IDENTITY);
      if (outlines === undefined || outlines.length > 1 || outlines.some(({ isCurved }) => isCurved)) return false;
    }
    return true;
  }

  private clipSegments(object: number): number {
    const { module } = this;
    const clip = module._FPDFPageObj_GetClipPath(object);
    const count = clip === 0 ? 0 : module._FPDFClipPath_CountPaths(clip);
    let most = 0;
    for (let path = 0; path < count; path += 1)
      most = Math.max(most, module._FPDFClipPath_CountPathSegments(clip, path));
    return most;
  }

  /** Returns the outlines of a path; undefined if it has too many segments. */
  private outlinesOf(count: number, segmentAt: (index: number) => number, matrix: Matrix): Outline[] | undefined {
    return count > SEGMENTS_MAX ? undefined : outlinesOf(this.module, count, segmentAt, matrix, this.scratch);
  }

  private addPicture(object: number, [a, b, c, d, e, f]: Matrix): void {
    const bounds = this.boundsOf(object);
    if (!bounds) return;
    const xs: number[] = [];
    const ys: number[] = [];
    for (const x of [bounds.left, bounds.right]) {
      for (const y of [bounds.bottom, bounds.top]) {
        xs.push(a * x + c * y + e);
        ys.push(b * x + d * y + f);
      }
    }
    const [left, bottom, right, top] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    this.pictures.push({ left, bottom, right, top });
  }
}
