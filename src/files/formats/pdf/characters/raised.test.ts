import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withRaisedMarks } from './raised.ts';

type Run = string | { text: string; size?: number; lift?: number; gap?: number; added?: boolean };

/** Reads runs of characters that are 5 wide for a size of 10; a run of blanks or line ends is what pdfium added. */
function read(...runs: readonly Run[]): string {
  let [text, left] = ['', 0];
  const places: { object: number; size: number; base: number; left: number; right: number; added: boolean }[] = [];
  for (const [number, run] of runs.entries()) {
    const { text: own, size = 10, lift = 0, gap = 0, added = false } = typeof run === 'string' ? { text: run } : run;
    const isAdded = added || own.trim() === '';
    left += gap;
    for (const character of own) {
      const right = isAdded ? left : left + size / 2;
      places.push({ object: isAdded ? 0 : number + 1, size, base: lift, left, right, added: isAdded });
      left = right;
      text += character;
    }
  }
  const characters = withRaisedMarks(text, {
    objectOf: (unit) => places[unit]!.object,
    placeOf: (unit) => places[unit]!,
    isAdded: (unit) => places[unit]!.added,
  });
  return characters?.join('') ?? text;
}

const up = (text: string) => ({ text, size: 7, lift: 4 });
const down = (text: string) => ({ text, size: 7, lift: -2 });

test('raised characters of a PDF are marked', () => {
  assert.equal(read('8 × 10', up('23'), ' kg'), '8 × 10^23 kg');
  assert.equal(read('the value', up('1'), ' is'), 'the value[^1] is');
  assert.equal(read('the 1', up('st'), ' of'), 'the 1st of');
  assert.equal(read('H', down('2'), 'O'), 'H2O');
});

test('line ends and blanks that pdfium added around raised and lowered characters go', () => {
  assert.equal(read('x', '\r\n', up('2'), '\r\n', { text: '+', gap: 3 }, 'y'), 'x^2 +y');
  assert.equal(read('(a', '\r\n', up('−'), '\r\n', up('1'), '\r\n', ')'), '(a^−1)');
  assert.equal(read('H', '\r\n', down('2'), '\r\n', 'O'), 'H2O');
  assert.equal(read('Anna', { text: ' ', added: true }, up('3'), ' and'), 'Anna[^3] and');
});

test('characters of other sizes, heights or places are not marked', () => {
  assert.equal(read('x', { text: '2', size: 10, lift: 4 }), 'x2');
  assert.equal(read('x', { text: '2', size: 7, lift: 0 }), 'x2');
  assert.equal(read('x', { text: '2', size: 7, lift: 12 }), 'x2');
  assert.equal(read('x', { text: '2', size: 7, lift: 4, gap: 9 }), 'x2');
  assert.equal(read('x', { text: ' ' }, { text: '2', size: 7, lift: 12 }), 'x 2');
  // The name LaTeX, whose A overlaps the L.
  assert.equal(read('L', { text: 'A', size: 7, lift: 2, gap: -3.6 }, 'TEX'), 'LATEX');
});

test('the upper part of a fraction behind a number is separated from it', () => {
  assert.equal(read('2', up('1'), '/', down('2'), ' cups'), '2 1/2 cups');
  assert.equal(read('9 m', up('3'), '/s'), '9 m^3/s');
});

test('a text of raised characters only is read in linear time', () => {
  const runs = Array.from({ length: 20_000 }, (_, at) => (at % 3 === 0 ? '\r\n' : up('2')));
  assert.ok(read('x', ...runs).length > 0);
});
