/** Texts of DrawingML: paragraphs and lists of a shape, tables, diagrams. */
import type { Link } from '../../../text/link-line.ts';
import type { BlockKind } from '../../parsed.ts';
import { usefulAltText } from '../html/alt-text.ts';
import { attribute, childAt, childElements, findElements, textOf, type XmlElement } from '../xml/tree.ts';

/** Columns that one cell may span. */
const SPAN_MAX = 100;
/** Of list items, counted from 0. */
const LEVEL_MAX = 8;

interface DrawingText {
  kind: BlockKind;
  text: string;
  links: Link[];
}

/** Addresses by the ids that texts name them with. */
export type Addresses = ReadonlyMap<string, string>;

/** Paragraphs of a text body; neighbouring list items make one list. */
export function drawingText(
  body: XmlElement | undefined,
  bullets: boolean,
  addresses: Addresses = new Map(),
): DrawingText[] {
  const blocks: DrawingText[] = [];
  const numbers: number[] = [];
  for (const paragraph of body ? childElements(body, 'p') : []) {
    const text = paragraphText(paragraph);
    if (text.trim() === '') continue;
    const links = paragraphLinks(paragraph, addresses);
    const properties = childAt(paragraph, 'pPr');
    const level = levelOf(properties);
    const numbered = childAt(properties, 'buAutoNum');
    const bulleted = childAt(properties, 'buChar') ?? childAt(properties, 'buBlip');
    const listed = numbered || bulleted || (bullets && !childAt(properties, 'buNone'));
    if (!listed) {
      blocks.push({ kind: 'paragraph', text, links });
      numbers.length = 0;
      continue;
    }
    numbers.length = level + 1;
    const start = numbered ? Number(attribute(numbered, 'startAt')) || 1 : 1;
    numbers[level] = numbered ? (numbers[level] ?? start - 1) + 1 : 0;
    const mark = numbered ? `${numbers[level]}.` : '-';
    const line = `${'  '.repeat(level)}${mark} ${text.replaceAll('\n', ' ')}`;
    const before = blocks.at(-1);
    if (before?.kind === 'list') {
      before.text += `\n${line}`;
      before.links.push(...links);
    } else blocks.push({ kind: 'list', text: line, links });
  }
  return blocks;
}

/** 0..8, whatever the file says. */
function levelOf(properties: XmlElement | undefined): number {
  const level = Math.trunc(Number(properties ? attribute(properties, 'lvl') : 0)) || 0;
  return Math.max(0, Math.min(level, LEVEL_MAX));
}

/** Cells by row; a merged cell's text counts for every row and column it spans. */
export function drawingTable(table: XmlElement, addresses: Addresses): { rows: string[][]; links: Link[] } {
  const links: Link[] = [];
  const rows: string[][] = [];
  for (const row of findElements(table, 'tr')) {
    const cells: string[] = [];
    const above = rows.at(-1);
    for (const cell of childElements(row, 'tc')) {
      const texts = drawingText(childAt(cell, 'txBody'), false, addresses);
      const own = texts.map(({ text }) => text).join(' ');
      links.push(...texts.flatMap((text) => text.links));
      if (attribute(cell, 'hMerge') === '1') cells.push(cells.at(-1) ?? '');
      else if (attribute(cell, 'vMerge') === '1') cells.push(above?.[cells.length] ?? '');
      else cells.push(own);
      if (cells.length > SPAN_MAX * SPAN_MAX) break;
    }
    rows.push(cells);
  }
  return { rows, links };
}

/** Texts of the shapes of a drawing, those in groups among them. */
export function shapeTexts(drawing: XmlElement): string[] {
  return findElements(drawing, 'sp').flatMap((shape) =>
    drawingText(childAt(shape, 'txBody'), false).map(({ text }) => text),
  );
}

/** The points of a SmartArt diagram, one a line. */
export function diagramText(data: XmlElement): string {
  const points = findElements(data, 'pt').map((point) => {
    const body = childAt(point, 't');
    return drawingText(body, false)
      .map(({ text }) => text)
      .join(' ');
  });
  return points
    .filter((text) => text.trim() !== '')
    .map((text) => `- ${text.replaceAll('\n', ' ')}`)
    .join('\n');
}

/** What a picture shows, where its author said so. */
export function shapeAltText(shape: XmlElement): string {
  const properties = findElements(shape, 'cNvPr')[0];
  return properties ? usefulAltText(attribute(properties, 'descr')) : '';
}

function paragraphLinks(paragraph: XmlElement, addresses: Addresses): Link[] {
  if (addresses.size === 0) return [];
  return childElements(paragraph).flatMap((part) => {
    const url = addressOf(childAt(part, 'rPr'), addresses);
    return url === undefined ? [] : [{ text: textOf(childAt(part, 't')).trim(), url }];
  });
}

/** Where a click leads, by the properties of a text or a shape. */
export function addressOf(properties: XmlElement | undefined, addresses: Addresses): string | undefined {
  const click = childAt(properties, 'hlinkClick');
  return click && addresses.get(attribute(click, 'r:id'));
}

function paragraphText(paragraph: XmlElement): string {
  return childElements(paragraph)
    .map((part) => {
      if (part.name === 'br') return '\n';
      if (part.name === 'fld' && attribute(part, 'type') === 'slidenum') return '';
      if (part.name === 'r' || part.name === 'fld') return textOf(childAt(part, 't'));
      // Formulas stand among the runs.
      return part.name === 'm' || part.name === 'AlternateContent' ? findElements(part, 't').map(textOf).join('') : '';
    })
    .join('')
    .replace(/[\v\u00ad\u200b]/g, (mark) => (mark === '\v' ? '\n' : ''))
    .trim();
}
