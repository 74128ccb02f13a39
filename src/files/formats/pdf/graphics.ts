/**
 * Reads the graphics of a PDF page from pdfium: boxes of characters, ruled lines and filled areas, all turned to reading
 * direction.
 */

import type { Area } from './area.ts';
import type { PageText } from './page-text.ts';
import {
  boxOf,
  combined,
  IDENTITY,
  type Matrix,
  matrixOf,
  outlinesOf,
  type PdfiumModule,
  withMemory,
} from './pdfium.ts';
import type { Rule } from './tables/rules.ts';
import type { Glyphs } from './words.ts';

/** Maximum objects of a page with nested ones; a page with more is a map or a drawing. */
const OBJECTS_MAX = 20_000;
/** Maximum paths of a page; a page with more has no table. */
const PATHS_MAX = 8_000;
/** Maximum corners of all paths of a page. */
const SEGMENTS_MAX = 40_000;
/** Maximum nesting of forms. */
const DEPTH_MAX = 4;
/** A filled rectangle up to this many points thick counts as a line. */
const LINE_POINTS_MAX = 3;
/** Points by which a horizontal or vertical line may slant. */
const SLANT_POINTS_MAX = 0.6;
/** pdfium's numbers of objects. */
const [PATH_OBJECT, FORM_OBJECT] = [2, 5];
/** Number of characters that are sampled for the direction of the text. */
const ANGLE_SAMPLES = 24;
const MATRIX_BYTES = 24;

interface Graphics {
  horizontal: Rule[];
  vertical: Rule[];
  fills: Area[];
}

/** Quarter turns to the left by which the text of a page is rotated. */
export type Turn = 0 | 1 | 2 | 3;

/** Returns the rotation of most text of a page. */
export function textTurn(module: PdfiumModule, textPage: number, text: string): Turn {
  const counts = [0, 0, 0, 0];
  const step = Math.max(1, Math.floor(text.length / ANGLE_SAMPLES));
  for (let index = 0; index < text.length; index += step) {
    if (text.charCodeAt(index) <= 0x20) continue;
    const quarter = Math.round(module._FPDFText_GetCharAngle(textPage, index) / (Math.PI / 2));
    if (Number.isFinite(quarter)) counts[((-quarter % 4) + 4) % 4]! += 1;
  }
  return counts.indexOf(Math.max(...counts)) as Turn;
}

const SIDES = ['left', 'right', 'bottom', 'top'] as const;

export function readGlyphs(module: PdfiumModule, textPage: number, { text, indexOf }: PageText, turn: Turn): Glyphs {
  const length = text.length;
  const empty = () => new Float32Array(length).fill(Number.NaN);
  const glyphs = { text, left: empty(), right: empty(), bottom: empty(), top: empty() };
  for (let unit = 0; unit < length; unit += 1) {
    const box = text.charCodeAt(unit) <= 0x20 ? undefined : boxOf(module, textPage, indexOf(unit));
    if (!box) continue;
    const area = turned(box, turn);
    // Diacritical marks may have no box of their own.
    const isOwn = area.right >= area.left && area.top > area.bottom;
    for (const side of SIDES) glyphs[side][unit] = isOwn ? area[side] : (glyphs[side][unit - 1] ?? Number.NaN);
  }
  return glyphs;
}

/** Returns an area turned to reading direction. */
export function turned({ left, bottom, right, top }: Area, turn: Turn): Area {
  if (turn === 1) return { left: bottom, bottom: -right, right: top, top: -left };
  if (turn === 2) return { left: -right, bottom: -top, right: -left, top: -bottom };
  if (turn === 3) return { left: -top, bottom: left, right: -bottom, top: right };
  return { left, bottom, right, top };
}

/** Returns horizontal and vertical lines and filled areas; returns none for a page with too many objects. */
export function readGraphics(module: PdfiumModule, page: number, turn: Turn): Graphics {
  return withMemory(module, MATRIX_BYTES, (scratch) => {
    const reader = new GraphicsReader(module, turn, scratch);
    const objectAt = (index: number) => module._FPDFPage_GetObject(page, index);
    const whole = reader.readObjects(module._FPDFPage_CountObjects(page), objectAt, IDENTITY, 0);
    return whole ? reader.graphics : { horizontal: [], vertical: [], fills: [] };
  });
}

class GraphicsReader {
  readonly graphics: Graphics = { horizontal: [], vertical: [], fills: [] };
  private readonly module: PdfiumModule;
  private readonly turn: Turn;
  private readonly scratch: number;
  private objects = 0;
  private paths = 0;
  private segments = 0;

  constructor(module: PdfiumModule, turn: Turn, scratch: number) {
    this.module = module;
    this.turn = turn;
    this.scratch = scratch;
  }

