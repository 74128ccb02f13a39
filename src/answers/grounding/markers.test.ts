import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Marker, openMarkerParser } from './markers.ts';

function parse(deltas: readonly string[], chunkCount = 5): { text: string; markers: readonly Marker[] } {
  const parser = openMarkerParser((number) => number >= 1 && number <= chunkCount);
  const text = deltas.map((delta) => parser.push(delta)).join('') + parser.finish();
  return { text, markers: parser.markers };
}

test('citation markers are removed with the blank before them', () => {
  assert.deepEqual(parse(['Staff get 25 days [1]. Unused days lapse [2, 3].']), {
    text: 'Staff get 25 days. Unused days lapse.',
    markers: [
      { numbers: [1], at: 17 },
      { numbers: [2, 3], at: 36 },
    ],
  });
  assert.equal(parse(['Days [1] lapse.']).text, 'Days lapse.');
  assert.equal(parse(['Days.[1] They lapse.[2]']).text, 'Days. They lapse.');
  assert.equal(parse(['Days. [1] [2] They lapse. [3]\n\nNext']).text, 'Days. They lapse.\n\nNext');
  assert.equal(parse(['[1] Days lapse.\n[2] More.']).text, 'Days lapse.\nMore.');
  assert.equal(parse(['- [1] Days']).text, '- Days');
  for (const marker of [
    '[[2]]',
    '[source 2]',
    '[Sources: 2]',
    '[doc 2]',
    '【2:0†leave.md】',
    '[^2^]',
    '[출처 2]',
    '[来源2]',
  ])
    assert.deepEqual(
      parse([`Days lapse ${marker}.`]),
      { text: 'Days lapse.', markers: [{ numbers: [2], at: 10 }] },
      marker,
    );
  assert.equal(parse(['休暇は25日です[1]。次は【2】。終わり【3†file】']).text, '休暇は25日です。次は。終わり');
});

test('the same markers are found however the text is cut into deltas', () => {
  const whole =
    'A 😀 day [1], b[2] `x[3]` 【4†n】 "c [5]" [9]. [1-3] end [ 7 ] arr[0] ``` [1] ``` [2024] "[3]" [x] z [[2]] [[2] [Source: 3] [sourced] 【2:0†a】 [[ [^1^]. ';
  const expected = parse([whole]);
  assert.deepEqual(parse([...whole].flatMap((character) => character.split(''))), expected);
  for (let size = 2; size < 9; size++) {
    const deltas = whole.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g'))!;
    assert.deepEqual(parse(deltas), expected, `deltas of ${size}`);
  }
});

test('a marker that names no retrieved chunk is dropped', () => {
  assert.deepEqual(parse(['Days lapse [9].']), { text: 'Days lapse.', markers: [] });
  assert.deepEqual(parse(['Days lapse [2, 9].']).markers, [{ numbers: [2], at: 10 }]);
  assert.deepEqual(parse(['Days[12] lapse.[77]']), { text: 'Days lapse.', markers: [] });
  assert.deepEqual(parse(['None [0][999].']), { text: 'None.', markers: [] });
});

test('text that only looks like a marker stays', () => {
  for (const text of [
    'arr[0] and [x]',
    'In [2024] it was [sic] so.',
    'Write `list[1]` here.',
    '```js\nlist[1] = 2 [3]\n```',
    'It says "[2]" there.',
    'A [link](https://example.org) and [ ] and [',
    'Ends in [12',
  ]) {
    assert.deepEqual(parse([text]), { text, markers: [] });
  }
});

test('an inline backtick that is never closed does not hide later markers', () => {
  assert.deepEqual(parse(["It's a ` tick [1].\n\nNext [1]."]).markers, [{ numbers: [1], at: 24 }]);
});

test('marker offsets count code points, and the text has no NUL and no lone surrogates', () => {
  assert.deepEqual(parse(['😀😀 [1]']).markers, [{ numbers: [1], at: 2 }]);
  const { text } = parse(['a\0b\ud800c', '\ud83d', '\ude00 \udc00']);
  assert.equal(text, 'a\ufffdb\ufffdc😀 \ufffd');
});

test('a quotation keeps its brackets, and its marker records where it starts', () => {
  const parser = openMarkerParser(() => true);
  const text = parser.quote('See [3] and [1].', 2) + parser.push('\n') + parser.quote('More.', 4) + parser.finish();
  assert.equal(text, 'See [3] and [1].\nMore.');
  assert.deepEqual(parser.markers, [
    { numbers: [2], at: 16, start: 0 },
    { numbers: [4], at: 22, start: 17 },
  ]);
});

test('a long run of brackets is parsed in linear time', () => {
  const parser = openMarkerParser(() => true);
  let length = 0;
  for (let i = 0; i < 20_000; i++) length += parser.push('[[[1').length;
  length += parser.finish().length;
  assert.equal(length, 80_000);
});
