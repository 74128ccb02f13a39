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
  /<(\/?)(mc:[A-Z]\w+|w:drawing|wp:(?:anchor|inline)|a:graphic(?:Data)?|wp[cgs]:(?:wpc|wgp|grpSp|wsp|txbx))(?=[\s>])/g;
const BOX = /\suri="[^"]*\/wordprocessing(?:Shape|Group|Canvas)"/;
/** Maximum length of the tag that says what a drawing contains. */
const DATA_UNITS_MAX = 1000;
const ALTERNATIVE_TAG = /<(\/?)(mc:(?:AlternateContent|Choice|Fallback)|wps:txbx)(?:\s[^<>]*?)?(\/?)>/g;

/** An open choice between a drawing and its older form. */
interface Alternative {
  tags: [at: number, name: string][];
  choices: number;
  /** Whether the first choice is open. */
  inFirst: boolean;
  hasBox: boolean;
}

/** Returns the rewritten source. `xml` is the document, or its notes or comments. */
export function plainDocument(xml: string): string {
  // The converter reads what is inside of a smart tag, and the text of shapes that are no ovals.
  let text = xml
    .replace(/<(\/?)w:(?:fldSimple|dir|bdo)(?=[\s/>])/g, '<$1w:smartTag')
    .replace(/<w:cr(?=[\s/>])/g, '<w:br')
    // A mark of a paragraph that was moved away is treated as a deleted one: the converter joins the paragraph with the next.
    .replace(/<w:moveFrom(?=(?:\s[^<>]*)?\/>)/g, '<w:del')
    .replace(/<(\/?)v:(?:oval|polyline)(?=[\s/>])/g, '<$1v:shape');
  if (text.includes('<wps:txbx')) text = readableBoxes(text);
  if (text.includes('<m:oMath')) {
    const inline = text.replace(/<\/?m:oMathPara(?:\s[^<>]*)?>/g, '');
    text = replaceElements(inline, 'm:oMath', (source) => run(`$${mathText(source)}$`));
  }
  if (text.includes('lockedCanvas"')) text = replaceElements(text, 'w:drawing', canvasText);
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
 * The older form of a drawing with boxes is dropped: it becomes a choice, which the converter does not read.
 */
function readableBoxes(xml: string): string {
  const names = namesOfAlternatives(xml);
  const drawings: boolean[] = [];
  let data = -1;
  let isBoxData = false;
  return xml.replace(BOX_TAG, (tag, slash: string, name: string, at: number) => {
    if (name.startsWith('mc:')) return `<${slash}${names.get(at) ?? name}`;
    const isDrawing = name === 'w:drawing';
    if (isDrawing && slash === '') {
      if (data < at) {
        data = xml.indexOf('<a:graphicData', at);
        if (data === -1) data = xml.length;
        isBoxData = BOX.test(xml.slice(data, data + DATA_UNITS_MAX).split('>', 1)[0]!);
      }
      drawings.push(isBoxData);
    }
    const isBox = drawings.at(-1) === true;
    if (isDrawing && slash !== '') drawings.pop();
    if (!isBox) return tag;
    return `<${slash}${isDrawing ? 'w:pict' : 'w:smartTag'}`;
  });
}

/** Returns new names, by their place, for the tags of the alternatives whose first choice has a box: this choice is read. */
function namesOfAlternatives(xml: string): Map<number, string> {
  const names = new Map<number, string>();
  const open: Alternative[] = [];
  for (const { 1: slash, 2: name, 3: end, index } of xml.matchAll(ALTERNATIVE_TAG)) {
    const isClosing = slash !== '';
    const last = open.at(-1);
    if (name === 'mc:AlternateContent') {
      if (end !== '') continue;
      if (!isClosing) {
        open.push({ tags: [[index, 'w:smartTag']], choices: 0, inFirst: false, hasBox: false });
        continue;
      }
      open.pop();
      if (!last?.hasBox) continue;
      for (const [at, newName] of last.tags) names.set(at, newName);
      names.set(index, 'w:smartTag');
      const outer = open.at(-1);
      if (outer) outer.hasBox ||= outer.inFirst;
    } else if (!last) continue;
    else if (name === 'wps:txbx') last.hasBox ||= last.inFirst && end === '';
    else if (name === 'mc:Fallback') last.tags.push([index, 'mc:Choice']);
    else {
      if (!isClosing) last.choices += 1;
      if (last.choices === 1 && end === '') last.tags.push([index, 'w:smartTag']);
      last.inFirst = last.choices === 1 && !isClosing && end === '';
    }
  }
  return names;
}

const TEXT_OR_END = /<w:t(?:\s[^<>]*)?>([^<]*)<\/w:t>|<w:(tab|br)(?=[\s/>])|<\/w:(p)>/g;

/** Returns the paragraphs of a source as HTML, without lists, tables and headings. */
export function plainHtml(xml: string): string {
  let html = '<p>';
  for (const [, text = '', blank = '', end = ''] of xml.matchAll(TEXT_OR_END))
    html += text + (blank && ' ') + (end && '</p><p>');
  return `${html}</p>`;
}

/** Returns the text of the shapes of a drawing that is a picture for Word, or the drawing if there is none. */
function canvasText(source: string): string {
  if (!/<a:graphicData\s[^<>]*\/lockedCanvas"/.test(source)) return source;
  const paragraphs = source.split('</a:p>').map((part) => (part.match(/(?<=<a:t>)[^<]*/g) ?? []).join(''));
  const text = paragraphs.filter((paragraph) => paragraph.trim() !== '').join(' ');
  return text === '' ? source : `<w:t xml:space="preserve"> ${text} </w:t>`;
}

/** Returns the runs of the word itself, without its reading. */
function rubyBase(source: string): string {
  const base = source.slice(Math.max(source.indexOf('<w:rubyBase>'), 0));
  return (base.match(/<w:t(?:\s[^<>]*)?>[^<]*<\/w:t>/g) ?? []).join('');
}

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
