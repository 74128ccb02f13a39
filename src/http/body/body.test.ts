import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { JSON_DEPTH_MAX, JSON_MEMBERS_MAX, parseJson, parseJsonInTurn, readBody } from './body.ts';

const parse = (text: string): unknown => parseJson(Buffer.from(text));
const refused = (text: string, message: RegExp): void => {
  assert.throws(
    () => parse(text),
    (error) => error instanceof ServiceError && error.code === 'invalid_request' && message.test(error.message),
  );
};

test('after a long body, the next one waits for four times as long as the first took', async (t) => {
  const long = Buffer.from(JSON.stringify('"'.repeat(500_000)));
  // Each look at the clock takes 10 ms: a body takes 10, and the next one waits 40, of which 10 have passed when it looks.
  const startedAt = performance.now();
  let looks = 0;
  t.mock.method(performance, 'now', () => startedAt + 10 * ++looks);
  const parsedAt = await Promise.all(
    ['a', 'b', 'a'].map((owner) => parseJsonInTurn(long, { owner }).then(() => process.hrtime.bigint())),
  );
  const [first, second, third] = parsedAt.toSorted((a, b) => Number(a - b));
  // A timer may fire a millisecond early, and never earlier than that.
  const [toSecond, toThird] = [Number(second! - first!) / 1e6, Number(third! - second!) / 1e6];
  assert.ok(toSecond > 28 && toThird > 28, `the bodies were ready ${toSecond} and ${toThird} ms after the one before`);
});

describe('parseJson', () => {
  test('returns the value of valid JSON', () => {
    assert.deepEqual(parse('{"a":[1,"x\\u00e9",{"b":null}],"c":"a\\"b\\\\"}'), {
      a: [1, 'xé', { b: null }],
      c: 'a"b\\',
    });
    assert.deepEqual(parse('"😀"'), '😀');
    assert.deepEqual(parse('"\\ud83d\\ude00"'), '😀');
    assert.equal(parse(''), undefined);
  });
  test('refuses wrong syntax', () => {
    for (const text of [
      '{',
      '{"a":1,}',
      "{'a':1}",
      'nul',
      '"a',
      '[1 2]',
      '{"a":1}}',
      '\u0000',
      '"\n"',
      '{"a"}',
      '"\\x"',
    ])
      refused(text, /not valid JSON/);
  });
  test('refuses JSON with very many members', () => {
    const members = (count: number): string => `[{${Array.from({ length: count }, (_, i) => `"m${i}":0`).join()}}]`;
    assert.doesNotThrow(() => parse(members(JSON_MEMBERS_MAX)));
    refused(members(JSON_MEMBERS_MAX + 1), /more than 10000 members/);
  });
  test('refuses JSON that is nested too deep', () => {
    assert.doesNotThrow(() => parse('['.repeat(JSON_DEPTH_MAX) + ']'.repeat(JSON_DEPTH_MAX)));
    refused('['.repeat(JSON_DEPTH_MAX + 1) + ']'.repeat(JSON_DEPTH_MAX + 1), /nested deeper/);
    refused('{"a":'.repeat(100_000), /nested deeper/);
    assert.doesNotThrow(() => parse(`"${'['.repeat(1000)}"`), 'brackets in a string do not count');
    assert.doesNotThrow(() => parse(`[${'[],'.repeat(100)}[]]`), 'neighbours do not count');
  });
  test('refuses U+0000 and lone surrogates', () => {
    refused('{"a":"x\\u0000"}', /U\+0000/);
    refused('{"a\\u0000":1}', /U\+0000/);
    refused('["\\ud800"]', /lone surrogate/);
    refused('["\\udc00\\ud800"]', /lone surrogate/);
    assert.throws(() => parseJson(Buffer.from([0x22, 0xff, 0x22])), /not valid UTF-8/);
    assert.throws(() => parseJson(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])), /not valid UTF-8/);
  });
  test('points to the refused string or member', () => {
    const pointers: [string, string | undefined][] = [
      ['{"a":[1,[],{"b":"x"},{"c/d":"x\\u0000"}]}', '/a/3/c~1d'],
      ['{"a":{"b":[0,"\\ud800"]},"c":1}', '/a/b/1'],
      ['["a,b",{"c":[1,2]},"\\udc00"]', '/2'],
      ['{"a":[{"b":1},{"b":1,"c":2,"b":2}]}', '/a/1/b'],
      ['{"x":{"b":1,"c":{},"b":2}}', '/x/b'],
      ['{"x":{"__proto__":1}}', '/x/__proto__'],
      ['{"a":[0,{"b\\u0000":1}]}', '/a/1'],
      ['{"a\\u0000":1}', undefined],
      ['"\\u0000"', undefined],
    ];
    for (const [text, pointer] of pointers) {
      const points = (error: unknown): boolean => error instanceof ServiceError && error.pointer === pointer;
      assert.throws(() => parse(text), points, text);
    }
  });
  test('refuses reserved and repeated member names', () => {
    refused('{"a":1,"a":2}', /"a" is given twice/);
    refused('{"a":1,"\\u0061":2}', /"a" is given twice/);
    refused(`{"a":1,"a"${' '.repeat(500)}:2}`, /"a" is given twice/);
    refused('{"x":{"b":1,"c":{},"b":2}}', /"b" is given twice/);
    refused('{"__proto__":{"admin":true}}', /__proto__/);
    refused('{"\\u005f_proto__":1}', /__proto__/);
    assert.deepEqual(parse('[{"a":1},{"a":2}]'), [{ a: 1 }, { a: 2 }]);
    assert.deepEqual(parse('{"a":"a","b":["a","a"]}'), { a: 'a', b: ['a', 'a'] });
  });
});

describe('readBody', () => {
  const from = (...pieces: string[]) => Readable.from(pieces.map((piece) => Buffer.from(piece))) as never;
  test('returns a body up to the limit and refuses a longer one', async () => {
    assert.equal((await readBody(from('abc', 'def'), 6, 1000)).toString(), 'abcdef');
    await assert.rejects(
      readBody(from('abc', 'defg'), 6, 1000),
      (error) => error instanceof ServiceError && error.code === 'too_large',
    );
  });
  test('fails if the body does not arrive in time', async () => {
    await assert.rejects(
      readBody(new Readable({ read() {} }) as never, 10, 5),
      (error) => error instanceof ServiceError && error.code === 'request_timeout',
    );
  });
  test('fails if the client leaves', async () => {
    const stream = new Readable({ read() {} });
    const reading = readBody(stream as never, 10, 10_000);
    stream.destroy();
    await assert.rejects(reading, /connection closed/);
  });
});
