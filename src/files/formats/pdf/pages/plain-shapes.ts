/** Tells lines and areas of a layout from shapes that may be letters, codes or drawings. Pure. */
import type { Area } from '../area.ts';
import type { Outline } from '../pdfium.ts';

/** The longer side of a line or area of a layout, in points. Shapes that are shorter may be parts of letters. */
const SIDE_POINTS_MIN = 48;
/** How far a horizontal or vertical line may slant, in points. */
const SLANT_POINTS_MAX = 0.1;
/** As many parallel bars at places of their own, which are this thick and close to each other, in points, may be a code. */
const [BARS_MIN, BAR_POINTS_MAX, BAR_GAP_POINTS_MAX] = [8, 24, 8];
/** Bars whose beginnings are as near as this, in points, are parts of one. */
const SAME_BAR_POINTS = 0.3;
/** Corners of a rectangle that returns to its beginning twice. */
const CORNERS_MAX = 6;

/** Returns the rectangle or the straight line that an outline is; undefined for any other outline, and for a small one. */
export function plainShape({ corners, isCurved }: Pick<Outline, 'corners' | 'isCurved'>): Area | undefined {
  if (isCurved || corners.length < 2 || corners.length > CORNERS_MAX) return undefined;
  const slants = corners.some(([x, y], at) => {
    const [toX, toY] = corners[at + 1] ?? (corners.length > 2 ? corners[0]! : [x, y]);
    return !(Math.min(Math.abs(x - toX), Math.abs(y - toY)) <= SLANT_POINTS_MAX);
  });
  if (slants) return undefined;
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  const shape = { left: Math.min(...xs), bottom: Math.min(...ys), right: Math.max(...xs), top: Math.max(...ys) };
  // Each corner of a rectangle is a corner of its bounds. Stairs and crosses have others.
  const isAtEdge = (value: number, low: number, high: number) =>
    Math.min(value - low, high - value) <= SLANT_POINTS_MAX;
  const isRectangle = corners.every(
    ([x, y]) => isAtEdge(x, shape.left, shape.right) && isAtEdge(y, shape.bottom, shape.top),
  );
  const side = Math.max(shape.right - shape.left, shape.top - shape.bottom);
  return isRectangle && side >= SIDE_POINTS_MIN ? shape : undefined;
}

/** Returns the shapes that belong to rows of bars, whose widths may be a code. */
export function barsOf(shapes: readonly Area[]): Set<Area> {
  const found = new Set<Area>();
  const across = shapes.filter((shape) => shape.top - shape.bottom > shape.right - shape.left);
  const along = shapes.filter((shape) => shape.top - shape.bottom <= shape.right - shape.left);
  addRows(
    across.map((shape) => ({ shape, from: shape.left, to: shape.right })),
    found,
  );
  addRows(
    along.map((shape) => ({ shape, from: shape.bottom, to: shape.top })),
    found,
  );
  return found;
}

function addRows(bars: { shape: Area; from: number; to: number }[], found: Set<Area>): void {
  let row: Area[] = [];
  let places = 0;
  let [begin, end] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const close = (): void => {
    if (places >= BARS_MIN) for (const shape of row) found.add(shape);
    row = [];
    places = 0;
  };
  // A thick bar is no bar: it is the area behind others.
  const thin = bars.filter(({ from, to }) => to - from <= BAR_POINTS_MAX);
  for (const { shape, from, to } of thin.toSorted((a, b) => a.from - b.from)) {
    if (from - end > BAR_GAP_POINTS_MAX) close();
    if (from - begin > SAME_BAR_POINTS) {
      places += 1;
      begin = from;
    }
    row.push(shape);
    end = Math.max(end, to);
  }
  close();
}
