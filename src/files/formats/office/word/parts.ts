/** Finds the parts of a Word file, and reads charts, diagrams, and files included as text. */
import { buildTree, fitsTree, rootOf, stripTags } from '../../html/dom.ts';
import { ITEM_LABEL } from '../../html/elements.ts';
import { htmlOfMail } from '../../mail/eml.ts';
import { attribute, readXml } from '../../xml/tree.ts';
import { chartText } from '../chart-text.ts';
import { diagramText } from '../drawing-text.ts';
import { relations, relationships } from '../office-xml.ts';
import { folderOf, resolvePart, type ZipPackage } from '../zip-package.ts';
import { escapeHtml } from './lines.ts';

/** Matches the attribute that only the document itself may have. */
const OWN_LABEL = new RegExp(`${ITEM_LABEL}(?=\\s*=)`, 'gi');

export interface WordPart {
  html: string;
}

/** Returns the parts that a part refers to, by relationship id. */
export async function readParts(parts: ZipPackage, part: string): Promise<Map<string, WordPart>> {
  const links = relations(parts, part);
  const found = new Map<string, WordPart>();
  for (const name of new Set(links.values())) found.set(name, { html: await partHtml(name, parts) });
  return new Map([...links].map(([id, name]) => [id, found.get(name)!]));
}

/** Returns a function that gives the lines of the chart with a relationship id, and none when it is asked again. */
export function chartLines(parts: ZipPackage, links: Map<string, string>): (id: string) => string[] {
  return (id) => {
    const name = links.get(id);
    if (name === undefined) return [];
    links.delete(id);
    const { caption, rows } = chartText(parts.text(name));
    return [caption, ...rows.map((row) => row.filter((cell) => cell !== '').join(' '))];
  };
}

/** Returns the targets of links, as the file has them, by relationship id. */
export function targetsOf(parts: ZipPackage, part: string): Map<string, string> {
  return new Map(relationships(parts, part).map((link) => [attribute(link, 'Id'), attribute(link, 'Target')]));
}

/** Returns the name of the part of this type that a part refers to, or its usual name. The package refers to the document. */
export function partOfType(parts: ZipPackage, part: string, type: string, usual = type): string {
  return partsOfTypes(parts, part, [type])[0] ?? `word/${usual}.xml`;
}

/** Returns the names of the parts of these types that a part refers to. */
export function partsOfTypes(parts: ZipPackage, part: string, types: readonly string[]): string[] {
  return relationships(parts, part)
    .filter((link) => types.includes(attribute(link, 'Type').replace(/^.*\//, '')))
    .map((link) => resolvePart(folderOf(part), attribute(link, 'Target')))
    .filter((name) => parts.has(name));
}

async function partHtml(name: string, parts: ZipPackage): Promise<string> {
  if (/\/charts\//.test(name)) return chartHtml(parts.text(name));
  if (/\/diagrams\/data/.test(name)) return diagramHtml(parts.text(name));
  if (/\.x?html?$/i.test(name)) return bodyOf(parts.text(name));
  if (/\.mht(ml)?$/i.test(name)) return bodyOf((await htmlOfMail(parts.bytes(name))) ?? '');
  return /\.txt$/i.test(name) ? textHtml(parts.text(name)) : '';
}

function textHtml(text: string): string {
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`);
  return paragraphs.join('');
}

function chartHtml(xml: string): string {
  const { caption, rows } = chartText(xml);
  const cells = rows.map((row) => `<tr>${row.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`);
  return `<p>${escapeHtml(caption)}</p><table>${cells.join('')}</table>`;
}

function diagramHtml(xml: string): string {
  const points = diagramText(readXml(xml)).split('\n').filter(Boolean);
  return `<ul>${points.map((line) => `<li>${escapeHtml(line.slice(2))}</li>`).join('')}</ul>`;
}

/** Returns the body of a page with all elements and comments closed, and without labels of items, which only the document may have. */
function bodyOf(html: string): string {
  const open = /<body(?:\s[^<>]*)?>/i.exec(html);
  const from = open ? open.index + open[0].length : 0;
  // The text is not lower-cased, because that may change its length and all following offsets.
  let to = -1;
  for (const { index } of html.matchAll(/<\/body/gi)) to = index;
  const body = html.slice(from, to > from ? to : undefined);
  if (!fitsTree(body)) return textHtml(stripTags(body));
  return rootOf(buildTree(body)).innerHTML.replace(OWN_LABEL, 'data-label');
}
