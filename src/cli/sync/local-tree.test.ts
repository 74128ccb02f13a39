import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CliError } from '../shared/io.ts';
import { type HashCache, hashFiles } from './hash-files.ts';
import { openFolder, readTree } from './local-tree.ts';

/** Path -> content, in a folder of its own. */
async function makeFolder(t: TestContext, files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'pinakes-tree-'));
  t.after(() => rm(root, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return openFolder(root);
}

const pathsOf = async (root: string): Promise<string[]> => (await readTree(root)).files.map(({ path }) => path);

test('a folder is read without hidden, empty and linked files, and without what ignore files leave out', async (t) => {
  const root = await makeFolder(t, {
    'a.md': 'a',
    'docs/b.md': 'b',
    'docs/c.log': 'c',
    'docs/.pinakesignore': '!c.log\nprivate/\n',
    'docs/private/d.md': 'd',
    '.gitignore': '*.log\n',
    'e.log': 'e',
    '.env': 'secret',
    'node_modules/x/index.js': 'x',
    'empty.txt': '',
  });
  await symlink(join(root, 'a.md'), join(root, 'link.md'));
  await symlink(root, join(root, 'docs', 'loop'));
  assert.deepEqual(await pathsOf(root), ['a.md', 'docs/b.md', 'docs/c.log']);
});

test('the rules of the repository around a folder hold in it, unless they leave out the folder itself', async (t) => {
  const root = await makeFolder(t, {
    '.git/HEAD': 'ref',
    '.gitignore': 'build/\n*.tmp\n',
    'docs/a.md': 'a',
    'docs/b.tmp': 'b',
    'docs/build/c.md': 'c',
    'build/d.md': 'd',
    'build/e.tmp': 'e',
  });
  assert.deepEqual(await pathsOf(join(root, 'docs')), ['a.md']);
  assert.deepEqual(await pathsOf(join(root, 'build')), ['d.md', 'e.tmp']);
});

test('names are taken as the service keeps them; of two that become one the second is told', async (t) => {
  const root = await makeFolder(t, { 'u\u0308.md': 'a', '\u00fc.md': 'b', 'c\u200e.md': 'c' });
  const tree = await readTree(root);
  assert.deepEqual(tree.files.map(({ path }) => path).sort(), ['c.md', '\u00fc.md']);
  assert.deepEqual(tree.skipped, [
    { path: '\u00fc.md', reason: 'another file has the same path but for invisible characters' },
  ]);
});

test('what this machine cannot read is told', async (t) => {
  const root = await makeFolder(t, { 'open.md': 'a', 'closed/b.md': 'b', 'shut.md': 'c' });
  await chmod(root, 0o755);
  await chmod(join(root, 'closed'), 0);
  await chmod(join(root, 'shut.md'), 0);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid!(65_534);
  try {
    const tree = await readTree(root);
    assert.deepEqual(tree.unreadable, ['closed/']);
    const hashed = await hashFiles(tree, new Map(), () => undefined);
    assert.deepEqual(
      hashed.map(({ path }) => path),
      ['open.md'],
    );
    assert.deepEqual(tree.unreadable, ['closed/', 'shut.md']);
  } finally {
    if (isRoot) process.seteuid!(0);
    await chmod(join(root, 'closed'), 0o700);
  }
});

test('a folder that is not there is the caller’s mistake', async () => {
  await assert.rejects(openFolder('/no/such/folder'), (error) => error instanceof CliError && error.exitCode === 2);
});

test('a file is read again when its stamp is another, and not when it is old and the same', async (t) => {
  const root = await makeFolder(t, { 'a.md': 'one' });
  const cache: HashCache = new Map();
  const tree = await readTree(root);
  const [file] = tree.files;
  await hashFiles(tree, cache, () => undefined);
  assert.equal(cache.size, 0, 'a file that was written a moment ago may be written again with the same stamp');
  const old = { ...tree, files: [{ ...file!, changedMs: 0 }] };
  const [first] = await hashFiles(old, cache, () => undefined);
  await writeFile(join(root, 'a.md'), 'two');
  const [cached] = await hashFiles(old, cache, () => undefined);
  assert.equal(cached!.hash, first!.hash);
  const [again] = await hashFiles(await readTree(root), cache, () => undefined);
  assert.notEqual(again!.hash, first!.hash);
});
