/**
 * Ways to write a value so that a rule does not see it: every control and every invisible character, and what page layout does to
 * text. `npm run check:evasions` puts every character at every place of the values, and streams the texts too.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canonicalForm, openCanonicalReader } from '../../src/redaction/canonical-text.ts';
import { ENTITIES, type Entity } from '../../src/redaction/detectors/entities.ts';
import { compileRedactor, type RedactionMatch, type Redactor } from '../../src/redaction/redact.ts';
import type { ApplyAt, RedactionRule } from '../../src/redaction/redaction-policy.ts';
import { readCorpus } from '../support/passages/redaction-corpus.ts';
import { openRandom } from '../support/random.ts';

const STEPS: ApplyAt[] = ['ingest', 'retrieval', 'llm_input', 'output'];
const SEED = Number(process.env['PINAKES_TEST_SEED'] ?? 20_261_123);
const isLong = process.env['PINAKES_TEST_EVASIONS'] === 'all';

const common = { action: 'mask', apply_at: STEPS } satisfies Pick<RedactionRule, 'action' | 'apply_at'>;
const compile = (rule: RedactionRule) =>
  compileRedactor({ version: 1, enabled: true, rules: [rule] }, new Uint8Array(32));
const redactorOf = (entity: Entity) => compile({ ...common, name: entity, kind: 'entity', entities: [entity] });
const dictionary = compile({
  ...{ ...common, name: 'secret', kind: 'dictionary', ignore_case: true, whole_words: true },
  terms: ['Blue Heron', 'well-known', '山田太郎', 'Müller-Lüdenscheidt'],
});
const regex = (pattern: string) => compile({ ...common, name: 'secret', kind: 'regex', pattern, ignore_case: false });

/** The controls that a reader sees: they are tested as page layout. */
const LAYOUT = /[\t\n\v\f\r\u0085]/;
const INVISIBLE = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((char) => /[\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(char) && !LAYOUT.test(char));

function codeOf(char: string): string {
  return `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Length of a piece of a stream. It differs from every length of a value. */
const PIECE = 61;
/** Texts that are redacted together. */
const BATCH = 40;

test('no control and no default-ignorable code point hides a value from a detector, at any step', async (t) => {
  assert.ok(INVISIBLE.length > 4_000, `${INVISIBLE.length} code points`);
  const finders = [
    ...ENTITIES.map((entity) => {
      const { text, find } = readCorpus(entity).find((line) => line.find.length > 0)!;
      return { what: entity as string, text, value: find[0]!, redactor: redactorOf(entity) };
    }),
    { what: 'dictionary', text: 'the Blue Heron flies', value: 'Blue Heron', redactor: dictionary },
    { what: 'regex', text: 'ask EMP-4711 now', value: 'EMP-4711', redactor: regex('EMP-\\d{4}') },
  ];
  let checked = 0;
  for (const { what, text, value, redactor } of finders) {
    const places = Array.from({ length: value.length - 1 }, (_, i) => i + 1);
    for (let i = 0; i < INVISIBLE.length; i += BATCH) {
      const chars = INVISIBLE.slice(i, i + BATCH);
      for (let round = 0; round < (isLong ? places.length : 1); round++) {
        const texts = chars.map((char, k) => {
          const at = places[(i + k + round) % places.length]!;
          return text.replace(value, () => value.slice(0, at) + char + value.slice(at));
        });
        for (const step of STEPS) {
          const matches = await matchesIn(redactor, texts.join('\n\n\n'), step, isLong && round === 0);
          let from = 0;
          for (const [k, one] of texts.entries()) {
            const to = from + [...one].length;
            const isFound = matches.some(
              ({ start, end }) => start >= from && end <= to && end - start > [...value].length,
            );
            assert.ok(isFound, `${what} with ${codeOf(chars[k]!)} at ${step}: ${JSON.stringify(one)}`);
            from = to + 3;
            checked++;
          }
        }
      }
    }
  }
  t.diagnostic(`${checked} values: ${INVISIBLE.length} characters, ${finders.length} finders, ${STEPS.length} steps`);
});

/** Returns the matches in a text. With `streams`, those in a stream of its pieces must be equal. */
async function matchesIn(
  redactor: Redactor,
  text: string,
  step: ApplyAt,
  streams: boolean,
): Promise<readonly RedactionMatch[]> {
  const { matches } = await redactor.redact(text, step);
  if (!streams) return matches;
  const stream = redactor.stream(step);
  for (let at = 0; at < text.length; at += PIECE) await stream.push(text.slice(at, at + PIECE));
  await stream.end();
  assert.deepEqual(stream.matches, matches);
  return matches;
}

test('the first value of every detector is found at every step with a control in it', async () => {
  for (const entity of ENTITIES) {
    const { text, find } = readCorpus(entity).find((line) => line.find.length > 0)!;
    const hidden = text.replace(find[0]!, (value) => `${value.slice(0, 3)}\u0001${value.slice(3)}`);
    for (const step of STEPS) {
      const redacted = (await redactorOf(entity).redact(hidden, step)).text;
      assert.ok(redacted.includes(`[${entity.toUpperCase()}]`), `${entity} at ${step}: ${redacted}`);
    }
  }
});

describe('page layout does not hide a value', () => {
  const cases: [what: string, redactor: typeof dictionary, text: string, redacted: string][] = [
    ['a line break in a term', dictionary, 'the Blue\nHeron flies', 'the [SECRET] flies'],
    ['an indented line', dictionary, 'the Blue\r\n    Heron flies', 'the [SECRET] flies'],
    ['several blanks', dictionary, 'the Blue   Heron flies', 'the [SECRET] flies'],
    ['a tab and a non-breaking blank', dictionary, 'the Blue\t\u00a0Heron flies', 'the [SECRET] flies'],
    ['a hyphen at the end of a line', dictionary, 'the Blue He-\nron flies', 'the [SECRET] flies'],
    ['a soft hyphen at the end of a line', dictionary, 'the Blue He\u00ad\nron flies', 'the [SECRET] flies'],
    ['a term with a hyphen, cut there', dictionary, 'a well-\nknown name', 'a [SECRET] name'],
    ['a name with a hyphen, cut there', dictionary, 'Herr Müller-\nLüdenscheidt', 'Herr [SECRET]'],
    ['two lines of a script without blanks', dictionary, '氏名：山田\n太郎です', '氏名：[SECRET]です'],
    ['a blank of a pattern', regex('Blue Heron'), 'the Blue\nHeron and Blue  Heron', 'the [SECRET] and [SECRET]'],
    ['a blank in a class of a pattern', regex('Blue[ -]Heron'), 'the Blue\nHeron', 'the [SECRET]'],
    ['a card number over two lines', redactorOf('credit_card'), 'card 4111 1111\n1111 1111.', 'card [CREDIT_CARD].'],
    ['a card number cut at a hyphen', redactorOf('credit_card'), 'card 4111-1111-\n1111-1111.', 'card [CREDIT_CARD].'],
    ['double blanks in a card number', redactorOf('credit_card'), '4111  1111  1111  1111', '[CREDIT_CARD]'],
    ['an account over two lines', redactorOf('iban'), 'DE89 3704 0044\n0532 0130 00', '[IBAN]'],
    ['an address cut behind the @', redactorOf('email'), 'mail jane@\nexample.com now', 'mail [EMAIL] now'],
    ['double blanks after a name', redactorOf('api_key'), 'password:  a8Jx02mQz71LpW4f', 'password:  [API_KEY]'],
  ];
  for (const [what, redactor, text, redacted] of cases) {
    test(what, async () => {
      assert.equal((await redactor.redact(text, 'output')).text, redacted);
      const stream = redactor.stream('output');
      let out = '';
      for (const unit of text) out += await stream.push(unit);
      assert.equal(out + (await stream.end()), redacted, 'unit by unit');
    });
  }
});

test('an address in the name of a file is found', async () => {
  const { text } = await redactorOf('email').redact('jane@example.com.pdf, logo@2x.png, app@1.min.js', 'retrieval');
  assert.equal(text, '[EMAIL], logo@2x.png, app@1.min.js');
});

test('columns and lists of numbers are not taken for one number', async () => {
  const left = ['4111\n1111\n1111\n1111', '030 123456\n030 654321', 'a-\n1 b', '- one\n- two'];
  for (const text of left) {
    const { matches } = await redactorOf('credit_card').redact(text, 'output');
    assert.deepEqual(matches, [], text);
  }
  const phones = await redactorOf('phone').redact('030 1234567\n030 7654321', 'output');
  assert.equal(phones.text, '[PHONE]\n[PHONE]');
});

test(`the canonical form does not depend on where a text is cut (seed ${SEED})`, () => {
  const random = openRandom(SEED);
  const parts = [
    'He',
    '-',
    '\u00ad',
    '\n',
    ' ',
    '\r\n',
    '\t',
    '\u200b',
    '1',
    'ron',
    '山',
    '太',
    'ﬁ',
    '\ud83d',
    '\ude00',
    'A',
    'é',
  ];
  for (let round = 0; round < 3_000; round++) {
    const text = Array.from({ length: random.integer(1, 12) }, () =>
      random.next() < 0.01 ? ' '.repeat(1_500) : random.pick(parts),
    ).join('');
    const whole = canonicalForm(text);
    const cut = random.integer(0, text.length);
    const reader = openCanonicalReader();
    const pieces = [reader.push(text.slice(0, cut), false), reader.push(text.slice(cut), false), reader.push('', true)];
    assert.equal(pieces.map((piece) => piece.text).join(''), whole.text, JSON.stringify([text, cut]));
    assert.deepEqual(
      pieces.flatMap(({ starts, ends }) => [...starts].map((start, i) => [start, ends[i]])),
      [...whole.starts].map((start, i) => [start, whole.ends[i]]),
      JSON.stringify([text, cut]),
    );
    assert.equal(reader.read, text.length);
  }
});
