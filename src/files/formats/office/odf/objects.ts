/** Reads the objects of an OpenDocument file, which are parts of their own: charts, sheets, texts, formulas. */

import { mathmlText } from '../../xml/mathml.ts';
import { attribute, childAt, findElements, readXml, textOf, type XmlElement } from '../../xml/tree.ts';
import type { ChartText } from '../chart-text.ts';
import type { ZipPackage } from '../zip-package.ts';
import { sheetRows } from './sheets.ts';
import { isHidden, readStyles } from './text.ts';

/** Maximum number of objects that are read. */
const OBJECTS_MAX = 500;
const CHART_KINDS: Readonly<Record<string, string>> = { circle: 'Pie', ring: 'Doughnut', gantt: 'Gantt' };

/** Replaces the children of each object element with the blocks of the object. A formula becomes a `formula` element. */
export function placeObjects(content: XmlElement, parts: ZipPackage): void {
  for (const object of findElements(content, 'object').slice(0, OBJECTS_MAX)) {
    object.children = blocksOf(partOf(object, parts));
  }
}

export function chartsOn(sheet: XmlElement, parts: ZipPackage): ChartText[] {
  return findElements(sheet, 'object')
    .slice(0, OBJECTS_MAX)
    .flatMap((object) => chartOf(partOf(object, parts)) ?? []);
}

/** Returns the content of an object. In a flat file, the element itself contains it. */
function partOf(object: XmlElement, parts: ZipPackage): XmlElement {
  const name = attribute(object, 'xlink:href').replace(/^\.\/|\/+$/g, '');
  return name === '' ? object : readXml(parts.text(`${name}/content.xml`));
}

function blocksOf(root: XmlElement): XmlElement[] {
  const math = findElements(root, 'math')[0];
  if (math) {
    const text = mathmlText(math);
    return text === '' ? [] : [element('formula', [paragraph(`$${text}$`)])];
  }
  const chart = chartOf(root);
  if (chart) return [paragraph(chart.caption), tableOf(chart.rows)];
  const body = findElements(root, 'body')[0];
  const sheets = childAt(body, 'spreadsheet');
  if (sheets) {
    const styles = readStyles(root);
    const visible = findElements(sheets, 'table').filter((table) => !isHidden(table, 'table', styles));
    return visible.map((table) => tableOf(sheetRows(table)));
  }
  return body ? [body] : [];
}

function chartOf(root: XmlElement): ChartText | undefined {
  const outer = findElements(root, 'chart')[0];
  const chart = childAt(outer, 'chart');
  if (!chart) return undefined;
  const raw = attribute(chart, 'chart:class').replace(/^chart:/, '');
  const kind = CHART_KINDS[raw] ?? `${raw.charAt(0).toUpperCase()}${raw.slice(1)}`;
  const title = textOf(childAt(chart, 'title')).replace(/\s+/g, ' ').trim();
  const table = findElements(chart, 'table')[0];
  return { caption: `${kind} chart${title === '' ? '' : `: ${title}`}`, rows: table ? sheetRows(table) : [] };
}

function tableOf(rows: readonly (readonly string[])[]): XmlElement {
  const cells = (row: readonly string[]) => row.map((cell) => element('table-cell', [paragraph(cell)]));
  return element(
    'table',
    rows.map((row) => element('table-row', cells(row))),
  );
}

function paragraph(text: string): XmlElement {
  return element('p', [text]);
}

function element(name: string, children: XmlElement['children']): XmlElement {
  return { name, head: '', children };
}
