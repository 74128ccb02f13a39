/** Tests of programs of the system that parsers call: their rights, and their end. Scripts of this test stand in for the programs. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { loadToolConfig } from '../../src/config.ts';
import { openProcessPool } from '../../src/files/sandbox/process-pool.ts';
import { openToolRunner, type ToolRunner, type ToolSettings } from '../../src/files/sandbox/tool-runner.ts';
import type { ToolAnswer } from '../../src/files/tools.ts';
import { noteOcr } from '../../src/main.ts';
import { CLOCK_TIMES } from '../../src/util/work/work-time.ts';
import { sandboxOf } from '../support/files/sandboxes.ts';
import { withLongerLimits } from '../support/time-limits.ts';
import { eventually } from '../support/upload.ts';

const RUNNER = new URL('../../src/files/sandbox/tool-runner.ts', import.meta.url);
const SANDBOXES = new URL('../support/files/sandboxes.ts', import.meta.url);
const linux = { skip: process.platform === 'linux' ? false : 'looks at /proc' };
const never = new AbortController().signal;
/** The sandbox of this system, if there is one. */
const sandbox = sandboxOf();
let folder: string;
let count = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pinakes-tools-'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Installs `script` as `tesseract` and `soffice`. No other process on this machine has `mark` as an argument. */
async function programs(script: string): Promise<{ settings: ToolSettings; mark: string }> {
  const home = await mkdtemp(join(folder, 'bin-'));
  count += 1;
  const mark = `${process.pid}${count}`.padStart(9, '7');
  for (const name of ['tesseract', 'soffice']) {
    await writeFile(join(home, name), `#!/bin/sh\n${script.replaceAll('MARK', mark)}\n`);
    await chmod(join(home, name), 0o755);
  }
  const searchPath = `${home}:${loadToolConfig(process.env).searchPath}`;
  return { settings: { ocrLanguages: 'eng', office: true, searchPath }, mark };
}

async function ocr(settings: ToolSettings, signal = never): Promise<ToolAnswer> {
  return openToolRunner(settings, sandbox).run({ tool: 'ocr', image: Buffer.from('picture') }, '/dev/null', signal);
}

const said = (answer: ToolAnswer): string =>
  answer.ok ? Buffer.from(answer.bytes).toString() : answer.failure.message;

/** Counts the processes of this machine that have the mark among their arguments. */
function running(mark: string): number {
  const commands = globSync('/proc/[0-9]*/cmdline').map((path) => {
    try {
      return readFileSync(path, 'latin1');
    } catch {
      return ''; // The process has ended.
    }
  });
  return commands.filter((command) => command.includes(mark)).length;
}

test('the OCR program gets the picture and the languages, and no environment of the service', linux, async () => {
  const { settings } = await programs('cat; echo " $*"; env | cut -d= -f1 | sort | tr "\\n" " "');
  assert.equal(
    said(await ocr({ ...settings, ocrLanguages: 'eng+deu' })),
    'picture stdin stdout -l eng+deu --psm 1 tsv\nHOME LANG OMP_THREAD_LIMIT PATH PWD TMPDIR ',
  );
});

test('memory, processor time and file size of a program are limited', linux, async () => {
  const { settings } = await programs('cat >/dev/null; ulimit -v; ulimit -t; ulimit -f; ulimit -c');
  assert.equal(said(await ocr(settings)), `${1536 * 1024}\n61\n${(64 * 1024 * 1024) / 512}\n0\n`);
});

test('a program over its time limit is ended with all processes that it started', linux, async () => {
  const { settings, mark } = await programs('sleep MARK & sleep MARK & wait');
  await withLongerLimits(150, async (timeMs) => {
    const answer = ocr({ ...settings, timeMs });
    await eventually(async () => running(mark) >= 2, timeMs * CLOCK_TIMES);
    assert.match(said(await answer), new RegExp(`took longer than ${timeMs / 1000} s`));
    await eventually(async () => running(mark) === 0);
  });
});

