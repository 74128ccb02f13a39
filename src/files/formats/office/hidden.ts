/** Says what of an Office file was left out because its authors hid it. */

/** Returns the warning about hidden sheets or slides, without their names. */
export function hiddenWarnings(count: number, kind: 'sheet' | 'slide'): string[] {
  if (count === 0) return [];
  return [count === 1 ? `1 hidden ${kind} was left out.` : `${count} hidden ${kind}s were left out.`];
}
