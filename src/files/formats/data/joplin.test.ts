import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8 } from 'fflate';
import { joplinFiles } from './joplin.ts';

const file = (name: string, text: string) => ({ name, bytes: () => strToU8(text) });

test('an export of Joplin is its notes and its attachments by their titles and ids', () => {
  const files = joplinFiles([
    file('a.md', 'Printer\n\nToner **26X**.\n\ntype_: 2\n\nnote: ask Claire\n\nid: a\nparent_id: c\ntype_: 1\n'),
    file('b.md', 'Either/or\n\nid: b\ntype_: 1'),
    file('c.md', 'Second floor\n\nid: c\ntype_: 2'),
    file('d.md', 'id: d\nnote_id: a\ntype_: 6'),
    file('e.md', 'No facts\n'),
    file('f.md', 'offer/May.pdf\n\nid: f\nmime: application/pdf\ntype_: 4'),
    file('resources/f.pdf', 'pdf'),
    file('g.md', 'Plan\n\nid: g\ntype_: 4'),
    file('resources/g.png', 'png'),
    file('resources/h.png', 'png'),
    file('i.md', '\n\nid: i\ntype_: 1'),
  ]);
  assert.deepEqual(
    files.map(({ name }) => name),
    [
      'Printer a.md',
      'Either-or b.md',
      'e.md',
      'resources/offer-May f.pdf',
      'resources/Plan g.png',
      'resources/h.png',
      'unnamed i.md',
    ],
  );
  assert.equal(
    Buffer.from(files[0]!.bytes()).toString(),
    '# Printer\n\nToner **26X**.\n\ntype_: 2\n\nnote: ask Claire\n',
  );
});
