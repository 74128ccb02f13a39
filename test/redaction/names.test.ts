/** Tests names that an analyzer finds: over its real protocol, in whole texts, in windows and in streams. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { loadConfig } from '../../src/config.ts';
import { type HttpClient, openHttpClient } from '../../src/net/http-client.ts';
import { type FindNames, STREAM_STEP_LENGTH, WINDOW_LENGTH } from '../../src/redaction/names.ts';
import { type NameAnalyzer, openPresidio } from '../../src/redaction/presidio.ts';
import { compileRedactor, type Redactor } from '../../src/redaction/redact.ts';
import type { RedactionRule } from '../../src/redaction/redaction-policy.ts';
import { type FakePresidio, openFakePresidio } from '../support/fakes/presidio.ts';
import { openRandom, TEST_SEED } from '../support/random.ts';

const NAMES = {
  'Jane Doe': 'PERSON',
  'Jane Doe Miller': 'PERSON',
  Ödön: 'PERSON',
  'New York': 'LOCATION',
  'New York City': 'LOCATION',
  山田太郎: 'PERSON',
  Swedish: 'NRP',
};
/** The maximum length of a name that a window always contains completely. */
const LONG = `Baron ${'von Ach '.repeat(11)}Berg`;
const SHOWN = /Jane|Doe|Miller|Ödön|New|York|City|山田|太郎/;

let fake: FakePresidio;
let http: HttpClient;
before(async () => {
  fake = await openFakePresidio({ ...NAMES, [LONG]: 'PERSON', 'Baron von Ach': 'PERSON' });
  http = openHttpClient({ allow: [] });
});
after(async () => {
  await http.close();
  await fake.close();
});
beforeEach(() => {
  fake.calls.length = 0;
  fake.respond('names');
});

function analyzer(env: Record<string, string> = {}): NameAnalyzer {
  const { presidio } = loadConfig({ PINAKES_PRESIDIO_URL: fake.url, ...env });
  return openPresidio(presidio, http)!;
}

const RULE: RedactionRule = {
  name: 'names',
  kind: 'entity',
  entities: ['person', 'location', 'email'],
  action: 'mask',
  apply_at: ['output'],
};
function redactorWith(names: NameAnalyzer | null, rule: Partial<RedactionRule> = {}): Redactor {
  const rules = [{ ...RULE, ...rule } as RedactionRule];
  const find: FindNames | null = names && ((text, entities, signal) => names.find('t', text, entities, signal));
  return compileRedactor({ version: 1, enabled: true, rules }, new Uint8Array(32), find);
}

const masked = async (of: Redactor, text: string): Promise<string> => (await of.redact(text, 'output')).text;
async function streamed(of: Redactor, pieces: readonly string[]): Promise<string[]> {
  const stream = of.stream('output');
  const out: string[] = [];
  for (const piece of pieces) out.push(await stream.push(piece));
  return [...out, await stream.end()];
}

describe('the analyzer of names', () => {
  test('the client sends one request per language, as the API says, and caches the answers', async () => {
    fake.names['de'] = { Müller: 'PERSON' };
    const names = analyzer({ PINAKES_PRESIDIO_LANGUAGES: 'en,de', PINAKES_PRESIDIO_SCORE: '0.5' });
    const ask = () => names.find('t', '😀 Jane Doe and Müller', ['person', 'nrp']);
    assert.deepEqual(await ask(), [
      { entity: 'person', start: 3, end: 11 },
      { entity: 'person', start: 16, end: 22 },
    ]);
    const call = { text: '😀 Jane Doe and Müller', entities: ['PERSON', 'NRP'], score_threshold: 0.5 };
    assert.deepEqual(
      fake.calls,
      ['en', 'de'].map((language) => ({ ...call, language })),
    );
    await ask();
    assert.equal(fake.calls.length, 2);
    await names.find('another tenant', '😀 Jane Doe and Müller', ['person', 'nrp']);
    assert.equal(fake.calls.length, 4, 'tenants share nothing');
    delete fake.names['de'];
  });

  test('an analyzer that fails, is busy, does not answer or answers nonsense gives an error, not a text without names', async () => {
    const answers: [Parameters<FakePresidio['respond']>[0], string][] = [
      [{ status: 500 }, 'upstream_failed'],
      [{ status: 429 }, 'overloaded'],
      [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'upstream_failed'],
      [{ json: {} }, 'upstream_failed'],
      [{ json: [{ entity_type: 'PERSON', start: 0, end: 99 }] }, 'upstream_failed'],
      [{ json: [{ entity_type: 'PERSON', start: 3, end: 1 }] }, 'upstream_failed'],
      [{ json: [{ start: 0, end: 1 }] }, 'upstream_failed'],
      ['never', 'upstream_timeout'],
    ];
    for (const [answer, code] of answers) {
      fake.respond(answer);
      const limit = answer === 'never' ? { PINAKES_PRESIDIO_TIMEOUT_MS: '150' } : {};
      const asked = masked(redactorWith(analyzer(limit)), 'I am Jane Doe.');
      await assert.rejects(asked, { code }, JSON.stringify(answer));
    }
    await assert.rejects(masked(redactorWith(null), 'I am Jane Doe.'), { code: 'upstream_failed' });
  });

  test('a request is retried if a retry may help', async () => {
    fake.respond({ status: 503 }, 1);
    assert.equal(await masked(redactorWith(analyzer()), 'I am Jane Doe.'), 'I am [PERSON].');
  });

  test('a text without letters causes no request', async () => {
    assert.equal(await masked(redactorWith(analyzer()), '2026-11-22 — 12.5'), '2026-11-22 — 12.5');
    assert.equal(fake.calls.length, 0);
  });

  test('the client lists the entities that the analyzer supports', async () => {
    assert.deepEqual(await analyzer().supported(AbortSignal.timeout(5_000)), [
      'person',
      'location',
      'organization',
      'nrp',
    ]);
  });
});

