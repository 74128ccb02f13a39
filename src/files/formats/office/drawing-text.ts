/** Reads texts of DrawingML: paragraphs and lists of a shape, tables, diagrams. */
import type { Link } from '../../../text/link-line.ts';
import type { BlockKind } from '../../parsed.ts';
import { spanOf, spreadTable } from '../data/spread-cells.ts';
import { usefulAltText } from '../html/alt-text.ts';
import { CARRIER_UNITS, raisedText } from '../raised-text.ts';
import { attribute, childAt, childElements, findElements, textOf, type XmlElement } from '../xml/tree.ts';
import { latexText } from './omml.ts';

/** Maximum level of list items, counted from 0. */
const LEVEL_MAX = 8;

interface DrawingText {
  kind: BlockKind;
  text: string;
  links: Link[];
}

/** Addresses of links by relationship id. */
export type Addresses = ReadonlyMap<string, string>;

/** Returns the paragraphs of a text body. Consecutive list items form one list. */
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

/** Returns the level of a list item, from 0 to 8. */
function levelOf(properties: XmlElement | undefined): number {
  const level = Math.trunc(Number(properties ? attribute(properties, 'lvl') : 0)) || 0;
  return Math.max(0, Math.min(level, LEVEL_MAX));
}

/** Returns the rows of a table with the signs of its header, and its links. */
export function drawingTable(table: XmlElement, addresses: Addresses) {
  const links: Link[] = [];
  const cells = findElements(table, 'tr').map((row) => {
    const own = childElements(row, 'tc').filter(
      (cell) => !['hMerge', 'vMerge'].some((name) => /^(?:1|true)$/.test(attribute(cell, name))),
    );
    return own.map((cell) => {
      const texts = drawingText(childAt(cell, 'txBody'), false, addresses);
      links.push(...texts.flatMap((text) => text.links));
      const [columns, rows] = ['gridSpan', 'rowSpan'].map((name) => spanOf(attribute(cell, name)));
      return { text: texts.map(({ text }) => text).join(' '), columns: columns!, rows: rows! };
    });
  });
  return { ...spreadTable(cells, []), links };
}

/** Returns the texts of the shapes of a drawing, also of shapes in groups. */
export function shapeTexts(drawing: XmlElement): string[] {
  return findElements(drawing, 'sp').flatMap((shape) =>
    drawingText(childAt(shape, 'txBody'), false).map(({ text }) => text),
  );
}

/** Returns the points of a SmartArt diagram, one per line. */
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

/** Returns the description of a picture, if its author wrote one. */
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

/** Returns the address of a link in the properties of a text or a shape. */
export function addressOf(properties: XmlElement | undefined, addresses: Addresses): string | undefined {
  const click = childAt(properties, 'hlinkClick');
  return click && addresses.get(attribute(click, 'r:id'));
}

function paragraphText(paragraph: XmlElement): string {
  const parts = childElements(paragraph);
  let text = '';
  for (const [index, part] of parts.entries()) {
    const own = runText(part);
    const isRaised = liftOf(part) > 0;
    const [next, low] = isRaised ? parts.slice(index + 1, index + 3) : [];
    const after = next ? runText(next).slice(0, CARRIER_UNITS) : '';
    const lowered = low && liftOf(low) < 0 ? runText(low) : '';
    text += (isRaised ? raisedText(text.slice(-CARRIER_UNITS), own, after, lowered) : undefined) ?? own;
  }
  return text.replace(/[\v\u00ad\u200b]/g, (mark) => (mark === '\v' ? '\n' : '')).trim();
}

/** Returns how far a run is raised; negative if it is lowered. */
function liftOf(run: XmlElement): number {
  return Number(attribute(childAt(run, 'rPr') ?? run, 'baseline'));
}

/** Returns the text of a part of a paragraph. Formulas are siblings of the runs. */
function runText(part: XmlElement): string {
  if (part.name === 'br') return '\n';
  if (part.name === 'fld' && attribute(part, 'type') === 'slidenum') return '';
  if (part.name === 'r' || part.name === 'fld') return textOf(childAt(part, 't'));
  if (part.name !== 'm' && part.name !== 'AlternateContent') return '';
  const formulas = findElements(part, 'oMath').map((formula) => `$${latexText(formula)}$`);
  return formulas.length > 0 ? formulas.join(' ') : findElements(part, 't').map(textOf).join('');
}
