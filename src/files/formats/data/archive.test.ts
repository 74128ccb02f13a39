import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { strToU8, type Zippable, zipSync } from 'fflate';
import { makeTar } from '../../../../test/support/files/make-tar.ts';
import { parseArchive } from './archive.ts';

const text = strToU8('some words');
const names = (bytes: Uint8Array, type: 'zip' | 'tar' | 'gzip' = 'zip', name = 'a.zip') =>
  [...parseArchive(bytes, type, name).members!].map((member) => member.name);

const CASES: readonly (readonly [what: string, files: Zippable, names: readonly string[]])[] = [
  ['stored and packed files', { 'a.txt': [text, { level: 0 }], 'b.txt': [text, { level: 9 }] }, ['a.txt', 'b.txt']],
  ['folders', { 'x/': new Uint8Array(), 'x/y/a.txt': text }, ['x/y/a.txt']],
  ['steps upwards', { '../../etc/passwd': text, 'a/../../b.txt': text }, ['etc/passwd', 'a/b.txt']],
  ['absolute names', { '/etc/passwd': text, 'C:\\Users\\a.txt': text }, ['etc/passwd', 'Users/a.txt']],
  [
    'litter of systems',
    {
      '__MACOSX/a.txt': text,
      '.DS_Store': text,
      'x/Thumbs.db': text,
      'x/ehthumbs.db': text,
      'x/desktop.ini': text,
      'x/._a': text,
      '.git/config': text,
      '~$b.docx': text,
      'x/.~lock.b.ods#': text,
      'a.txt': text,
    },
    ['a.txt'],
  ],
  ['names in any script', { '報告/résumé.txt': text }, ['報告/résumé.txt']],
  ['control and direction characters', { 'a\u202egpj\u0007.txt': text }, ['agpj.txt']],
  ['very long names', { [`${'d/'.repeat(300)}a.txt`]: text }, [`${'d/'.repeat(125)}a.txt`]],
  [
    'ids of exported pages',
    {
      'Team c7f547a574dac9f7548cf99c7d2b7c94/Services 992a0f0542384f1ee5ef51b7cf4ae6c4_all.csv': text,
      'Keys 4ec37ce19b33b98b161a385ebfbe2963.md': text,
      '4ec37ce19b33b98b161a385ebfbe2963.md': text,
    },
    ['Team/Services_all.csv', 'Keys.md', '4ec37ce19b33b98b161a385ebfbe2963.md'],
  ],
  [
    'pages with the same name',
    {
      'Untitled c7f547a574dac9f7548cf99c7d2b7c94.md': text,
      'Untitled 992a0f0542384f1ee5ef51b7cf4ae6c4.md': text,
      'Keys 4ec37ce19b33b98b161a385ebfbe2963.md': text,
    },
    ['Untitled c7f547a574dac9f7548cf99c7d2b7c94.md', 'Untitled 992a0f0542384f1ee5ef51b7cf4ae6c4.md', 'Keys.md'],
  ],
  [
    'folders with the same name',
    {
      'Notes c7f547a574dac9f7548cf99c7d2b7c94/x.md': text,
      'Notes c7f547a574dac9f7548cf99c7d2b7c94/y.md': text,
      'Notes 992a0f0542384f1ee5ef51b7cf4ae6c4/x.md': text,
      'Notes 992a0f0542384f1ee5ef51b7cf4ae6c4/z 4ec37ce19b33b98b161a385ebfbe2963.md': text,
    },
    [
      'Notes c7f547a574dac9f7548cf99c7d2b7c94/x.md',
      'Notes c7f547a574dac9f7548cf99c7d2b7c94/y.md',
      'Notes 992a0f0542384f1ee5ef51b7cf4ae6c4/x.md',
      'Notes 992a0f0542384f1ee5ef51b7cf4ae6c4/z.md',
    ],
  ],
  [
    'one checksum in a name',
    { 'iso d41d8cd98f00b204e9800998ecf8427e.txt': text, 'a.txt': text },
    ['iso d41d8cd98f00b204e9800998ecf8427e.txt', 'a.txt'],
  ],
  ['nothing', {}, []],
];

for (const [what, files, expected] of CASES) {
  test(`the files inside an archive with ${what} get safe names`, () =>
    assert.deepEqual(names(zipSync(files)), expected));
}

test('the text of an archive lists its files, which are unpacked on demand', () => {
  const parsed = parseArchive(zipSync({ 'a.txt': text, 'b/c.txt': strToU8('more') }), 'zip', 'a.zip');
  assert.equal(parsed.text, '- a.txt\n- b/c.txt');
  assert.deepEqual(
    [...parsed.members!].map((member) => Buffer.from(member.bytes()).toString()),
    ['some words', 'more'],
  );
});

test('truncated tar and gzip files and gzip bombs are refused, and links in a tar archive are skipped', () => {
  const tar = makeTar({ 'a.txt': 'x'.repeat(2000), 'b.txt': 'y' });
  assert.deepEqual(names(tar, 'tar'), ['a.txt', 'b.txt']);
  assert.deepEqual(names(gzipSync(tar), 'gzip'), ['a.txt', 'b.txt']);
  assert.deepEqual(names(gzipSync('x'), 'gzip', 'notes.txt.gz'), ['notes.txt']);
  assert.throws(() => names(tar.subarray(0, 1500), 'tar'), /not a complete tar/);
  assert.throws(() => names(gzipSync(new Uint8Array(50_000_000)), 'gzip'), /expands too far/);
  const link = Uint8Array.from(tar);
  link[156] = '2'.charCodeAt(0);
  assert.deepEqual(names(link, 'tar'), ['b.txt']);
});

test('files with a known compression are read from an archive that also has others', () => {
  const bytes = zipSync({ 'a.txt': text, 'b.txt': strToU8('more') });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = Buffer.from(bytes).indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
  view.setUint16(first + 10, 9, true);
  const parsed = parseArchive(bytes, 'zip', 'a.zip');
  assert.deepEqual([parsed.text, parsed.warnings.length], ['- b.txt', 1]);
});

test('files that expand too far are left out of an archive, and an archive of only such files is refused', () => {
  const bomb = new Uint8Array(20_000_000);
  const parsed = parseArchive(zipSync({ 'a.txt': text, 'b.bin': bomb }), 'zip', 'a.zip');
  assert.deepEqual([parsed.text, parsed.warnings.length], ['- a.txt', 1]);
  assert.throws(() => names(zipSync({ 'a.bin': bomb, 'b.bin': bomb })), /expands to more than 100 times/);
});

test('the files of an archive named jex are the notes of Joplin', () => {
  const id = 'a'.repeat(32);
  const bytes = makeTar({ [`${id}.md`]: `Printer\n\nToner\n\nid: ${id}\ntype_: 1` });
  assert.deepEqual(names(bytes, 'tar', 'notes.jex'), ['Printer.md']);
  assert.deepEqual(names(bytes, 'tar', 'notes.tar'), [`${id}.md`]);
});
