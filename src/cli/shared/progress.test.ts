import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Io } from './io.ts';
import { barLine, formatBytes, PLAIN_INTERVAL_MS, startProgress } from './progress.ts';

function recorder(terminal: boolean) {
  const written: string[] = [];
  const io: Io = { out: () => {}, err: (text) => void written.push(text), terminal, columns: 60 };
  return { io, written };
}

test('without a terminal, progress is printed as a limited number of plain lines', () => {
  const { io, written } = recorder(false);
  let now = 0;
  const progress = startProgress(io, 'Uploading', () => now);
  progress.update(0, 10, 'a');
  progress.update(1, 10, 'b');
  now += PLAIN_INTERVAL_MS;
  progress.update(5, 10, 'c');
  progress.end('done');
  assert.deepEqual(written, ['Uploading   0 % a\n', 'Uploading  50 % c\n', 'Uploading  50 % done\n']);
});

test('the percentage does not go back when the total grows, and is 100 only at the end', () => {
  const percentages = (...states: [done: number, total: number][]) => {
    const { io, written } = recorder(false);
    let now = 0;
    const progress = startProgress(io, 'Ingesting', () => now);
    for (const [done, total] of states) {
      progress.update(done, total);
      now += PLAIN_INTERVAL_MS;
    }
    return written.map((line) => Number(/\d+/.exec(line)));
  };
  // The last of 5 files is a mailbox with 6 mails: the last 20 % are for these 7 files.
  assert.deepEqual(percentages([0, 5], [4, 5], [5, 11], [8, 11], [11, 11]), [0, 80, 82, 91, 100]);
  assert.deepEqual(percentages([1, 1], [3, 30], [30, 30]), [100, 10, 100]);
});

test('on a terminal, progress is one line that is redrawn and ended once', () => {
  const { io, written } = recorder(true);
  const progress = startProgress(io, 'Uploading');
  progress.update(1, 2);
  progress.end();
  assert.ok(written.every((text) => text === '\n' || text.startsWith('\r\x1b[2K')));
  assert.equal(written.filter((text) => text === '\n').length, 1);
});

const HALF = { share: 0.5, note: '456 of 912 files, 0 failed, 2930 chunks' };

test('a progress bar is never wider than the terminal', () => {
  assert.equal(barLine('Uploading', { share: 1, note: 'x'.repeat(200) }, 60).length, 59);
  for (const columns of [1, 20, 58, 62, 66, 80, 200])
    assert.ok(barLine('Ingesting', HALF, columns).length < Math.max(2, columns), `${columns}`);
});

test('on a narrow terminal the bar is shorter or left out, and the text is complete', () => {
  assert.equal(barLine('Ingesting', HALF, 200), `Ingesting ${'█'.repeat(12)}${'░'.repeat(12)}  50 % ${HALF.note}`);
  assert.equal(barLine('Ingesting', HALF, 67), `Ingesting ${'█'.repeat(5)}${'░'.repeat(5)}  50 % ${HALF.note}`);
  assert.equal(barLine('Ingesting', HALF, 60), `Ingesting  50 % ${HALF.note}`);
});

test('sizes are printed in decimal units', () => {
  assert.deepEqual([999, 1500, 2_340_000].map(formatBytes), ['999 B', '1.5 kB', '2.3 MB']);
});
