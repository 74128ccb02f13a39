import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY_REASON, GENERATED_REASON, LITTER_REASON } from './local-tree.ts';
import { exitCodeOf, newsOf, printTable, printUnread, type SyncReport } from './report.ts';

const nothing: SyncReport = {
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
  skipped: [],
  unreadable: [],
};

test('generated files are one line of the table, and so are empty ones and those of systems; other skipped files have a line each', () => {
  const generated = ['a.min.js', 'b.min.js', 'c.map', 'd.lock'].map((path) => ({ path, reason: GENERATED_REASON }));
  const empty = { path: 'e.txt', reason: EMPTY_REASON };
  const litter = ['Thumbs.db', '~$a.docx'].map((path) => ({ path, reason: LITTER_REASON }));
  const report = { ...nothing, skipped: [...generated, { path: 'film.mkv', reason: 'too large' }, ...litter, empty] };
  let printed = '';
  const out = (text: string): void => {
    printed += text;
  };
  printTable(report, { out, err() {}, terminal: false, columns: 80 });
  assert.deepEqual(printed.split('\n'), [
    'skipped  film.mkv: too large',
    'skipped  4 generated files: a.min.js, b.min.js, c.map and 1 more',
    'skipped  2 files that systems and programs keep beside others: Thumbs.db, ~$a.docx',
    'skipped  1 empty file: e.txt',
    '2 unchanged (group g1)',
    '',
  ]);
});

test('a reader who watches sees once that a file is left out, and again for another reason', () => {
  const [film, link] = ['film.mkv', 'link.md'].map((path) => ({ path, reason: 'too large' }));
  const before = { ...nothing, skipped: [film!, link!], unreadable: ['shut/'] };
  const emptied = { path: 'link.md', reason: EMPTY_REASON };
  const news = newsOf({ ...before, added: ['a.md'], skipped: [film!, emptied], unreadable: ['shut/', 'b.md'] }, before);
  assert.deepEqual([news.added, news.skipped, news.unreadable], [['a.md'], [emptied], ['b.md']]);
});

test('a file that failed in an earlier call counts for the exit code if it can be retried or is outdated', () => {
  const file = { path: 'film.mkv', title: 'Unsupported file type', message: '' };
  const still = { ...file, retryable: false, outdated: false };
  const codeOf = (report: Partial<SyncReport>): number => exitCodeOf({ ...nothing, ...report });
  assert.equal(codeOf({ failed: [file] }), 1);
  assert.equal(codeOf({ still_failed: [still] }), 0);
  assert.equal(codeOf({ still_failed: [still, { ...still, retryable: true }] }), 1);
  assert.equal(codeOf({ still_failed: [{ ...still, outdated: true }] }), 1);
  assert.equal(codeOf({ unreadable: ['shut/'] }), 1);
});

test('a retry of files that failed earlier is proposed only if it may help', () => {
  const film = { path: 'film.mkv', title: 'Unsupported file type', message: '', retryable: false, outdated: false };
  const slow = { ...film, path: 'slow.pdf', title: 'Timeout', retryable: true };
  const saidOf = (...files: (typeof film)[]): string => {
    let said = '';
    const err = (text: string): void => {
      said += text;
    };
    printUnread('g1', files, { out() {}, err, terminal: false, columns: 80 });
    return said;
  };
  const one = '1 unchanged file could not be read by an earlier call.\n  film.mkv: Unsupported file type\n';
  assert.equal(saidOf(film), one);
  assert.match(saidOf(film, slow), /earlier call\. To retry: pinakes runs start g1 --only-failed\n {2}film/);
});
