/** Writes diagrams of draw.io: for each page the words of its shapes, then its arrows. */
import { Buffer } from 'node:buffer';
import { inflateRawSync } from 'node:zlib';
import { stripTags } from '../html/dom.ts';
import type { TextBuilder } from '../text-builder.ts';
import { attribute, childAt, childElements, readXml, textOf, type XmlElement } from './tree.ts';

/** Maximum length of a page that the file keeps compressed. */
const PAGE_BYTES_MAX = 16 * 1024 * 1024;

/** Writes a diagram with a section for each page. */
export function writeDiagram(top: XmlElement, builder: TextBuilder): void {
  for (const page of childElements(top, 'diagram')) {
    const name = attribute(page, 'name');
    builder.add({ kind: 'heading', level: 1 }, name === '' ? '' : `# ${name}`);
    const model = childAt(page, 'mxGraphModel') ?? unpacked(textOf(page).trim());
    if (model) writeShapes(model, builder);
  }
}

/** Returns a page whose XML is percent-encoded, deflated and written as Base64. */
function unpacked(text: string): XmlElement | undefined {
  try {
    const bytes = inflateRawSync(Buffer.from(text, 'base64'), { maxOutputLength: PAGE_BYTES_MAX });
    return childAt(readXml(decodeURIComponent(bytes.toString('utf8'))), 'mxGraphModel');
  } catch {
    return undefined;
  }
}

function writeShapes(model: XmlElement, builder: TextBuilder): void {
  const cells = childElements(model, 'root').flatMap((root) => childElements(root).map(cellOf));
  const shapes = cells.filter(({ from, to, label }) => (from === '' || to === '') && label !== '');
  for (const { label } of shapes) builder.add({ kind: 'paragraph' }, label);
  const names = new Map(shapes.map(({ id, label }) => [id, label.split('\n', 1)[0]!]));
  const arrows = cells.flatMap(({ from, to, label }) => {
    const [start, end] = [names.get(from), names.get(to)];
    return start && end ? [`- ${[start, label.replaceAll('\n', ' '), end].filter(Boolean).join(' → ')}`] : [];
  });
  builder.add({ kind: 'list' }, arrows.join('\n'));
}

/** Reads a shape or an arrow. One with properties of its own is inside another element, which has the label. */
function cellOf(shape: XmlElement) {
  const cell = childAt(shape, 'mxCell') ?? shape;
  const label = stripTags(attribute(shape, 'value') || attribute(shape, 'label')).replace(/\n{2,}/g, '\n');
  return { id: attribute(shape, 'id'), label, from: attribute(cell, 'source'), to: attribute(cell, 'target') };
}
