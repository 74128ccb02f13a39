import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLOCK_TIMES, processorMsOfThread, processorMsOfTree, startWork, whenExceeded } from './work-time.ts';

const linux = { skip: process.platform === 'linux' ? false : 'processor time is known on Linux only' };
const children: ChildProcess[] = [];
after(() => {
  for (const { pid } of children) process.kill(-pid!, 'SIGKILL');
});

function start(script: string): number {
  const child = spawn('sh', ['-c', script], { stdio: 'ignore', detached: true });
  children.push(child);
  return child.pid!;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(10);
}

test('work that computes ends at its limit of processor time', () => {
  let used = 5_000;
  const work = startWork(() => used);
  const begin = performance.now();
  used += 20;
  while (performance.now() - begin < 15);
  assert.equal(work.usedMs(), 20);
  assert.equal(work.exceeds(14), true);
  assert.equal(work.exceeds(20), false);
});

test('work that does not compute ends after a multiple of its limit by the clock', async () => {
  const work = startWork(() => 0);
  await sleep(30);
  const most = work.usedMs();
  assert.ok(most >= 29 / CLOCK_TIMES, `${most}`);
  await until(() => work.exceeds(10));
  work.leaveOut(1_000_000);
  assert.equal(work.exceeds(10), false);
});

test('work behind its limit by the clock is looked at again when it can have used the rest', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let looks = 0;
  let used = 0;
  let ended = false;
  const usedMs = (): number => {
    looks += 1;
    return used;
  };
  const work = { usedMs, exceeds: (limitMs: number) => usedMs() > limitMs, leaveOut: () => {} };
  whenExceeded(work, 1_000, () => {
    ended = true;
  });
  for (let ms = 0; ms < 5_000; ms += 50) t.mock.timers.tick(50);
  assert.equal(looks, 5);
  used = 1_001;
  t.mock.timers.tick(1_000);
  assert.equal(ended, true);
});

test('where the processor time is unknown, the clock counts', async () => {
  const work = startWork(() => undefined);
  await until(() => work.exceeds(20));
  assert.ok(work.usedMs() > 20);
});

for (const [what, script] of [
  ['a process', 'while :; do :; done'],
  ['a program that the process starts', 'sh -c "while :; do :; done"; echo'],
  ['many short programs that the process starts', 'while :; do /bin/true; done'],
] as const) {
  test(`the processor time of ${what} counts, but not the time in which it is stopped`, linux, async () => {
    const pid = start(script);
    await until(() => processorMsOfTree(pid)! > 0);
    process.kill(-pid, 'SIGSTOP');
    await sleep(20);
    const begin = performance.now();
    const stopped = startWork(() => processorMsOfTree(pid));
    await sleep(300);
    const used = stopped.usedMs();
    assert.ok(used <= (performance.now() - begin) / CLOCK_TIMES, `${used}`);
    const before = processorMsOfTree(pid)!;
    process.kill(-pid, 'SIGCONT');
    await until(() => processorMsOfTree(pid)! - before >= 100);
    process.kill(-pid, 'SIGSTOP');
  });
}

test(
  'the processor time of a thread counts without the other threads and the ended children of its process',
  linux,
  () => {
    const folder = `/proc/${readlinkSync('/proc/thread-self')}`;
    const begin = process.threadCpuUsage();
    const before = processorMsOfThread(folder)!;
    while (processorMsOfThread(folder)! < before + 50);
    const { user, system } = process.threadCpuUsage(begin);
    assert.ok((user + system) / 1000 >= 30, `${user + system}`);
    assert.equal(processorMsOfThread(undefined), undefined);
  },
);
