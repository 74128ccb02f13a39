import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UnitKind } from '../../text/sentences.ts';
import { claimOf } from './claims.ts';
import { entryOf } from './entries.ts';
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

test('a key stands before a colon with a blank, a wide colon or an equals sign, and in the first cell of a row', () => {
  const nameOf = (line: string, kind: UnitKind = 'code') => entryOf(line, kind, 'en')?.name;
  for (const line of ['  "mode": fast', 'mode=fast', 'mode = fast', 'mode：fast', '**mode**: fast'])
    assert.equal(nameOf(line), 'mode', line);
  for (const line of [
    '12:30',
    'services:',
    '%: share',
    'a === b',
    'a == b',
    'a != b',
    'a => b',
    'a <= b',
    'a >= b',
    'a || b',
    'a\tb',
  ])
    assert.equal(nameOf(line), undefined, line);
  for (const row of ['| mode | fast: yes |', 'mode | fast', 'mode\tfast'])
    assert.equal(nameOf(row, 'row'), 'mode', row);
  assert.equal(nameOf('mode: fast', 'sentence'), undefined);
  assert.equal(nameOf(`${'key '.repeat(20)}: fast`), 'key '.repeat(20).trim());
  assert.equal(nameOf(`${'key '.repeat(21)}: fast`), undefined);
  assert.equal(nameOf(`${'key '.repeat(21)}| fast`, 'row'), undefined);
  // The value may go on in the next line, and the key may not begin there.
  assert.equal(entryOf('mode: fast\ngravel', 'item', 'en')!.terms.has('gravel'), true);
  assert.equal(nameOf('- fast\nmode: slow', 'item'), undefined);
});

test('a wide colon ties a value to its key', () => {
  const passage = '日志级别：警告\n模式：快速\n缓存：不支持';
  const verdict = (claim: string) => findSupport([claimOf(claim, 'zh')], evidenceOf(passage, 'zh')).verified;
  for (const claim of ['模式：快速', '缓存：不支持', '缓存不支持']) assert.equal(verdict(claim), true, claim);
  for (const claim of ['模式：警告', '缓存：支持', '缓存支持']) assert.equal(verdict(claim), false, claim);
});

test('an entry may speak of the key of another one', () => {
  const passage =
    'Battery: 5000 mAh\nCharging: the battery is full after 90 minutes\nNote: the battery does not get hot';
  for (const claim of [
    'The battery is full after 90 minutes.',
    'The battery does not get hot.',
    'The battery has 5000 mAh.',
  ])
    assert.equal(check(claim, passage).reason, null, claim);
  for (const claim of ['The battery has 90 mAh.', 'The battery gets hot.', 'The charging is 5000 mAh.'])
    assert.equal(check(claim, passage).verified, false, claim);
  // It must have the whole key, and most of the claim.
  const limits = 'request timeout: 30\nsize of a request: 5\nmode: fast start\nnote: 7 modes of old printers';
  for (const claim of ['The request timeout is 5.', 'The mode of the fast copier tool is 7.'])
    assert.equal(check(claim, limits).verified, false, claim);
});

test('a negation in a key may deny the value or not', () => {
  const passage = '- Not included: batteries\n- Runs without a check: the caller has tested the file.';
  for (const claim of ['Batteries are not included.', 'The caller has tested the file.', 'It runs without a check.'])
    assert.equal(check(claim, passage).verified, true, claim);
  for (const claim of ['Batteries are included.', 'The caller has not tested the file.', 'It runs with a check.'])
    assert.equal(check(claim, passage).verified, false, claim);
});

test('a key that is there twice may have one of its values', () => {
  const passage = 'image: large disk\nport: 80\nimage: small tape\nport: 90';
  for (const claim of ['image: small tape', 'The image is a small tape at port 90.'])
    assert.equal(check(claim, passage).verified, true, claim);
  // That says nothing about another key.
  const sizes = 'image: large disk\nport: disk 80\nsize: 7';
  assert.equal(
    check('The image is a large disk at size 80.', sizes).reason,
    'The passage says something else about size.',
  );
});

