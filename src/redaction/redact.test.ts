import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compileRedactor } from './redact.ts';
import type { RedactionAction, RedactionRule } from './redaction-policy.ts';

const common = { action: 'mask', apply_at: ['output'] } satisfies Pick<RedactionRule, 'action' | 'apply_at'>;
const regex = (name: string, pattern: string, action: RedactionAction = 'mask'): RedactionRule => ({
  ...common,
  name,
  kind: 'regex',
  pattern,
  ignore_case: false,
  action,
});
const dictionary = (terms: string[], more: { ignore_case?: boolean; whole_words?: boolean } = {}): RedactionRule => ({
  ...common,
  name: 'term',
  kind: 'dictionary',
  terms,
  ignore_case: true,
  whole_words: true,
  ...more,
});

const redactorOf = (rules: RedactionRule[], key = 1) =>
  compileRedactor({ version: 1, enabled: true, rules }, new Uint8Array(32).fill(key));
const redacted = async (rules: RedactionRule[], text: string): Promise<string> =>
  (await redactorOf(rules).redact(text, 'output')).text;

test('a wide bar is a plain bar for terms and patterns', async () => {
  for (const term of ['Project|X', 'Project｜X'])
    for (const text of ['a Project|X b', 'a Project｜X b'])
      assert.equal(await redacted([dictionary([term])], text), 'a [TERM] b');
  for (const text of ['ID|123', 'ID｜123']) assert.equal(await redacted([regex('id', 'ID\\|\\d+')], text), '[ID]');
});

describe('overlapping matches', () => {
  test('the longest of several matches at the same offset counts', async () => {
    assert.equal(await redacted([regex('short', 'ab'), regex('long', 'abc')], 'xabcx'), 'x[LONG]x');
  });
  test('the part of a match after another match is replaced separately, so no matched text stays readable', async () => {
    assert.equal(await redacted([regex('first', 'abc'), regex('second', 'cde')], 'xabcdex'), 'x[FIRST][SECOND]x');
    assert.deepEqual(
      (await redactorOf([regex('first', 'abc'), regex('second', 'cde')]).redact('xabcdex', 'output')).matches.map(
        ({ rule, start, end }) => [rule, start, end],
      ),
      [
        ['first', 1, 4],
        ['second', 4, 6],
      ],
    );
  });
  test('for equal matches the strictest action counts, then the order of the rules', async () => {
    const [hash, mask, drop] = (['hash', 'mask', 'drop'] as const).map((action) => regex(action, 'abc', action));
    assert.equal(await redacted([hash!, mask!, drop!], 'abc'), '');
    assert.equal(await redacted([hash!, mask!], 'abc'), '[MASK]');
    assert.equal(await redacted([regex('one', 'abc'), regex('two', 'abc')], 'abc'), '[ONE]');
  });
  test('a blocking match also blocks the text if it lies within a longer match', async () => {
    const both = redactorOf([regex('long', 'abcd'), regex('no', 'bc', 'block')]);
    const { text, blocked } = await both.redact('abcd', 'output');
    assert.deepEqual([text, blocked], ['', true]);
  });
});

describe('steps of rules', () => {
  test('a rule applies at its own steps only, and at no step while the policy is not enabled', async () => {
    const rule = { ...regex('r', 'a'), apply_at: ['ingest', 'output'] } as RedactionRule;
    const redactor = redactorOf([rule]);
    assert.deepEqual(
      (['ingest', 'retrieval', 'llm_input', 'output'] as const).map((at) => redactor.appliesAt(at)),
      [true, false, false, true],
    );
    assert.equal((await redactor.redact('a', 'retrieval')).text, 'a');
    const off = compileRedactor({ version: 1, enabled: false, rules: [rule] }, new Uint8Array(32));
    assert.equal(off.appliesAt('output'), false);
  });
});

