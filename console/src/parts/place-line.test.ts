import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areOfSeveralGroups, folderOf, placeLine } from './place-line.ts';

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
    ...{ name: 'README', path: 'docs/README', heading_path: ['Use', 'Options'], source_group_name: 'apt' },
    ...({ file_type: 'md', start_line: 3, end_line: 9 } as const),
  };
  assert.equal(placeLine(passage), 'docs/README  ›  Use  ›  Options');
  assert.equal(placeLine({ ...passage, path: null, heading_path: [] }), '');
  assert.equal(placeLine({ ...passage, file_type: 'code' }), 'docs/README:3-9  ›  Use  ›  Options');
});

test('the line begins with the name of the group if passages of several groups stand together', () => {
  const passage = {
    ...{ name: 'api.html', path: 'html/api.html', heading_path: ['API'], source_group_name: 'requests' },
    ...({ file_type: 'html', start_line: 3, end_line: 9 } as const),
  };
  assert.equal(placeLine(passage, true), 'requests  ›  html/api.html  ›  API');
  assert.equal(placeLine({ ...passage, file_type: 'code' }, true), 'requests  ›  html/api.html:3-9  ›  API');
  assert.equal(placeLine({ ...passage, source_group_name: 'html' }, true), 'html/api.html  ›  API');
  assert.equal(placeLine({ ...passage, path: null, source_group_name: 'api.html' }, true), 'API');
  assert.ok(areOfSeveralGroups([{ source_group_id: 'a' }, { source_group_id: 'b' }]));
  assert.ok(!areOfSeveralGroups([{ source_group_id: 'a' }, { source_group_id: 'a' }]));
});
