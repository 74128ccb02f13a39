import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { blocksOf, blocksOfParts, cutAt, placeOf, placeOfQuote } from './spans.ts';

describe('spans', () => {
  test('a quote is found by code points, not by UTF-16 units', () => {
    assert.deepEqual(placeOf('😀😀 ab cd', 'ab'), { start: 3, end: 5 });
    assert.deepEqual(placeOf('灯台の案内', 'の'), { start: 2, end: 3 });
  });

  test('a quote that is missing, or there twice, has no place', () => {
    assert.equal(placeOf('ab cd', 'x'), undefined);
    assert.equal(placeOf('ab ab', 'ab'), undefined);
    assert.equal(placeOf('ab', ''), undefined);
  });

  test('the pieces of a cut text are the text', () => {
    const text = 'a😀bc灯d';
    const pieces = cutAt(text, [
      { start: 1, end: 3 },
      { start: 2, end: 99 },
      { start: -5, end: 1 },
    ]);
    assert.equal(pieces.map((piece) => piece.text).join(''), text);
    assert.deepEqual(
      pieces.map((piece) => piece.spans),
      [[2], [0], [0, 1], [1]],
    );
    assert.deepEqual(
      pieces.map((piece) => piece.start),
      [0, 1, 2, 3],
    );
  });

  test('an empty span and an empty text cut nothing', () => {
    assert.deepEqual(cutAt('ab', [{ start: 1, end: 1 }]), [{ text: 'ab', start: 0, spans: [] }]);
    assert.deepEqual(cutAt('', [{ start: 0, end: 2 }]), []);
  });

  test('a part of a source is cut into its chunks, with the marked passage in them', () => {
    const chunks = [
      { chunk_index: 0, start_offset: 100, end_offset: 103 },
      { chunk_index: 1, start_offset: 104, end_offset: 110 },
    ];
    const blocks = blocksOf('abc\ndefghi', 100, chunks, { start: 102, end: 106 });
    assert.deepEqual(
      blocks.map(({ chunk, pieces }) => [chunk, pieces.map(({ text, marked }) => (marked ? `*${text}` : text))]),
      [
        [0, ['ab', '*c']],
        [null, ['*\n']],
        [1, ['*de', 'fghi']],
      ],
    );
    assert.equal(blocks[2]?.pieces[0]?.start, 104);
  });

  test('text of two chunks belongs to the later one', () => {
    const chunks = [
      { chunk_index: 0, start_offset: 0, end_offset: 4 },
      { chunk_index: 1, start_offset: 3, end_offset: 6 },
    ];
    assert.deepEqual(
      blocksOf('abcdef', 0, chunks, null).map(({ chunk, pieces }) => [chunk, pieces.map(({ text }) => text).join('')]),
      [
        [0, 'abc'],
        [1, 'def'],
      ],
    );
  });

  test('a quote has a place in the source, but none in a chunk whose length redaction has changed', () => {
    const chunk = { content: 'Ask [K] at noon.', start_offset: 40, end_offset: 56 };
    assert.deepEqual(placeOfQuote(chunk, 'at noon.'), { start: 48, end: 56 });
    assert.equal(placeOfQuote({ ...chunk, end_offset: 60 }, 'at noon.'), undefined);
    assert.equal(placeOfQuote({ ...chunk, start_offset: null, end_offset: null }, 'at noon.'), undefined);
  });

  test('redacted parts of a text have no borders and no mark, and parts behind them have their own', () => {
    const parts = [
      { text: 'abc', start_offset: 0, end_offset: 3 },
      { text: '[K]e', start_offset: 3, end_offset: 10 },
      { text: 'fghij', start_offset: 10, end_offset: 15 },
    ];
    const chunks = [
      { chunk_index: 0, start_offset: 0, end_offset: 12 },
      { chunk_index: 1, start_offset: 12, end_offset: 15 },
    ];
    const blocks = blocksOfParts(parts, chunks, { start: 2, end: 11 });
    assert.deepEqual(
      blocks.map(({ chunk, pieces }) => [chunk, pieces.map(({ text, marked }) => (marked ? `*${text}` : text))]),
      [
        [0, ['ab', '*c']],
        [null, ['[K]e']],
        [0, ['*f', 'g']],
        [1, ['hij']],
      ],
    );
  });
});
