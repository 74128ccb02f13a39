/** Runs the tests beside the files of src/ and console/src/ in one process: these files are pure, and a process for each would cost more than its tests. */
import { globSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '..');

for (const file of globSync('{src,console/src}/**/*.test.ts', { cwd: PROJECT }).sort())
  await import(join(PROJECT, file));
