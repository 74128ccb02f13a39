import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentenceRanges } from './text-ranges.ts';

const TOKENS_MAX = 400;

function sentences(text: string): string[] {
  return sentenceRanges(text, 0, text.length, TOKENS_MAX).map(({ start, end }) => text.slice(start, end));
}

test('a sentence ends after its closing quotes and blanks', () => {
  assert.deepEqual(sentences('"Stop!" he said. Then… he left.'), ['"Stop!" ', 'he said. ', 'Then… ', 'he left.']);
  assert.deepEqual(sentences('版本1.0.2。「了解。」好'), ['版本1.0.2。', '「了解。」', '好']);
});

test('a line break ends a sentence unless the next line continues in lower case', () => {
  assert.deepEqual(sentences('One line\nTwo lines\n\nand its end'), ['One line\n', 'Two lines\n\nand its end']);
});

test('a full stop of a script without blanks ends a sentence within a run of dots', () => {
  assert.deepEqual(sentences('...。..x'), ['...。..', 'x']);
});

// Linear work takes milliseconds. Work that is quadratic in the length of the run takes hours.
for (const [name, run] of [
  ['dots', '.'],
  ['dots and quotes', '."'],
  ['full stops with and without blanks', '.。'],
  ['line breaks', '\n'],
] as const) {
  test(`a million ${name} before a letter are cut in linear time`, () => {
    const text = `${run.repeat(1_000_000)}x`;
    assert.equal(sentences(text).join(''), text);
  });
}
