/** Reads the text of the paragraphs of a Word file: runs, fields, links, formulas, marks of notes, drawings. */
import { hex } from 'dingbat-to-unicode';
import { usefulAltText } from '../../html/alt-text.ts';
import { childAt, childElements, findElements, localAttribute, textOf, type XmlElement } from '../../xml/tree.ts';
import { isOn } from '../hidden.ts';
import { latexText } from '../omml.ts';
import { PAGE_MARK } from '../running-text.ts';
import { isHiding, valueIn, type WordStyles } from './styles.ts';

interface Piece {
  text: string;
  /** The address of the link around the text, or "". */
  href: string;
  /** The element that raises or lowers the text, or "". */
  raise: string;
}

export interface Line {
  pieces: Piece[];
  /** Text boxes, charts and diagrams in the paragraph. Their blocks follow it. */
  boxes: XmlElement[];
  /** The notes of the paragraph, as HTML. */
  notes: string[];
  /** Whether something was deleted or moved away. */
  hasLost: boolean;
}

interface LineSources {
  styles: WordStyles;
  /** Addresses of links by relationship id. */
  targets: ReadonlyMap<string, string>;
  /** Returns the mark of the note that an element refers to, and its HTML at the first reference. */
  note(reference: XmlElement): { mark: string; html: string } | undefined;
  /** Whether page numbers become marks, and pictures are left out: in headers and footers. */
  isRunning: boolean;
}

/** An open field. */
interface Field {
  code: string;
  /** The address that the result of the field links to, or "". */
  href: string;
  /** The line in which the field begins. A field whose end was deleted must not hide what follows its paragraph. */
  line: Line;
  /** Whether text is not shown: in instructions, and in a result for which a mark stands. */
  isSilent: boolean;
  checkBox: XmlElement | undefined;
}

/** Elements whose content is read as if they were not there. */
const WRAPPERS = new Set(
  'ins moveTo smartTag customXml sdt sdtContent dir bdo oMathPara ruby rubyBase Choice Fallback'.split(' '),
);
const RAISES = new Map([
  ['superscript', 'sup'],
  ['subscript', 'sub'],
]);
const LINK_FIELD = /^\s*HYPERLINK\s+(?:"([^"]*)"|([^\\\s"]\S*))?\s*(?:\\l\s+"?([^"\s]+))?/;
/** Matches the instructions of fields with page numbers. */
const PAGE_FIELD = /^\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b/i;

/** Reads one part of a file. A field may begin in one paragraph and end in another. The depth of the tree is limited. */
export class LineReader {
  private readonly sources: LineSources;
  private readonly fields: Field[] = [];
  private line: Line = { pieces: [], boxes: [], notes: [], hasLost: false };
  private isHidden = false;
  private href = '';
  private raise = '';

  constructor(sources: LineSources) {
    this.sources = sources;
  }

  /** Reads a paragraph with this content and these properties. */
  read(content: readonly (XmlElement | string)[], properties: XmlElement | undefined): Line {
    this.line = { pieces: [], boxes: [], notes: [], hasLost: false };
    this.isHidden = isHiding(this.sources.styles, valueIn(properties, 'pStyle'));
    for (const child of content) if (typeof child !== 'string') this.element(child);
    return this.line;
  }

  private inside(element: XmlElement): void {
    for (const child of childElements(element)) this.element(child);
  }

  private element(element: XmlElement): void {
    const { name } = element;
    const text = textIn(element);
    if (text !== undefined) this.write(text);
    else if (name === 'r') this.run(element);
    else if (name === 'hyperlink') this.link(element);
    else if (name === 'fldChar') this.fieldChar(element);
    else if (name === 'fldSimple') {
      this.begin({ code: localAttribute(element, 'instr') });
      this.separate();
      this.inside(element);
      this.end();
    } else if (name === 'instrText') this.instruct(textOf(element));
    else if (/^(?:footnote|endnote|comment)Reference$/.test(name)) this.note(element);
    else if (name === 'del' || name === 'moveFrom') this.line.hasLost = true;
    else if (name === 'AlternateContent') this.inside(alternativeOf(element));
    else if (name === 'drawing' || name === 'pict' || name === 'object') {
      if (!this.isSilentIn(this.fields.length)) this.drawn(element);
    } else if (name === 'pgNum' && this.sources.isRunning) this.write(PAGE_MARK);
    else if (WRAPPERS.has(name)) this.inside(element);
  }

