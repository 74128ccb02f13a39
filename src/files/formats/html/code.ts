/** Blocks of code of HTML: their lines as they are written, and the fence around them. */
import type { DomElement } from './dom.ts';
import { ELEMENT, hasBlockInside, isSkipped, TEXT } from './elements.ts';
import { gather } from './inline.ts';

/** Code that is set as one element a line. */
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

/** The lines of code, as they are written. Versions of it that follow each other at once are set apart. */
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

/** The elements of a block that hold versions of its code; none where other text stands beside them. */
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

/** Code between runs of backticks that are longer than those in it. */
export function fenced(raw: string, language: string): string {
  const code = raw.replace(/^\n+/, '').trimEnd();
  if (code.trim() === '') return '';
  const longest = (code.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${code}\n${ticks}`;
}