  /** Reads objects. Returns false when there are too many. */
  readObjects(count: number, objectAt: (index: number) => number, outer: Matrix, depth: number): boolean {
    this.objects += count;
    if (this.objects > OBJECTS_MAX) return false;
    const { module } = this;
    for (let index = 0; index < count; index += 1) {
      const object = objectAt(index);
      const type = object === 0 ? 0 : module._FPDFPageObj_GetType(object);
      if (type === PATH_OBJECT) {
        this.paths += 1;
        if (this.paths > PATHS_MAX || !this.readPath(object, outer)) return false;
      } else if (type === FORM_OBJECT && depth < DEPTH_MAX) {
        const inside = (at: number) => module._FPDFFormObj_GetObject(object, at);
        const matrix = combined(matrixOf(module, object, this.scratch), outer);
        if (!this.readObjects(Math.max(0, module._FPDFFormObj_CountObjects(object)), inside, matrix, depth + 1))
          return false;
      }
    }
    return true;
  }

  /** Reads a path. Returns false when there are too many corners. */
  private readPath(path: number, outer: Matrix): boolean {
    const { module } = this;
    const count = module._FPDFPath_CountSegments(path);
    this.segments += Math.max(0, count);
    if (this.segments > SEGMENTS_MAX) return false;
    if (count < 2) return true;
    const { filled, stroked } = this.drawMode(path);
    if (!filled && !stroked) return true;
    const matrix = combined(matrixOf(module, path, this.scratch), outer);
    const segmentAt = (index: number) => module._FPDFPath_GetPathSegment(path, index);
    for (const { corners, isCurved, isClosed } of outlinesOf(module, count, segmentAt, matrix, this.scratch)) {
      if (isCurved) continue;
      const places = (isClosed ? [...corners, corners[0]!] : corners).map(([x, y]): [number, number] => {
        const { left, bottom } = turned({ left: x, bottom: y, right: x, top: y }, this.turn);
        return [left, bottom];
      });
      this.addOutline(places, stroked);
    }
    return true;
  }

  private drawMode(path: number): { filled: boolean; stroked: boolean } {
    const { module, scratch } = this;
    module.HEAP32.fill(0, scratch >> 2, (scratch >> 2) + 2);
    if (!module._FPDFPath_GetDrawMode(path, scratch, scratch + 4)) return { filled: false, stroked: false };
    return { filled: module.HEAP32[scratch >> 2] !== 0, stroked: module.HEAP32[(scratch >> 2) + 1] !== 0 };
  }

  private addOutline(corners: readonly [number, number][], stroked: boolean): void {
    if (stroked) {
      for (let i = 1; i < corners.length; i += 1) this.addLine(...corners[i - 1]!, ...corners[i]!);
      return;
    }
    const xs = corners.map(([x]) => x);
    const ys = corners.map(([, y]) => y);
    const area = { left: Math.min(...xs), right: Math.max(...xs), bottom: Math.min(...ys), top: Math.max(...ys) };
    const [width, height] = [area.right - area.left, area.top - area.bottom];
    if (!isRectangle(corners) || !Number.isFinite(width + height)) return;
    const [x, y] = [(area.left + area.right) / 2, (area.bottom + area.top) / 2];
    if (height <= LINE_POINTS_MAX && width > height)
      this.graphics.horizontal.push({ at: y, from: area.left, to: area.right });
    else if (width <= LINE_POINTS_MAX && height > width)
      this.graphics.vertical.push({ at: x, from: area.bottom, to: area.top });
    else if (width > LINE_POINTS_MAX && height > LINE_POINTS_MAX) this.graphics.fills.push(area);
  }

  private addLine(x: number, y: number, toX: number, toY: number): void {
    const [width, height] = [Math.abs(toX - x), Math.abs(toY - y)];
    if (!Number.isFinite(width + height)) return;
    if (height <= SLANT_POINTS_MAX && width > height)
      this.graphics.horizontal.push({ at: (y + toY) / 2, from: Math.min(x, toX), to: Math.max(x, toX) });
    else if (width <= SLANT_POINTS_MAX && height > width)
      this.graphics.vertical.push({ at: (x + toX) / 2, from: Math.min(y, toY), to: Math.max(y, toY) });
  }
}

/** Returns whether the corners form a rectangle: each differs from the previous one in one direction only. */
function isRectangle(corners: readonly [number, number][]): boolean {
  if (corners.length < 4 || corners.length > 6) return false;
  return corners.slice(1).every(([x, y], index) => {
    const [beforeX, beforeY] = corners[index]!;
    return Math.min(Math.abs(x - beforeX), Math.abs(y - beforeY)) <= SLANT_POINTS_MAX;
  });
}
