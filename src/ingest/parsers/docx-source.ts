/**
 * Rewrites what the converter of Word files leaves out into plain runs of text, before it reads the file: formulas,
 * charts and big first letters. Linear: each construct is found by its closing tag once.
 */
import { mathText } from './omml.ts';

/** Around the relationship of a chart, until its table takes the place. */
export const CHART_MARK = '\ue0c1';

/** `xml` is `word/document.xml`. */
export function plainDocument(xml: string): string {
  let text = xml;
  if (text.includes('<m:oMath')) {
    const inline = text.replace(/<\/?m:oMathPara(?:\s[^<>]*)?>/g, '');
    text = replaceElements(inline, 'm:oMath', (source) => run(`$${mathText(source)}$`));
  }
  if (text.includes('<c:chart ')) {
    text = replaceElements(text, 'w:drawing', (source) => {
      const id = /<c:chart\s[^<>]*r:id="([^"<>]{1,100})"/.exec(source)?.[1];
      return id === undefined ? source : `<w:t>${CHART_MARK}${id}${CHART_MARK}</w:t>`;
    });
  }
  return text.includes('w:dropCap="') ? joinDropCaps(text) : text;
}

function run(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<w:r><w:t xml:space="preserve">${escaped}</w:t></w:r>`;
}

/** Elements of a name that are not inside one another. */
function replaceElements(xml: string, name: string, replace: (source: string) => string): string {
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

/** A big first letter stands in a paragraph of its own: its word goes on in the next. */
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
