import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimOf } from './claims.ts';
import { evidenceOf, findSupport } from './verify.ts';

const check = (sentence: string, content: string, isCode = false) =>
  findSupport([claimOf(sentence, 'en')], evidenceOf(content, 'en', isCode));

const PASSAGES: [string, isCode?: boolean][] = [
  ['timeout = 30\nretries = 5\nlog level = warning\nmode = fast', true],
  ['timeout: 30\nretries: 5\nlog level: warning\nmode: fast'],
  ['```json\n"timeout": 30,\n"retries": 5,\n"log level": "warning",\n"mode": "fast"\n```'],
  ['- **timeout**: 30\n- **retries**: 5\n- **log level**: warning\n- **mode**: fast'],
  [
    '| Option | Default value |\n|---|---|\n| timeout | 30 |\n| retries | 5 |\n| log level | warning |\n| mode | fast |',
  ],
];

test('a value is verified with its own key', () => {
  for (const [passage, isCode] of PASSAGES)
    for (const claim of [
      ...['timeout: 30', 'retries = 5', 'The timeout is 30 seconds.', 'The value of retries is 5.', 'mode: fast'],
      ...['The log level is set to warning.', 'The timeout is 30 and the mode is fast.'],
    ])
      assert.equal(check(claim, passage, isCode).reason, null, `${claim}\n${passage}`);
  // The header of a table names the values of all rows.
  const table = '| Option | Default value |\n|---|---|\n| log level | warnings and errors |\n| mode | fast |';
  assert.equal(check('The default value of the log level is warnings.', table).verified, true);
});

test('the value of another key is not verified', () => {
  for (const [passage, isCode] of PASSAGES) {
    for (const claim of ['timeout: 5', 'The timeout is 5.', 'The timeout is set to 5 seconds.', 'mode = warning'])
      assert.equal(check(claim, passage, isCode).verified, false, `${claim}\n${passage}`);
    const { reason, isRefuted } = check('The log level is fast.', passage, isCode);
    assert.deepEqual([reason, isRefuted], ['The passage says something else about log level.', true], passage);
  }
});

test('a value that the passage lacks is not verified', () => {
  const passage = 'additionalProperties: false\ntitle: colours';
  assert.equal(check('additionalProperties: false', passage).verified, true);
  assert.equal(
    check('additionalProperties: true', passage).reason,
    'The passage says something else about additionalProperties.',
  );
});

test('a negation belongs to its key', () => {
  const passage = 'Streaming: not supported\nBatch mode: supported';
  for (const claim of ['Streaming: not supported', 'Streaming is not supported.', 'Batch mode is supported.'])
    assert.equal(check(claim, passage).verified, true, claim);
  for (const claim of ['Streaming: supported', 'Streaming is supported.', 'Batch mode: not supported'])
    assert.equal(check(claim, passage).verified, false, claim);
});

test('a key with its value may stand for the thing that the sentence describes', () => {
  const passage = 'name: gravel\nauthor: Ann Smith\nlicense: free software\nmain file: index of gravel';
  for (const claim of ['The name gravel is free software.', 'The name gravel is free software by Ann Smith.'])
    assert.equal(check(claim, passage).verified, true, claim);
  assert.equal(check('The author is free software.', passage).verified, false);
});

test('a sentence may say a value in other words, but not with another number', () => {
  const passage = 'cache: large cache on the local disk\nqueue: value in memory\nworkers: 12 local threads';
  assert.equal(check('The value of the cache is a large disk.', passage).verified, true);
  assert.equal(
    check('The cache is a cache on 12 local disks.', passage).reason,
    'The passage says something else about cache.',
  );
});

test('a negation of another key counts only where the sentence names no key', () => {
  const passage = 'Streaming: supported\nBatch: long films not supported';
  assert.equal(
    check('Streaming of long films is not supported.', passage).reason,
    'The passage and the sentence differ in a negation.',
  );
  assert.equal(check('Long films are supported.', passage).verified, false);
});

test('a line whose key has no word is no entry', () => {
  const passage = '- %: share of 100\n- tag: small letter';
  assert.equal(check('The letter is small by default.', passage).verified, true);
});
