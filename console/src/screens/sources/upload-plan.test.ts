import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  folderOf,
  isGroupItself,
  isSameUpload,
  nameOfUpload,
  pathsInGroup,
  planUpload,
  unreadOf,
} from './upload-plan.ts';

const LIMITS = { filesMax: 3, bytesMax: 1_000_000 };
const file = (path: string, size = 10) => ({ path, size });

const given = (...paths: string[]) => paths.map((path) => file(path));

test('a folder with the name of the group is the group itself', () => {
  const files = given('Büro/a.md', 'Bu\u0308ro/x/b.md');
  assert.equal(folderOf(files), 'Büro');
  assert.ok(isGroupItself(folderOf(files), 'Bu\u0308ro'));
  assert.ok(!isGroupItself(folderOf(files), 'papers'));
  assert.deepEqual(pathsInGroup(files, 'Büro'), ['a.md', 'x/b.md']);
  assert.deepEqual(pathsInGroup(files, undefined), ['Büro/a.md', 'Büro/x/b.md']);
});

test('files that are not in one folder have no folder to leave out: no two files get one path', () => {
  assert.equal(folderOf(given('a/b.md', 'b.md')), undefined);
  assert.equal(folderOf(given('a/b.md', 'c/b.md')), undefined);
  assert.equal(folderOf([]), undefined);
  assert.ok(!isGroupItself(undefined, 'a'));
});

test('an upload goes on after a failure only with the same files and the same group', () => {
  const [one, other] = [file('a.md'), file('b.md')];
  const target = { name: 'papers', groupId: undefined, leavesOut: undefined };
  const before = { files: [one, other], target };
  const goesOn = (change: Partial<typeof before>) => isSameUpload(before, { ...before, ...change });
  assert.ok(goesOn({ files: [one, other], target: { ...target } }));
  assert.ok(!goesOn({ files: [one] }));
  assert.ok(!goesOn({ files: [other, one] }));
  assert.ok(!goesOn({ target: { ...target, name: 'other papers' } }));
  assert.ok(!isSameUpload(before, { ...before, target: { ...target, groupId: '1' } }));
  assert.ok(!isSameUpload(before, { ...before, target: { ...target, leavesOut: 'papers' } }));
  const inGroup = { files: [one], target: { ...target, groupId: '1' } };
  assert.ok(
    isSameUpload(inGroup, { ...inGroup, target: { ...inGroup.target, name: 'renamed' } }),
    'only its id counts',
  );
});

describe('the plan of an upload', () => {
  test('files that the service would refuse are left out, each with its reason', () => {
    const given = [
      file('a.pdf'),
      file('.DS_Store'),
      file('x/.git/config'),
      file('x/~$a.docx'),
      file('b.md', 0),
      file('c.pdf', 1_000_000),
      file('a.pdf'),
    ];
    const plan = planUpload(given, LIMITS);
    assert.deepEqual(
      plan.excluded.map(({ file: { path }, why }) => [path, why]),
      [
        // Those of a rare reason are first.
        ['b.md', 'empty'],
        ['x/~$a.docx', 'litter'],
        ['c.pdf', 'tooLarge'],
        ['a.pdf', 'twice'],
        ['.DS_Store', 'hidden'],
        ['x/.git/config', 'hidden'],
      ],
    );
    assert.equal(plan.files, 1);
    assert.equal(plan.bytes, 10);
  });

  test('what web pages of a folder only show or run is left out, unless it was chosen by itself', () => {
    const given = ['manual/a.html', 'manual/img/a.png', 'manual/style.css', 'notes/scan.png', 'photo.png'];
    const plan = planUpload(
      given.map((path) => file(path)),
      { ...LIMITS, filesMax: 10 },
    );
    assert.deepEqual(
      plan.excluded.map(({ file: { path }, why }) => [path, why]),
      [
        ['manual/img/a.png', 'ofPages'],
        ['manual/style.css', 'ofPages'],
      ],
    );
    assert.equal(plan.files, 3);
  });

  test('files that the service cannot read are left out, each with its reason', () => {
    const kinds = {
      'a.ttf': 'binary',
      'scan.png': 'picture',
      'old.doc': 'compound',
      'mail.msg': 'compound',
      'notes.txt': 'text',
    } as const;
    const given = Object.keys(kinds).map((path) => file(path));
    const excluded = (readsPictures: boolean) =>
      planUpload(given, { ...LIMITS, filesMax: 10 }, (one) =>
        unreadOf(kinds[one.path as keyof typeof kinds], readsPictures),
      ).excluded.map(({ file: { path }, why }) => [path, why]);
    assert.deepEqual(excluded(false), [
      ['a.ttf', 'binary'],
      ['scan.png', 'picture'],
    ]);
    assert.deepEqual(excluded(true), [['a.ttf', 'binary']]);
  });

  test('a request has at most the number of files of the limit', () => {
    const plan = planUpload(
      Array.from({ length: 7 }, (_, i) => file(`${i}.txt`)),
      LIMITS,
    );
    assert.deepEqual(
      plan.batches.map((batch) => batch.length),
      [3, 3, 1],
    );
  });

  test('a request has at most the bytes of the limit', () => {
    const plan = planUpload(
      Array.from({ length: 4 }, (_, i) => file(`${i}.txt`, 400_000)),
      LIMITS,
    );
    assert.deepEqual(
      plan.batches.map((batch) => batch.length),
      [2, 2],
    );
  });

  test('the endings are counted, the most frequent first', () => {
    const plan = planUpload([file('a.md'), file('b.PDF'), file('c.pdf'), file('LICENSE')], LIMITS);
    assert.deepEqual(plan.endings[0], { ending: 'pdf', count: 2 });
    assert.ok(plan.endings.some(({ ending }) => ending === ''));
  });

  test('the group is named like the dropped folder, or like the first file', () => {
    assert.equal(nameOfUpload([file('guides/a.md'), file('guides/x/b.md')]), 'guides');
    assert.equal(nameOfUpload([file('guides/a.md'), file('b.md')]), 'guides/a.md');
    assert.equal(nameOfUpload([file('a.md')]), 'a.md');
    assert.equal(nameOfUpload([]), '');
  });
});