  private run(run: XmlElement): void {
    const properties = childAt(run, 'rPr');
    const vanish = childAt(properties, 'vanish');
    const [isHidden, raise] = [this.isHidden, this.raise];
    this.isHidden = vanish ? isOn(vanish) : isHidden || isHiding(this.sources.styles, valueIn(properties, 'rStyle'));
    this.raise = RAISES.get(valueIn(properties, 'vertAlign')) ?? '';
    for (const child of childElements(run))
      if (!this.isHidden || /^(?:fldChar|instrText)$/.test(child.name)) this.element(child);
    [this.isHidden, this.raise] = [isHidden, raise];
  }

  private write(text: string): void {
    const { raise } = this;
    if (text === '' || this.isHidden || this.isSilentIn(this.fields.length)) return;
    this.line.pieces.push({ text, href: this.href || (this.fields.at(-1)?.href ?? ''), raise });
  }

  /** Returns whether the innermost of the first `count` open fields shows no text. */
  private isSilentIn(count: number): boolean {
    const field = this.fields[count - 1];
    return field?.line === this.line && field.isSilent;
  }

  private link(element: XmlElement): void {
    const target = this.sources.targets.get(localAttribute(element, 'id')) ?? '';
    const anchor = localAttribute(element, 'anchor');
    const outer = this.href;
    this.href = anchor === '' ? target : `${target.split('#', 1)[0]}#${anchor}`;
    this.inside(element);
    this.href = outer;
  }

  private fieldChar(element: XmlElement): void {
    const type = localAttribute(element, 'fldCharType');
    if (type === 'begin') this.begin({ checkBox: childAt(element, 'ffData', 'checkBox') });
    else if (type === 'separate') this.separate();
    else if (type === 'end') this.end();
  }

  private begin(field: Partial<Field>): void {
    const { line } = this;
    const href = this.fields.at(-1)?.href ?? '';
    this.fields.push({ code: '', href, line, isSilent: true, checkBox: undefined, ...field });
  }

  private instruct(code: string): void {
    const field = this.fields.at(-1);
    if (field) field.code += code;
  }

  /** The result of the field begins. */
  private separate(): void {
    const field = this.fields.at(-1);
    if (!field) return;
    const [isLink, quoted, plain = '', anchor] = LINK_FIELD.exec(field.code) ?? [];
    if (isLink) field.href = `${quoted ?? plain}${anchor ? `#${anchor}` : ''}`;
    const isPage = this.sources.isRunning && PAGE_FIELD.test(field.code);
    field.isSilent = isPage || this.isSilentIn(this.fields.length - 1);
  }

  private end(): void {
    const field = this.fields.pop();
    if (this.sources.isRunning && field && PAGE_FIELD.test(field.code)) this.write(PAGE_MARK);
    const box = field?.checkBox;
    if (box) this.write(isOn(childAt(box, 'checked') ?? childAt(box, 'default')) ? '☒' : '☐');
  }

  private note(reference: XmlElement): void {
    const note = this.isSilentIn(this.fields.length) ? undefined : this.sources.note(reference);
    if (!note) return;
    this.write(note.mark);
    if (note.html !== '') this.line.notes.push(note.html);
  }

