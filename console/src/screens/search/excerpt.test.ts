import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { excerptOf } from './excerpt.ts';
import { sameRequest } from './same-request.ts';

describe('the excerpt of a result', () => {
  const content = `${'word '.repeat(200)}The bath is changed. ${'more '.repeat(200)}`;
  const sentence = { start: 1000, end: 1020 };

  test('it shows the whole sentence, and begins with a whole word', () => {
    const { pieces, before, after } = excerptOf(content, sentence, [{ start: 1004, end: 1008 }]);
    assert.equal(
      pieces
        .filter(({ marked }) => marked)
        .map(({ text }) => text)
        .join(''),
      'The bath is changed.',
    );
    assert.deepEqual(
      pieces.filter(({ word }) => word).map(({ text }) => text),
      ['bath'],
    );
    assert.ok(pieces[0]?.text.startsWith('word '));
    assert.deepEqual([before, after], [true, true]);
  });

  test('a short chunk is shown whole', () => {
    const { pieces, before, after } = excerptOf('灯台は1874年に', null, []);
    assert.deepEqual([pieces.map(({ text }) => text).join(''), before, after], ['灯台は1874年に', false, false]);
  });

  test('the marks of Markdown are left out, except in programs and data, and words keep their places', () => {
    const text = '😀\n## Opening hours\n| Season | Days |\n| --- | --- |\n| Summer | all |\n# apt update';
    const word = { start: 5, end: 12 };
    const shown = (type: string) => excerptOf(text, { start: 2, end: 18 }, [word], type).pieces;
    const textOf = (type: string) =>
      shown(type)
        .map(({ text: part }) => part)
        .join('');
    assert.equal(textOf('md'), '😀\nOpening hours\n| Season | Days |\n\n| Summer | all |\n# apt update');
    for (const type of ['code', 'yaml']) assert.equal(textOf(type), text);
    const bold = shown('md').filter((piece) => piece.word);
    assert.deepEqual(bold, [{ text: 'Opening', start: 5, marked: true, word: true }]);
  });

  test('a sentence that is longer than the excerpt is not cut', () => {
    const long = 'x'.repeat(900);
    assert.equal(excerptOf(long, { start: 0, end: 900 }, []).pieces[0]?.text.length, 900);
  });
});

test('the command of a search survives quotes in the question', () => {
  const command = sameRequest('curl', { query: "the keeper's book" }, 'http://127.0.0.1:7700');
  assert.ok(command.includes(`the keeper'\\''s book`));
});
