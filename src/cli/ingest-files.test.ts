import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findFiles } from './ingest-files.ts';
import { CliError } from './shared/io.ts';

/** Writes the files (path -> text) into a new folder and returns its path. */
async function folderOf(t: TestContext, files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'pinakes-files-'));
  t.after(() => rm(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

const namesOf = ({ files }: Awaited<ReturnType<typeof findFiles>>): string[] => files.map(({ path }) => path);

test('folders are searched in name order, without hidden files, node_modules and links', async (t) => {
  const paths = ['z.txt', 'a.md', '.hidden', 'b/c.txt', 'b/node_modules/x.js', '.git/config'];
  const root = await folderOf(t, Object.fromEntries(paths.map((path) => [path, path])));
  await symlink(root, join(root, 'b', 'loop'));

  const both = await findFiles([root, join(root, '.hidden')]);
  assert.deepEqual(namesOf(both), [
    ...['a.md', 'b/c.txt', 'z.txt'].map((name) => `${basename(root)}/${name}`),
    '.hidden',
  ]);
  assert.equal(both.files[1]?.size, 'b/c.txt'.length);
  assert.ok(Math.abs(both.files[1].modifiedMs - Date.now()) < 60_000);

  const one = await findFiles([root]);
  assert.deepEqual(namesOf(one), ['a.md', 'b/c.txt', 'z.txt']);
  assert.deepEqual(one.leftOut, ['1 link: b/loop', '1 hidden: .hidden', '1 ignored: b/node_modules/']);
});

test('empty files, hidden files and those that an ignore file names are left out and counted', async (t) => {
  const root = await folderOf(t, {
    'flask/__init__.py': '',
    'flask/py.typed': '',
    'flask/app.py': 'app = 1',
    '.env': 'KEY=1',
    '.github/workflows/test.yml': 'on: push',
    '.vscode/settings.json': '{}',
    '.gitignore': 'dist/\n*.log\n',
    '.pinakesignore': '!kept.log\n',
    'dist/app.js': 'x',
    'a.log': 'a',
    'Thumbs.db': 't',
    'kept.log': 'kept',
  });
  const found = await findFiles([root]);
  assert.deepEqual(namesOf(found), ['.github/workflows/test.yml', 'flask/app.py', 'kept.log']);
  assert.deepEqual(found.leftOut, [
    '2 empty files',
    '4 hidden: .env, .gitignore, .pinakesignore and 1 more',
    '1 file that systems and programs keep beside others: Thumbs.db',
    '2 ignored: a.log, dist/',
  ]);
  const named = await findFiles([join(root, 'a.log'), join(root, 'flask', '__init__.py')]);
  assert.deepEqual([namesOf(named), named.leftOut], [['a.log'], ['1 empty file']]);
});

test('pictures of pages in a folder are left out and counted, a picture that is named is not', async (t) => {
  const root = await folderOf(t, { 'index.html': 'x', 'logo.png': 'x' });
  const found = await findFiles([root]);
  assert.deepEqual(namesOf(found), ['index.html']);
  assert.match(found.leftOut.join(), /^1 file that belongs to web pages/);
  assert.equal((await findFiles([join(root, 'logo.png')])).files.length, 1);
});

test('lock files, minified files and source maps in a folder are left out and named, unless a rule includes them', async (t) => {
  const files = {
    'a.md': 'x',
    'package-lock.json': '{}',
    'web/app.min.js': 'x',
    'web/app.js.map': '{}',
    'yarn.lock': 'x',
  };
  const root = await folderOf(t, files);
  const found = await findFiles([root]);
  assert.deepEqual(namesOf(found), ['a.md']);
  assert.deepEqual(found.leftOut, ['4 generated: package-lock.json, web/app.js.map, web/app.min.js and 1 more']);
  assert.equal((await findFiles([join(root, 'yarn.lock')])).files.length, 1);
  await writeFile(join(root, '.pinakesignore'), '!yarn.lock\n');
  assert.deepEqual(namesOf(await findFiles([root])), ['a.md', 'yarn.lock']);
});

test('a script without line breaks in a folder is left out, whatever its name is', async (t) => {
  const written = 'function add(a, b) {\n  return a + b;\n}\n'.repeat(50);
  const root = await folderOf(t, { 'add.js': written, 'searchindex.js': `Search.setIndex({${'"a":1,'.repeat(400)}})` });
  const found = await findFiles([root]);
  assert.deepEqual([namesOf(found), found.leftOut], [['add.js'], ['1 generated: searchindex.js']]);
});

test('files and folders that cannot be read are named, and the others are uploaded', async (t) => {
  const root = await folderOf(t, { 'a.txt': 'a', 'secret/b.txt': 'b', 'shut.txt': 'c' });
  await chmod(root, 0o755);
  for (const name of ['secret', 'shut.txt']) await chmod(join(root, name), 0);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid!(65_534);
  try {
    const found = await findFiles([root]);
    assert.deepEqual([namesOf(found), found.unreadable], [['a.txt'], ['shut.txt', 'secret/']]);
    await assert.rejects(
      findFiles([join(root, 'shut.txt')]),
      (error) => error instanceof CliError && error.exitCode === 2 && /shut\.txt" cannot be read/.test(error.message),
    );
  } finally {
    if (isRoot) process.seteuid!(0);
    await chmod(join(root, 'secret'), 0o700);
  }
});

test('a pipe, a device and a socket are refused, also through a link', async (t) => {
  const root = await folderOf(t, {});
  execFileSync('mkfifo', [join(root, 'pipe')]);
  await symlink(join(root, 'pipe'), join(root, 'link'));
  for (const path of ['/dev/null', '/dev/zero', join(root, 'pipe'), join(root, 'link')])
    await assert.rejects(
      findFiles([path]),
      (error) => error instanceof CliError && error.exitCode === 2 && /is not a file/.test(error.message),
      path,
    );
});

test('a path that does not exist is a usage error', async () => {
  await assert.rejects(findFiles(['/no/such/file']), (error) => error instanceof CliError && error.exitCode === 2);
});
