/** Text in pieces is redacted like the whole text, whatever the pieces; no returned text is changed by a later match. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ENTITIES } from '../../src/redaction/detectors/entities.ts';
import { compileRedactor, type Redactor } from '../../src/redaction/redact.ts';
import type { RedactionRule } from '../../src/redaction/redaction-policy.ts';
import { readCorpus } from '../support/passages/redaction-corpus.ts';
import { openRandom, TEST_SEED } from '../support/random.ts';

const output: RedactionRule['apply_at'] = ['output'];
const RULES: RedactionRule[] = [
  { name: 'entities', kind: 'entity', entities: [...ENTITIES], action: 'mask', apply_at: output },
  {
    name: 'staff',
    kind: 'regex',
    pattern: '\\bEMP-\\d+(?:/[A-Z]{2})?',
    ignore_case: false,
    action: 'hash',
    apply_at: output,
  },
  {
    name: 'code',
    kind: 'regex',
    pattern: '(?:red|blue|green) (?:fox|heron)s?\\b',
    ignore_case: true,
    action: 'drop',
    apply_at: output,
  },
  { name: 'aaa', kind: 'regex', pattern: 'a{3}', ignore_case: false, action: 'mask', apply_at: output },
  {
    name: 'people',
    kind: 'dictionary',
    terms: ['Ada', 'Ada Lovelace', 'Lovelace Street', '東京', '東京都庁', 'Zoë', 'ΟΔΥΣΣΕΥΣ', '김민수'],
    ignore_case: true,
    whole_words: true,
    action: 'mask',
    apply_at: output,
  },
];
const redactor = compileRedactor({ version: 1, enabled: true, rules: RULES }, new Uint8Array(32).fill(7));

const PIECES = [
  '\n| SSN | DOB |\n| --- | --- |\n| ',
  ' | ',
  '536904399',
  '1980-03-12',
  'ada lovelace street',
  'Ada',
  'EMP-12345',
  'EMP-1',
  '/AB',
  '/A',
  'blue herons',
  'Green fox',
  'aaaaaaa',
  '東京都庁',
  '東京',
  'Zoe\u0308',
  'Οδυσσεύς',
  'οδυσσευς',
  '김민수는',
  ' ',
  '\n',
  ', ',
  '. ',
  '-',
  '1',
  '12',
  '😀',
  'born on ',
  '𝟒𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏',
  '12 March 1980',
  'DOB: ',
  '1.2.3.4',
  'Tel. ',
  '030 1234567',
  '\u200b',
  '\u00a0',
  '１２',
  'DE',
  '89 3704',
  'https://',
  'a:b@c.de',
  '@',
  'x@y.example',
  '-----BEGIN PRIVATE KEY-----',
  '…',
  'the ',
  'and ',
  'https://u:p@example.com/',
];
const VALUES = ENTITIES.flatMap((entity) => readCorpus(entity).flatMap(({ find }) => find));

function randomText(random: () => number, pieces: number): string {
  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  return Array.from(
    { length: pieces },
    () => (random() < 0.25 ? any(VALUES) : any(PIECES)) + (random() < 0.5 ? ' ' : ''),
  ).join('');
}

async function inPieces(of: Redactor, pieces: readonly string[]): Promise<{ out: string[]; text: string }> {
  const stream = of.stream('output');
  const out: string[] = [];
  for (const piece of pieces) out.push(await stream.push(piece));
  out.push(await stream.end());
  return { out, text: out.join('') };
}

test(`random texts, cut at every offset, are redacted like the whole texts (seed ${TEST_SEED})`, async () => {
  const random = openRandom(TEST_SEED).next;
  for (let round = 0; round < 30; round++) {
    const text = randomText(random, 7);
    const whole = (await redactor.redact(text, 'output')).text;
    for (let cut = 0; cut <= text.length; cut++)
      assert.equal(
        (await inPieces(redactor, [text.slice(0, cut), text.slice(cut)])).text,
        whole,
        JSON.stringify([text, cut]),
      );
  }
});

test(`random texts in random pieces, and unit by unit, are redacted like the whole; returned text is final (seed ${TEST_SEED})`, async () => {
  const random = openRandom(TEST_SEED + 1).next;
  for (let round = 0; round < 60; round++) {
    const text = randomText(random, 14);
    const whole = (await redactor.redact(text, 'output')).text;
    const pieces: string[] = [];
    for (let at = 0; at < text.length; ) {
      const length = round % 2 === 0 ? 1 : 1 + Math.floor(random() * 12);
      pieces.push(text.slice(at, at + length));
      at += length;
    }
    const { out, text: joined } = await inPieces(redactor, pieces);
    assert.equal(joined, whole, JSON.stringify(text));
    let sent = '';
    for (const piece of out) {
      sent += piece;
      assert.ok(whole.startsWith(sent), JSON.stringify([text, sent]));
    }
  }
});

test('a stream never returns a part of a value of the corpus, at whatever offset its text is cut', async () => {
  for (const entity of ENTITIES) {
    const lines = readCorpus(entity).filter(({ find }) => find.length > 0);
    for (const { text } of lines.filter((_, i) => i % 6 === 0 && lines[i]!.text.length < 200)) {
      const whole = (await redactor.redact(text, 'output')).text;
      for (let cut = 1; cut < text.length; cut++) {
        const stream = redactor.stream('output');
        const first = await stream.push(text.slice(0, cut));
        assert.ok(whole.startsWith(first), JSON.stringify([text, cut, first]));
        assert.equal(
          first + (await stream.push(text.slice(cut))) + (await stream.end()),
          whole,
          JSON.stringify([text, cut]),
        );
      }
    }
  }
});

test('values with full-width digits and invisible characters do not leak, at whatever offset they are cut', async () => {
  const wide = (value: string): string =>
    value.replace(/[0-9]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
  const hidden = (value: string): string => [...value].join('\u200b');
  for (const entity of ENTITIES) {
    const { text, find } = readCorpus(entity).find((line) => line.find.length > 0 && line.text.length < 150)!;
    for (const write of [wide, hidden, (value: string) => hidden(wide(value))]) {
      const written = text.replace(find[0]!, () => write(find[0]!));
      const whole = (await redactor.redact(written, 'output')).text;
      assert.ok(!whole.includes(write(find[0]!).slice(-6)), `${entity}: ${whole}`);
      for (let cut = 1; cut < written.length; cut++) {
        const stream = redactor.stream('output');
        const first = await stream.push(written.slice(0, cut));
        assert.ok(whole.startsWith(first), JSON.stringify([written, cut, first]));
        assert.equal(first + (await stream.push(written.slice(cut))) + (await stream.end()), whole);
      }
    }
  }
});

describe('a redacted stream', () => {
  test('a stream returns ordinary words as they arrive', async () => {
    const words = 'The quick brown fox jumps over the lazy dog while nobody looks at it and '.split(/(?<= )/);
    const { out } = await inPieces(redactor, words);
    const held = words.map((_, i) => words.slice(0, i + 1).join('').length - out.slice(0, i + 1).join('').length);
    assert.ok(Math.max(...held) <= 10, `held back: ${held.join(' ')}`);
  });

  test('a stream returns nothing more once a rule blocks, also nothing of the blocked piece', async () => {
    const blocks = compileRedactor(
      {
        version: 1,
        enabled: true,
        rules: RULES.map((rule) => ({ ...rule, action: rule.name === 'staff' ? 'block' : rule.action })),
      },
      new Uint8Array(32),
    );
    const stream = blocks.stream('output');
    assert.equal(await stream.push('Hello '), '');
    assert.equal(await stream.push('dear EMP-1'), 'Hello dear ');
    assert.equal(stream.blocked, false);
    assert.equal(await stream.push(' and all the rest'), '');
    assert.equal(stream.blocked, true);
    assert.equal(await stream.push('more'), '');
    assert.equal(await stream.end(), '');
    const { text, blocked } = await blocks.redact('dear EMP-1', 'output');
    assert.deepEqual([text, blocked], ['', true]);
  });

  test('a stream holds back a bounded tail for every text', async () => {
    for (const filler of ['a', '1', '1 ', 'a.', 'DE89 ', '-----BEGIN ', 'EMP-', '東', 'born ']) {
      const stream = redactor.stream('output');
      let [given, sent] = [0, 0];
      const text = filler.repeat(Math.ceil(12_000 / filler.length));
      for (let at = 0; at < text.length; at += 500) {
        given += text.slice(at, at + 500).length;
        sent += (await stream.push(text.slice(at, at + 500))).length;
      }
      const held = given - sent;
      // A replacement may be shorter or longer than its match; the held text is bounded all the same.
      assert.ok(held <= 12_000 && (filler === '1' || filler === 'a' || held <= 8_300), `${filler}: ${held}`);
    }
  });
});
