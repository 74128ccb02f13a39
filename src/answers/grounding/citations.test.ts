import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { citeAnswer, type Judge } from './citations.ts';
import { openMarkerParser } from './markers.ts';

const CHUNKS = [
  { number: 1, content: 'Staff get 25 days of leave. Unused days lapse on 31 March.', language: 'en' },
  { number: 2, content: 'Contoso pays 40 euros for travel. Alice approves trips.', language: 'en' },
];

async function cite(raw: string) {
  const parser = openMarkerParser((number) => CHUNKS.some((chunk) => chunk.number === number));
  const answer = parser.push(raw) + parser.finish();
  const { citations, unsupported } = await citeAnswer(answer, parser.markers, CHUNKS);
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

test('a marker cites the sentence before it', async () => {
  const { citations, unsupported } = await cite(
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

test('citation numbers follow the order of the answer, not of the chunks', async () => {
  const { citations } = await cite('Alice approves trips [2]. Unused days lapse on 31 March [1].');
  assert.deepEqual(
    citations.map(({ chunk, number }) => [chunk, number]),
    [
      [2, 1],
      [1, 2],
    ],
  );
});

test('sentences that one quote supports together share a citation', async () => {
  const { citations } = await cite('Staff get 25 days of leave [1]. Unused days lapse on 31 March [1].');
  assert.equal(citations.length, 1);
  assert.equal(citations[0]!.spans.length, 2);
  assert.equal(citations[0]!.quote, CHUNKS[0]!.content);
});

test('an altered sentence is cited, not verified, and reported as unsupported', async () => {
  const { citations, unsupported } = await cite('Staff get 30 days of leave [1]. Unused days lapse on 31 March [1].');
  assert.deepEqual(
    citations.map(({ verified, spans }) => [verified, spans.length]),
    [
      [false, 1],
      [true, 1],
    ],
  );
  assert.deepEqual(unsupported, ['Staff get 30 days of leave.']);
});

test('a sentence may cite two chunks, and a repeated marker counts once', async () => {
  const { citations } = await cite('Staff get 25 days of leave [1][2][1].');
  assert.deepEqual(
    citations.map(({ chunk, verified }) => [chunk, verified]),
    [
      [1, true],
      [2, false],
    ],
  );
});

test('a marker at the start of a line cites the sentence after it', async () => {
  const { citations } = await cite(
    'Rules:\n[1] Staff get 25 days of leave.\n- [2] Alice approves trips.\n[9] Unknown.',
  );
  assert.deepEqual(
    citations.map(({ spans }) => spans),
    [['Staff get 25 days of leave.'], ['- Alice approves trips.']],
  );
});

test('a marker alone on a line cites the sentence above it', async () => {
  assert.deepEqual(
    (await cite('Staff get 25 days of leave.\n[1]')).citations.map(({ spans }) => spans),
    [['Staff get 25 days of leave.']],
  );
});

test('an answer without text or without a known chunk number has no citations', async () => {
  assert.deepEqual(await cite('[1]'), { answer: '', citations: [], unsupported: [] });
  assert.deepEqual((await cite('Hm … [7]')).citations, []);
});

/** Returns the citations of one sentence about the first chunk, and what a model with this verdict was asked. */
async function judgedAs(verdict: 'entailment' | 'contradiction' | 'neutral' | null, sentence: string) {
  const asked: string[] = [];
  const judge: Judge = async (pairs) =>
    pairs.map(({ premise, hypothesis }) => {
      asked.push(`${premise} -> ${hypothesis}`);
      return verdict;
    });
  const marker = { numbers: [1], at: sentence.length };
  const { citations } = await citeAnswer(sentence, [marker], CHUNKS, judge);
  return { asked, citation: citations[0]! };
}

test('a model decides about other words, and rules about copied text, numbers, names and negations', async () => {
  for (const sentence of [
    'Staff get 25 days of leave.',
    'Staff get 30 days of leave.',
    'Contoso gets 25 days of leave.',
    'Staff do not get 25 days of leave.',
  ]) {
    const { asked, citation } = await judgedAs('entailment', sentence);
    assert.deepEqual([asked, citation.verifiedBy], [[], 'rules'], sentence);
  }
  const { asked, citation } = await judgedAs('entailment', 'Workers receive 25 days of holidays.');
  assert.deepEqual(asked, ['Staff get 25 days of leave. -> Workers receive 25 days of holidays.']);
  assert.deepEqual([citation.verified, citation.verifiedBy, citation.reason], [true, 'model', null]);
});

test('a contradiction of the model is not verified, and without a verdict rules decide', async () => {
  const sentence = 'Staff get 25 days of paid leave.';
  const { citation } = await judgedAs('contradiction', sentence);
  assert.deepEqual([citation.verified, citation.verifiedBy], [false, 'model']);
  assert.match(citation.reason!, /says otherwise/);
  for (const verdict of ['neutral', null] as const) {
    const { citation } = await judgedAs(verdict, sentence);
    assert.deepEqual([citation.verified, citation.verifiedBy], [true, 'rules'], String(verdict));
  }
});

test('the number of an item of a list is no number of its sentence', async () => {
  const verdicts = async (answer: string) => (await cite(answer)).citations.map(({ verified }) => verified);
  assert.deepEqual(await verdicts('1. Staff get 25 days of leave [1].\n2. Alice approves trips [2].'), [true, true]);
  assert.deepEqual(
    await verdicts('(7) Staff get 25 days of leave [1].\n   - Leave [1].\n\n(8) Alice approves trips [2].'),
    [true, true],
  );
  assert.deepEqual(await verdicts('1. Staff get 26 days of leave [1].\n2. Alice approves 2 trips [2].'), [
    false,
    false,
  ]);
  // It may be a date or a fact where no item with the number before or after it stands in the answer.
  assert.deepEqual(await verdicts('7. Staff get 25 days of leave [1].'), [false]);
  assert.deepEqual(await verdicts('7. Staff get 25 days of leave [1].\n3. Alice approves trips [2].'), [false, false]);
});

test('the number of an item is compared where the passage has it as an ordinal or in a key', async () => {
  const verdicts = async (content: string, lines: string[], language: string) => {
    const markers = lines.map((_, i) => ({ numbers: [1], at: lines.slice(0, i + 1).join('\n').length }));
    const { citations } = await citeAnswer(lines.join('\n'), markers, [{ number: 1, content, language }]);
    return citations.map(({ verified }) => verified);
  };
  const wars = 'Der 1. Weltkrieg begann 1914. Der 2. Weltkrieg begann 1939.';
  const swapped = ['1. Weltkrieg begann 1939.', '2. Weltkrieg begann 1914.'];
  assert.deepEqual(await verdicts(wars, swapped, 'de'), [false, false]);
  const table = '| Rank | City |\n|---|---|\n| 1 | Berlin |\n| 2 | Hamburg |';
  assert.deepEqual(await verdicts(table, ['1. City Hamburg', '2. City Berlin'], 'en'), [false, false]);
  // The items of a list in the passage may have other numbers.
  const steps = '1. Open the case.\n2. Remove the screws.\n3. Take out the disk.';
  assert.deepEqual(await verdicts(steps, ['1. Remove the screws.', '2. Take out the disk.'], 'en'), [true]);
  // Years and decimals are no numbers of items.
  const years = 'Staff get 25 days of leave. Alice approves trips.';
  assert.deepEqual(await verdicts(years, ['(2024) Staff get 25 days.', '(2025) Alice approves trips.'], 'en'), [
    false,
    false,
  ]);
  assert.deepEqual(await verdicts(years, ['1.25 days of leave.', '2.25 days of leave.'], 'en'), [false, false]);
});

test('a quoted list keeps its numbers', async () => {
  const content = '1. Add 2 cups of water.\n2. Stir for 3 minutes.\n3. Wait 2 minutes.\n4. Serve 3 plates.';
  const marker = { numbers: [1], start: 0, at: content.length };
  const { citations } = await citeAnswer(content, [marker], [{ number: 1, content, language: 'en' }]);
  assert.deepEqual(
    citations.map(({ verified, quoted }) => [verified, quoted]),
    [[true, true]],
  );
});

test('the lines of a chunk of code are checked as code', async () => {
  const sentence = 'The log level is fast.';
  const chunk = { number: 1, content: 'log level = warning\nmode = fast', language: 'en' };
  for (const isCode of [true, false]) {
    const { citations } = await citeAnswer(sentence, [{ numbers: [1], at: sentence.length }], [{ ...chunk, isCode }]);
    assert.equal(citations[0]!.verified, !isCode);
  }
});

test('other work goes on while very long sentences with many citations are checked', async () => {
  const sentence = `${'Staff get 25 days of leave and '.repeat(2_000)}.`;
  const markers = Array.from({ length: 12 }, (_, i) => ({ numbers: [1, 2], at: sentence.length, start: i }));
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turns++) await setImmediate();
  })();
  const { citations } = await citeAnswer(sentence, markers, CHUNKS);
  isDone = true;
  await others;
  assert.ok(turns >= 24, `${turns} turns for 24 checked sentences`);
  assert.deepEqual([...new Set(citations.map(({ verified }) => verified))], [false]);
  assert.equal(citations[0]!.reason, 'The sentence is too long to be checked.');
});
