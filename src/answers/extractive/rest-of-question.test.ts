/** Texts without headings: letters, receipts and tables, of which the answer quotes two places. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContextChunk } from '../../llm/models.ts';
import { extractPassages } from './extract.ts';

const BETWEEN = 'Goods are not taken back after a week, and nobody changes money here. '.repeat(7);

const chunk = (number: number, content: string, more: Partial<ContextChunk> = {}): ContextChunk => ({
  ...{ number, name: `file${number}.md`, headingPath: [], context: null, content, score: 10 - number, language: 'en' },
  ...more,
});
const quoted = (question: string, ...chunks: ContextChunk[]) =>
  extractPassages(question, chunks).passages.map(({ text }) => text);

test('short lines below one another are quoted as lines', () => {
  const receipt = 'Receipt 4711\nRope 10 m 4.00\nLamp 5.00';
  assert.deepEqual(quoted('What does the rope of receipt 4711 cost?', chunk(1, receipt)), [receipt]);
  const wrapped = ['The rope of the receipt costs four crowns for each metre.', 'The lamp of the receipt costs five.'];
  const [text] = quoted('What does the rope of the receipt cost?', chunk(1, wrapped.join('\n')));
  assert.equal(text, wrapped.join(' '), 'sentences of a paragraph');
});

test('the place with the rest of the question does not repeat the best passage', () => {
  const table = '| article | prix |\n|---|---|\n| câble | 12 |\n| serveur | 900 |';
  assert.deepEqual(quoted('Quel est le prix du câble ?', chunk(1, table, { language: 'fr' })), [
    '| article | prix |\n| câble | 12 |',
  ]);
});

test('a word of the file name is no rest of the question', () => {
  const manual = `The usual form is cp SOURCE TARGET. ${BETWEEN}Kim Holm wrote the program in May.`;
  const texts = (name: string) => quoted('Who wrote the program cp in May?', chunk(1, manual, { name })).join();
  assert.deepEqual(
    ['a.txt', 'cp.txt'].map((name) => texts(name).includes('SOURCE')),
    [true, false],
  );
});

test('the rest of the question is read in the same text only', () => {
  const receipt = `Harbour Supplies Tidewick, Mole Street 5, thanks you. ${BETWEEN}`;
  const other = chunk(2, 'The total of the valley is nine crowns.', { score: 1 });
  const question = 'What is the total of the receipt from Harbour Supplies Tidewick?';
  assert.doesNotMatch(quoted(question, chunk(1, receipt), other).join(), /nine crowns/);
  assert.match(quoted(question, chunk(1, `${receipt}${other.content}`)).join(), /nine crowns/);
});

const record = (id: number, more: string): string => {
  const fields = Array.from({ length: 14 }, (_, i) => `field_${i}: value ${i} of the form`).join('\n');
  return `id: ${id}\nsubject: ${id === 35438 ? 'Boat' : 'Lamp'} order\nvia:\n  channel: email\n${fields}${more}`;
};
const statusOf = (content: string): string =>
  quoted('What is the status of the boat order 35438?', chunk(1, content, { headingPath: ['tickets'] })).join('\n');

test('a long record that a file has in a list is quoted with the field that is asked for, too', () => {
  const text = statusOf(record(35438, '\nstatus: pending'));
  assert.match(text, /id: 35438/);
  assert.match(text, /status: pending/);
});

test('the rest of the question is not read in another record of the chunk', () => {
  const other = record(35439, '\nstatus: closed');
  const above = other.replace('\nstatus: closed', '').replace('field_3', 'status: closed\nfield_3');
  for (const content of [
    `${record(35438, '')}\n${other}`,
    `${record(35438, '')}\n\n${other}`,
    `${record(35438, '')}\n\nname: Lamp\nstatus: closed`,
    `${above}\n\n${record(35438, '')}`,
  ]) {
    assert.match(statusOf(content), /id: 35438/);
    assert.doesNotMatch(statusOf(content), /closed/);
  }
  const both = statusOf(`${record(35438, '\nstatus: pending')}\n\n${other}`);
  assert.match(both, /status: pending/);
  assert.doesNotMatch(both, /closed/);
});
