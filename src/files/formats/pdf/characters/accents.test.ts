import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withAccents } from './accents.ts';

/** Returns the text of characters with their left edges; each is 6 wide and stands on one line unless `bottom` says otherwise. */
function read(places: readonly (readonly [character: string, left: number, bottom?: number])[]): string {
  const text = places.map(([character]) => character).join('');
  const left = places.map(([, x]) => x);
  const boxes = {
    left,
    right: left.map((x) => x + 6),
    bottom: places.map(([, , y]) => y ?? 0),
    size: left.map(() => 10),
  };
  const { characters, dropped } = withAccents(text, boxes, () => true);
  return characters.filter((_, unit) => !dropped.has(unit)).join('');
}

test('an accent far behind its letter finds it, and added blanks inside the word go', () => {
  // pdfium moves an accent to the end of its line.
  assert.equal(
    read([
      ['f', 0],
      ['u', 6],
      ['r', 12],
      [' ', Number.NaN],
      ['o', 24],
      ['l', 30],
      [' ', Number.NaN],
      ['¨', 6],
    ]),
    'für ol ',
  );
  assert.equal(
    read([
      ['w', 0],
      [' ', Number.NaN],
      ['¨', 6],
      [' ', Number.NaN],
      ['o', 6],
      ['r', 12],
      [' ', Number.NaN],
      ['e', 24],
    ]),
    'wör e',
  );
  assert.equal(
    read([
      ['r', 0],
      ['´', 6],
      ['ı', 6],
    ]),
    'rí',
  );
});

test('an accent stays if it stands beside the letter, far above it, or no alphabet has the letter with it', () => {
  assert.equal(
    read([
      ['´', 0],
      ['e', 6],
    ]),
    '´e',
  );
  assert.equal(
    read([
      ['´', 0, 8],
      ['e', 0],
    ]),
    '´e',
  );
  assert.equal(
    read([
      ['¸', 0],
      ['w', 0],
    ]),
    '¸w',
  );
});

test('an accent finds its letter past another accent, and several accents on one letter are one run', () => {
  assert.equal(
    read([
      ['l', 0],
      ['ˆ', 6],
      ['´', 6],
      [' ', Number.NaN],
      ['e', 6],
    ]),
    'lế',
  );
  assert.equal(
    read([
      ['´', 0],
      ['¨', 0],
    ]),
    '´¨',
  );
});

test('a line of very many accents takes time in proportion to its length', () => {
  const used = process.cpuUsage();
  for (const part of ['`', 'e`', 'w¸', 'e` ']) {
    for (const step of [0, 6]) read(Array.from(part.repeat(10_000 / part.length), (sign, i) => [sign, i * step]));
  }
  const letters = Array.from('e'.repeat(5_000), (sign) => [sign, 0] as const);
  read([...letters, ...letters.map(() => ['`', 0] as const)]);
  assert.ok(process.cpuUsage(used).user < 10e6);
});
