import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CliError, confirm, type Io } from './io.ts';
import { errorText, listTime, shortTime, timeText } from './words.ts';

function terminal(answer: string | undefined): Io & { asked: string[] } {
  const asked: string[] = [];
  const ask = (question: string): Promise<string> => {
    asked.push(question);
    return Promise.resolve(answer ?? '');
  };
  return { out() {}, err() {}, terminal: true, columns: 80, asked, ask: answer === undefined ? undefined : ask };
}

test('the user is asked once, and only "y" or "yes" confirms', async () => {
  for (const answer of ['y', ' Yes ', 'YES']) {
    const io = terminal(answer);
    await confirm(io, 'Delete it?', false);
    assert.deepEqual(io.asked, ['Delete it? [y/N] ']);
  }
  for (const answer of ['', 'n', 'yep', 'yes please'])
    await assert.rejects(confirm(terminal(answer), 'Delete it?', false), {
      message: 'Nothing was changed.',
      exitCode: 1,
    });
});

test('with --yes the user is not asked, and without a terminal the confirmation fails', async () => {
  const io = terminal('n');
  await confirm(io, 'Delete it?', true);
  assert.deepEqual(io.asked, []);
  await assert.rejects(confirm(terminal(undefined), 'Delete it?', false), (error: unknown) => {
    assert.ok(error instanceof CliError && error.exitCode === 2);
    return /--yes/.test(error.message);
  });
});

test('an error of several files is one line in which the files are apart', () => {
  assert.equal(
    errorText({ title: '2 of 3 files failed', message: 'a.ics: Unsupported\nb.vcf: Unsupported' }),
    '2 of 3 files failed: a.ics: Unsupported; b.vcf: Unsupported',
  );
});

test('times are printed in the time zone of this machine, and on a terminal in the short format of ls', () => {
  const seconds = new Date(2026, 10, 3, 7, 5).getTime() / 1000;
  assert.equal(timeText(seconds), '2026-11-03 07:05');
  assert.equal(shortTime(seconds, seconds * 1000), 'Nov  3 07:05');
  assert.equal(shortTime(seconds, new Date(2027, 10, 3).getTime()), 'Nov  3  2026');
  assert.deepEqual([timeText(null), shortTime(null)], ['', '']);
});

test('a list has short times on a terminal, and times with their zone in a pipe', () => {
  const seconds = Date.UTC(2020, 10, 23, 7, 40) / 1000;
  assert.equal(listTime(seconds, {}), '2020-11-23T07:40:00Z');
  assert.match(listTime(seconds, { outColumns: 80 }), /^Nov 2\d {2}2020$/);
  assert.deepEqual([listTime(null, {}), listTime(null, { outColumns: 80 })], ['', '']);
});
