import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerAbove, headerForms, headersOf } from './column-headers.ts';

test('the header above a row is that of its table, not a row of data above a row of dashes', () => {
  const cases: [before: string, context: string | null, header: string | undefined][] = [
    ['| name | ssn |\n| --- | --- |\n| Ann | 1 |\n| - | - |\n', null, '| name | ssn |'],
    ['| name | ssn |\n| --- | --- |\n| Ann | 1 |\n|  | - |\n', null, '| name | ssn |'],
    ['| Ann | 1 |\n| - | - |\n', '| name | ssn |', '| name | ssn |'],
    ['intro line\n---\n', '| name | ssn |', '| name | ssn |'],
    ['| a |\n| --- |\n| 1 |\n\n> | b |\n> | - |\n> | 2 |\n', '| c |', '| b |'],
    ['Staff | list\nname | ssn\n--- | ---\n', null, 'name | ssn'],
    ['text\n', null, undefined],
    ['| id | person |  |\n| - | - | - |\n|  | name | ssn |\n| 1 |', null, '| id | person / name | person / ssn |'],
    ['id | person | \n- | - | -\nno | name | ssn\n1 | ', null, '| id / no | person / name | person / ssn |'],
  ];
  for (const [before, context, header] of cases) assert.equal(headerAbove(before, context), header, before);
});

test('the headers of a chunk have the names of a second row of headers', () => {
  const content =
    'text\n| id | person |  |\n| - | - | - |\n|  | name | ssn |\n| 1 | Ann | 2 |\n\n| a | b |\n| - | - |\n| 1 | 2 |';
  const headers = ['| id | person |  |', '| id | person / name | person / ssn |', '| a | b |', '| c |'];
  for (const header of headers) assert.ok(headersOf(content, '| c |').includes(header), header);
});

test('the forms of a name are limited, and all parts of a short path are among them', () => {
  const parts = Array.from({ length: 1000 }, (_, i) => `n${i}`);
  assert.equal(headerForms(parts.join(' / ')).length, 20);
  const long = headerForms(['a', 'b', 'c', 'd', 'e', 'employee'].map((name) => `${name}_SSN (now)`).join(' / '));
  assert.ok(long.includes('employee SSN'), `${long}`);
  assert.deepEqual(headerForms('SSN / present / in words'), ['SSN present in words', 'in words', 'present', 'SSN']);
});
