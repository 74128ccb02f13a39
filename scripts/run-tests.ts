/**
 * `npm run test:unit`: runs all tests, or the test files that follow `--`.
 *
 * A single file runs under `node --test` alone, too. This script only makes runs faster:
 *
 * - Node.js caches compiled modules.
 * - V8 optimizes little of the embedded database (test/support/baseline-wasm.ts).
 * - Files of one subject share a process, one after the other: to load the service and the database's code takes longer than the
 *   tests of most files.
 * - Temporary files, among them all test databases, are in memory where the machine has room for them.
 */
import { spawn } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const PROJECT = resolve(import.meta.dirname, '..');
/** test/pure.test.ts runs the tests of src/. */
const ALL_TESTS = 'test/**/*.test.ts';
/** Files that take long. They begin first, each in a process of its own. */
const ALONE = /^test\/(?:faults\/|pure\.test)/;
/** Subjects whose tests wait for child processes. If they ran last, a processor would have nothing to do. */
const EARLY = ['cli', 'attacks'];
const FILES_PER_PROCESS_MAX = 16;
/** Processes that run at the same time: more than two cores, because tests also wait for child processes. */
const CONCURRENCY = 3;
const MEMORY_FOLDER = '/dev/shm';
/** A test file needs up to 500 MB. */
const MEMORY_FREE_BYTES_MIN = 4 * 1024 ** 3;

/** Returns the folder in memory, or the system's folder for temporary files where memory is short or programs cannot run from it. */
function fastFolder(): string {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const mount = mounts.map((line) => line.split(' ')).find(([, folder]) => folder === MEMORY_FOLDER);
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    const runsPrograms = mount?.[2] === 'tmpfs' && !mount[3]?.split(',').includes('noexec');
    return runsPrograms && bavail * bsize >= MEMORY_FREE_BYTES_MIN ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Returns the files by process, in the order in which the processes start. */
function shareProcesses(files: readonly string[]): string[][] {
  const alone = files.filter((file) => ALONE.test(file));
  const subjects = Map.groupBy(
    files.filter((file) => !ALONE.test(file)),
    (file) => file.split('/').slice(1, -1)[0] ?? '',
  );
  const names = [...new Set([...EARLY, ...subjects.keys()])];
  return [
    ...alone.map((file) => [file]),
    ...names.flatMap((name) => {
      const all = subjects.get(name) ?? [];
      const processes = Math.ceil(all.length / FILES_PER_PROCESS_MAX);
      const size = Math.ceil(all.length / processes);
      return Array.from({ length: processes }, (_, i) => all.slice(i * size, (i + 1) * size));
    }),
  ];
}

/**
 * Writes a test file that runs these files one after the other, each as a suite, and returns its path. After each file the environment
 * variables are as before it.
 */
function writeEntry(files: readonly string[], index: number, folder: string): string {
  const suites = files.map((file) => {
    const url = pathToFileURL(join(PROJECT, file)).href;
    return `describe(${JSON.stringify(file)}, async () => {
  await import(${JSON.stringify(url)});
  after(() => {
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
  });
});`;
  });
  // Node.js runs files in the order of their names.
  const path = join(folder, `${String(index).padStart(3, '0')}.test.mjs`);
  const head = `import { after, describe } from 'node:test';\nconst environment = { ...process.env };`;
  writeFileSync(path, `${head}\n${suites.join('\n')}\n`);
  return path;
}

function runTests(files: readonly string[], temporary: string): Promise<number> {
  const preload = pathToFileURL(join(PROJECT, 'test/support/baseline-wasm.ts')).href;
  const child = spawn(process.execPath, ['--test', `--test-concurrency=${CONCURRENCY}`, ...files], {
    cwd: PROJECT,
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: join(PROJECT, 'node_modules/.cache/compile'),
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${preload}`,
      TMPDIR: temporary,
    },
  });
  // The terminal sends the signal to both processes; this one waits and then removes the files.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void child.kill(signal));
  return new Promise((done) => child.once('exit', (code) => done(code ?? 1)));
}

const given = process.argv.slice(2);
const temporary = mkdtempSync(join(fastFolder(), 'pinakes-tests-'));
// A test reads its files as a user without rights.
chmodSync(temporary, 0o711);
try {
  const processes = given.length > 0 ? [] : shareProcesses(globSync(ALL_TESTS, { cwd: PROJECT }).sort());
  const entries = processes.map((files, i) => writeEntry(files, i, temporary));
  process.exitCode = await runTests(given.length > 0 ? given : entries, temporary);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
