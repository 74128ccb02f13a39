/** Writes outlines (OPML) of outliners and feed readers as nested lists. */
import type { TextBuilder } from '../text-builder.ts';
import { attribute, childAt, childElements, textOf, type XmlElement } from './tree.ts';

const INDENT_LEVELS_MAX = 12;
/** Attributes of an item that are shown as they are. Others are settings of programs. */
const ADDRESSES = ['htmlUrl', 'xmlUrl', 'url'];
const NOTES = ['_note', 'note', 'description', 'comment'];

/** Writes an outline. An item of the first level that has others below it is a heading. Returns the title. */
export function writeOpml(top: XmlElement, builder: TextBuilder): string | undefined {
  const head = childAt(top, 'head');
  const title = textOf(head && childAt(head, 'title')).trim();
  builder.add({ kind: 'heading', level: 1 }, title === '' ? '' : `# ${title}`);
  const body = childAt(top, 'body');
  for (const item of body ? itemsOf(body) : []) {
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
  return childElements(parent).filter(({ name }) => name === 'outline');
}

/** Returns the lines of an item and of those below it. The depth of XML is limited. */
function linesOf(item: XmlElement, depth: number): string[] {
  const indent = '  '.repeat(Math.min(depth, INDENT_LEVELS_MAX));
  const own = [nameOf(item), ...moreOf(item)].filter(Boolean).join(' – ');
  const lines = own === '' ? [] : [`${indent}- ${own}`];
  return [...lines, ...itemsOf(item).flatMap((one) => linesOf(one, depth + 1))];
}

function nameOf(item: XmlElement): string {
  return textIn(item, 'text') || textIn(item, 'title');
}

/** Returns the notes and addresses of an item. */
function moreOf(item: XmlElement): string[] {
  return [...new Set([...NOTES, ...ADDRESSES].map((name) => textIn(item, name)))].filter(Boolean);
}

function textIn(item: XmlElement, name: string): string {
  return attribute(item, name).replace(/\s+/g, ' ').trim();
}
