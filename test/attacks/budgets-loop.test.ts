/**
 * What a tenant sends never holds the event loop of the API for more than 100 ms. The time of a turn is processor time of the API's
 * thread, so that a busy machine does not fail the test.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FakeOpenAi, openFakeOpenAi } from '../support/fakes/openai.ts';
import { type AttackWorld, openAttackWorld } from '../support/worlds/attack-world.ts';

const TURN_MS_MAX = 100;
/** An attack holds the event loop if each try does: a single try may meet a garbage collection, or code that is compiled then. */
const TRIES = 3;
const PIECE_UNITS = 60_000;

const ROWS = `id,note\n${Array.from({ length: 400 }, (_, i) => `${i},${'ab '.repeat(1_300)}${i}\n`).join('')}`;
const KEYS: [string, string][] = [['chunk_metadata_keys', '[{"key":"note","type":"string"}]']];

let world: AttackWorld;
let model: FakeOpenAi;
let sourceId: string;

before(async () => {
  model = await openFakeOpenAi();
  world = await openAttackWorld({ PINAKES_CHAT_MODEL: 'openai-compatible:x', PINAKES_CHAT_BASE_URL: model.url });
  const texts = Array.from({ length: 12 }, (_, i) => ({
    name: `long-${i}.txt`,
    content: words(i === 0 ? 30_000 : 6_000, `x${i}`),
  }));
  const group = await world.hostile.ingest(texts);
  const listed = await (await world.hostile.send('GET', `/source-groups/${group}/sources`)).json();
  sourceId = (listed as { sources: { id: string; name: string }[] }).sources.find(
    ({ name }) => name === 'long-0.txt',
  )!.id;
});
after(async () => {
  await world.close();
  await model.close();
});

function words(count: number, suffix = ''): string {
  return Array.from({ length: count }, (_, i) => `word${(i * 7919) % 5000}${suffix} word1`).join(' ');
}

function repeated(text: string, units = PIECE_UNITS): string {
  return text.repeat(Math.ceil(units / text.length)).slice(0, units);
}

const send = (path: string, body: unknown, method = 'POST') => world.hostile.send(method, path, body);
const search = (body: object) => send('/search', { query: 'word1 ab', ...body });
const group = (count: number, member: (i: number) => object) => ({
  operator: 'or',
  filters: Array.from({ length: count }, (_, i) => member(i)),
});

async function holdsBriefly(attack: () => Promise<Response | Response[]>): Promise<void> {
  const turns: number[] = [];
  while (turns.length < TRIES) {
    const turn = await world.longestTurn(async () => {
      for (const answer of [await attack()].flat()) {
        assert.ok(answer.status < 500 || answer.status === 503, `${answer.status}`);
        await answer.arrayBuffer();
      }
    });
    if (turn <= TURN_MS_MAX) return;
    turns.push(turn);
  }
  assert.fail(`the event loop was held for ${turns.join(', ')} ms`);
}

test('a file of long metadata is ingested in turns', async () => {
  const turn = await world.longestTurn(() => world.hostile.ingest([{ name: 'rows.csv', content: ROWS }], KEYS));
  assert.ok(turn <= TURN_MS_MAX, `the event loop was held for ${turn} ms`);
});

const MARKS = Array.from({ length: 12 }, (_, i) => `[${i + 1}]`).join('');
const ANSWERS: Record<string, string> = {
  'one sentence of 60 kB with 12 citations': `${words(4_000).slice(0, PIECE_UNITS)} ${MARKS}.`,
  'sentences of 1,400 characters with 12 citations each': repeated(`${words(110).slice(0, 1_400)} ${MARKS}. `),
  'negations in many clauses': repeated(`Not 5 kg, ${'no 7 m, '.repeat(100)}${MARKS}. `),
  'sentences without blanks': repeated(`${'不是'.repeat(700)}${MARKS}。 `, 30_000),
  'opening brackets': repeated('['),
  images: repeated('![a](http://x.y/'),
  tags: repeated('<a '),
  'a long address': `http://a.b/${repeated('a')}`,
};
for (const [what, text] of Object.entries(ANSWERS)) {
  test(`an answer of ${what} is read in turns`, async () => {
    model.respond({ deltas: [text] });
    await holdsBriefly(() =>
      send('/completions', { messages: [{ role: 'user', content: 'word1 word2 word3 word4?' }] }),
    );
  });
}

test('filters are read, refused or run in turns', async () => {
  const values = (count: number, j: number) => Array.from({ length: count }, (_, i) => `v${j}-${i}`);
  const chunk_metadata = group(60, (j) => ({ key: 'note', operator: 'in', value: values(1_000, j) }));
  await holdsBriefly(() => search({ chunk_metadata }));
  const member = (i: number) => ({ key: 'note', operator: 'contains', value: `c${'ab '.repeat(60)}${i}` });
  await holdsBriefly(() => search({ source_metadata: group(3, () => group(50, member)) }));
});

test('large bodies are read in turns', async () => {
  const members = Array.from({ length: 60_000 }, (_, i) => `"\\u0061${i}":1`).join(',');
  for (const body of [`[${'[],'.repeat(300_000)}[]]`, `{${members}}`, `{"query":"${'\\"'.repeat(500_000)}"}`])
    await holdsBriefly(() => send('/search', body));
});

test('floods of the API reference and the description are served in turns', async () => {
  for (const path of ['//docs', '//docs/scalar.js', '//openapi.json'])
    await holdsBriefly(() => Promise.all(Array.from({ length: 20 }, () => world.hostile.send('GET', path))));
});

test('deep searches and long texts under redaction rules are redacted in turns', async () => {
  const at = { action: 'mask', apply_at: ['retrieval', 'llm_input', 'output'] };
  const entities = [
    'email',
    'phone',
    'credit_card',
    'iban',
    'ip_address',
    'credential_url',
    'api_key',
    'date_of_birth',
  ];
  const rules = [
    { name: 'entities', kind: 'entity', entities, ...at },
    { name: 'pattern', kind: 'regex', pattern: 'word[0-9]{1,3}0', ...at },
    { name: 'terms', kind: 'dictionary', terms: words(500).split(' ').slice(0, 500), ...at },
  ];
  const put = await send('/redaction-policy', { enabled: true, rules }, 'PUT');
  assert.equal(put.status, 200, await put.text());
  const deep = { limit: 100, context: { before: 5, after: 5 } };
  await holdsBriefly(() => Promise.all(Array.from({ length: 4 }, () => search(deep))));
  const range = `/sources/${sourceId}/text?start_offset=0&end_offset=200000`;
  await holdsBriefly(() => world.hostile.send('GET', range));
});

test('a form of many fields and an upload of many small files are read in turns', async () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const field = '--x\r\nContent-Disposition: form-data; name="last_modified"\r\n\r\n1700000000000\r\n';
  const file = (i: number) =>
    `--x\r\nContent-Disposition: form-data; name="files"; filename="f${i}.txt"\r\n\r\nhello ${i}\r\n`;
  const bodies = [
    `${field.repeat(50_000)}--x--\r\n`,
    `${Array.from({ length: 2_000 }, (_, i) => file(i)).join('')}--x--\r\n`,
    `${file(1).slice(0, -2)}${'\r\n--'.repeat(1_000_000)}\r\n--x--\r\n`,
  ];
  for (const body of bodies)
    await holdsBriefly(() => world.hostile.send('POST', '/local-file-groups', undefined, { body, headers }));
});
