import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { inTempFolder, makeFolder, removeTempLeftovers } from './folders.ts';

const root = mkdtempSync(join(tmpdir(), 'pinakes-folders-'));
after(() => rmSync(root, { recursive: true }));

test('missing folders are made for the owner only, and existing folders stay', () => {
  makeFolder(join(root, 'a', 'b', 'c'));
  makeFolder(join(root, 'a', 'b', 'c'));
  for (const made of ['a', 'a/b', 'a/b/c']) assert.equal(statSync(join(root, made)).mode & 0o777, 0o700);
});

test('a folder that cannot be made is an error, not an endless loop', () => {
  writeFileSync(join(root, 'file'), '');
  assert.throws(() => makeFolder(join(root, 'file')), { code: 'EEXIST' });
  assert.throws(() => makeFolder(join(root, 'file', 'x')), { code: 'ENOTDIR' });
  if (process.platform === 'linux') {
    assert.throws(() => makeFolder('/proc/x'), { code: 'ENOENT' });
    assert.throws(() => makeFolder('/proc/x/y'), { code: 'ENOENT' });
  }
});

/** Makes a folder with a file, last changed `hours` ago. */
function left(name: string, hours: number): string {
  const folder = join(root, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'text'), 'content of a tenant');
  const at = new Date(Date.now() - hours * 3_600_000);
  utimesSync(folder, at, at);
  return folder;
}

const isRoot = process.getuid?.() === 0;

describe('temporary folders', () => {
  const given = process.env['TMPDIR'];
  // Only while these tests run: other files of tests share the process.
  before(() => {
    process.env['TMPDIR'] = root;
  });
  after(() => {
    if (given === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = given;
  });

  test('a folder is deleted after the work, also when the work fails', async () => {
    const folders: string[] = [];
    const work = async (folder: string): Promise<number> => {
      writeFileSync(join(folder, 'text'), '');
      return folders.push(folder);
    };
    assert.equal(await inTempFolder(work), 1);
    await assert.rejects(
      inTempFolder(async (folder) => {
        await work(folder);
        throw new Error('no');
      }),
      /no/,
    );
    assert.deepEqual(folders.map(existsSync), [false, false]);
  });

  test('what a killed process left is deleted after a day; younger folders and folders of others stay', async () => {
    const prefix = await inTempFolder(async (folder) => basename(folder).slice(0, -6));
    const old = left(`${prefix}old`, 25);
    const young = left(`${prefix}young`, 23);
    const other = left('other-old', 25);
    await removeTempLeftovers();
    assert.deepEqual([old, young, other].map(existsSync), [false, true, true]);
  });

  test('a folder of another user stays, also for root', { skip: !isRoot && 'needs root' }, async () => {
    const prefix = await inTempFolder(async (folder) => basename(folder).slice(0, -6));
    const folder = left(`${prefix}foreign`, 25);
    chownSync(folder, 65_534, 65_534);
    await removeTempLeftovers();
    assert.ok(existsSync(folder));
  });

  test('a folder that cannot be deleted stays, and is no error', { skip: isRoot && 'root may delete it' }, async () => {
    const prefix = await inTempFolder(async (folder) => basename(folder).slice(0, -6));
    const folder = left(`${prefix}fixed`, 25);
    chmodSync(folder, 0o500);
    await removeTempLeftovers();
    assert.ok(existsSync(folder));
    chmodSync(folder, 0o700);
  });
});
