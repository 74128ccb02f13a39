/** Digits that are drawn instead of written, for tests of what a page may hide: as outlines, strokes, squares, and pictures. */

/** Seven segments of a digit: top, upper left, upper right, middle, lower left, lower right, bottom. */
const SEGMENTS: Readonly<Record<string, string>> = {
  '0': '1110111',
  '1': '0010010',
  '2': '1011101',
  '3': '1011011',
  '4': '0111010',
  '5': '1101011',
  '6': '1101111',
  '7': '1010010',
  '8': '1111111',
  '9': '1111011',
  '-': '0001000',
};
/** Ends of each segment in a digit that is 1 wide and 2 high, from its lower left corner. */
const ENDS: readonly (readonly [number, number, number, number])[] = [
  [0, 2, 1, 2],
  [0, 1, 0, 2],
  [1, 1, 1, 2],
  [0, 1, 1, 1],
  [0, 0, 0, 1],
  [1, 0, 1, 1],
  [0, 0, 1, 0],
];

interface Drawn {
  x: number;
  y: number;
  /** Width of a digit in points. Its height is twice as much. */
  size: number;
}

/** Returns the ends of the segments of all digits. */
export function segmentsOf(text: string, { x, y, size }: Drawn): [number, number, number, number][] {
  return [...text].flatMap((digit, at) => {
    const left = x + at * size * 1.6;
    return ENDS.filter((_, n) => SEGMENTS[digit]?.[n] === '1').map(
      ([x1, y1, x2, y2]): [number, number, number, number] => [
        left + x1 * size,
        y + y1 * size,
        left + x2 * size,
        y + y2 * size,
      ],
    );
  });
}

/** Returns operators that draw each segment as a line. */
export function strokes(text: string, place: Drawn): string {
  const lines = segmentsOf(text, place).map(([x1, y1, x2, y2]) => `${x1} ${y1} m ${x2} ${y2} l`);
  return `2 w ${lines.join(' ')} S`;
}

/** Returns operators that draw each segment as a filled rectangle. */
export function squares(text: string, place: Drawn): string {
  const areas = segmentsOf(text, place).map(([x1, y1, x2, y2]) => {
    const [left, bottom] = [Math.min(x1, x2) - 1, Math.min(y1, y2) - 1];
    return `${left} ${bottom} ${Math.abs(x2 - x1) + 2} ${Math.abs(y2 - y1) + 2} re`;
  });
  return `${areas.join(' ')} f`;
}

/** Returns operators that make an outline with curves of each segment, as fonts that were turned into paths have. */
export function outlines(text: string, place: Drawn): string {
  const shapes = segmentsOf(text, place).map(([x1, y1, x2, y2]) => {
    const [dx, dy] = [y1 === y2 ? 0 : 1.5, y1 === y2 ? 1.5 : 0];
    const [mx, my] = [(x1 + x2) / 2, (y1 + y2) / 2];
    return (
      `${x1} ${y1} m ${mx + dx} ${my + dy} ${mx + dx} ${my + dy} ${x2} ${y2} c ` +
      `${mx - dx} ${my - dy} ${mx - dx} ${my - dy} ${x1} ${y1} c h`
    );
  });
  return shapes.join(' ');
}

/** Returns bars as a barcode has them: their widths tell the digits. */
export function bars(text: string, { x, y }: Drawn, height: number): string {
  let left = x;
  const areas = [...text].flatMap((digit) =>
    [...(SEGMENTS[digit] ?? '')].map((segment) => {
      const width = segment === '1' ? 1.5 : 0.7;
      const bar = `${left.toFixed(2)} ${y} ${width} ${height} re f`;
      left += width + 0.8;
      return bar;
    }),
  );
  return areas.join('\n');
}

/** Returns the rows of a picture of the digits, one character for each pixel: 1 is ink. */
export function rasterOf(text: string): { width: number; height: number; rows: string[] } {
  const [wide, high] = [8, 12];
  const width = text.length * wide;
  const ink = Array.from({ length: high }, () => new Uint8Array(width));
  for (const [x1, y1, x2, y2] of segmentsOf(text, { x: 1, y: 1, size: 5 })) {
    for (let x = Math.min(x1, x2); x <= Math.max(x1, x2); x += 1)
      for (let y = Math.min(y1, y2); y <= Math.max(y1, y2); y += 1) ink[high - 1 - y]![x] = 1;
  }
  return { width, height: high, rows: ink.map((row) => row.join('')) };
}
