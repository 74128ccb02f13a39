/**
 * Rewrites the elements that the converter of Word files ignores as plain runs of text: formulas, charts, diagrams, included
 * files, readings above words and drop caps. The converter reads XML source, so this module changes the source and no tree.
 * The work is linear, because each closing tag is searched once.
 */
import { mathText } from '../omml.ts';

/** Surrounds the relationship id of another part, until the text of that part replaces it. */
export const PART_MARK = '\ue0c1';

/** Matches the reference to a chart or to the data of a diagram. */
const DRAWN_PART = /<(?:c:chart\s[^<>]*r:id|dgm:relIds\s[^<>]*r:dm)="([^"<>]{1,100})"/;

/** Returns the rewritten source. `xml` is `word/document.xml`. */
export function plainDocument(xml: string): string {
  let text = xml;
  if (text.includes('<m:oMath')) {
    const inline = text.replace(/<\/?m:oMathPara(?:\s[^<>]*)?>/g, '');
    text = replaceElements(inline, 'm:oMath', (source) => run(`$${mathText(source)}$`));
  }
  if (text.includes('<c:chart ') || text.includes('<dgm:relIds ')) {
    text = replaceElements(text, 'w:drawing', (source) => {
      const id = DRAWN_PART.exec(source)?.[1];
      return id === undefined ? source : `<w:t>${PART_MARK}${id}${PART_MARK}</w:t>`;
    });
  }
  if (text.includes('<w:altChunk ')) {
    text = text.replaceAll('</w:altChunk>', '').replace(/<w:altChunk\s[^<>]{0,1000}>/g, (source) => {
      const id = /\sr:id="([^"<>]{1,100})"/.exec(source)?.[1] ?? '';
      return `<w:p>${run(`${PART_MARK}${id}${PART_MARK}`)}</w:p>`;
    });
  }
  if (text.includes('<w:ruby>')) text = replaceElements(text, 'w:ruby', rubyBase);
  return text.includes('w:dropCap="') ? joinDropCaps(text) : text;
}

/** Returns the runs of the word itself, without its reading. */
function rubyBase(source: string): string {
  const base = source.slice(Math.max(source.indexOf('<w:rubyBase>'), 0));
  return (base.match(/<w:t(?:\s[^<>]*)?>[^<]*<\/w:t>/g) ?? []).join('');
}

function run(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<w:r><w:t xml:space="preserve">${escaped}</w:t></w:r>`;
}

/** Replaces the elements with this name, which are not nested. */
export function replaceElements(xml: string, name: string, replace: (source: string) => string): string {
  const parts: string[] = [];
  const close = `</${name}>`;
  let from = 0;
  for (;;) {
    const start = findOpen(xml, name, from);
    const end = start === -1 ? -1 : xml.indexOf(close, start);
    if (end === -1) break;
    parts.push(xml.slice(from, start), replace(xml.slice(start, end + close.length)));
    from = end + close.length;
  }
  return parts.join('') + xml.slice(from);
}

function findOpen(xml: string, name: string, from: number): number {
  for (let at = xml.indexOf(`<${name}`, from); at !== -1; at = xml.indexOf(`<${name}`, at + 1)) {
    if (/[\s>]/.test(xml[at + name.length + 1] ?? '')) return at;
  }
  return -1;
}

/** Joins the paragraph of a drop cap with the next paragraph, which contains the rest of its word. */
function joinDropCaps(xml: string): string {
  const parts: string[] = [];
  const next = /\s*<w:p(?:\s[^<>]*[^/<>])?>(?:<w:pPr>)?/y;
  let from = 0;
  for (let at = xml.indexOf('w:dropCap="'); at !== -1; at = xml.indexOf('w:dropCap="', at + 1)) {
    const end = xml.indexOf('</w:p>', at);
    if (end === -1) break;
    next.lastIndex = end + '</w:p>'.length;
    const opened = at >= from && xml.startsWith('none', at + 'w:dropCap="'.length) ? null : next.exec(xml);
    if (!opened || at < from) continue;
    const body = opened[0].endsWith('<w:pPr>')
      ? xml.indexOf('</w:pPr>', next.lastIndex) + '</w:pPr>'.length
      : next.lastIndex;
    parts.push(xml.slice(from, end));
    from = body;
  }
  return parts.join('') + xml.slice(from);
}
