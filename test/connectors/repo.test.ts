/** Repositories: what is listed and fetched from a fake GitHub. */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, test } from 'node:test';
import { Octokit } from '@octokit/rest';
import { SINGLE_FETCHES_MAX } from '../../src/connectors/repo/connector.ts';
import { type Memory, problemOf } from '../support/worlds/read-origin.ts';
import {
  fake,
  files,
  origin,
  type RepoOrigin,
  repo,
  run,
  setUpRepository,
  site,
} from '../support/worlds/repo-world.ts';

setUpRepository();

describe('a first run', () => {
  test('every file of the commit is listed', async () => {
    const commit = site.git.commit({ 'README.md': '# Site\n', 'docs/über uns.md': 'We\n' });
    const { stored, items, full } = await run(origin());
    assert.deepEqual(stored, { 'README.md': '# Site\n', 'docs/über uns.md': 'We\n' });
    assert.equal(full, true);
    const item = items.get('docs/über uns.md')!;
    assert.equal(item.name, 'über uns.md');
    assert.equal(item.url, `https://github.com/ada/site/blob/${commit}/docs/%C3%BCber%20uns.md`);
    // The result of git hash-object for the text.
    assert.equal(items.get('README.md')!.revision, '97b25970230936e5f78aae40a42f801a5900e266');
    assert.deepEqual(
      Object.entries(item.metadata).map(([key, { val }]) => [key, val]),
      [
        ['path', 'docs/über uns.md'],
        ['repository', 'ada/site'],
        ['reference', 'main'],
        ['commit', commit],
      ],
    );
    assert.equal(item.modifiedAt?.toISOString(), site.git.commits.get(commit)!.date.replace('Z', '.000Z'));
  });

  test('many files are fetched in one tarball from another host, without the credential', async () => {
    site.privateTo = 'secret-1';
    const long = `deep/${'folder-with-a-long-name/'.repeat(6)}file.md`;
    site.git.commit({ ...files(SINGLE_FETCHES_MAX + 20), [long]: 'deep\n' });
    const { stored } = await run(origin(), { credential: 'secret-1' });
    assert.equal(Object.keys(stored).length, SINGLE_FETCHES_MAX + 21);
    assert.equal(stored[long], 'deep\n');
    assert.equal(fake.count(/\/git\/blobs\//), 0);
    assert.equal(fake.count(/legacy\.tar\.gz/), 1);
    assert.equal(fake.requests.length, 6);
    assert.deepEqual(fake.leakedCredentials, []);
  });

  test('files that a tarball lacks or changes are fetched one by one', async () => {
    site.git.commit(files(SINGLE_FETCHES_MAX + 1));
    site.git.exportIgnored.add('notes/3.md');
    site.git.exportSubstituted.add('notes/4.md');
    const { stored } = await run(origin());
    assert.deepEqual(stored, files(SINGLE_FETCHES_MAX + 1));
    assert.equal(fake.count(/\/git\/blobs\//), 2);
  });

  test('texts whose line ends a tarball changes are read from it as the repository has them', async () => {
    const texts = files(SINGLE_FETCHES_MAX + 1, (i) => `Zeile ${i}: Öl\nmehr\n`);
    site.git.commit({ ...texts, 'mixed.md': 'one\r\ntwo\n' });
    site.git.archivesCrlf = true;
    const { stored } = await run(origin());
    assert.deepEqual(stored, { ...texts, 'mixed.md': 'one\r\ntwo\n' });
    assert.equal(fake.count(/\/git\/blobs\//), 1, 'only the text that has both');
  });

  for (const [how, more] of [
    ['one by one', 0],
    ['in a tarball', SINGLE_FETCHES_MAX],
  ] as const)
    test(`files whose paths differ only in bytes that are not UTF-8 are separate sources, fetched ${how}`, async () => {
      // Surrogates are written as U+FFFD, like such bytes in the responses of GitHub.
      const odd = {
        'x/\ud800.md': 'one\n',
        'x/\ud801.md': 'two\n',
        'x/\ud802.md': 'one\n',
        'x/\ufffd (3).md': 'real\n',
      };
      site.git.commit({ ...files(more), ...odd });
      const memory: Memory = new Map();
      const first = await run(origin(), { memory });
      const { stored, items } = first;
      const paths = Object.keys(stored).filter((path) => path.startsWith('x/'));
      assert.deepEqual(paths.sort(), ['x/\ufffd (2).md', 'x/\ufffd (3).md', 'x/\ufffd (4).md', 'x/\ufffd.md'].sort());
      assert.deepEqual(paths.map((path) => stored[path]).sort(), ['one\n', 'one\n', 'real\n', 'two\n']);
      assert.equal(items.get('x/\ufffd (2).md')!.name, '\ufffd (2).md');
      site.git.commit({ 'x/\ud801.md': 'changed\n' });
      const second = await run(origin(), { memory, cursor: first.cursor });
      assert.deepEqual(Object.values(second.stored), ['changed\n']);
    });

  test('very many files with one path are listed in linear time', async () => {
    const count = 8_000;
    // Surrogates are written as U+FFFD.
    const odd = Array.from({ length: count }, (_, i) => [`x/${oddLetters(i)}.md`, `text ${i}\n`]);
    site.git.commit(Object.fromEntries(odd));
    // Processor time does not depend on other processes. Quadratic code needs more than a minute.
    const before = process.cpuUsage();
    const { stored } = await run(origin());
    const { user } = process.cpuUsage(before);
    assert.equal(new Set(Object.values(stored)).size, count);
    assert.ok(user < 15_000_000, `${user} µs`);
  });

  test('a file that is too large for memory is fetched by itself', async () => {
    site.git.commit({
      ...files(SINGLE_FETCHES_MAX + 1),
      'large.txt': Buffer.alloc(9 * 1024 * 1024, 'words and words\n'),
    });
    const { stored } = await run(origin());
    assert.equal(stored['large.txt']?.length, 9 * 1024 * 1024);
    assert.deepEqual([fake.count(/\/git\/blobs\//), fake.count(/legacy/)], [1, 1]);
  });

  test('few files of a large repository are fetched without a tarball', async () => {
    site.git.commit({ ...files(SINGLE_FETCHES_MAX + 1), 'film.mp4': Buffer.alloc(65 * 1024 * 1024) });
    await run(origin({ pathFilters: ['notes/'] }));
    assert.deepEqual([fake.count(/\/git\/blobs\//), fake.count(/tarball/)], [SINGLE_FETCHES_MAX + 1, 0]);
  });

  test('only files that match the path filters are listed', async () => {
    site.git.commit({ 'README.md': 'a\n', 'docs/a.md': 'b\n', 'docs/old/b.md': 'c\n', 'src/c.ts': 'd\n' });
    const { stored, skipped } = await run(origin({ pathFilters: ['docs/', '*.ts', '!docs/old/'] }));
    assert.deepEqual(Object.keys(stored), ['docs/a.md', 'src/c.ts']);
    assert.deepEqual(skipped, {});
  });
});

test('files without readable text are skipped with a reason', async () => {
  const lfs = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`;
  site.git.commit({
    'a.md': 'kept\n',
    'paper.pdf': Buffer.from('%PDF-1.7\n\u0000\u0001\u0002', 'latin1'),
    'letter.docx': Buffer.from('PK\x03\x04\0\0\0\0\0\0\0\0', 'latin1'),
    'logo.png': 'x',
    'data.unknown': Buffer.from([0, 1, 2, 3, 0, 0, 0, 9, 8, 0, 1, 0]),
    'big.md': lfs,
    'weights.txt': 'listed as LFS\n',
    '.gitattributes':
      'weights.txt filter=lfs diff=lfs merge=lfs -text\nmine.pb.go -linguist-generated\nold/** linguist-vendored\n',
    'old/a.md': 'vendored\n',
    link: { link: 'a.md' },
    module: { submodule: '1'.repeat(40) },
    'node_modules/x/index.js': 'x\n',
    'package-lock.json': '{}\n',
    'api.pb.go': 'package api\n',
    'mine.pb.go': 'package mine\n',
    'gen.go': '// Code generated by tool. DO NOT EDIT.\npackage gen\n',
    'about-generated.md': '// Code generated by tool. DO NOT EDIT.\n',
    'app.js': `${'var a=1;'.repeat(400)}\n`,
    'empty.md': '',
  });
  const expected = {
    'logo.png': 'no text to read in .png files',
    'data.unknown': 'a binary file',
    'big.md': 'kept in Git LFS: the repository has only a pointer to it',
    'weights.txt': 'kept in Git LFS, by .gitattributes',
    'old/a.md': 'vendored, by .gitattributes',
    link: 'a symbolic link',
    module: 'a submodule: add its repository as a source of its own',
    'node_modules/x/index.js': 'vendored or built: in node_modules/',
    'package-lock.json': 'a generated file',
    'api.pb.go': 'a generated file',
    'gen.go': 'a generated file',
    'app.js': 'a generated file',
    'empty.md': 'an empty file',
  };
  const taken = ['.gitattributes', 'a.md', 'about-generated.md', 'letter.docx', 'mine.pb.go', 'paper.pdf'];
  const singly = await run(origin());
  assert.deepEqual(singly.skipped, expected);
  assert.deepEqual(Object.keys(singly.stored).sort(), taken);
  assert.equal(fake.count(/legacy\.tar\.gz/), 0);

  site.git.commit(files(SINGLE_FETCHES_MAX));
  const memory: Memory = new Map();
  const together = await run(origin(), { memory });
  assert.deepEqual(together.skipped, expected);
  assert.equal(Object.keys(together.stored).length, taken.length + SINGLE_FETCHES_MAX);
  assert.equal(fake.count(/legacy\.tar\.gz/), 1);

  // A file that the tarball showed to be unreadable is not fetched again while it stays the same.
  site.git.commit({ 'a.md': 'new\n', 'gen.go': 'package gen\n' });
  fake.requests.length = 0;
  const next = await run(origin(), { memory, cursor: together.cursor });
  assert.deepEqual(next.stored, { 'a.md': 'new\n', 'gen.go': 'package gen\n' });
  assert.equal(next.skipped['data.unknown'], 'a binary file');
  assert.equal(fake.count(/\/git\/blobs\//), 3, 'two changed files and .gitattributes');
});

describe('a later run', () => {
  test('a run without a new tree requests only the commit', async () => {
    site.git.commit(files(5));
    const memory: Memory = new Map();
    const first = await run(origin(), { memory });
    site.git.commit({});
    fake.requests.length = 0;
    const second = await run(origin(), { memory, cursor: first.cursor });
    assert.deepEqual([second.stored, second.unchanged, second.full], [{}, [], false]);
    assert.equal(fake.requests.length, 3);
    assert.equal(fake.count(/\/git\/(?:trees|blobs)\//), 0);
  });

  test('a file that fails does not make the next runs fetch refused files again', async () => {
    const odd = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`b${i}.unknown`, Buffer.from([0, 1, 2, i])]));
    site.git.commit({ ...files(SINGLE_FETCHES_MAX), ...odd, 'large.txt': Buffer.alloc(9 * 1024 * 1024, 'words\n') });
    const memory: Memory = new Map();
    fake.faults.add(/git\/blobs/, { status: 500 }, 99);
    const first = await run(origin(), { memory });
    assert.deepEqual(Object.keys(first.failed), ['large.txt']);
    fake.requests.length = 0;
    const second = await run(origin(), { memory, cursor: repo.withFailed!(first.cursor!, ['large.txt']) });
    assert.deepEqual([Object.keys(second.failed), second.unchanged.length], [['large.txt'], SINGLE_FETCHES_MAX]);
    assert.deepEqual(
      [fake.count(/tarball/), fake.count(/git\/blobs/)],
      [0, 3],
      'only the attempts for the failed file',
    );
    fake.faults.clear();
    const third = await run(origin(), { memory, cursor: repo.withFailed!(second.cursor!, ['large.txt']) });
    assert.deepEqual(Object.keys(third.stored), ['large.txt']);
  });

  test('a run fetches changed files and does not report deleted files and old names', async () => {
    site.git.commit(files(40));
    const memory: Memory = new Map();
    const first = await run(origin(), { memory });
    site.git.commit({ 'notes/1.md': 'changed\n', 'notes/2.md': null, 'notes/3.md': null, 'moved/3.md': 'text 3\n' });
    fake.requests.length = 0;
    const second = await run(origin(), { memory, cursor: first.cursor });
    assert.deepEqual(second.stored, { 'notes/1.md': 'changed\n', 'moved/3.md': 'text 3\n' });
    assert.equal(second.unchanged.length, 37);
    assert.equal(second.full, true);
    assert.ok(!second.unchanged.includes('notes/2.md') && !second.unchanged.includes('notes/3.md'));
    assert.equal(fake.count(/\/git\/blobs\//), 2);
  });

  test('a run follows a branch whose history was rewritten', async () => {
    site.git.commit({ 'a.md': 'a\n', 'b.md': 'b\n' });
    const memory: Memory = new Map();
    const first = await run(origin(), { memory });
    site.git.commit({ 'a.md': 'a\n', 'c.md': 'c\n' }, 'main', { orphan: true });
    const second = await run(origin(), { memory, cursor: first.cursor });
    assert.deepEqual([second.stored, second.unchanged, second.full], [{ 'c.md': 'c\n' }, ['a.md'], true]);
  });

  test('a run that is cut off goes on with its commit, and the next run reads what was pushed meanwhile', async () => {
    site.git.commit({ 'a.md': 'a\n', 'b.md': 'b\n' });
    const memory: Memory = new Map();
    const signal = new AbortController().signal;
    const request = { cursor: null, resume: null, findStored: async () => undefined, signal };
    let resume = null;
    for await (const change of repo.list(origin(), null, request)) {
      if (change.kind === 'checkpoint') resume = change.resume;
      break;
    }
    site.git.commit({ 'a.md': null, 'c.md': 'c\n' }, 'main', { orphan: true });
    const rest = await run(origin(), { memory, resume });
    assert.deepEqual(rest.stored, { 'a.md': 'a\n', 'b.md': 'b\n' });
    const next = await run(origin(), { memory, cursor: rest.cursor });
    assert.deepEqual([next.stored, next.unchanged, next.full], [{ 'c.md': 'c\n' }, [], true]);
  });
});

describe('the reference', () => {
  test('the reference may be a branch, a lightweight or annotated tag, or a commit', async () => {
    const first = site.git.commit({ 'a.md': 'one\n' });
    site.git.annotatedTag('v1', first);
    const second = site.git.commit({ 'a.md': 'two\n' });
    site.git.tag('light', second);
    site.git.commit({ 'a.md': 'three\n' });
    site.git.commit({ 'a.md': 'side\n' }, 'feature/x');
    // A tag with the same name as a branch.
    site.git.tag('feature/x', first);
    const text = async (referenceType: RepoOrigin['referenceType'], referenceParam: string) =>
      (await run(origin({ referenceType, referenceParam }))).stored['a.md'];
    assert.equal(await text('default', ''), 'three\n');
    assert.equal(await text('branch', 'feature/x'), 'side\n');
    assert.equal(await text('tag', 'feature/x'), 'one\n');
    assert.equal(await text('tag', 'v1'), 'one\n');
    assert.equal(await text('tag', 'light'), 'two\n');
    assert.equal(await text('commit', second), 'two\n');
    assert.equal(await text('commit', first.slice(0, 7)), 'one\n');
  });

  test('a reference that does not exist is an error', async () => {
    site.git.commit({ 'a.md': 'a\n' });
    const gone = await problemOf(run(origin({ referenceType: 'branch', referenceParam: 'release/2' })));
    assert.equal(gone.title, 'The reference was not found');
    assert.match(gone.message, /ada\/site has no branch release\/2/);
  });
});

test('a repository that moved is read at its new address', async () => {
  const moved = fake.add('ada/new-site');
  moved.git.commit({ 'a.md': 'a\n' });
  site.movedTo = 'ada/new-site';
  const { stored, items } = await run(origin());
  assert.deepEqual(stored, { 'a.md': 'a\n' });
  assert.match(items.get('a.md')!.url!, /^https:\/\/github\.com\/ada\/new-site\/blob\//);
});

test('a tree that GitHub truncates is read folder by folder', async () => {
  site.git.commit({ ...files(9), 'a/b/c.md': 'c\n', 'a/b/d/e.md': 'e\n', 'top.md': 't\n' });
  const whole = await run(origin());
  fake.treeEntriesMax = 3;
  const walked = await run(origin());
  assert.deepEqual(Object.entries(walked.stored).sort(), Object.entries(whole.stored).sort());
  assert.equal(Object.keys(walked.stored).length, 12);
  assert.ok(fake.count(/\/git\/trees\//) > 4);
});

describe('the official client reads the same server', () => {
  test('the official client reads commits, trees, blobs, pages, tarballs and errors of the fake GitHub', async () => {
    const octokit = new Octokit({ baseUrl: fake.url, log: { debug() {}, info() {}, warn() {}, error() {} } });
    const place = { owner: 'ada', repo: 'site' };
    const first = site.git.commit({ 'docs/a.md': 'hello\n' });
    const tag = site.git.annotatedTag('v1', first);
    for (let i = 0; i < 45; i += 1) site.git.commit({ 'b.md': `${i}\n` }, `topic/${i}`);
    const { data: about } = await octokit.rest.repos.get(place);
    assert.equal(about.default_branch, 'main');
    const { data: commit } = await octokit.rest.repos.getCommit({ ...place, ref: 'tags/v1' });
    assert.equal(commit.sha, first);
    const { data: reference } = await octokit.rest.git.getRef({ ...place, ref: 'tags/v1' });
    assert.deepEqual([reference.object.type, reference.object.sha], ['tag', tag]);
    assert.equal((await octokit.rest.git.getTag({ ...place, tag_sha: tag })).data.object.sha, first);
    const { data: tree } = await octokit.rest.git.getTree({
      ...place,
      tree_sha: commit.commit.tree.sha,
      recursive: '1',
    });
    assert.deepEqual(
      tree.tree.map(({ path, type }) => [path, type]),
      [
        ['docs', 'tree'],
        ['docs/a.md', 'blob'],
      ],
    );
    const { data: blob } = await octokit.rest.git.getBlob({ ...place, file_sha: tree.tree[1]!.sha! });
    assert.equal(Buffer.from(blob.content, 'base64').toString(), 'hello\n');
    assert.equal((await octokit.paginate(octokit.rest.repos.listBranches, place)).length, 46);
    const archive = await octokit.rest.repos.downloadTarballArchive({ ...place, ref: first });
    assert.equal(Buffer.from(archive.data as ArrayBuffer).readUInt16BE(0), 0x1f8b);
    const { headers } = await octokit.rest.repos.get(place);
    await assert.rejects(
      octokit.rest.repos.get({ ...place, headers: { 'if-none-match': headers.etag! } }),
      (error: { status?: number }) => error.status === 304,
    );
    await assert.rejects(
      octokit.rest.repos.getCommit({ ...place, ref: 'heads/none' }),
      (error: { status?: number; message?: string }) =>
        error.status === 422 && /^No commit found for SHA: heads\/none/.test(error.message ?? ''),
    );
  });
});

/** Returns three surrogates, which differ from those of other numbers. */
function oddLetters(number: number): string {
  const digits = [number % 50, Math.floor(number / 50) % 50, Math.floor(number / 2500)];
  return digits.map((digit) => String.fromCharCode(0xd800 + digit)).join('');
}
