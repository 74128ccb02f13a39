import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { unwrittenWarnings } from './unwritten.ts';

const MINIFIED = `${'var a=function(b){return b+1};'.repeat(60)}\n`;

test('minified scripts and styles have a warning, written code and long lines of prose have none', () => {
  assert.match(unwrittenWarnings('app.js', MINIFIED)[0]!, /seems to be minified: its lines have 1,801 characters/);
  assert.deepEqual(unwrittenWarnings('app.js', MINIFIED.replaceAll('};', '};\n')), []);
  assert.deepEqual(unwrittenWarnings('app.js', 'a();'), []);
  assert.deepEqual(unwrittenWarnings('notes.txt', 'One line is a paragraph of a text. '.repeat(60)), []);
});

test('encoded data has a warning, and a text with a little of it has none', () => {
  const data = randomBytes(3000).toString('base64').replace(/.{76}/g, '$&\n');
  for (const text of [data, data.replaceAll('\n', '\r\n'), randomBytes(2000).toString('hex')])
    assert.match(unwrittenWarnings('key.txt', text)[0]!, /encoded data/);
  assert.deepEqual(unwrittenWarnings('mail.txt', `${'A letter with many words in it. '.repeat(40)}\n${data}`), []);
  assert.deepEqual(unwrittenWarnings('words.txt', `${'Donaudampfschifffahrt'.repeat(4)}\n`.repeat(40)), []);
});
