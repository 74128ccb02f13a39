import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folderOf, placeLine } from './place-line.ts';

test('the folder tells files with the same name apart', () => {
  assert.equal(folderOf({ name: 'README', path: 'docs/apt/README' }), 'docs/apt');
  assert.equal(folderOf({ name: 'README', path: 'README' }), '');
  assert.equal(folderOf({ name: 'docs/apt/README', path: 'docs/apt/README' }), '');
  assert.equal(folderOf({ name: 'a page', path: null }), '');
  assert.equal(folderOf({ name: 'logo.png', path: 'mails/tour.eml › logo.png' }), 'mails/tour.eml');
  assert.equal(folderOf({ name: 'docs/README', path: 'all.zip › docs/README' }), 'all.zip');
});

test('the line below a name has the path and the headings', () => {
  const passage = {
    ...{ name: 'README', path: 'docs/README', heading_path: ['Use', 'Options'] },
    ...({ file_type: 'md', start_line: 3, end_line: 9 } as const),
  };
  assert.equal(placeLine(passage), 'docs/README  ›  Use  ›  Options');
  assert.equal(placeLine({ ...passage, path: null, heading_path: [] }), '');
  assert.equal(placeLine({ ...passage, file_type: 'code' }), 'docs/README:3-9  ›  Use  ›  Options');
});
