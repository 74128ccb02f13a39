/** Parses a board of cards (JSON Canvas) or a drawing (Excalidraw): its texts in reading order, then the named connections. */

import { isObject, objectsAt, readObject } from '../../../util/is-object.ts';
import type { ParsedFile } from '../../parsed.ts';
import { TextBuilder } from '../text-builder.ts';

type Json = { [key: string]: unknown };

/** The types of cards. A file with other nodes is none of JSON Canvas. */
const TYPES: readonly unknown[] = ['text', 'file', 'link', 'group'];
/** Maximum length of the words that name a card in a connection. */
const NAME_UNITS_MAX = 80;

/** Returns the board; undefined if the text is none, or a board without cards. */
export function parseCanvas(source: string): ParsedFile | undefined {
  // Another text is read as any other JSON file, which reports the error.
  const read = readObject(source) ?? {};
  const texts = objectsAt(read, 'elements')
    .filter(({ type, isDeleted }) => (type === 'text' || type === 'frame') && isDeleted !== true)
    .map((element) => (element['type'] === 'frame' ? { ...element, type: 'group', label: element['name'] } : element));
  const board: Json = read['type'] === 'excalidraw' ? { nodes: texts } : read;
  const nodes = board['nodes'];
  if (!Array.isArray(nodes) || !nodes.every((node) => isObject(node) && TYPES.includes(node['type']))) return undefined;
  const cards = objectsAt(board, 'nodes').sort(
    (a, b) => numberIn(a, 'y') - numberIn(b, 'y') || numberIn(a, 'x') - numberIn(b, 'x'),
  );
  const builder = new TextBuilder();
  const names = new Map<string, string>();
  for (const card of cards) {
    const text = ['text', 'file', 'url', 'label']
      .map((key) => textIn(card, key))
      .filter(Boolean)
      .join('\n');
    if (text === '') continue;
    builder.add({ kind: 'paragraph' }, text);
    const name = text.split('\n', 1)[0]!.replace(/^#+\s+/, '');
    names.set(textIn(card, 'id'), name.slice(0, NAME_UNITS_MAX).toWellFormed());
  }
  for (const edge of objectsAt(board, 'edges')) {
    const [from, to] = [names.get(textIn(edge, 'fromNode')), names.get(textIn(edge, 'toNode'))];
    const label = textIn(edge, 'label');
    if (from && to && label !== '') builder.add({ kind: 'paragraph' }, `${from} → ${label} → ${to}`);
  }
  return builder.blocks.length === 0 ? undefined : builder.file('json', {});
}

function textIn(value: Json, key: string): string {
  const text = value[key];
  return typeof text === 'string' ? text.trim() : '';
}

function numberIn(value: Json, key: string): number {
  const number = value[key];
  return typeof number === 'number' ? number : 0;
}
