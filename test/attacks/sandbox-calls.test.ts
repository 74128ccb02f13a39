/** Attacks by system calls from inside a tool. Perl, which most systems have, stands in for a tool that was taken over. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Sandbox } from '../../src/files/sandbox/sandbox.ts';
import { toolView } from '../../src/files/sandbox/views.ts';
import { sandboxOf } from '../support/files/sandboxes.ts';

const PERL = '/usr/bin/perl';
const TRIES = 18;
const unsupported =
  process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch) && existsSync(PERL)
    ? false
    : 'needs Linux on x64 or arm64, and perl';
const isRoot = process.getuid?.() === 0;
let own: string;

before(async () => {
  own = await mkdtemp(join(tmpdir(), 'pinakes-calls-'));
  await writeFile(join(own, 'attack.pl'), await readFile(join(import.meta.dirname, 'system-calls.pl')));
});
after(() => rm(own, { recursive: true, force: true }));

/** Returns the names of the tries that reached something. */
async function reachedFrom(sandbox: Sandbox): Promise<string[]> {
  const [command = '', ...args] = [...(await sandbox.prefix(toolView(PERL, own))), PERL, join(own, 'attack.pl')];
  const given = [...args, process.arch, `${process.pid}`, own];
  const { stdout } = await promisify(execFile)(command, given, { env: {}, timeout: 60_000 });
  const lines = stdout.trim().split('\n');
  assert.equal(lines.length, TRIES, stdout);
  return lines.filter((line) => line.startsWith('yes ')).map((line) => line.slice('yes '.length));
}

for (const kind of ['bubblewrap', 'unshare'] as const) {
  test(`system calls inside a sandbox of ${kind} reach nothing outside`, { skip: unsupported }, async (t) => {
    const sandbox = sandboxOf(kind);
    const { kind: found, reason } = await sandbox.facts({ system: true });
    if (found === null) {
      t.skip(`this system has no such sandbox: ${reason}`);
      return;
    }
    // The kernel does not limit the number of processes of root.
    assert.deepEqual(await reachedFrom(sandbox), isRoot ? ['processes without limit'] : []);
  });
}

test('the same system calls reach the service where there is no sandbox', { skip: unsupported }, async () => {
  const reached = await reachedFrom(sandboxOf(undefined, { mode: 'off' }));
  for (const name of [
    'signal to the service',
    'descriptor of the service',
    'limits of the service',
    'processors of the service',
  ]) {
    assert.ok(reached.includes(name), name);
  }
});
