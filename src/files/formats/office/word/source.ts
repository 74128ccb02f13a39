/**
 * Rewrites the elements that the converter of Word files ignores: formulas, charts, diagrams, included files, readings above
 * words, drop caps, fields, text boxes and ovals. The converter reads XML source, so this module changes the source and no tree.
 * The work is linear, because each closing tag is searched once.
 */
import { mathText } from '../omml.ts';

/** Surrounds the relationship id of another part, until the text of that part replaces it. */
export const PART_MARK = '\ue0c1';

/** Matches the reference to a chart or to the data of a diagram. */
const DRAWN_PART = /<(?:c:chart\s[^<>]*r:id|dgm:relIds\s[^<>]*r:dm)="([^"<>]{1,100})"/;

/** Matches tags between a drawing and the text of its boxes, and those of the choice between a drawing and its older form. */
const BOX_TAG =
  /<(\/?)(mc:(?:AlternateContent|Choice)|w:drawing|wp:(?:anchor|inline)|a:graphic(?:Data)?|wp[cgs]:(?:wpc|wgp|grpSp|wsp|txbx))(?=[\s>])/g;
const BOX = /\suri="[^"]*\/wordprocessing(?:Shape|Group|Canvas)"/;

/** Returns the rewritten source. `xml` is the document, or its notes or comments. */
export function plainDocument(xml: string): string {
  // The converter reads what is inside of a smart tag, and the text of shapes that are no ovals.
  let text = xml
    .replace(/<(\/?)w:(?:fldSimple|dir|bdo)(?=[\s/>])/g, '<$1w:smartTag')
    .replace(/<w:cr(?=[\s/>])/g, '<w:br')
    .replace(/<(\/?)v:(?:oval|polyline)(?=[\s/>])/g, '<$1v:shape');
  if (text.includes('<wps:txbx')) text = readableBoxes(text);
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

/**
 * Makes the text of boxes readable. The converter reads only the older form of a drawing, which may be missing or without the text.
 * The older form is dropped: it stands in an element that the converter does not know.
 */
function readableBoxes(xml: string): string {
  const drawings: boolean[] = [];
  let data = -1;
  return xml.replace(BOX_TAG, (tag, slash: string, name: string, at: number) => {
    if (name.startsWith('mc:')) return `<${slash}w:smartTag`;
    const isDrawing = name === 'w:drawing';
    if (isDrawing && slash === '') {
      if (data < at) data = xml.indexOf('<a:graphicData', at);
      if (data === -1) data = xml.length;
      drawings.push(BOX.test(xml.slice(data, xml.indexOf('>', data))));
    }
    const isBox = drawings.at(-1) === true;
    if (isDrawing && slash !== '') drawings.pop();
    if (!isBox) return tag;
    return `<${slash}${isDrawing ? 'w:pict' : 'w:smartTag'}`;
  });
}

/** Returns the runs of the word itself, without its reading. */
function rubyBase(source: string): string {
  const base = source.slice(Math.max(source.indexOf('<w:rubyBase>'), 0));
  return (base.match(/<w:t(?:\s[^<>]*)?>[^<]*<\/w:t>/g) ?? []).join('');
}

/** Returns a run with this text. */
export function run(text: string): string {
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
