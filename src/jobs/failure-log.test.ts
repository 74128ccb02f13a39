import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openFailureLog } from './failure-log.ts';

interface Line {
  err: Error;
  repeated: number;
}

function openLog({ mock }: TestContext): {
  lines: Line[];
  fail: (message: string) => void;
  wait: (ms: number) => void;
} {
  const lines: Line[] = [];
  mock.timers.enable({ apis: ['setTimeout'] });
  const note = openFailureLog({ error: (line: Line) => void lines.push(line) } as never);
  return { lines, fail: (message) => note(new Error(message)), wait: (ms) => mock.timers.tick(ms) };
}

test('workers that fail in the same way again and again have one line in a minute, with the count', (t) => {
  const { lines, fail, wait } = openLog(t);
  for (let second = 0; second < 120; second += 2) {
    for (const worker of ['a', 'b']) fail(`no database (Queue: ingest-run, Worker: ${worker})`);
    wait(2_000);
  }
  assert.deepEqual(
    lines.map(({ repeated }) => repeated),
    [0, 59, 60],
  );
});

test('a line counts what happened in the minute before it, and a failure that comes back has a line at once', (t) => {
  const { lines, fail, wait } = openLog(t);
  fail('no database');
  fail('no database');
  wait(60_000);
  wait(7 * 24 * 3_600_000);
  fail('no database');
  assert.deepEqual(
    lines.map(({ repeated }) => repeated),
    [0, 1, 0],
  );
});

test('another failure has a line at once', (t) => {
  const { lines, fail } = openLog(t);
  fail('no database (Queue: ingest-run, Worker: a)');
  fail('no memory (Queue: ingest-run, Worker: a)');
  fail('no database');
  assert.deepEqual(
    lines.map(({ err }) => err.message),
    ['no database (Queue: ingest-run, Worker: a)', 'no memory (Queue: ingest-run, Worker: a)'],
  );
});

test('twenty different failures are counted at a time, and each further one is logged', (t) => {
  const { lines, fail, wait } = openLog(t);
  for (let again = 0; again < 2; again += 1) for (let i = 0; i < 21; i += 1) fail(`row ${i}`);
  assert.equal(lines.length, 22);
  wait(60_000);
  assert.deepEqual(
    lines.slice(22).map(({ err, repeated }) => [err.message, repeated]),
    Array.from({ length: 20 }, (_, i) => [`row ${i}`, 1]),
  );
});
