import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GENERATED_REASON } from './local-tree.ts';
import { printTable, type SyncReport } from './report.ts';

test('generated files are one line of the table; other skipped files have a line each', () => {
  const generated = ['a.min.js', 'b.min.js', 'c.map', 'd.lock'].map((path) => ({ path, reason: GENERATED_REASON }));
  const report: SyncReport = {
    group_id: 'g1',
    group_name: 'handbook',
    dry_run: false,
    added: [],
    updated: [],
    moved: [],
    deleted: [],
    unchanged: 2,
    failed: [],
    still_failed: [],
    skipped: [...generated, { path: 'film.mkv', reason: 'too large' }],
    unreadable: [],
  };
  let printed = '';
  const out = (text: string): void => {
    printed += text;
  };
  printTable(report, { out, err() {}, terminal: false, columns: 80 });
  assert.deepEqual(printed.split('\n'), [
    'skipped  film.mkv: too large',
    'skipped  4 generated files: a.min.js, b.min.js, c.map and 1 more',
    '2 unchanged (group g1)',
    '',
  ]);
});