test('a program that computes without end is ended, also through others that it starts', linux, async () => {
  for (const script of ['while :; do :; done', 'sh -c "while :; do :; done"; echo']) {
    const { settings } = await programs(script);
    assert.match(said(await ocr({ ...settings, timeMs: 300 })), /took longer than 0.3 s/);
  }
});

test('a program that gets little processor time is not ended', linux, async () => {
  const { settings } = await programs('cat >/dev/null; sleep 1.5; echo done');
  assert.equal(said(await ocr({ ...settings, timeMs: 1_000 })), 'done\n');
});

test('the programs for one file have a limit of their processor time together', linux, async () => {
  const picture = { path: fileURLToPath(new URL('fixtures/scan.pdf', import.meta.url)), name: 'scan.pdf', size: 8869 };
  for (const [usedMs, pages] of [
    [10_000, 2],
    [16 * 60_000, 1],
  ] as const) {
    let calls = 0;
    const tools: ToolRunner = {
      available: async () => ['ocr'],
      describe: async () => ({ ok: true, detail: '' }),
      async run() {
        calls += 1;
        return { ok: true, bytes: Buffer.from(''), usedMs };
      },
    };
    const pool = openProcessPool({ children: 1, tools });
    await pool.process({ ...picture, chunkMetadataKeys: [] }, never);
    await pool.close();
    assert.equal(calls, pages);
  }
});

test('a program that writes too much output is ended', linux, async () => {
  const { settings } = await programs('yes');
  assert.match(said(await ocr(settings)), /wrote more than 16 MiB/);
});

test('a program ends when the processing of its file is aborted', linux, async () => {
  const { settings, mark } = await programs('sleep MARK');
  const path = join(folder, 'picture.png');
  await writeFile(path, Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1'));
  const tools = openToolRunner({ ...settings, timeMs: 600_000 }, sandbox);
  const pool = openProcessPool({ children: 1, tools });
  const stop = new AbortController();
  const outcome = pool.process({ path, name: 'picture.png', size: 20, chunkMetadataKeys: [] }, stop.signal);
  await eventually(async () => running(mark) > 0);
  stop.abort(new Error('not any more'));
  await assert.rejects(outcome, /not any more/);
  await eventually(async () => running(mark) === 0);
  await pool.close();
});

test(
  'a scan with one unreadable page gives the other pages, and a scan without a readable page fails',
  linux,
  async () => {
    const word = '5\\t1\\t1\\t1\\t1\\t1\\t0\\t0\\t9\\t9\\t95\\tHeron\\n';
    const once = `cat >/dev/null; [ -e "$0.used" ] && exit 1; touch "$0.used"; printf '${word}'`;
    const path = fileURLToPath(new URL('fixtures/scan.pdf', import.meta.url));
    for (const [script, expected] of [
      [once, ['Heron', ['Only 1 of 2 pages that are pictures were read.']]],
      ['cat >/dev/null; exit 1', 'tesseract could not read the file, or not within its memory.'],
    ] as const) {
      const { settings } = await programs(script);
      // The script writes beside itself, which is not possible in a sandbox.
      const pool = openProcessPool({ children: 1, tools: openToolRunner(settings) });
      const outcome = await pool.process({ path, name: 'scan.pdf', size: 8869, chunkMetadataKeys: [] }, never);
      await pool.close();
      assert.deepEqual(outcome.ok ? [outcome.file.text, outcome.file.warnings] : outcome.failure.message, expected);
    }
  },
);

test('a program ends when the service is killed', linux, async (t) => {
  const { settings, mark } = await programs('sleep MARK');
  if (!(await openToolRunner(settings, sandbox).describe('office')).detail.includes('in a sandbox')) {
    t.skip('this system does not give out namespaces');
    return;
  }
  const source = `const { openToolRunner } = await import(${JSON.stringify(RUNNER.href)});
    const { sandboxOf } = await import(${JSON.stringify(SANDBOXES.href)});
    await openToolRunner(${JSON.stringify(settings)}, sandboxOf()).run({ tool: 'ocr', image: null }, '/dev/null', new AbortController().signal);`;
  const service = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: 'ignore' });
  await eventually(async () => running(mark) > 0);
  service.kill('SIGKILL');
  await eventually(async () => running(mark) === 0);
});

