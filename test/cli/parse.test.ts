/** `pinakes parse` on real files. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runPinakes, runPinakesHere } from '../support/cli.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../parsing/fixtures/${name}`, import.meta.url));

test('parse prints each block after a comment with its kind, offsets and pages', async () => {
  const { code, stdout } = await runPinakes(['parse', fixture('slides.pptx')]);
  assert.equal(code, 0);
  assert.match(stdout, /^<!-- pptx, language en, title "Quarterly review", 10 blocks, 4 chunks -->\n/);
  assert.match(stdout, /\n<!-- heading 2 34\.\.44 p\. 2 -->\n## Results\n/);
});

test('parse --chunks prints each chunk after a comment with its heading path', async () => {
  const { stdout } = await runPinakesHere(['parse', fixture('levels.odt'), '--chunks']);
  assert.match(stdout, /\n<!-- chunk 1 161\.\.193 Part two -->\n# Part two\n/);
});

test('text of a file and messages of errors do not control the terminal', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pinakes-parse-'));
  try {
    const path = join(folder, 'title.adoc');
    await writeFile(path, '= Title\n\ninclude::mis\x1b]0;PWN\x07sing.adoc[]\n\nText \u202e end.\n');
    for (const options of [[], ['--chunks']]) {
      const { stdout, stderr } = await runPinakesHere(['parse', path, ...options]);
      assert.doesNotMatch(stdout + stderr, /[\x1b\x07\u202e]/, options.join());
    }
    const mistyped = await runPinakesHere(['serch']);
    assert.equal(mistyped.stderr, 'pinakes: There is no command "serch". Did you mean search? See pinakes --help.\n');
    const { stderr } = await runPinakesHere(['no\x1b]0;PWN\x07command']);
    assert.equal(stderr, 'pinakes: There is no command "no\ufffd]0;PWN\ufffdcommand". See pinakes --help.\n');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('parse --json has the text of every block and chunk at its offsets', async () => {
  const { stdout } = await runPinakesHere(['parse', fixture('japanese.epub'), '--json']);
  const seen = JSON.parse(stdout) as {
    file_type: string;
    blocks: { start_offset: number; end_offset: number; content: string }[];
    chunks: { start_offset: number; end_offset: number; content: string }[];
  };
  assert.equal(seen.file_type, 'epub');
  for (const part of [...seen.blocks, ...seen.chunks]) {
    assert.equal(Array.from(part.content).length, part.end_offset - part.start_offset);
  }
});

test('parse says why a file cannot be read, and a file that does not exist is a usage error', async () => {
  const image = await runPinakesHere(['parse', process.execPath]);
  assert.equal(image.code, 1);
  assert.match(image.stderr, /^pinakes: Unsupported file type: [^\n]+\n$/);
  assert.equal((await runPinakesHere(['parse', '/no/such/file'])).code, 2);
  const folder = await runPinakesHere(['parse', tmpdir()]);
  assert.deepEqual([folder.code, folder.stderr.includes('is not a file: pinakes parse reads one file.')], [2, true]);
});

test('parse --dropped prints the text of a page that was left out, and --json has it too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pinakes-parse-'));
  const path = join(folder, 'page.html');
  await writeFile(
    path,
    '<nav><a href="/">Home</a> <a href="/b">Books</a></nav><h1>Depot</h1><p>It opens at seven.</p>',
  );
  const { stdout, stderr } = await runPinakesHere(['parse', path, '--dropped']);
  assert.match(stdout, /\n<!-- dropped 0 -->\nHome Books\n$/);
  assert.doesNotMatch(stdout, /It opens/);
  assert.equal(stderr, '');
  const { stdout: json } = await runPinakesHere(['parse', path, '--json']);
  assert.deepEqual((JSON.parse(json) as { dropped: string[] }).dropped, ['Home Books']);
  await rm(folder, { recursive: true });
});
