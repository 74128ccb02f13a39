/** The options of the measurements in bench/. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const BENCH = join(import.meta.dirname, '..', '..', 'bench');

function run(...args: string[]) {
  return spawnSync(process.execPath, [join(BENCH, 'parse-speed.ts'), ...args], { encoding: 'utf8' });
}

test('--help of a measurement prints the comment of its file, and measures nothing', () => {
  const { status, stdout, stderr } = run('--help');
  assert.deepEqual([status, stderr], [0, '']);
  const comment = readFileSync(join(BENCH, 'parse-speed.ts'), 'utf8').split('*/')[0]!;
  assert.deepEqual(stdout.match(/\w+/g), comment.match(/\w+/g));
  assert.match(stdout, /^Measures parsing in processor time/);
});

test('an unknown option of a measurement is named in one line, without a stack', () => {
  const { status, stdout, stderr } = run('--nonsense');
  assert.deepEqual([status, stdout, stderr], [2, '', "Unknown option '--nonsense'\n--help shows the options.\n"]);
});

test('--help of the script for the files of the demonstration writes no file', () => {
  const path = join(BENCH, '..', 'demo', 'budget-2026.xlsx');
  const before = statSync(path).mtimeMs;
  const script = join(BENCH, '..', 'scripts', 'make-demo-files.ts');
  const { status, stdout } = spawnSync(process.execPath, [script, '--help'], { encoding: 'utf8' });
  assert.equal(status, 0);
  assert.match(stdout, /^Writes the binary files of demo/);
  assert.equal(statSync(path).mtimeMs, before);
});

test('every measurement with options has this help', () => {
  const parsing = globSync('**/*.ts', { cwd: BENCH }).filter((path) =>
    readFileSync(join(BENCH, path), 'utf8').includes('parseArgs'),
  );
  assert.deepEqual(parsing, [join('support', 'options.ts')]);
});