test('LibreOffice converts one file at a time, and its temporary folders are deleted', linux, async () => {
  const { settings } = await programs(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's
    'for last; do :; done; out="${last%/*}/out"; mkdir "$out"; (cat "$last"; date +%s%N; sleep 0.3; date +%s%N) > "$out/file.docx"',
  );
  const path = join(folder, 'old.doc');
  await writeFile(path, 'old\n');
  const runner = openToolRunner(settings, sandbox);
  const convert = () => runner.run({ tool: 'office', to: 'docx' }, path, never);
  // Other tests that run now have their temporary folders elsewhere.
  const own = await mkdtemp(join(folder, 'tmp-'));
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = own;
  const answers = (await Promise.all([convert(), convert()])).map((answer) => said(answer).split('\n'));
  if (TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = TMPDIR;
  assert.deepEqual(
    answers.map(([first]) => first),
    ['old', 'old'],
  );
  assert.ok(Number(answers[0]![2]) <= Number(answers[1]![1]), 'the second began after the first');
  assert.deepEqual(readdirSync(own), []);
});

test('tenants and their runs take turns at LibreOffice', linux, async () => {
  const { settings } = await programs('true');
  const runner = openToolRunner(settings, sandbox);
  const ended: string[] = [];
  const convert = async (owner: string, part = ''): Promise<void> => {
    await runner.run({ tool: 'office', to: 'xlsx' }, '/dev/null', never, { owner, part });
    ended.push(owner + part);
  };
  await Promise.all([...['a1', 'a1', 'a1', 'a2', 'b'].map(([owner, part]) => convert(owner!, part))]);
  assert.deepEqual(ended, ['a1', 'a1', 'b', 'a2', 'a1']);
});

test('a file that LibreOffice cannot convert fails with that reason', linux, async () => {
  const { settings } = await programs('true');
  const answer = await openToolRunner(settings, sandbox).run({ tool: 'office', to: 'xlsx' }, '/dev/null', never);
  assert.equal(said(answer), 'LibreOffice could not read the file.');
});

test('doctor names the installed programs, their languages and what is missing', linux, async () => {
  const { settings } = await programs('printf "List of available languages (2):\\neng\\nosd\\n"');
  const describe = (changed: Partial<ToolSettings>, tool: 'ocr' | 'office') =>
    openToolRunner({ ...settings, ...changed }, sandbox).describe(tool);
  const found = await describe({}, 'ocr');
  assert.equal(found.ok, true);
  assert.match(found.detail, /tesseract with eng; installed: eng$/);
  const missing = await describe({ ocrLanguages: 'eng+jpn' }, 'ocr');
  assert.equal(missing.ok, false);
  assert.match(missing.detail, /^PINAKES_OCR_LANGUAGES names jpn, not installed/);
  assert.deepEqual(await describe({ searchPath: folder }, 'ocr'), {
    ok: false,
    detail: 'PINAKES_OCR is tesseract, but the command was not found',
    fix: 'apt-get install tesseract-ocr',
  });
  const off = await describe({ ocrLanguages: null }, 'ocr');
  assert.match(off.detail, /^off/);
  assert.equal(off.fix, 'PINAKES_OCR=tesseract pinakes serve');
  assert.match((await describe({ searchPath: folder }, 'office')).detail, /^not found/);
  assert.match((await describe({ office: false }, 'office')).detail, /^off/);
});

test('a start with OCR but without tesseract says so in the log', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const tools = { ocrLanguages: 'eng', office: false, searchPath: join(folder, 'nothing') };
  await noteOcr({ config: { tools }, sandbox, log });
  assert.match(
    lines.join(''),
    /pictures and scanned pages are not read: PINAKES_OCR is tesseract, but the command was not found/,
  );
  await noteOcr({ config: { tools: { ...tools, ocrLanguages: null } }, sandbox, log });
  assert.equal(lines.length, 1, 'OCR is off');
});