  private drawn(element: XmlElement): void {
    if (isHiddenShape(element)) return;
    const properties = childAt(element, 'docPr');
    if (properties && findElements(element, 'pic').length > 0) {
      const link = childAt(properties, 'hlinkClick');
      const href = link && this.sources.targets.get(localAttribute(link, 'id'));
      this.describe(localAttribute(properties, 'descr').trim() || localAttribute(properties, 'title'), href);
    }
    if (/^(?:txbxContent|chart|relIds)$/.test(element.name)) this.line.boxes.push(element);
    else if (element.name === 'imagedata') this.describe(localAttribute(element, 'title'));
    else if (element.name === 'lockedCanvas') this.write(` ${shapesText(element)} `);
    else if (element.name === 'AlternateContent') this.drawn(alternativeOf(element));
    else for (const child of childElements(element)) this.drawn(child);
  }

  private describe(description: string, href = this.href): void {
    const text = this.sources.isRunning ? '' : usefulAltText(description);
    const outer = this.href;
    this.href = href;
    if (text !== '') this.write(` ![${text}] `);
    this.href = outer;
  }
}

/** Returns the alternative that is read: the older form, unless it is empty or only the newer form has a chart or the text of a box. */
export function alternativeOf(element: XmlElement): XmlElement {
  const choice = childAt(element, 'Choice');
  const fallback = childAt(element, 'Fallback');
  if (!choice || !fallback) return choice ?? fallback ?? element;
  const boxes = ['txbx', 'chart', 'relIds'].flatMap((name) => findElements(choice, name));
  const hasBox = boxes.some(({ name, children }) => name !== 'txbx' || children.length > 0);
  return hasBox || fallback.children.length === 0 ? choice : fallback;
}

/** Returns whether a drawing, or a shape in it, is hidden. */
function isHiddenShape(element: XmlElement): boolean {
  const properties = childAt(element, 'docPr') ?? childAt(element, 'cNvPr');
  if (properties && /^(?:1|true)$/.test(localAttribute(properties, 'hidden'))) return true;
  return /visibility\s*:\s*hidden/i.test(localAttribute(element, 'style'));
}

/** Returns the text of the shapes of a drawing that is a picture for Word. */
function shapesText(canvas: XmlElement): string {
  const paragraphs = findElements(canvas, 'p').map((paragraph) => findElements(paragraph, 't').map(textOf).join(''));
  return paragraphs.filter((paragraph) => paragraph.trim() !== '').join(' ');
}

/** Returns the text that an element is; undefined for an element that is no text. */
function textIn(element: XmlElement): string | undefined {
  switch (element.name) {
    case 't':
      return textOf(element).replace(/[\r\n]/g, ' ');
    case 'tab':
    case 'ptab':
      return '\t';
    case 'br':
      return /^(?:page|column)$/.test(localAttribute(element, 'type')) ? '' : '\n';
    case 'cr':
      return '\n';
    case 'noBreakHyphen':
      return '\u2011';
    case 'sym':
      return symbolOf(localAttribute(element, 'font'), localAttribute(element, 'char'));
    case 'oMath':
      return latexText(element).replace(/^.+$/s, '$$$&$$');
    default:
      return undefined;
  }
}

function symbolOf(font: string, code: string): string {
  return (hex(font, code) ?? (/^F0..$/i.test(code) ? hex(font, code.slice(2)) : undefined))?.string ?? '';
}

/** Returns the HTML of a line. */
export function htmlOf({ pieces }: Line): string {
  let html = '';
  let [href, raise] = ['', ''];
  for (const next of [...pieces, { text: '', href: '', raise: '' }]) {
    const isOther = next.href !== href;
    if (raise !== '' && (isOther || next.raise !== raise)) html += `</${raise}>`;
    if (isOther && href !== '') html += '</a>';
    if (isOther && next.href !== '') html += `<a href="${escapeHtml(next.href)}">`;
    if (next.raise !== '' && (isOther || next.raise !== raise)) html += `<${next.raise}>`;
    html += escapeHtml(next.text).replaceAll('\n', '<br>');
    ({ href, raise } = next);
  }
  return html;
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
