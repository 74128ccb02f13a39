/** Says what of an Office file was left out because its authors hid it. */

const LEFT_OUT = {
  sheet: ['hidden sheet was left out.', 'hidden sheets were left out.'],
  slide: ['hidden slide was left out.', 'hidden slides were left out.'],
} as const;

/** Returns the warning about hidden sheets or slides, without their names. */
export function hiddenWarnings(count: number, kind: keyof typeof LEFT_OUT): string[] {
  if (count === 0) return [];
  return [`${count} ${LEFT_OUT[kind][count === 1 ? 0 : 1]}`];
}
