import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { findFiles, packGroups } from './files.ts';
import { CliError } from './io.ts';

test('folders are searched in name order, without hidden files, node_modules and links', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'pinakes-files-'));
  t.after(() => rm(root, { recursive: true }));
  await mkdir(join(root, 'b', 'node_modules'), { recursive: true });
  await mkdir(join(root, '.git'));
  for (const name of ['z.txt', 'a.md', '.hidden', 'b/c.txt', 'b/node_modules/x.js', '.git/config'])
    await writeFile(join(root, name), name);
  await symlink(root, join(root, 'b', 'loop'));

  const { files } = await findFiles([root, join(root, '.hidden')]);

  assert.deepEqual(
    files.map(({ name }) => name),
    [...['a.md', 'b/c.txt', 'z.txt'].map((name) => `${basename(root)}/${name}`), '.hidden'],
  );
  assert.deepEqual(
    (await findFiles([root])).files.map(({ name }) => name),
    ['a.md', 'b/c.txt', 'z.txt'],
  );
  assert.equal(files[1]?.size, 'b/c.txt'.length);
  assert.ok(Math.abs(files[1].modifiedMs - Date.now()) < 60_000);
});

test('pictures of pages in a folder are left out and counted, a picture that is named is not', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'pinakes-files-'));
  t.after(() => rm(root, { recursive: true }));
  for (const name of ['index.html', 'logo.png']) await writeFile(join(root, name), name);
  const { files, assets } = await findFiles([root]);
  assert.deepEqual([files.map(({ name }) => name), assets], [['index.html'], 1]);
  assert.equal((await findFiles([join(root, 'logo.png')])).files.length, 1);
});

test('a path that does not exist is a usage error', async () => {
  await assert.rejects(findFiles(['/no/such/file']), (error) => error instanceof CliError && error.exitCode === 2);
});

test('files are packed into groups in their order, within the limits of files and bytes', () => {
  const sizes = (groups: { size: number }[][]) => groups.map((group) => group.map(({ size }) => size));
  const files = [3, 3, 3, 9, 1, 1, 1, 1].map((size) => ({ size }));
  assert.deepEqual(sizes(packGroups(files, 3, 8)), [[3, 3], [3], [9], [1, 1, 1], [1]]);
  assert.deepEqual(packGroups([]), []);
});
