/** Operator commands of root on the data of a service that another user runs. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runPinakes } from '../support/cli.ts';
import { copyTemplate } from '../support/database.ts';

const NOBODY = 65_534;

test('a command of root makes no file of root, which the service could not use', {
  skip: process.geteuid?.() !== 0 && 'needs root',
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pinakes-root-'));
  t.after(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  const dataDir = join(folder, 'data');
  await copyTemplate(dataDir);
  execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, dataDir]);
  const { code, stdout, stderr } = await runPinakes(['doctor'], { PINAKES_DATA_DIR: dataDir });
  assert.match(stdout, /^ok {4}database: embedded/m, `${code} ${stderr}`);
  const made = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
  assert.deepEqual(
    made.filter((path) => statSync(join(dataDir, path)).uid !== NOBODY),
    [],
  );
});
