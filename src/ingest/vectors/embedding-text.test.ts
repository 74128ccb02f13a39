import assert from 'node:assert/strict';
import { test } from 'node:test';
import { embeddingText } from './embedding-text.ts';

test('the embedded text has the headings and the repeated header before the content', () => {
  assert.equal(
    embeddingText({ content: 'It rains.', context: 'day | weather', headingPath: ['Spain', 'Plain'] }),
    'Spain > Plain\nday | weather\nIt rains.',
  );
});

test('the embedded text does not repeat a heading that opens the chunk', () => {
  assert.equal(
    embeddingText({ content: '# Plain\nIt rains.', context: null, headingPath: ['Spain', 'Plain'] }),
    'Spain\n# Plain\nIt rains.',
  );
  assert.equal(embeddingText({ content: 'It rains.', context: null, headingPath: [] }), 'It rains.');
});
