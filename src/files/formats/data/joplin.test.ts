import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8 } from 'fflate';
import { joplinFiles } from './joplin.ts';

const file = (name: string, text: string) => ({ name, bytes: () => strToU8(text) });

test('an export of Joplin is its notes by their titles, and its attachments', () => {
  const files = joplinFiles([
    file('a.md', 'Printer\n\nToner **26X**.\n\nnote: ask Claire\n\nid: a\nparent_id: c\ntype_: 1\n'),
    file('b.md', 'Either/or\n\nid: b\ntype_: 1'),
    file('c.md', 'Second floor\n\nid: c\ntype_: 2'),
    file('d.md', 'id: d\nnote_id: a\ntype_: 6'),
    file('e.md', 'No facts\n'),
    file('resources/f.pdf', 'pdf'),
  ]);
  assert.deepEqual(
    files.map(({ name }) => name),
    ['Printer.md', 'Either-or.md', 'e.md', 'resources/f.pdf'],
  );
  assert.equal(Buffer.from(files[0]!.bytes()).toString(), '# Printer\n\nToner **26X**.\n\nnote: ask Claire\n');
});
