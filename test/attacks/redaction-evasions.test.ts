/**
 * Values that are written with invisible characters or across lines, through the running service: no step lets them pass. The corpus of
 * evasions is in test/redaction/evasions.test.ts.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { canonicalForm } from '../../src/redaction/canonical-text.ts';
import { ENTITIES } from '../../src/redaction/detectors/entities.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { type FakeOpenAi, openFakeOpenAi } from '../support/fakes/openai.ts';
import { readCorpus } from '../support/passages/redaction-corpus.ts';
import { ingest } from '../support/upload.ts';

/** The characters with which rules were once passed, and others of their kind. */
const HIDDEN = [
  '\u0001',
  '\b',
  '\u001b',
  '\u007f',
  '\u0080',
  '\u00ad',
  '\u200b',
  '\u202e',
  '\u2065',
  '\ufff0',
  '\ufe0f',
];
HIDDEN.push('\u{e0041}', '\u{e0080}', '\u{e0100}', '\u3164', '\u180e');

const VALUES = ENTITIES.map((entity, i) => {
  const { text, find } = readCorpus(entity).find((line) => line.find.length > 0)!;
  const value = find[0]!;
  const at = value.length >> 1;
  const written = value.slice(0, at) + HIDDEN[i % HIDDEN.length]! + value.slice(at);
  return { entity, value, text: text.replace(value, () => written) };
});
const LAYOUT = ['the Blue\nHeron flies', 'the Blue   Heron', 'a Blue He-\nron', 'the Bl\u0001ue\u00a0\u2065 Heron'];
const CONTENT = ['# Egrets', ...VALUES.map(({ text }) => text), ...LAYOUT].join('\n\n');
const SECRETS = [...VALUES.map(({ value }) => value), 'Blue Heron'];
const POLICY_RULES = [
  { name: 'values', kind: 'entity', entities: ENTITIES },
  { name: 'project', kind: 'dictionary', terms: ['Blue Heron'] },
];

let t: TestApp;
let chat: FakeOpenAi;

before(async () => {
  chat = await openFakeOpenAi();
  t = await openTestApp({
    runsJobs: true,
    env: {
      PINAKES_CHAT_MODEL: 'openai-compatible:test-model',
      PINAKES_CHAT_BASE_URL: chat.url,
      PINAKES_CHAT_API_KEY: 'sk-secret',
    },
  });
});
after(async () => {
  await t.close();
  await chat.close();
});
beforeEach(() => {
  chat.calls.length = 0;
  chat.respond({ deltas: ['Fine [1].'] });
});

async function setPolicy(step: string): Promise<void> {
  const rules = POLICY_RULES.map((rule) => ({ ...rule, action: 'mask', apply_at: [step] }));
  const { status, text } = await t.put('/redaction-policy', { enabled: true, rules });
  assert.equal(status, 200, text);
}

/** Returns all texts within a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Returns the secrets that a reader or model could read in an answer. */
function readable(answer: unknown): string[] {
  const text = textsIn(answer)
    .map((one) => canonicalForm(one).text.replaceAll(/\s+/g, ' '))
    .join('\n');
  return SECRETS.filter((secret) => text.includes(canonicalForm(secret).text));
}

async function ok(answer: ReturnType<TestApp['get']>): Promise<unknown> {
  const { status, text, body } = await answer;
  assert.ok(status < 300, `${status} ${text}`);
  return body;
}

const asking = (content: string) => ({ messages: [{ role: 'user', content }] });

describe('no evasion passes', () => {
  let group: string;
  let source: string;

  test('retrieval: search, chunks, texts, names of files and names of groups', async () => {
    const name = 'about jane@exam\u2065ple.org and Blue\u0001 Heron.md';
    await t.delete('/redaction-policy');
    group = await ingest(t, [{ name, content: CONTENT }]);
    [{ id: source }] = (await t.get(`/source-groups/${group}/sources`)).body.sources;
    await ok(t.put(`/sources/${source}/metadata`, { metadata: { records: [{ key: 'a', val: 'Bl\u200bue Heron' }] } }));
    await ok(t.put(`/source-groups/${group}/metadata`, { metadata: { records: [{ key: 'a', val: 'Blue\nHeron' }] } }));
    const reads = () =>
      Promise.all(
        [
          t.post('/search', { query: 'egrets heron', limit: 50 }),
          ...['chunks', 'text'].map((part) => t.get(`/sources/${source}/${part}`)),
          t.get(`/sources/${source}`),
          t.get(`/source-groups/${group}`),
          t.get('/source-groups'),
          t.get('/local-file-groups'),
          t.get(`/local-file-groups/${group}`),
        ].map(ok),
      );
    assert.deepEqual(
      (await reads()).filter((answer) => readable(answer).length === 0),
      [],
      'without a policy everything is readable',
    );
    await setPolicy('retrieval');
    assert.deepEqual(readable(await reads()), []);
    assert.match(((await ok(t.get(`/source-groups/${group}`))) as { name: string }).name, /\[EMAIL\] and \[PROJECT\]/);
  });

  test('llm_input: passages, questions and messages', async () => {
    await setPolicy('llm_input');
    const ask = { messages: [...VALUES.map(({ text }) => text), 'What do egrets eat?'].map(toMessage) };
    await ok(t.post('/completions', { ...ask, limit: 50 }));
    assert.ok(chat.calls.length > 0);
    assert.deepEqual(readable(chat.calls.map(({ body }) => body)), []);
    assert.match(JSON.stringify(chat.calls), /\[PROJECT\]/);
  });

  test('output: what a model writes, however it is cut into pieces', async () => {
    await setPolicy('output');
    for (const size of [1, 5, 10_000]) {
      chat.respond({ deltas: CONTENT.match(new RegExp(`[^]{1,${size}}`, 'gu'))! });
      const answer = (await ok(t.post('/completions', asking('What do egrets eat?')))) as {
        choices: { message: { content: string } }[];
      };
      const { content } = answer.choices[0]!.message;
      assert.deepEqual(readable(content), [], `pieces of ${size}`);
      assert.match(content, /\[CREDIT_CARD\]/);
    }
  });

  test('ingest: what is stored and indexed', async () => {
    await setPolicy('ingest');
    const stored = await ingest(t, [{ name: 'egrets.md', content: CONTENT }]);
    // Rules for ingest do not apply again to text that was stored under them.
    const { sources } = (await ok(t.get(`/source-groups/${stored}/sources`))) as { sources: { id: string }[] };
    const text = await ok(t.get(`/sources/${sources[0]!.id}/text`));
    assert.deepEqual(readable(text), []);
  });
});

function toMessage(content: string, i: number): { role: string; content: string } {
  return { role: i % 2 === 1 ? 'user' : 'assistant', content };
}
