import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson } from './json.ts';

const json = (value: unknown) => parseJson(JSON.stringify(value), []).text;

test('the JSON of speech recognition has its times and speakers', () => {
  const parts = [
    { id: 0, start: 0, end: 2.5, text: ' Hello.', tokens: [1, 2] },
    { id: 1, start: 62.5, end: 64, text: ' Now the cells.', speaker: 'SPEAKER_01' },
  ];
  const heard = '00:00:00 Hello.\n\n00:01:02 SPEAKER_01: Now the cells.';
  assert.equal(json({ text: ' Hello. Now the cells.', segments: parts, language: 'en' }), `language: en\n\n${heard}`);
  const inMilliseconds = parts.map((part) => ({ ...part, start: part.start * 1000, end: part.end * 1000 }));
  assert.equal(json({ utterances: inMilliseconds }), heard);
  const offsets = parts.map(({ start, end, text }) => ({ offsets: { from: start * 1000, to: end * 1000 }, text }));
  assert.equal(json({ transcription: offsets }), '00:00:00 Hello.\n\n00:01:02 Now the cells.');
  assert.equal(json([{ start: 0, end: 1.5, text: ' ' }, ...parts]), heard, 'a part without words');
  const lengths = [
    { text: 'Hello.', start: 3, duration: 5 },
    { text: 'Ann?', start: 9, duration: 2 },
  ];
  assert.equal(json(lengths), '00:00:03 Hello. Ann?', 'the end of a part is known from its duration');
  const twice = ['Agreed?', 'Yes.', 'Yes.'].map((text, i) => ({ start: i, end: i + 1, text }));
  assert.equal(json({ segments: twice }), '00:00:00 Agreed? Yes. Yes.', 'equal words are spoken twice');
});

const PARTS = [
  { start: 0, end: 2, text: 'Hello.' },
  { start: 2, end: 4, text: 'I left.' },
];

test('a transcript keeps the other members of its file, without those that repeat its words', () => {
  const words = ['Hello.', 'I', 'left.'].map((word, at) => ({ word, start: at, end: at + 0.5 }));
  const translation = [{ start: 0, text: 'Hallo.' }];
  assert.equal(
    json({ title: 'Talk', segments: PARTS, translation, text: 'Hello. I left.', words }),
    'title: Talk\ntranslation:\n  start: 0\n  text: Hallo.\n\n00:00:00 Hello. I left.',
  );
  assert.match(json({ title: 'Talk', segments: [{ start: 0, end: 2, text: '' }] }), /start: 0/, 'no words');
});

for (const [what, value] of [
  ['a list with another name', { milestones: PARTS }],
  ['parts with a further member', { segments: PARTS.map((part) => ({ ...part, cost: 500 })) }],
  ['parts that are not in order', PARTS.toReversed()],
  ['marks that count the characters of a text', [{ start: 7, end: 8, text: '🍕' }]],
] as const)
  test(`${what}: no transcript`, () => assert.doesNotMatch(json(value), /00:00:0/));

test('speakers are named, may speak at once, and words with times are not written again', () => {
  const segments = [
    { start: 0, end: 4, text: 'Hello.', speaker: 0 },
    { start: 3.9, end: 6, text: 'I left.', speaker: { id: 7, name: 'Ann' } },
  ];
  const words = [
    { word: 'Hello', start: 0, end: 1 },
    { word: 'I', start: 4, end: 5 },
  ];
  const text = json({ transcription: 'Hello. I left.', segments, words });
  assert.equal(text, '00:00:00 Speaker 0: Hello.\n\n00:00:03 Ann: I left.');
});
