/** Writes outlines (OPML) of outliners and feed readers, and mind maps of FreeMind and Freeplane, as nested lists. */
import { oneLine } from '../../../util/code-points.ts';
import type { TextBuilder } from '../text-builder.ts';
import { attribute, childAt, childElements, textOf, type XmlElement } from './tree.ts';

const INDENT_LEVELS_MAX = 12;
/** Attributes of an item that are shown as they are. Others are settings of programs. */
const ADDRESSES = ['htmlUrl', 'xmlUrl', 'url', 'LINK'];
const NOTES = ['_note', 'note', 'description', 'comment'];

/** Writes an outline, or a mind map, whose middle is the title. An item of the first level that has others below it is a heading. */
export function writeOpml(top: XmlElement, builder: TextBuilder): string | undefined {
  const root = childAt(top, 'body') ?? childAt(top, 'node');
  const title = textOf(childAt(top, 'head', 'title')).trim() || (root ? nameOf(root) : '');
  builder.add({ kind: 'heading', level: 1 }, title === '' ? '' : `# ${title}`);
  builder.add({ kind: 'paragraph' }, root ? moreOf(root).join('\n') : '');
  for (const item of root ? itemsOf(root) : []) {
    const inner = itemsOf(item);
    if (inner.length === 0) builder.add({ kind: 'list' }, linesOf(item, 0).join('\n'));
    else {
      const name = nameOf(item);
      builder.add({ kind: 'heading', level: 2 }, name === '' ? '' : `## ${name}`);
      builder.add({ kind: 'paragraph' }, moreOf(item).join('\n'));
      builder.add({ kind: 'list' }, inner.flatMap((one) => linesOf(one, 0)).join('\n'));
    }
  }
  return title || undefined;
}

function itemsOf(parent: XmlElement): XmlElement[] {
  return childElements(parent).filter(({ name }) => name === 'outline' || name === 'node');
}

/** Returns the lines of an item and of those below it. The depth of XML is limited. */
function linesOf(item: XmlElement, depth: number): string[] {
  const indent = '  '.repeat(Math.min(depth, INDENT_LEVELS_MAX));
  const own = [nameOf(item), ...moreOf(item)].filter(Boolean).join(' – ');
  const lines = own === '' ? [] : [`${indent}- ${own}`];
  return [...lines, ...itemsOf(item).flatMap((one) => linesOf(one, depth + 1))];
}

function nameOf(item: XmlElement): string {
  const text = textIn(item, 'text') || textIn(item, 'title') || textIn(item, 'TEXT') || richText(item, /^NODE$/);
  return text.startsWith('<html>') ? oneLine(text.replace(/<[^<>]*>/g, ' ')) : text;
}

/** Returns the notes and addresses of an item. */
function moreOf(item: XmlElement): string[] {
  const texts = [richText(item, /^(?:DETAILS|NOTE)$/), ...[...NOTES, ...ADDRESSES].map((name) => textIn(item, name))];
  // An address that begins with # is another node of the map.
  return [...new Set(texts)].filter((text) => text !== '' && !text.startsWith('#'));
}

/** Returns the formatted texts of a node in a mind map. */
function richText(item: XmlElement, types: RegExp): string {
  const rich = childElements(item).filter((one) => one.name === 'richcontent' && types.test(attribute(one, 'TYPE')));
  return rich.map((one) => oneLine(textOf(one))).join(' ');
}

function textIn(item: XmlElement, name: string): string {
  return oneLine(attribute(item, name));
}
