/**
 * Returns the length of a text in code points, which is the unit of all lengths of the interface. A surrogate without its partner
 * counts as one code point.
 */
export function codePointLength(text: string): number {
  let pairs = 0;
  for (let at = 1; at < text.length; at += 1) {
    if (isLowSurrogate(text.charCodeAt(at)) && isHighSurrogate(text.charCodeAt(at - 1))) pairs += 1;
  }
  return text.length - pairs;
}

function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}
