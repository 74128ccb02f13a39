import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8 } from 'fflate';
import { joplinFiles } from './joplin.ts';

const id = (letter: string) => letter.repeat(32);
const item = (name: string, head: string, values: Record<string, string>) => {
  const lines = Object.entries({ id: id(name), ...values }).map(([key, value]) => `${key}: ${value}`);
  const bytes = strToU8(`${head === '' ? '' : `${head}\n\n`}${lines.join('\n')}`);
  return { name: `${id(name)}.md`, bytes: () => bytes };
};

const EXPORT = [
  item('a', 'Printer\n\nToner **26X**.\n\nnote: ask Claire', {
    parent_id: id('c'),
    user_created_time: '2025-02-11T08:30:12.345Z',
    author: '',
    type_: '1',
  }),
  item('b', 'Either/or', { parent_id: id('9'), type_: '1' }),
  item('c', 'Second floor', { parent_id: id('d'), type_: '2' }),
  item('d', 'Office', { parent_id: '', type_: '2' }),
  item('e', 'photo.png', { mime: 'image/png', type_: '4' }),
  item('f', 'machines', { type_: '5' }),
  item('1', '', { note_id: id('a'), tag_id: id('f'), type_: '6' }),
  { name: `resources/${id('e')}.png`, bytes: () => strToU8('png') },
  { name: 'resources/other.pdf', bytes: () => strToU8('pdf') },
];

test('an export of Joplin is its notes in their notebooks, and its attachments by their names', () => {
  const files = joplinFiles(EXPORT);
  assert.deepEqual(
    files.map(({ name }) => name),
    ['Office/Second floor/Printer.md', 'Either-or.md', 'resources/photo.png', 'resources/other.pdf'],
  );
  assert.equal(
    Buffer.from(files[0]!.bytes()).toString(),
    '---\ntitle: "Printer"\ntags: "machines"\ncreated: "2025-02-11T08:30:12.345Z"\n---\n\n' +
      '# Printer\n\nToner **26X**.\n\nnote: ask Claire\n',
  );
});

test('notebooks that contain each other end', () => {
  const circle = [
    item('c', 'One', { parent_id: id('d'), type_: '2' }),
    item('d', 'Two', { parent_id: id('c'), type_: '2' }),
  ];
  const [note] = joplinFiles([item('a', 'Note', { parent_id: id('c'), type_: '1' }), ...circle]);
  assert.match(note!.name, /^(?:Two\/One\/){10}Note\.md$/);
});
