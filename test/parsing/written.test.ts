/** One text, written as many formats by pandoc and LibreOffice: the same blocks come out of each. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture } from '../support/fixtures.ts';
import { readBytes } from '../support/process-bytes.ts';

const HANDBOOK = [
  '# Leave',
  'Everybody has 25 days of leave & more by agreement.[^1]',
  '[^1]: Agreed with the works council in 2023.',
  '## Requests',
  '- Ask early\n- Ask in writing\n  - by mail\n  - by letter\n1. First the team\n2. Then the office',
  '## Contacts',
  '| Team | Contact | Phone |\n| --- | --- | --- |\n| Sales | Bo | 12 |\n| Lab | Cy | 34 |',
  'See the intranet for details.',
];

for (const name of ['handbook.rtf', 'office.rtf']) {
  test(`${name}: headings, lists, tables and notes as they were written`, async () => {
    const file = await readBytes(name, fixture(name));
    assert.deepEqual(file.text.split('\n\n').slice(-HANDBOOK.length), HANDBOOK);
    assert.deepEqual(file.chunks.at(-1)!.headingPath, ['Leave']);
  });
}
