import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerAbove } from './column-headers.ts';

test('the header above a row is that of its table, not a row of data above a row of dashes', () => {
  const cases: [before: string, context: string | null, header: string | undefined][] = [
    ['| name | ssn |\n| --- | --- |\n| Ann | 1 |\n| - | - |\n', null, '| name | ssn |'],
    ['| name | ssn |\n| --- | --- |\n| Ann | 1 |\n|  | - |\n', null, '| name | ssn |'],
    ['| Ann | 1 |\n| - | - |\n', '| name | ssn |', '| name | ssn |'],
    ['intro line\n---\n', '| name | ssn |', '| name | ssn |'],
    ['| a |\n| --- |\n| 1 |\n\n> | b |\n> | - |\n> | 2 |\n', '| c |', '| b |'],
    ['Staff | list\nname | ssn\n--- | ---\n', null, 'name | ssn'],
    ['text\n', null, undefined],
  ];
  for (const [before, context, header] of cases) assert.equal(headerAbove(before, context), header, before);
});
