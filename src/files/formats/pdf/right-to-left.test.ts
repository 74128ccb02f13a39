import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readingOrder } from './right-to-left.ts';

/** Returns the characters of `text` in the order of a page whose line shows `seen` from the left. A ligature is in angle brackets. */
function read(text: string, seen: string): string {
  const left = new Float32Array(text.length).fill(Number.NaN);
  const right = new Float32Array(text.length).fill(Number.NaN);
  const free = new Set(text.split('').keys());
  let place = 0;
  for (const glyph of seen.match(/<[^>]*>|./gu) ?? []) {
    for (const letter of glyph.replace(/[<>]/g, '')) {
      const unit = [...free].find((one) => text[one] === letter)!;
      free.delete(unit);
      [left[unit], right[unit]] = [place, place + 5];
    }
    place += 5;
  }
  assert.equal(free.size, 0, [...free].map((unit) => text[unit]).join('|'));
  const { text: ordered, order } = readingOrder(text, { left, right });
  assert.deepEqual(
    [...order].sort((a, b) => a - b),
    [...text].map((_, unit) => unit),
  );
  return ordered;
}

test('letters of a ligature are read in the order in which they are written', () => {
  assert.equal(read('اإلجازة', 'ةزاج<إل>ا'), 'الإجازة');
  assert.equal(read('سالم', 'م<ال>س'), 'سلام');
});

test('Latin phrases, addresses and names with hyphens in a line of Arabic or Hebrew are read from the left', () => {
  assert.equal(read('שלחו אל com.example@info מחר', 'רחמ info@example.com לא וחלש'), 'שלחו אל info@example.com מחר');
  assert.equal(read('برنامج Server Windows جديد', 'ديدج Windows Server جمانرب'), 'برنامج Windows Server جديد');
});

test('marks at the end of a line and numbers stand where they are read', () => {
  assert.equal(read('ينتهي في .16:30', '.16:30 يف يهتني'), 'ينتهي في 16:30.');
  assert.equal(read('ל24- ימים, 15%', '15% ,םימי 24-ל'), 'ל-24 ימים, 15%');
  assert.equal(read('الرقم 2024-05-12', '2024-05-12 مقرلا'), 'الرقم 12-05-2024');
});

test('brackets are read as pairs, however they are mirrored', () => {
  assert.equal(read('דוד )מנהל(', '(להנמ) דוד'), 'דוד (מנהל)');
  assert.equal(read('דוד )מנהל)', ')להנמ) דוד'), 'דוד (מנהל)');
});

test('brackets that are nested, of a list or of two lines stay as they are', () => {
  for (const [line, seen] of [
    ['דה (וז (חט) יכ)', '(כי )טח( זו( הד'],
    ['א) טקסט ב) עוד ג)', '(ג דוע (ב טסקט (א'],
  ] as const) {
    const { text } = readingOrder(line, {
      left: [...line].map((_, i) => 99 - i),
      right: [...line].map((_, i) => 100 - i),
    });
    assert.equal(text, line, seen);
  }
});

test('lines of other scripts and turned lines keep their order', () => {
  const edges = { left: [9, 8, 7, 6, 5], right: [10, 9, 8, 7, 6] };
  assert.equal(readingOrder('abc d', edges).text, 'abc d');
  const same = { left: [1, 1.5, 1, 1.5], right: [9, 9.5, 9, 9.5] };
  assert.equal(readingOrder('שלום', same).text, 'שלום');
});
