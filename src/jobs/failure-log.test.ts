import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFailureLog } from './failure-log.ts';

interface Line {
  err: Error;
  repeated: number;
}

function openLog(): { lines: Line[]; fail: (message: string) => void; wait: (ms: number) => void } {
  const lines: Line[] = [];
  let at = 0;
  const note = openFailureLog({ error: (line: Line) => void lines.push(line) } as never, () => at);
  const wait = (ms: number): void => {
    at += ms;
  };
  return { lines, fail: (message) => note(new Error(message)), wait };
}

test('workers that fail in the same way again and again have one line in a minute, with the count', () => {
  const { lines, fail, wait } = openLog();
  for (let second = 0; second < 120; second += 2) {
    for (const worker of ['a', 'b']) fail(`no database (Queue: ingest-run, Worker: ${worker})`);
    wait(2_000);
  }
  assert.deepEqual(
    lines.map(({ repeated }) => repeated),
    [0, 59],
  );
});

test('another failure has a line at once', () => {
  const { lines, fail } = openLog();
  fail('no database (Queue: ingest-run, Worker: a)');
  fail('no memory (Queue: ingest-run, Worker: a)');
  fail('no database');
  assert.deepEqual(
    lines.map(({ err }) => err.message),
    ['no database (Queue: ingest-run, Worker: a)', 'no memory (Queue: ingest-run, Worker: a)'],
  );
});

test('failures with ever new messages are all logged', () => {
  const { lines, fail } = openLog();
  for (let i = 0; i < 100; i += 1) fail(`row ${i}`);
  assert.equal(lines.length, 100);
});
