/** Reads the parts of a Word file that its document refers to: charts, diagrams, and files included as text. */

import { ITEM_LABEL } from '../../html/elements.ts';
import { htmlOfMail } from '../../mail/eml.ts';
import { readXml } from '../../xml/tree.ts';
import { chartText } from '../chart-text.ts';
import { diagramText } from '../drawing-text.ts';
import { relations } from '../office-xml.ts';
import type { ZipPackage } from '../zip-package.ts';
import { PART_MARK } from './source.ts';

/** Matches the attribute that only the document itself may have. */
const OWN_LABEL = new RegExp(`${ITEM_LABEL}(?=\\s*=)`, 'gi');

/** Returns the HTML of a document with each part in the place of its mark. */
export async function withParts(html: string, parts: ZipPackage): Promise<string> {
  if (!html.includes(PART_MARK)) return html;
  const links = relations(parts, 'word/document.xml');
  // Marks surround the id of a part.
  const pieces = html.split(PART_MARK);
  for (let i = 1; i < pieces.length; i += 2) pieces[i] = `</p>${await partHtml(links.get(pieces[i]!) ?? '', parts)}<p>`;
  return pieces.join('');
}

async function partHtml(name: string, parts: ZipPackage): Promise<string> {
  if (/\/charts\//.test(name)) return chartHtml(parts.text(name));
  if (/\/diagrams\//.test(name)) return diagramHtml(parts.text(name));
  if (/\.x?html?$/i.test(name)) return bodyOf(parts.text(name));
  if (/\.mht(ml)?$/i.test(name)) return bodyOf((await htmlOfMail(parts.bytes(name))) ?? '');
  if (/\.txt$/i.test(name))
    return parts
      .text(name)
      .split(/\n\s*\n/)
      .map((text) => `<p>${escapeHtml(text)}</p>`)
      .join('');
  return '';
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

/**
 * Returns the body of a page without the elements that browsers do not show, and without labels of items. An unclosed element reaches
 * to the page's end.
 */
function bodyOf(html: string): string {
  const open = /<body(?:\s[^<>]*)?>/i.exec(html);
  const from = open ? open.index + open[0].length : 0;
  // The text is not lower-cased, because that may change its length and all following offsets.
  let to = -1;
  for (const { index } of html.matchAll(/<\/body/gi)) to = index;
  return html
    .slice(from, to > from ? to : undefined)
    .replace(/<(script|style|title)(?=[\s/>])[\s\S]*?(?:<\/\1\s*>|$)/gi, '')
    .replace(OWN_LABEL, 'data-label');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
