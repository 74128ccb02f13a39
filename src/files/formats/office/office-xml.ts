/** Reads properties, relationships, and sheets with what belongs to them. Linear. */
import { outsideLinks } from '../../links.ts';
import { decodeXml } from '../references.ts';
import { attribute, findElements, readXml, textOf, type XmlElement } from '../xml/tree.ts';
import { type ChartText, chartText } from './chart-text.ts';
import { diagramText, shapeTexts } from './drawing-text.ts';
import { DAY0, DAY0_1904, readFormats } from './sheets/cell-formats.ts';
import { readCells, readStrings } from './sheets/cells.ts';
import type { SheetRow } from './sheets/rows.ts';
import { folderOf, resolvePart, type ZipPackage } from './zip-package.ts';

/** Returns title, author, dates and language of an Office file. */
export function coreProperties(parts: ZipPackage): Record<string, string | undefined> {
  const root = readXml(parts.text('docProps/core.xml'));
  const value = (name: string) => textOf(findElements(root, name)[0]).trim() || undefined;
  return {
    title: value('title'),
    author: value('creator'),
    created: value('created'),
    modified: value('modified'),
    language: value('language'),
    description: value('description'),
    keywords: value('keywords'),
  };
}

export interface SheetExtras {
  /** The name of the sheet's part. */
  part: string;
  hidden: boolean;
  /** References of merged cells, such as `A1:B2`. */
  merged: string[];
  /** References of tables that have a name. */
  tables: string[];
  /** Comments as `[author: Ann, cell: B2]: text`. A thread replaces the notice that it has for old versions of Excel. */
  comments: string[];
  charts: ChartText[];
  /** Texts of shapes and diagrams on the sheet. */
  texts: string[];
  links: { ref: string; url: string }[];
  rows: SheetRow[];
  /** Number of cells whose formula has no stored value. */
  uncalculated: number;
}

/** Returns the extras of each sheet, by sheet name. */
export function sheetExtras(parts: ZipPackage): Map<string, SheetExtras> {
  const people = new Map<string, string>();
  for (const name of parts.names.filter((part) => /^xl\/persons\/[^/]+\.xml$/.test(part))) {
    for (const person of findElements(readXml(parts.text(name)), 'person'))
      people.set(attribute(person, 'id'), attribute(person, 'displayName'));
  }
  const targets = relations(parts, 'xl/workbook.xml');
  const workbook = parts.text('xl/workbook.xml');
  const book = {
    strings: readStrings(parts.text('xl/sharedStrings.xml')),
    formats: readFormats(parts.text('xl/styles.xml')),
    day0: /\sdate1904="(?:1|true)"/.test(workbook) ? DAY0_1904 : DAY0,
  };
  return new Map(
    findElements(readXml(workbook), 'sheet').map((sheet) => {
      const part = targets.get(attribute(sheet, 'r:id')) ?? '';
      const links = [...relations(parts, part).values()];
      const notes = links.filter((link) => /^xl\/comments/i.test(link)).flatMap((link) => notesOf(parts.text(link)));
      const threads = links
        .filter((link) => link.startsWith('xl/threadedComments/'))
        .flatMap((link) => threadsOf(parts.text(link), people));
      const isHidden = /^(?:very)?hidden$/i.test(attribute(sheet, 'state'));
      const xml = parts.text(part);
      const afterCells = readXml(textAfterLast(xml, '</sheetData>'));
      const extras: SheetExtras = {
        part,
        hidden: isHidden,
        merged: findElements(afterCells, 'mergeCell').map((cell) => attribute(cell, 'ref')),
        tables: links
          .filter((link) => link.startsWith('xl/tables/'))
          .flatMap((link) => findElements(readXml(parts.text(link)), 'table').map((table) => attribute(table, 'ref'))),
        links: [...cellLinks(afterCells, outsideTargets(parts, part)), ...formulaLinks(xml)],
        ...(isHidden ? { rows: [], uncalculated: 0 } : readCells(xml, book)),
        ...drawnOn(parts, links),
        comments: [...notes, ...threads].filter(({ text }) => text.trim() !== '').map(commentLine),
      };
      return [attribute(sheet, 'name'), extras] as const;
    }),
  );
}

/** Returns the links of cells. `afterCells` is the XML after the cells. */
function cellLinks(afterCells: XmlElement, targets: ReadonlyMap<string, string>): SheetExtras['links'] {
  if (targets.size === 0) return [];
  return findElements(afterCells, 'hyperlink').flatMap((link) => {
    const url = targets.get(attribute(link, 'r:id'));
    const place = attribute(link, 'location');
    const ref = attribute(link, 'ref').split(':', 1)[0]!;
    return url === undefined ? [] : [{ ref, url: place === '' ? url : `${url}#${place}` }];
  });
}