describe('names in a whole text', () => {
  test('names are found in every spelling, beside the matches of other rules', async () => {
    const cases: [text: string, redacted: string][] = [
      ['😀 Ödön Jane Doe Miller, jane@example.com', '😀 [PERSON] [PERSON], [EMAIL]'],
      ['In Ja\u200bne Do\u200de, Ｊａｎｅ\u00a0Ｄｏｅ', 'In [PERSON], [PERSON]'],
      ['New York City and 山田太郎', '[LOCATION] and [PERSON]'],
      ['Swedish', 'Swedish'],
    ];
    const redactor = redactorWith(analyzer());
    for (const [text, expected] of cases) assert.equal(await masked(redactor, text), expected);
    const { matches } = await redactor.redact('😀 Jane Doe', 'output');
    assert.deepEqual(
      matches.map(({ entity, start, end }) => [entity, start, end]),
      [['person', 2, 10]],
      'code points',
    );
  });

  test('names on the borders of windows are found in a text longer than a window', async () => {
    const redactor = redactorWith(analyzer());
    for (let shift = 0; shift < 24; shift++) {
      const filler = '1 '.repeat(WINDOW_LENGTH / 2 - 60).slice(0, -shift || undefined);
      const text = `${filler}Jane Doe Miller of New York City. `.repeat(3);
      assert.equal(await masked(redactor, text), `${filler}[PERSON] of [LOCATION]. `.repeat(3), `shift ${shift}`);
    }
    assert.ok(fake.calls.every(({ text }) => text.length <= WINDOW_LENGTH + 300));
  });

  test('a text with a name is blocked if a rule blocks names', async () => {
    const redacted = await redactorWith(analyzer(), { action: 'block' }).redact('I am Jane Doe', 'output');
    assert.deepEqual([redacted.text, redacted.blocked], ['', true]);
  });
});

describe('names in a stream', () => {
  const PIECES = [
    ...Object.keys(NAMES),
    'jane@example.com',
    'the ',
    'lake. ',
    '😀',
    '\n',
    ' of ',
    '１２',
    '𝐉𝐚𝐧𝐞 𝐃𝐨𝐞',
    'J\u200bane Doe',
    'New',
    'Doe ',
  ];

  test(`random pieces are redacted like the whole text, and no returned text is changed later (seed ${TEST_SEED})`, async () => {
    const random = openRandom(TEST_SEED);
    const redactor = redactorWith(analyzer());
    for (let round = 0; round < 12; round++) {
      // The longest texts are redacted in several slices.
      const text = Array.from(
        { length: 60 * (1 + (round % 4)) * 3 },
        () => random.pick(PIECES) + (random.next() < 0.5 ? ' ' : ''),
      ).join('');
      const whole = await masked(redactor, text);
      const pieces: string[] = [];
      for (let at = 0; at < text.length; at += pieces.at(-1)!.length)
        pieces.push(text.slice(at, at + 1 + Math.floor(random.next() * (round % 2 === 0 ? 3 : 80))));
      let sent = '';
      for (const out of await streamed(redactor, pieces)) {
        sent += out;
        assert.ok(whole.startsWith(sent), JSON.stringify([text, sent, whole]));
      }
      assert.equal(sent, whole);
    }
  });

  test('a name does not leak, at whatever offset the stream is cut', async () => {
    const redactor = redactorWith(analyzer());
    const text = `${'By the lake. '.repeat(30)}Jane Doe Miller lives in New York City.${' It rains.'.repeat(30)}`;
    const whole = await masked(redactor, text);
    assert.doesNotMatch(whole, SHOWN);
    for (let cut = 380; cut < 440; cut++)
      assert.equal((await streamed(redactor, [text.slice(0, cut), text.slice(cut)])).join(''), whole, `cut at ${cut}`);
  });

  test('all of a long name is masked, although a part of it is also a name', async () => {
    const redactor = redactorWith(analyzer());
    for (let before = 0; before < 30; before++) {
      const text = `${'By the lake. '.repeat(before)}${LONG} rests.${' It rains.'.repeat(30)}`;
      const pieces = text.match(/.{1,9}/g)!;
      assert.doesNotMatch((await streamed(redactor, pieces)).join(''), /Baron|Ach|Berg/, `behind ${before} sentences`);
    }
  });

  test('the stream holds back only text that may become a name', async () => {
    const words = Array.from({ length: 400 }, () => 'water ');
    const out = await streamed(redactorWith(analyzer()), words);
    const held = words.map((_, i) => words.slice(0, i + 1).join('').length - out.slice(0, i + 1).join('').length);
    assert.ok(Math.max(...held) <= STREAM_STEP_LENGTH + 10, `held back ${Math.max(...held)}`);
  });

  test('the stream ends when the analyzer fails, and returns no unchecked text', async () => {
    const stream = redactorWith(analyzer()).stream('output');
    const first = await stream.push('By the lake. '.repeat(40));
    assert.ok(first.length > 0);
    fake.respond({ status: 400 });
    await assert.rejects(stream.push(`Jane Doe. ${'By the sea. '.repeat(40)}`), { code: 'upstream_failed' });
  });
});
