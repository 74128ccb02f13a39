import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CliError } from '../shared/io.ts';
import { type HashCache, hashFiles } from './hash-files.ts';
import { LITTER_REASON, openFolder, readTree } from './local-tree.ts';

/** Creates a temporary folder with these files: content by path. */
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
  await symlink(root, join(root, 'old.log'));
  assert.deepEqual(await pathsOf(root), ['a.md', 'docs/b.md', 'docs/c.log']);
  assert.deepEqual((await readTree(root)).links, ['docs/loop', 'link.md']);
});

test('what systems and programs keep beside files is skipped with a reason, also below a rule that includes all', async (t) => {
  const root = await makeFolder(t, {
    'a.md': 'a',
    '~$a.md': 'user',
    'docs/Thumbs.db': 't',
    '__MACOSX/b.md': 'b',
    '~$kept.md': 'kept',
    '.pinakesignore': '*\n!*/\n!*.md\n!*.db\n!~$kept.md\n',
  });
  const { files, skipped } = await readTree(root);
  assert.deepEqual(
    files.map(({ path }) => path),
    ['a.md', '~$kept.md'],
  );
  const reason = LITTER_REASON;
  assert.deepEqual(skipped, [
    { path: '__MACOSX/', reason },
    { path: 'docs/Thumbs.db', reason },
    { path: '~$a.md', reason },
  ]);
});

test('pictures of web pages are skipped with a reason, unless an ignore file includes them', async (t) => {
  const root = await makeFolder(t, { 'a.html': 'a', 'a.png': 'p', 'docs/b.html': 'b', 'docs/c.png': 'p' });
  assert.deepEqual(await pathsOf(root), ['a.html', 'docs/b.html']);
  assert.deepEqual(
    (await readTree(root)).skipped.map(({ path }) => path),
    ['a.png', 'docs/c.png'],
  );
  await writeFile(join(root, 'docs', '.pinakesignore'), '!*.png\n');
  assert.deepEqual(await pathsOf(root), ['a.html', 'docs/b.html', 'docs/c.png']);
});

test('the ignore rules of the repository around a folder apply to the folder, unless they ignore the folder itself', async (t) => {
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

test('files get the paths of the service; the second of two files with the same path is reported as skipped', async (t) => {
  const root = await makeFolder(t, { 'u\u0308.md': 'a', '\u00fc.md': 'b', 'c\u200e.md': 'c' });
  const tree = await readTree(root);
  assert.deepEqual(tree.files.map(({ path }) => path).sort(), ['c.md', '\u00fc.md']);
  assert.deepEqual(tree.skipped, [
    { path: '\u00fc.md', reason: 'another file has the same path, except for invisible characters' },
  ]);
});

test('files and folders that this machine cannot read are reported as unreadable', async (t) => {
  const root = await makeFolder(t, { 'open.md': 'a', 'closed/b.md': 'b', 'listed/d.md': 'd', 'shut.md': 'c' });
  await chmod(root, 0o755);
  await chmod(join(root, 'closed'), 0);
  await chmod(join(root, 'listed'), 0o444);
  await chmod(join(root, 'shut.md'), 0);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid!(65_534);
  try {
    const tree = await readTree(root);
    assert.deepEqual(tree.unreadable, ['closed/', 'listed/d.md']);
    const hashed = await hashFiles(tree, new Map(), () => undefined);
    assert.deepEqual(
      hashed.map(({ path }) => path),
      ['open.md'],
    );
    assert.deepEqual(tree.unreadable, ['closed/', 'listed/d.md', 'shut.md']);
  } finally {
    if (isRoot) process.seteuid!(0);
    await chmod(join(root, 'closed'), 0o700);
    await chmod(join(root, 'listed'), 0o700);
  }
});

test('an ignore file that cannot be read stops the command, so that no private file is sent', async (t) => {
  const root = await makeFolder(t, {
    '.git/HEAD': 'ref',
    'a/.pinakesignore': 'secret.txt\n',
    'a/b/secret.txt': 'x',
    'c.md': 'c',
  });
  await chmod(root, 0o755);
  await chmod(join(root, 'a', '.pinakesignore'), 0);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid!(65_534);
  try {
    for (const folder of [root, join(root, 'a'), join(root, 'a', 'b')])
      await assert.rejects(
        readTree(folder),
        (error: CliError) =>
          error.exitCode === 2 &&
          /ignore file ".*\.pinakesignore" cannot be read: this user may not/.test(error.message),
        folder,
      );
  } finally {
    if (isRoot) process.seteuid!(0);
  }
});

test('a pipe, a folder and a dead link in the place of an ignore file have no rules', {
  timeout: 30_000,
}, async (t) => {
  const root = await makeFolder(t, { 'a.md': 'a', 'pipe/b.md': 'b', 'folder/.gitignore/c': 'c', 'folder/c.md': 'c' });
  execFileSync('mkfifo', [join(root, 'pipe', '.gitignore')]);
  await symlink('nowhere', join(root, '.gitignore'));
  assert.deepEqual(await pathsOf(root), ['a.md', 'folder/c.md', 'pipe/b.md']);
});

test('a folder that does not exist is a usage error with exit code 2', async () => {
  await assert.rejects(openFolder('/no/such/folder'), (error) => error instanceof CliError && error.exitCode === 2);
});

test('a file is hashed again when its stamp changes; the hash of an old file with the same stamp is cached', async (t) => {
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

test('small files and files that are read as a stream get the SHA-256 of their bytes', async (t) => {
  const texts = { 'large.txt': 'lighthouse '.repeat(200_000), 'small.txt': 'lighthouse' };
  const root = await makeFolder(t, texts);
  const hashed = await hashFiles(await readTree(root), new Map(), () => undefined);
  assert.deepEqual(
    hashed.map(({ hash }) => hash),
    Object.values(texts).map((text) => createHash('sha256').update(text).digest('hex')),
  );
});
