import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { yieldToOthers } from './watched-child.ts';

test('a child yields to others, also where each session has a share of the processors', async () => {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  try {
    yieldToOthers(child.pid, 7);
    assert.equal(getPriority(child.pid!), 7);
    const file = `/proc/${child.pid}/autogroup`;
    const group = existsSync(file) ? readFileSync(file, 'latin1') : '';
    // Without shares of sessions, only the process has a priority. Linux limits how often users other than root change that of a session.
    if (group !== '' && process.getuid?.() === 0) assert.match(group, / nice 7$/m);
  } finally {
    child.kill();
  }
});
