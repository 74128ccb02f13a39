/** Text that a reader does not see must not reach a model: tag characters, variation selectors, direction controls, invisible characters. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { modelText } from '../../src/llm/model-text.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { type FakeEmbeddings, openFakeEmbeddings } from '../support/fakes/embeddings.ts';
import { type FakeOpenAi, openFakeOpenAi } from '../support/fakes/openai.ts';
import { type FakeRerank, openFakeRerank } from '../support/fakes/rerank.ts';
import { postMcp, toolCall } from '../support/mcp.ts';
import { eventually, ingest } from '../support/upload.ts';

const HIDDEN = /[[\p{Default_Ignorable_Code_Point}\p{Cc}\ufff9-\ufffb]--[\t\n\r]]/v;

/** Writes an instruction in tag characters, which no reader sees. */
const tags = (text: string): string =>
  [...text].map((char) => String.fromCodePoint(0xe0000 + char.codePointAt(0)!)).join('');
const SELECTORS = '\ufe00\ufe0f\u{e0100}\u{e01ef}';
const BIDI = '\u202e\u2066\u200f\u061c';
const NOISE = `${tags('Obey')}${SELECTORS}${BIDI}\u2065\ufff0\u{e0fff}\u3164\u115f\u034f\u200b\u2060`;
/** A sentence with hidden characters within its words and numbers. */
const SENTENCE = `Annual rev${NOISE}enue of the her\u00adon project was 4${NOISE}7 mil\u200blion eu\u2064ros.`;
const PLAIN = 'Annual revenue of the heron project was 47 million euros.';

let t: TestApp;
let chat: FakeOpenAi;
let embeddings: FakeEmbeddings;
let rerank: FakeRerank;

before(async () => {
  [chat, embeddings, rerank] = await Promise.all([openFakeOpenAi(), openFakeEmbeddings(), openFakeRerank()]);
  t = await openTestApp({
    runsJobs: true,
    env: {
      PINAKES_CHAT_MODEL: 'openai-compatible:test-model',
      PINAKES_CHAT_BASE_URL: chat.url,
      PINAKES_CHAT_API_KEY: 'sk-secret',
      PINAKES_EMBEDDING_MODEL: 'openai-compatible:test-embedding',
      PINAKES_EMBEDDING_BASE_URL: embeddings.url,
      PINAKES_RERANK_MODEL: 'test-rerank',
      PINAKES_RERANK_BASE_URL: rerank.url,
    },
  });
  await ingest(t, [{ name: `her${NOISE}ons.md`, content: `# He${NOISE}rons\n\n${SENTENCE}\n\n- one\n- two\n` }]);
  await eventually(async () => embeddings.calls.length > 0);
});
after(async () => {
  await t.close();
  await Promise.all([chat.close(), embeddings.close(), rerank.close()]);
});

/** Returns all texts within a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

test('chat, embedding and rerank models get no hidden character, of documents, questions and messages', async () => {
  chat.respond({ deltas: [`${PLAIN.slice(0, -1)} [1].`] });
  const messages = [
    { role: 'system', content: `Be kind.${NOISE}` },
    { role: 'user', content: `I like her${NOISE}ons.` },
    { role: 'assistant', content: `So do I.${NOISE}` },
    { role: 'user', content: `What was their rev${NOISE}enue?` },
  ];
  assert.equal((await t.post('/completions', { messages })).status, 200);
  const query = `rev${NOISE}enue of the heron project`;
  assert.equal((await t.post('/search', { query, mode: 'hybrid', rerank: true })).status, 200);
  assert.ok(chat.calls.length > 0 && rerank.calls.length > 0);
  assert.ok(embeddings.calls.some(({ texts }) => texts.some((text) => text.includes('47 million'))));
  const told = textsIn([chat.calls.map(({ body }) => body), embeddings.calls, rerank.calls]);
  assert.deepEqual(
    told.filter((text) => HIDDEN.test(text)).map((text) => JSON.stringify(text.slice(0, 200))),
    [],
  );
});

test('an MCP client gets no hidden character of documents', async () => {
  const found = await postMcp(t, toolCall('search', { query: 'annual revenue' }));
  const listed = await postMcp(t, toolCall('list_sources', {}));
  const read = await postMcp(
    t,
    toolCall('read_source', { source_id: listed.body.result.structuredContent.sources[0].id }),
  );
  for (const { body } of [found, listed, read]) {
    assert.match(JSON.stringify(body), /herons/i);
    assert.deepEqual(
      textsIn(body).filter((text) => HIDDEN.test(text)),
      [],
    );
  }
});

test('the citation of a sentence with hidden characters is verified, and its quote is the stored text', async () => {
  chat.respond({ deltas: [`So it is said. ${PLAIN.slice(0, -1)} [1].`] });
  const { body } = await t.post('/completions', {
    messages: [{ role: 'user', content: 'What was the annual revenue of the heron project?' }],
  });
  const [{ message, citations }] = body.choices;
  const [{ citation, content }] = citations;
  assert.equal(citation.verified, true, JSON.stringify(citation));
  assert.ok(content.includes(citation.quote), 'the quote is a part of the stored text');
  assert.equal(modelText(citation.quote), PLAIN);
  const [{ start, end }] = citation.spans;
  assert.equal([...message.content].slice(start, end).join(''), PLAIN);
});

test('joiners that change a word stay, one at a time', () => {
  const kept = ['می\u200cخواهم', 'क्\u200dष', 'ന്\u200d', 'ه\u200d', 'ක්\u200dෂ'];
  for (const word of kept) assert.equal(modelText(word), word);
  assert.equal(modelText('می\u200c\u200d\u200cخواهم'), 'می\u200cخواهم');
  assert.equal(modelText('pass\u200dword\u200c'), 'password');
  assert.equal(modelText('❤\ufe0f 葛\u{e0100}城'), '❤ 葛城');
  assert.equal(modelText('a\fb\u0085c\u0000d\te\r\n'), 'a\nb\ncd\te\r\n');
});

test('every control and every default-ignorable code point is removed', () => {
  let removed = 0;
  for (let code = 0; code < 0x110000; code++) {
    const char = String.fromCodePoint(code);
    if (!HIDDEN.test(char)) continue;
    assert.doesNotMatch(modelText(`a${char}b`), HIDDEN, `U+${code.toString(16)}`);
    removed++;
  }
  assert.ok(removed > 4_000, `${removed} code points`);
});
