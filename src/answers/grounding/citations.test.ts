import assert from 'node:assert/strict';
import { test } from 'node:test';
import { citeAnswer } from './citations.ts';
import { openMarkerParser } from './markers.ts';

const CHUNKS = [
  { number: 1, content: 'Staff get 25 days of leave. Unused days lapse on 31 March.', language: 'en' },
  { number: 2, content: 'Contoso pays 40 euros for travel. Alice approves trips.', language: 'en' },
];

function cite(raw: string) {
  const parser = openMarkerParser((number) => CHUNKS.some((chunk) => chunk.number === number));
  const answer = parser.push(raw) + parser.finish();
  const { citations, unsupported } = citeAnswer(answer, parser.markers, CHUNKS);
  const at = ({ start, end }: { start: number; end: number }) => [...answer].slice(start, end).join('');
  return {
    answer,
    citations: citations.map(({ chunk, number, spans, quote, verified }) => ({
      chunk: chunk.number,
      number,
      spans: spans.map(at),
      quote,
      verified,
    })),
    unsupported: unsupported.map(at),
  };
}

test('a marker cites the sentence before it', () => {
  const { citations, unsupported } = cite(
    '😀 Staff get 25 days of leave [1]. Contoso pays 40 euros for travel.[2] Nothing else is known.',
  );
  assert.deepEqual(citations, [
    {
      chunk: 1,
      number: 1,
      spans: ['😀 Staff get 25 days of leave.'],
      quote: 'Staff get 25 days of leave.',
      verified: true,
    },
    {
      chunk: 2,
      number: 2,
      spans: ['Contoso pays 40 euros for travel.'],
      quote: 'Contoso pays 40 euros for travel.',
      verified: true,
    },
  ]);
  assert.deepEqual(unsupported, ['Nothing else is known.']);
});

test('citation numbers follow the order of the answer, not of the chunks', () => {
  const { citations } = cite('Alice approves trips [2]. Unused days lapse on 31 March [1].');
  assert.deepEqual(
    citations.map(({ chunk, number }) => [chunk, number]),
    [
      [2, 1],
      [1, 2],
    ],
  );
});

test('sentences that one quote supports together share a citation', () => {
  const { citations } = cite('Staff get 25 days of leave [1]. Unused days lapse on 31 March [1].');
  assert.equal(citations.length, 1);
  assert.equal(citations[0]!.spans.length, 2);
  assert.equal(citations[0]!.quote, CHUNKS[0]!.content);
});

test('an altered sentence is cited, not verified, and reported as unsupported', () => {
  const { citations, unsupported } = cite('Staff get 30 days of leave [1]. Unused days lapse on 31 March [1].');
  assert.deepEqual(
    citations.map(({ verified, spans }) => [verified, spans.length]),
    [
      [false, 1],
      [true, 1],
    ],
  );
  assert.deepEqual(unsupported, ['Staff get 30 days of leave.']);
});

test('a sentence may cite two chunks, and a repeated marker counts once', () => {
  const { citations } = cite('Staff get 25 days of leave [1][2][1].');
  assert.deepEqual(
    citations.map(({ chunk, verified }) => [chunk, verified]),
    [
      [1, true],
      [2, false],
    ],
  );
});

test('a marker at the start of a line cites the sentence after it', () => {
  const { citations } = cite('Rules:\n[1] Staff get 25 days of leave.\n- [2] Alice approves trips.\n[9] Unknown.');
  assert.deepEqual(
    citations.map(({ spans }) => spans),
    [['Staff get 25 days of leave.'], ['- Alice approves trips.']],
  );
});

test('a marker alone on a line cites the sentence above it', () => {
  assert.deepEqual(
    cite('Staff get 25 days of leave.\n[1]').citations.map(({ spans }) => spans),
    [['Staff get 25 days of leave.']],
  );
});

test('an answer without text or without a known chunk number has no citations', () => {
  assert.deepEqual(cite('[1]'), { answer: '', citations: [], unsupported: [] });
  assert.deepEqual(cite('Hm … [7]').citations, []);
});