test('names do not count as words of a value', () => {
  const passage = 'Monday: 9:00 to 17:00\nSaturday: closed\nowner: large team\nplace: Berlin';
  assert.equal(check('It is closed on Monday.', passage).verified, false);
  assert.equal(check('The owner is a team of Berlin.', passage).verified, true);
});

test('a sentence beside the entries may have a value, and more words of other values than of the own one may not', () => {
  const entries = 'cache: large local disk\nqueue: fast remote memory';
  assert.equal(
    check('The cache waits 7 seconds.', `${entries}\n\nThe service waits 7 seconds for the cache.`).verified,
    true,
  );
  assert.equal(check('The cache is a local fast remote memory.', entries).verified, false);
});

test('the lines of a comment are one line, and other lines are not', () => {
  for (const mark of ['//', '#', '--', ' *']) {
    const comment = `${mark} The server does not\n${mark} store passwords of users: never.`;
    const code = `${mark === ' *' ? `/**\n${comment}` : comment}\nstore = off`;
    assert.equal(check('The server does not store passwords of users.', code, true).verified, true, code);
    assert.equal(check('The server stores passwords of users.', code, true).verified, false, code);
  }
  const opened = '/* The server does not\n * store passwords of users: never.';
  assert.equal(check('The server stores passwords of users.', opened, true).verified, false);
  for (const code of [
    '// Limits of the server\nwait = 30\nretries = 5',
    'wait = 30\nretries = 5\n// The wait ends a run.',
  ])
    assert.equal(check('The wait is 5.', code, true).verified, false, code);
  for (const [one, other] of [
    ['#set wait 30', '#set retries 5'],
    ['--wait 30', '--retries 5'],
    ['*wait 30', '*retries 5'],
  ])
    assert.equal(check('The wait is 5.', `${one}\n${other}`, true).verified, false, one);
});

test('numbers on their own lines belong to the line above', () => {
  const code = '"ports": [\n  8080,\n  8443\n]\n"name": "edge"\n"mode": "fast"\n}';
  const { verified, quote } = check('The ports are 8080 and 8443.', code, true);
  assert.deepEqual([verified, quote], [true, '"ports": [\n  8080,\n  8443']);
  assert.equal(check('The name is 8080.', code, true).verified, false);
  assert.equal(check('The mode is fast.', code, true).quote, '"mode": "fast"');
  assert.equal(check('The limit is 30.', '```xml\n<limit>\n  30\n</limit>\n```').verified, true);
});

test('a number is there as often as the lines of a record have it', () => {
  const passage = 'width: 5\nheight: 5\ndepth: 7';
  for (const claim of ['The width is 5 and the height is 5.', 'Width and height are 5.'])
    assert.equal(check(claim, passage).verified, true, claim);
  for (const claim of ['The depth is 5.', 'The width is 7 and the height is 7.'])
    assert.equal(check(claim, passage).verified, false, claim);
});

test('the work does not grow with the square of the number of entries', (t) => {
  const { parts, ...evidence } = evidenceOf(Array.from({ length: 500 }, (_, i) => `w: ${i} s`).join('\n'), 'en');
  let reads = 0;
  const get = (target: typeof parts, key: string | symbol): unknown => {
    reads++;
    return Reflect.get(target, key);
  };
  const counted = new Proxy(parts, { get });
  const { mock } = t.mock.method(Set.prototype, 'isSubsetOf');
  assert.equal(findSupport([claimOf('The w is 12 s.', 'en')], { ...evidence, parts: counted }).verified, true);
  assert.ok(mock.callCount() < 5_000, `${mock.callCount()} comparisons of keys`);
  assert.ok(reads < 100_000, `${reads} parts`);
});
