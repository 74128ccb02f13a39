/** Builds dist/ for the published package: JavaScript with type declarations, the executable and the console. */
import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '..');
const DIST = join(PROJECT, 'dist');
const BIN = join(DIST, 'cli', 'pinakes.js');
const EXECUTABLE = 0o755;

rmSync(DIST, { recursive: true, force: true });
const tsc = join(PROJECT, 'node_modules', 'typescript', 'bin', 'tsc');
const compiled = spawnSync(process.execPath, [tsc, '-p', join(PROJECT, 'tsconfig.build.json')], { stdio: 'inherit' });
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
chmodSync(BIN, EXECUTABLE);

// The compiler rewrites imports, but not the file names of workers and child processes. A .ts file does not exist in dist/.
const stale = globSync('**/*.js', { cwd: DIST }).filter((path) =>
  /['"`]\.{1,2}\/[\w./-]+\.ts['"`]/.test(readFileSync(join(DIST, path), 'utf8')),
);
if (stale.length > 0) {
  process.stderr.write(`These built files still name .ts files: ${stale.join(', ')}\n`);
  process.exit(1);
}
await import('./console.ts');
