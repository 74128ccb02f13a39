/**
 * `npm run test:browser`: journeys through the console in a real Chromium, or those of the files that follow `--`. Their packages are
 * apart from those of the service, because the browser has 70 MB: this script installs them when they are missing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '..');
const FOLDER = join(PROJECT, 'test', 'browser');

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: PROJECT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(join(FOLDER, 'node_modules', 'playwright-core')))
  run('npm', ['ci', '--no-audit', '--no-fund', '--prefix', FOLDER]);
run(process.execPath, [join(PROJECT, 'scripts', 'console.ts')]);
run(process.execPath, [join(PROJECT, 'node_modules', 'typescript', 'bin', 'tsc'), '--noEmit', '-p', FOLDER]);
const given = process.argv.slice(2);
const files = given.length > 0 ? given : globSync(join(FOLDER, '*.journey.ts')).toSorted();
// One after the other: each file starts a service and a browser.
run(process.execPath, ['--test', '--test-concurrency=1', ...files]);
