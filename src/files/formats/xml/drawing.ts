/** Writes diagrams of draw.io: for each page the words of its shapes, then its arrows. */
import { Buffer } from 'node:buffer';
import { inflateRawSync } from 'node:zlib';
import { stripTags } from '../html/dom.ts';
import type { TextBuilder } from '../text-builder.ts';
import { attribute, childAt, childElements, readXml, textOf, type XmlElement } from './tree.ts';

/** Maximum length of all pages that the file keeps compressed. */
const PAGES_BYTES_MAX = 8 * 1024 * 1024;

/** Writes a diagram with a section for each page. Adds a warning if pages cannot be unpacked. */
export function writeDiagram(top: XmlElement, builder: TextBuilder, warnings: string[]): void {
  let bytesLeft = PAGES_BYTES_MAX;
  let lost = 0;
  for (const page of childElements(top, 'diagram')) {
    const name = attribute(page, 'name');
    builder.add({ kind: 'heading', level: 1 }, name === '' ? '' : `# ${name}`);
    let model = childAt(page, 'mxGraphModel');
    const packed = textOf(page).trim();
    if (!model && packed !== '') {
      try {
        const bytes = inflateRawSync(Buffer.from(packed, 'base64'), { maxOutputLength: bytesLeft });
        bytesLeft -= bytes.length;
        model = childAt(readXml(decodeURIComponent(bytes.toString('utf8'))), 'mxGraphModel');
      } catch (error) {
        // Each page that is too long would be unpacked up to the limit.
        if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') bytesLeft = 0;
        lost += 1;
      }
    }
    if (model) writeShapes(model, builder);
  }
  if (lost > 0) warnings.push(`Pages of the diagram that could not be unpacked: ${lost}.`);
}

function writeShapes(model: XmlElement, builder: TextBuilder): void {
  const cells = childElements(model, 'root').flatMap((root) => childElements(root).map(cellOf));
  const named = cells.filter(({ label }) => label !== '');
  const names = new Map(named.map(({ id, label }) => [id, label.split('\n', 1)[0]!]));
  const isArrow = ({ from, to }: { from: string; to: string }) => names.has(from) && names.has(to);
  for (const shape of named) if (!isArrow(shape)) builder.add({ kind: 'paragraph' }, shape.label);
  const arrows = cells
    .filter(isArrow)
    .map(({ from, to, label }) => [names.get(from), label.replaceAll('\n', ' '), names.get(to)].filter(Boolean));
  builder.add({ kind: 'list' }, arrows.map((parts) => `- ${parts.join(' → ')}`).join('\n'));
}

/** Reads a shape or an arrow. One with properties of its own is inside another element, which has the label. */
function cellOf(shape: XmlElement) {
  const cell = childAt(shape, 'mxCell') ?? shape;
  const label = stripTags(attribute(shape, 'value') || attribute(shape, 'label')).replace(/\n{2,}/g, '\n');
  return { id: attribute(shape, 'id'), label, from: attribute(cell, 'source'), to: attribute(cell, 'target') };
}
