/** Tests with zip archives as real tools write them (scripts/make-zip-fixtures.sh). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture } from '../support/files/fixtures.ts';
import { failureOf, processBytes } from '../support/files/process-bytes.ts';

const HERON = 'The heron nests by the river.\n';
const BIRDS = { 'docs/heron.txt': HERON, 'docs/Vögel.csv': 'name,count\nheron,3\n' };

async function inside(name: string, bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
  const members = new Map<string, Uint8Array>();
  const outcome = await processBytes(name, bytes, [], async (member) => void members.set(member.name, member.bytes));
  assert.ok(outcome.ok, outcome.ok ? '' : outcome.failure.message);
  assert.deepEqual(outcome.file.warnings, []);
  return members;
}

const texts = (members: ReadonlyMap<string, Uint8Array>) =>
  Object.fromEntries([...members].map(([name, bytes]) => [name, Buffer.from(bytes).toString()]));

const ARCHIVES: readonly (readonly [file: string, what: string, expected: Readonly<Record<string, string>>])[] = [
  ['infozip.zip', 'with folders', BIRDS],
  ['infozip-stored.zip', 'not compressed', BIRDS],
  ['infozip-stream.zip', 'written to a pipe, sizes after the data', BIRDS],
  ['macos.zip', 'with the files that macOS adds', BIRDS],
  ['comment.zip', 'with a comment at the end', BIRDS],
  ['7zip.zip', 'by 7-Zip', BIRDS],
  ['bsdtar.zip', 'by libarchive', BIRDS],
  ['jar.zip', 'by the JDK', BIRDS],
  ['python-utf8.zip', 'with names marked as UTF-8', BIRDS],
  ['python-cp437.zip', 'with names in code page 437', { ...BIRDS, 'docs/père Übergröße.txt': 'Words.\n' }],
  ['python-shift-jis.zip', 'with names in Shift_JIS', { '資料/議事録.txt': 'Words.\n' }],
  ['python-zip64.zip', 'with 64-bit numbers', BIRDS],
  ['windows-paths.zip', 'with backslashes in paths', BIRDS],
];

for (const [file, what, expected] of ARCHIVES) {
  test(`a zip archive ${what} (${file}) gives all its files`, async () => {
    assert.deepEqual(texts(await inside(file, fixture(`zip/${file}`))), expected);
  });
}

test('an archive in an archive in an archive is opened level by level', async () => {
  let [name, bytes] = ['nested.zip', fixture('zip/nested.zip')];
  for (const next of ['middle.tgz', 'inner.zip']) {
    const members = await inside(name, bytes);
    assert.deepEqual([...members.keys()], [next]);
    [name, bytes] = [next, members.get(next)!];
  }
  assert.deepEqual(texts(await inside(name, bytes)), BIRDS);
});

test('an archive without files fails with that reason', async () => {
  assert.match((await failureOf('empty.zip', fixture('zip/empty.zip'))).message, /no files in it/);
});

test('an archive with a password or an unsupported compression fails with that reason', async () => {
  assert.equal((await failureOf('a.zip', fixture('zip/infozip-password.zip'))).title, 'Encrypted archive');
  assert.equal((await failureOf('a.zip', fixture('zip/7zip-deflate64.zip'))).title, 'Unsupported compression');
});
