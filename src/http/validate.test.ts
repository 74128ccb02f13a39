import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { text } from '../util/text-schema.ts';
import { queryInteger, queryList } from './schemas.ts';
import { parseQuery, validate } from './validate.ts';

const node = z.strictObject({ operator: z.enum(['eq']), value: z.int() });
const schema = z.strictObject({
  name: text(1, 5),
  'a/b~c': z.string().optional(),
  filters: z.array(z.union([node, z.strictObject({ filters: z.array(node) })])).optional(),
});

function problem(value: unknown): string {
  try {
    validate(schema, value, 'body');
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
}

describe('validation errors', () => {
  test('name the wrong value and the rule', () => {
    assert.equal(problem({ name: 'x', foo: 1 }), 'Unknown member "foo" in the request body.');
    assert.equal(problem({}), 'Missing member "name" in the request body.');
    assert.equal(problem({ name: 5 }), '/name: must be a string, not a number.');
    assert.equal(problem({ name: '' }), '/name: must have 1 to 5 characters, not 0.');
    assert.equal(problem([]), 'The request body: must be an object, not an array.');
    assert.equal(problem({ name: 'x', 'a/b~c': 1 }), '/a~1b~0c: must be a string, not a number.');
  });
  test('name an unknown member rather than the missing member that it probably is', () => {
    assert.equal(problem({ nmae: 'x' }), 'Unknown member "nmae" in the request body.');
    assert.equal(problem({ name: 5, foo: 1 }), 'Unknown member "foo" in the request body.');
    const unknown = 'Unknown member "valeu" in the request body at /filters/0.';
    assert.equal(problem({ name: 'x', filters: [{ operator: 'eq', valeu: 1 }] }), unknown);
    const missing = 'Missing member "value" in the request body at /filters/0.';
    assert.equal(problem({ name: 'x', filters: [{ operator: 'eq' }] }), missing);
  });
  test('point to the wrong value inside a union', () => {
    assert.match(
      problem({
        name: 'x',
        filters: [
          { operator: 'eq', value: 1 },
          { operator: 'eq', value: 'x' },
        ],
      }),
      /^\/filters\/1\/value: /,
    );
    assert.match(
      problem({ name: 'x', filters: [{ filters: [{ operator: 'xx', value: 1 }] }] }),
      /^\/filters\/0\/filters\/0\/operator: /,
    );
  });
});

test('a query parameter with one value is refused when it is given twice', () => {
  const query = z.strictObject({
    q: z.string().optional(),
    order: z.enum(['asc', 'desc']).optional(),
    limit: queryInteger(1, 100).optional(),
    file_types: queryList(z.enum(['md', 'pdf']), 3).optional(),
  });
  const messageOf = (search: string) => {
    try {
      return JSON.stringify(validate(query, parseQuery(search), 'query').file_types);
    } catch (error) {
      return (error as Error).message;
    }
  };
  for (const [name, value] of Object.entries({ q: 'a', order: 'asc', limit: '5' }))
    assert.equal(messageOf(`${name}=${value}&${name}=${value}`), `Query parameter "${name}": may be given only once.`);
  assert.equal(messageOf('file_types=md&file_types=pdf'), '["md","pdf"]');
  assert.match(messageOf('file_types=md&file_types=x'), /^Query parameter "file_types": must be one of md, pdf/);
});

test('lengths of texts are counted in code points', () => {
  assert.equal(problem({ name: '😀😀😀😀😀' }), 'accepted');
  assert.equal(problem({ name: '😀😀😀😀😀😀' }), '/name: must have 1 to 5 characters, not 6.');
  assert.equal(problem({ name: 'abcde' }), 'accepted');
  assert.equal(problem({ name: 'abcdef' }), '/name: must have 1 to 5 characters, not 6.');
});

describe('query strings', () => {
  test('are decoded into names and values', () => {
    assert.deepEqual({ ...parseQuery('a=1&b=x%20y+z&a=2&c&d=%3D=') }, { a: ['1', '2'], b: 'x y z', c: '', d: '==' });
    assert.deepEqual({ ...parseQuery('') }, {});
    assert.deepEqual(Object.keys(parseQuery('__proto__=1')), ['__proto__']);
  });
  test('are refused if they are not valid text', () => {
    for (const search of ['a=%', 'a=%zz', 'a=%ff', '%c0%80=1'])
      assert.throws(() => parseQuery(search), /percent-encoded/);
    assert.throws(() => parseQuery('a=%00'), /U\+0000/);
    assert.throws(() => parseQuery('a=%ED%A0%80'), /percent-encoded/);
  });
  test('can have integers and lists', () => {
    const query = z.strictObject({
      n: queryInteger(1, 100).optional(),
      l: queryList(z.string(), 2).optional(),
    });
    assert.deepEqual(validate(query, { n: '7', l: 'x' }, 'query'), { n: 7, l: ['x'] });
    assert.deepEqual(validate(query, { l: ['x', 'y'] }, 'query'), { l: ['x', 'y'] });
    for (const n of ['', '0', '101', '1.5', '1e1', '0x10', ' 1', '9'.repeat(30), ['1', '2']]) {
      assert.throws(() => validate(query, { n }, 'query'), /Query parameter "n"/);
    }
    assert.throws(() => validate(query, { l: ['x', 'y', 'z'] }, 'query'), /Query parameter "l"/);
  });
});
