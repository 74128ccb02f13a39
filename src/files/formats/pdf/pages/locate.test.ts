import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Passage } from '../../../page-task.ts';
import { lettersOf } from './letters.ts';
import { locate } from './locate.ts';

function found(page: string, passage: Partial<Passage> & { text: string }, neighbours = ['', '']): string[] {
  const [before, after] = neighbours.map((text) => lettersOf(text).folded);
  const letters = { page: lettersOf(page), before: before!, after: after! };
  return locate(page, { before: '', after: '', ...passage }, letters).map(({ start, end }) => page.slice(start, end));
}

const PAGE =
  'Annual report\r\nThe bath is chan\u0002\r\nged when the chloride content\r\nexceeds 50 mg. The bath is warm.\r\n7';

test('a passage is found over line ends and hyphens, with its punctuation', () => {
  assert.deepEqual(found(PAGE, { text: 'The bath is changed when the chloride content exceeds 50 mg.' }), [
    'The bath is chan\u0002\r\nged when the chloride content\r\nexceeds 50 mg.',
  ]);
});

test('marks of the extracted text do not matter', () => {
  assert.deepEqual(found(PAGE, { text: '## Annual report' }), ['Annual report']);
  assert.deepEqual(found('Name  Age\r\nAnna  41\r\n', { text: '| Name | Age |\n| --- | --- |\n| Anna | 41 |' }), [
    'Name  Age',
    'Anna  41',
  ]);
});

test('a passage with another letter is not found', () => {
  assert.deepEqual(found(PAGE, { text: 'The bath is changed when the chloride content exceeds 60 mg.' }), []);
  assert.deepEqual(found(PAGE, { text: '' }), []);
  assert.deepEqual(found('', { text: 'The bath' }), []);
});

test('of equal passages, the one with the same surroundings is found', () => {
  const page = 'First rule\r\nAsk the keeper.\r\nSecond rule\r\nAsk the keeper.\r\nThird rule';
  const letters = { page: lettersOf(page), before: '', after: '' };
  const [range] = locate(page, { before: 'Second rule\n', text: 'Ask the keeper.', after: '\nThird rule' }, letters);
  assert.equal(range!.start, page.lastIndexOf('Ask'));
  assert.deepEqual(found(page, { text: 'Ask the keeper.' }), [], 'without surroundings nobody knows which');
});

test('a short passage is not found by itself in other surroundings', () => {
  assert.deepEqual(
    found('A table\r\n12 of them\r\nend', { before: 'quite another text\n', text: '12', after: '\nof it' }),
    [],
  );
  assert.deepEqual(found('A table\r\n12 of them\r\nend', { before: 'A table\n', text: '12', after: '\nof them' }), [
    '12',
  ]);
});

test('a passage at the beginning of a page is found if the page before ends as the text before it', () => {
  const passage = { before: 'The lamp is out.\n', text: 'Ask the keeper about it.', after: '\nAnother text behind.' };
  const page = 'Report\r\nAsk the keeper about it.\r\nfigure 7';
  assert.deepEqual(found(page, passage, ['Once. The lamp is out.\r\n12', '']), ['Ask the keeper about it.']);
  assert.deepEqual(found(page, passage, ['Once. The lamp is lit.\r\n12', '']), []);
  assert.deepEqual(
    found(page, passage, ['The lamp is out. Ask the keeper about it.', '']),
    [],
    'it is on the page before',
  );
});

test('of equal lines on two pages, only the one with the same surroundings is found', () => {
  const passage = {
    before: 'The bell was mended in the year 1900.\n',
    text: 'Ask the keeper.',
    after: '\nThe lamp burns.',
  };
  const first = 'The bell was mended in the year 1900.\r\nAsk the keeper.\r\nThe lamp burns.';
  const second = 'The chest was mended in the year 1900.\r\nAsk the keeper.\r\nThe stove is cold.';
  assert.deepEqual(found(first, passage, ['', second]), ['Ask the keeper.']);
  assert.deepEqual(found(second, passage, [first, '']), []);
});

test('a passage over two pages is found in parts, if both parts are there', () => {
  const text = 'The keeper of the lighthouse writes down each ship that passes in the night.';
  const first = 'Some text. The keeper of the lighthouse writes\r\n- 3 -';
  const second = 'Report\r\ndown each ship that passes in the night. More text.';
  assert.deepEqual(found(first, { text }, ['', second]), ['The keeper of the lighthouse writes']);
  assert.deepEqual(found(second, { text }, [first, '']), ['down each ship that passes in the night.']);
  assert.deepEqual(found(first, { text }), []);
  assert.deepEqual(found(first, { text: text.replace('ship', 'boat') }, ['', second]), []);
  assert.deepEqual(found(`${first} ${'other things '.repeat(40)}`, { text }, ['', second]), []);
});
