import assert from 'node:assert/strict';
import { test } from 'node:test';
import { embeddingText } from './embedding-text.ts';

test('headings above the chunk and its repeated header come before its content', () => {
  assert.equal(
    embeddingText({ content: 'It rains.', context: 'day | weather', headingPath: ['Spain', 'Plain'] }),
    'Spain > Plain\nday | weather\nIt rains.',
  );
});

test('a heading that opens the chunk is not repeated', () => {
  assert.equal(
    embeddingText({ content: '# Plain\nIt rains.', context: null, headingPath: ['Spain', 'Plain'] }),
    'Spain\n# Plain\nIt rains.',
  );
  assert.equal(embeddingText({ content: 'It rains.', context: null, headingPath: [] }), 'It rains.');
});