describe('hashes', () => {
  const mail = (action: RedactionAction): RedactionRule => ({
    ...common,
    name: 'm',
    kind: 'entity',
    entities: ['credit_card'],
    action,
  });
  test('hashes of a value are equal in all its spellings, and differ by key', async () => {
    const hash = async (text: string, key = 1) => (await redactorOf([mail('hash')], key).redact(text, 'output')).text;
    assert.match(await hash('4111111111111111'), /^\[CREDIT_CARD:[0-9a-f]{16}\]$/);
    assert.equal(await hash('4111 1111 1111 1111'), await hash('4111111111111111'));
    assert.equal(await hash('４１１１１１１１１１１１１１１１'), await hash('4111111111111111'));
    assert.notEqual(await hash('4111111111111111', 2), await hash('4111111111111111'));
    assert.notEqual(await hash('4012888888881881'), await hash('4111111111111111'));
  });
});

describe('dictionaries', () => {
  test('a dictionary finds the longest of several terms and ignores case, width and the form of accents', async () => {
    const terms = dictionary(['Blue Heron', 'heron', 'Zoë', 'ΟΔΥΣΣΕΥΣ', 'ﬁnch']);
    assert.equal(
      await redacted([terms], 'BLUE\u00a0heron, Heron, Zoe\u0308, οδυσσευς, ｆｉｎｃｈ, finch'),
      '[TERM], [TERM], [TERM], [TERM], [TERM], [TERM]',
    );
  });
  test('a dictionary with ignore_case false respects case', async () => {
    assert.equal(await redacted([dictionary(['Heron'], { ignore_case: false })], 'heron Heron'), 'heron [TERM]');
  });
  test('a dictionary finds whole words in scripts that have bounds of words', async () => {
    const terms = dictionary(['art', '京都', '김민수', 'ไทย']);
    assert.equal(await redacted([terms], 'party art. Art-deco smart'), 'party [TERM]. [TERM]-deco smart');
    assert.equal(await redacted([terms], '東京都に'), '東[TERM]に');
    assert.equal(await redacted([terms], '김민수는 왔다'), '[TERM]는 왔다');
    assert.equal(await redacted([terms], 'คนไทยมา'), 'คน[TERM]มา');
    assert.equal(await redacted([dictionary(['art'], { whole_words: false })], 'party'), 'p[TERM]y');
  });
  test('a term is found as part of a longer term that did not match', async () => {
    assert.equal(await redacted([dictionary(['abcde', 'cd'], { whole_words: false })], 'abcdx'), 'ab[TERM]x');
  });
});

describe('regexes', () => {
  test('a regex matches as in RE2, with bounds of words and lines, groups, classes and flags', async () => {
    const cases: [pattern: string, text: string, redacted: string][] = [
      ['\\bEMP-\\d+\\b', 'EMP-1 XEMP-2 EMP-33x', '[R] XEMP-2 EMP-33x'],
      ['(?i)emp', 'EMP emp', '[R] [R]'],
      ['^a', 'aa', '[R]a'],
      ['(?m)^a', 'ba\nab', 'ba\n[R]b'],
      ['(?P<x>a|b)c', 'ac bc cc', '[R] [R] cc'],
      ['[\\]a-c]{2}', 'x]cx', 'x[R]x'],
      ['[[:digit:]]{2}', 'a12', 'a[R]'],
      ['\\p{Greek}+', 'a αβγ', 'a [R]'],
      ['a{2}?b', 'aab', '[R]'],
      ['(?i:A)b', 'ab aB', '[R] aB'],
      ['\\x{1F600}', 'a😀b', 'a[R]b'],
      ['.', '😀', '[R]'],
      ['a$', 'ab a', 'ab [R]'],
    ];
    for (const [pattern, text, expected] of cases)
      assert.equal(await redacted([regex('r', pattern)], text), expected, pattern);
  });
  test('a regex also finds matches across the pieces into which a long text is split', async () => {
    const text = `${'x'.repeat(250)}EMP-1234 `.repeat(20);
    assert.equal(
      await redacted([regex('r', '\\bEMP-\\d{4}\\b|xEMP-\\d{4}')], text),
      `${'x'.repeat(249)}[R] `.repeat(20),
    );
  });
});
