import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRandom } from '../../../test/support/random.ts';
import { fingerprint, isNearCopy, NEAR_DUPLICATE_SHARE_MIN } from './near-duplicates.ts';

const same = (a: string, b: string): boolean => isNearCopy(fingerprint(a), fingerprint(b));
const words = (count: number, from = 0): string[] =>
  Array.from(
    { length: count },
    (_, i) => `word${String.fromCharCode(97 + ((from + i) % 26))}${'xyz'[Math.floor((from + i) / 26) % 3]}`,
  );

test('texts that differ only in layout, case or punctuation are copies', () => {
  const text = 'The lender insures the object, nail to nail, for the whole period of the loan agreement.';
  assert.ok(same(text, text.toUpperCase().replaceAll(' ', '\n').replaceAll(',', ' –')));
});

test('a long text with one changed word is a copy, with many changed words it is not', () => {
  const text = words(60);
  assert.ok(same(text.join(' '), text.with(30, 'changed').join(' ')));
  assert.ok(!same(text.join(' '), [...text.slice(0, 45), ...words(15, 60)].join(' ')));
});

test('a text that differs in a number, a date or a code is never a copy', () => {
  const text = words(60);
  assert.ok(!same(text.with(30, '2024').join(' '), text.with(30, '2025').join(' ')));
  assert.ok(!same(text.with(30, 'ERR4012').join(' '), text.with(30, 'ERR4013').join(' ')));
});

test('a copy may lack numbers of the text that is shown, such as those of sections and pages, and has no further ones', () => {
  const text = words(60).with(30, '2024').join(' ');
  const numbered = text.replace(/ (?=wordj)/, ' 3.7 ');
  assert.ok(same(text, `3.7.6 ${text} 45`));
  assert.ok(same(text, numbered));
  assert.ok(!same(numbered, text));
  assert.ok(!same(`3 ${text}`, `9 ${text}`));
  assert.ok(!same(`3 ${text} 9`, `9 ${text} 3`));
});

test('short texts are copies only if they are equal', () => {
  assert.ok(!same('Closed on Mondays.', 'closed on mondays'));
});

test('texts without blanks are compared by characters', () => {
  const text =
    '博物館は月曜日に休館します。貸出しには館長の許可が必要です。作品は常に温度と湿度を管理した部屋に保管されます。';
  assert.ok(same(text, text.replace('常に', '常時に')));
  assert.ok(!same(text, text.slice(0, 20) + text.slice(40)));
});

test('a repeated sequence of words counts once', () => {
  assert.equal(fingerprint('one two three '.repeat(10)).sequences.length, 3);
});

test('the comparison that ends early gives the same result as a full comparison', () => {
  const random = openRandom();
  for (let run = 0; run < 300; run += 1) {
    const text = words(random.integer(8, 70));
    const other = [...text];
    for (let changes = random.integer(0, 6); changes > 0; changes -= 1) {
      other.splice(random.integer(0, other.length - 1), random.integer(0, 2), random.word(7));
    }
    const sequences = (list: string[]): Set<string> =>
      new Set(list.slice(0, -2).map((_, i) => list.slice(i, i + 3).join(' ')));
    const [a, b] = [sequences(text), sequences(other)];
    const expected = other.length >= 8 && a.intersection(b).size / a.union(b).size >= NEAR_DUPLICATE_SHARE_MIN;
    assert.equal(same(text.join(' '), other.join(' ')), expected, `seed ${random.seed}, run ${run}`);
  }
});
