/** Walks through the blocks of a part of a Word file in their order, without what was deleted or moved away. */
import { childAt, childElements, localAttribute, type XmlElement } from '../../xml/tree.ts';
import { alternativeOf, type Line, type LineReader } from './lines.ts';

/** A paragraph with its content, or another element. */
interface Block {
  name: string;
  element: XmlElement;
  /** Properties and content of a paragraph. */
  properties: XmlElement | undefined;
  content: XmlElement['children'];
}

/** Elements whose content is read as if they were not there. */
const WRAPPERS = new Set('sdt sdtContent customXml ins moveTo smartTag'.split(' '));

/** Returns the paragraphs, tables, formulas and included files in an element. The depth of the tree is limited. */
export function blocksIn(parent: XmlElement): Block[] {
  const blocks: Block[] = [];
  /** A paragraph that goes on in the next one, which says how it looks. */
  let open: Block | undefined;
  const walk = (outer: XmlElement): void => {
    for (const element of childElements(outer)) {
      const { name } = element;
      if (name === 'p') {
        const block = open ?? { name, element, properties: undefined, content: [] };
        if (!open) blocks.push(block);
        for (const node of element.children) block.content.push(node);
        block.properties = childAt(element, 'pPr');
        open = goesOn(block.properties) ? block : undefined;
      } else if (name === 'tbl' || name === 'altChunk') {
        open = undefined;
        blocks.push({ name, element, properties: undefined, content: [] });
      } else if (name === 'oMathPara' || name === 'oMath') {
        open = undefined;
        blocks.push({ name: 'p', element, properties: undefined, content: [element] });
      } else if (name === 'AlternateContent') walk(alternativeOf(element));
      else if (WRAPPERS.has(name)) walk(element);
    }
  };
  walk(parent);
  return blocks;
}

/** Returns the rows of a table, or the cells of a row. */
export function partsOf(parent: XmlElement, name: 'tr' | 'tc'): XmlElement[] {
  return childElements(parent).flatMap((child) => {
    if (child.name === name) return childAt(child, 'trPr', 'del') ? [] : [child];
    if (child.name === 'AlternateContent') return partsOf(alternativeOf(child), name);
    return WRAPPERS.has(child.name) ? partsOf(child, name) : [];
  });
}

/** Returns what `textOf` makes of each paragraph in an element, also in tables and text boxes. `chart` returns the lines of a chart. */
export function paragraphTexts(
  parent: XmlElement,
  lines: LineReader,
  textOf: (line: Line) => string,
  chart: (id: string) => string[],
): string[] {
  const texts: string[] = [];
  const walk = (outer: XmlElement): void => {
    for (const { name, element, properties, content } of blocksIn(outer)) {
      if (name === 'tbl') for (const row of partsOf(element, 'tr')) for (const cell of partsOf(row, 'tc')) walk(cell);
      if (name !== 'p') continue;
      const line = lines.read(content, properties);
      texts.push(textOf(line));
      for (const box of line.boxes) {
        if (box.name === 'txbxContent') walk(box);
        else if (box.name === 'chart') for (const text of chart(localAttribute(box, 'id'))) texts.push(text);
      }
    }
  };
  walk(parent);
  return texts;
}

/** Returns whether a paragraph goes on in the next one: its mark was deleted or moved away, or it is a large first letter. */
function goesOn(properties: XmlElement | undefined): boolean {
  const frame = childAt(properties, 'framePr');
  if (frame && /^(?:drop|margin)$/.test(localAttribute(frame, 'dropCap'))) return true;
  return (childAt(properties, 'rPr', 'del') ?? childAt(properties, 'rPr', 'moveFrom')) !== undefined;
}
