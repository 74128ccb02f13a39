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
  const arrows: { label: string; from: string; to: string }[] = [];
  const labels = new Map<string, string>();
  const shapes = childElements(model, 'root').flatMap((root) => childElements(root));
  for (const shape of shapes) {
    // A shape with properties of its own is inside another element, which has the label.
    const cell = childAt(shape, 'mxCell') ?? shape;
    const label = stripTags(attribute(shape, 'value') || attribute(shape, 'label')).replace(/\n{2,}/g, '\n');
    const [from, to] = [attribute(cell, 'source'), attribute(cell, 'target')];
    if (from !== '' && to !== '') arrows.push({ label, from, to });
    else if (label !== '') {
      labels.set(attribute(shape, 'id'), label.split('\n', 1)[0]!);
      builder.add({ kind: 'paragraph' }, label);
    }
  }
  const lines = arrows.flatMap(({ label, from, to }) => {
    const [start, end] = [labels.get(from), labels.get(to)];
    const parts = start === undefined || end === undefined ? [label] : [start, label, end];
    return parts.some(Boolean) ? [`- ${parts.filter(Boolean).join(' → ').replaceAll('\n', ' ')}`] : [];
  });
  builder.add({ kind: 'list' }, lines.join('\n'));
}
