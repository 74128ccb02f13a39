/**
 * `npm run test:unit`: runs all tests, or the test files that follow `--`.
 *
 * A single file runs under `node --test` alone, too. This script only makes runs faster:
 *
 * - Node.js caches compiled modules.
 * - V8 does not optimize the embedded database (test/support/baseline-wasm.ts).
 * - Temporary files, among them all test databases, are in memory where the machine has room for them.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const PROJECT = resolve(import.meta.dirname, '..');
/** test/pure.test.ts runs the tests of src/. */
const ALL_TESTS = 'test/**/*.test.ts';
/** Test files that run at the same time: more than two cores, because tests also wait for child processes. */
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
  process.exitCode = await runTests(given.length > 0 ? given : [ALL_TESTS], temporary);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
