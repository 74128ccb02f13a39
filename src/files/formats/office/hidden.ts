/** Finds what the authors of an Office file hid, and says what was left out. */
import { localAttribute, type XmlElement } from '../xml/tree.ts';

const LEFT_OUT = {
  sheet: ['hidden sheet was left out.', 'hidden sheets were left out.'],
  slide: ['hidden slide was left out.', 'hidden slides were left out.'],
} as const;

/** Returns the warning about hidden sheets or slides, without their names. */
export function hiddenWarnings(count: number, kind: keyof typeof LEFT_OUT): string[] {
  if (count === 0) return [];
  return [`${count} ${LEFT_OUT[kind][count === 1 ? 0 : 1]}`];
}

/** Returns whether a property of a text is there and not switched off. */
export function isOn(property: XmlElement | undefined): boolean {
  return property !== undefined && !/^(?:0|false|off)$/.test(localAttribute(property, 'val'));
}
