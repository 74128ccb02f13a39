/** Short tests of regexes and texts that are made to be slow; `npm run bench:redos` measures them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENTITIES } from '../../src/redaction/detectors/entities.ts';
import { compileRedactor, type Redactor } from '../../src/redaction/redact.ts';
import type { RedactionRule } from '../../src/redaction/redaction-policy.ts';
import { redactorOf } from '../support/passages/redaction-corpus.ts';
import { HOSTILE_PATTERNS, hostileTexts } from '../support/passages/redos.ts';

const LENGTH = 3_000;
/** The maximum text in one turn of the event loop, in UTF-16 units. */
const TURN_LENGTH_MAX = 16_384;

const rules = HOSTILE_PATTERNS.map(
  (pattern, i): RedactionRule => ({
    name: `r${i}`,
    kind: 'regex',
    pattern,
    ignore_case: i % 2 === 1,
    action: 'mask',
    apply_at: ['output'],
  }),
);
/** Returns a redactor with all patterns together, without the limits of a policy. */
const hostile = compileRedactor({ version: 1, enabled: true, rules }, new Uint8Array(32));

async function turnsDuring(redactor: Redactor, text: string): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await redactor.redact(text, 'output');
  isOver = true;
  return turns;
}

test('hostile regexes end on hostile texts, and a stream is redacted like the whole text', async () => {
  for (const [name, text] of Object.entries(hostileTexts(LENGTH / 10))) {
    const { text: whole } = await hostile.redact(text, 'output');
    const stream = hostile.stream('output');
    assert.equal((await stream.push(text)) + (await stream.end()), whole, name);
  }
});

test('detectors end on hostile texts, and other work runs in between', async () => {
  const all = redactorOf(ENTITIES);
  for (const [name, text] of Object.entries(hostileTexts(LENGTH * 20))) {
    const turns = await turnsDuring(all, text);
    assert.ok(turns >= Math.floor(text.length / TURN_LENGTH_MAX), `${name}: ${turns} turns`);
  }
});

test('other work runs between many short texts', async () => {
  const all = redactorOf(ENTITIES);
  const texts = Array.from({ length: 40 }, () => 'the quick brown fox '.repeat(100));
  const redactor: Redactor = { ...all, redact: (_, at) => inTurn(texts, (text) => all.redact(text, at)) };
  const turns = await turnsDuring(redactor, '');
  assert.ok(turns >= Math.floor((40 * 2_000) / TURN_LENGTH_MAX), `${turns} turns`);
});

test('other work runs between many texts that are redacted together', async () => {
  const all = redactorOf(ENTITIES);
  const texts = Array.from({ length: 20 }, () => 'the quick brown fox '.repeat(TURN_LENGTH_MAX / 20));
  const redactor: Redactor = {
    ...all,
    redact: async (_, at) => (await Promise.all(texts.map((text) => all.redact(text, at))))[0]!,
  };
  const turns = await turnsDuring(redactor, '');
  assert.ok(turns >= texts.length - 1, `${turns} turns`);
});

async function inTurn<T>(texts: readonly string[], work: (text: string) => Promise<T>): Promise<T> {
  let last!: T;
  for (const text of texts) last = await work(text);
  return last;
}

test('redaction of a long text stops when the caller aborts', async () => {
  const aborted = new AbortController();
  const running = redactorOf(ENTITIES).redact('a@'.repeat(100_000), 'output', aborted.signal);
  aborted.abort();
  await assert.rejects(running, { name: 'AbortError' });
});
