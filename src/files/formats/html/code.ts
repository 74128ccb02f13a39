/** Reads blocks of code in HTML. */
import type { DomElement } from './dom.ts';
import { ELEMENT, hasBlockInside, isSkipped, TEXT } from './elements.ts';
import { gather } from './inline.ts';

/** True for code that is written as one element per line. */
export function isLines(element: DomElement): boolean {
  let lines = 0;
  for (let node = element.firstChild; node; node = node.nextSibling) {
    if (node.nodeType === TEXT && (node.nodeValue ?? '').trim() !== '') return false;
    if (node.nodeType !== ELEMENT) continue;
    const line = node as DomElement;
    if (!/(?:^|\s)(?:code-)?line(?:\s|$)/.test(line.getAttribute('class') ?? '') || hasBlockInside(line)) return false;
    lines += 1;
  }
  return lines > 0;
}

/** Returns the lines of code unchanged. A blank line separates several versions of the same code. */
export function codeText(element: DomElement): string {
  const versions = codesOf(element);
  return (
    versions.length > 1
      ? versions.map((code) => gather(code).replace(/^\n+/, '').trimEnd()).join('\n\n')
      : gather(element)
  )
    .replace(/\u0001/g, '\n')
    .replace(/\n?\u0002+\n?/g, '\n');
}

/** Returns the `<code>` elements of a block that has several versions of its code; none if the block has other text. */
function codesOf(element: DomElement): DomElement[] {
  const codes: DomElement[] = [];
  for (let node = element.firstChild; node; node = node.nextSibling) {
    const isBetween = codes.length > 0 && node.nextSibling !== null;
    if (node.nodeType === ELEMENT && isSkipped(node as DomElement)) continue;
    if (node.nodeType === ELEMENT && (node as DomElement).tagName.toUpperCase() === 'CODE')
      codes.push(node as DomElement);
    else if (gather(node).trim() !== '' || (node.nodeType === TEXT && isBetween)) return [];
  }
  return codes;
}
