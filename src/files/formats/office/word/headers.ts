/** Reads the headers and footers of a Word file. */
import { attribute, childElements, findElements, readXml, type XmlElement } from '../../xml/tree.ts';
import { chartText } from '../chart-text.ts';
import { relations } from '../office-xml.ts';
import { PAGE_MARK } from '../running-text.ts';
import type { ZipPackage } from '../zip-package.ts';
import { withoutHiddenText } from './hidden-text.ts';

const RUNNING = /^word\/(?:header|footer)[^/]*\.xml$/;
/** Maximum number of headers and footers that are read. */
const PARTS_MAX = 300;
/** Matches the instructions of fields with page numbers. */
const PAGE_FIELD = /^\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b/i;

/** Returns the paragraphs of headers and footers, with marks for page numbers. `hidden` are the styles of hidden text. */
export function runningParagraphs(parts: ZipPackage, hidden: ReadonlySet<string>): string[] {
  const names = [...relations(parts, 'word/document.xml').values()].filter((name) => RUNNING.test(name));
  return [...new Set(names)].slice(0, PARTS_MAX).flatMap((name) => {
    const root = readXml(withoutHiddenText(parts.text(name), hidden));
    const links = relations(parts, name);
    const charts = findElements(root, 'graphicData').flatMap((data) => childElements(data, 'chart'));
    return [
      ...findElements(root, 'p').map((paragraph) => new RunningText().of(paragraph)),
      ...charts.flatMap((chart) => chartLines(parts.text(links.get(attribute(chart, 'r:id')) ?? ''))),
    ];
  });
}

function chartLines(xml: string): string[] {
  const { caption, rows } = chartText(xml);
  return [caption, ...rows.map((row) => row.filter((cell) => cell !== '').join(' '))];
}

/** Collects the text of one paragraph. The depth of the tree is limited, so the reader may recurse. */
class RunningText {
  private text = '';
  /** The instruction of the open field, and whether its result has begun. */
  private field: { code: string; inResult: boolean } | undefined;

  of(paragraph: XmlElement): string {
    this.add(paragraph);
    return this.text;
  }

  private add(element: XmlElement): void {
    for (const child of element.children) {
      if (typeof child === 'string' || child.name === 'pPr' || child.name === 'Fallback') continue;
      if (child.name === 't') this.write(child.children.filter((node) => typeof node === 'string').join(''));
      else if (child.name === 'tab' || child.name === 'ptab') this.write('\t');
      else if (child.name === 'br') this.write(' ');
      else if (child.name === 'instrText' && this.field) this.field.code += child.children.join('');
      else if (child.name === 'fldChar') this.fieldChar(attribute(child, 'w:fldCharType'));
      else if (child.name === 'pgNum') this.write(PAGE_MARK);
      else if (child.name === 'fldSimple' && PAGE_FIELD.test(attribute(child, 'w:instr'))) this.write(PAGE_MARK);
      else this.add(child);
    }
    // Paragraphs of a text box are inside the paragraph that holds the box.
    if (element.name === 'p') this.write(' ');
  }

  private write(text: string): void {
    const isPage = this.field?.inResult === true && PAGE_FIELD.test(this.field.code);
    if (!isPage) this.text += text;
  }

  private fieldChar(type: string): void {
    if (type === 'begin') this.field = { code: '', inResult: false };
    else if (type === 'separate' && this.field) this.field.inResult = true;
    else if (type === 'end') {
      if (this.field && PAGE_FIELD.test(this.field.code)) this.text += PAGE_MARK;
      this.field = undefined;
    }
  }
}
