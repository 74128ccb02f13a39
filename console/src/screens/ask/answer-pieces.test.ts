import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { answerPieces } from './answer-pieces.ts';

const cited = (number: number, ...spans: [number, number][]) => ({
  citation: { number, spans: spans.map(([start, end]) => ({ start, end })) },
});

describe('the pieces of an answer', () => {
  test('each number stands behind the text that it supports', () => {
    const pieces = answerPieces('灯台 lit. 😀 Then.', [cited(2, [0, 7]), cited(1, [0, 7], [8, 15])], []);
    assert.deepEqual(
      pieces.map(({ text, numbers }) => [text, numbers]),
      [
        ['灯台 lit.', [1, 2]],
        [' ', []],
        ['😀 Then.', [1]],
      ],
    );
  });

  test('text that nothing supports is shaded', () => {
    const pieces = answerPieces('Yes. No.', [cited(1, [0, 4])], [{ start: 5, end: 8 }]);
    assert.deepEqual(
      pieces.map(({ text, unsupported }) => [text, unsupported]),
      [
        ['Yes.', false],
        [' ', false],
        ['No.', true],
      ],
    );
  });

  test('an answer without citations is one piece', () => assert.equal(answerPieces('Yes.', [], []).length, 1));
});