const LINK_FORMULA = /HYPERLINK\(\s*(?:"|&quot;)([^"<]{1,2000}?)(?:"|&quot;)/g;

/** Returns the links of formulas, one per cell: `HYPERLINK("https://…", …)`. */
function formulaLinks(xml: string): SheetExtras['links'] {
  if (!xml.includes('HYPERLINK(')) return [];
  const links: SheetExtras['links'] = [];
  let [cell, next, linkedCell] = [-1, xml.indexOf('<c '), -1];
  for (const formula of xml.matchAll(LINK_FORMULA)) {
    for (; next !== -1 && next < formula.index; next = xml.indexOf('<c ', next + 1)) cell = next;
    if (cell === linkedCell) continue;
    const url = outsideLinks(decodeXml(formula[1]!));
    if (url === undefined) continue;
    linkedCell = cell;
    const [head = ''] = xml.slice(cell, formula.index).split('>', 1);
    links.push({ ref: attribute({ head }, 'r'), url });
  }
  return links;
}

/** Returns charts and texts of the drawings on a sheet, or of a sheet that is a chart. */
function drawnOn(parts: ZipPackage, links: readonly string[]): Pick<SheetExtras, 'charts' | 'texts'> {
  const drawings = links.filter((link) => link.startsWith('xl/drawings/') && link.endsWith('.xml'));
  const texts = drawings.flatMap((drawing) => shapeTexts(readXml(parts.text(drawing))));
  const linked = drawings.flatMap((drawing) => [...relations(parts, drawing).values()]);
  const diagrams = linked.filter((link) => /^xl\/diagrams\/data[^/]*$/.test(link));
  return {
    texts: [...texts, ...diagrams.map((diagram) => diagramText(readXml(parts.text(diagram))))],
    charts: linked.filter((link) => link.startsWith('xl/charts/chart')).map((chart) => chartText(parts.text(chart))),
  };
}

interface CellComment {
  ref: string;
  author: string;
  time?: string;
  text: string;
}

function notesOf(xml: string): CellComment[] {
  const root = readXml(xml);
  const authors = findElements(root, 'author').map((author) => textOf(author).trim());
  const notes = findElements(root, 'comment').map((note) => ({
    ref: attribute(note, 'ref'),
    author: authors[Number(attribute(note, 'authorId'))] ?? '',
    text: findElements(note, 't').map(textOf).join(''),
  }));
  return notes.filter((note) => !note.author.startsWith('tc={'));
}

function threadsOf(xml: string, people: ReadonlyMap<string, string>): CellComment[] {
  return findElements(readXml(xml), 'threadedComment').map((comment) => ({
    ref: attribute(comment, 'ref'),
    author: people.get(attribute(comment, 'personId')) ?? '',
    time: attribute(comment, 'dT').slice(0, 19),
    text: findElements(comment, 'text').map(textOf).join(''),
  }));
}

function commentLine({ ref, author, time = '', text }: CellComment): string {
  const said = [author && `author: ${author}`, time && `time: ${time}`, `cell: ${ref}`].filter(Boolean);
  return `[${said.join(', ')}]: ${text.trim()}`;
}

/** Returns the parts that a part refers to, by relationship id. */
export function relations(parts: ZipPackage, part: string): Map<string, string> {
  const folder = folderOf(part);
  return new Map(
    relationships(parts, part).map((link) => [attribute(link, 'Id'), resolvePart(folder, attribute(link, 'Target'))]),
  );
}

/** Returns the addresses outside of the file that a part refers to, by relationship id. */
export function outsideTargets(parts: ZipPackage, part: string): Map<string, string> {
  return new Map(
    relationships(parts, part).flatMap((link) => {
      const url = outsideLinks(attribute(link, 'Target'));
      return url === undefined ? [] : [[attribute(link, 'Id'), url] as const];
    }),
  );
}

/** Returns the relationships of a part, or of the whole package for the part "". */
export function relationships(parts: ZipPackage, part: string): XmlElement[] {
  const folder = folderOf(part);
  return findElements(readXml(parts.text(`${folder}_rels/${part.slice(folder.length)}.rels`)), 'Relationship');
}

function textAfterLast(text: string, mark: string): string {
  const at = text.lastIndexOf(mark);
  return at === -1 ? '' : text.slice(at + mark.length);
}
