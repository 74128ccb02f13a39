import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Hit, judgeAnswer, rankOfRight } from '../../bench/manuals/judge.ts';
import { effectOf, QUERIES } from '../../bench/manuals/neighbours.ts';
import { parseQuestions, type Question } from '../../bench/manuals/questions.ts';

function parse(changed: object = {}): Question {
  const line = {
    id: 'borg-01',
    split: 'tune',
    kind: 'difference',
    corpus: 'borg',
    question: 'Which compression is the default, and at which level?',
    passages: [{ path: 'usage/create', text: 'Options > Archive\\s.*default.{0,10}lz4' }],
    answer: ['\\blz4\\b', '\\b3\\b'],
    not: ['zlib is the default'],
    ...changed,
  };
  return parseQuestions('questions.jsonl', `${JSON.stringify(line)}\n`)[0]!;
}

function hit(changed: Partial<Hit> = {}): Hit {
  return {
    id: '1',
    corpus: 'borg',
    path: 'usage/create.html',
    headingPath: ['Options', 'Archive'],
    content: 'The Default\n is   LZ4.',
    ...changed,
  };
}

describe('the right passage', () => {
  test('is ranked from 1', () => {
    assert.equal(rankOfRight(parse(), [hit({ content: 'Other' }), hit()]), 2);
  });

  test('matches the path, the heading, the text and the corpus of the question', () => {
    for (const other of [{ path: 'faq.html' }, { headingPath: ['Options'] }, { content: 'lz4' }, { corpus: 'man' }])
      assert.equal(rankOfRight(parse(), [hit(other)]), undefined);
  });
});

describe('an answer', () => {
  const unanswerable = parse({ kind: 'unanswerable', passages: [], answer: [] });

  test('is right when all patterns match, partly when some do, wrong when none does', () => {
    assert.equal(judgeAnswer(parse(), 'LZ4, level\n3'), 'right');
    assert.equal(judgeAnswer(parse(), 'lz4'), 'partly');
    assert.equal(judgeAnswer(parse(), 'zstd'), 'wrong');
  });

  test('is wrong when it contains a forbidden pattern', () => {
    assert.equal(judgeAnswer(parse(), 'zlib  is the default, lz4 has level 3'), 'wrong');
  });

  test('to an unanswerable question is always wrong', () => {
    assert.equal(judgeAnswer(unanswerable, 'lz4'), 'wrong');
    assert.equal(judgeAnswer(unanswerable, null), 'refused');
  });

  test('that is refused is neither right nor wrong', () => {
    assert.equal(judgeAnswer(parse(), null), 'refused');
  });
});

describe('a line that is not a question is refused with its line number', () => {
  const cases: [string, object, RegExp][] = [
    ['split', { split: 'test' }, /questions\.jsonl, line 1: borg-01: split/],
    ['kind', { kind: 'why' }, /kind must be one of/],
    ['pattern', { answer: ['('] }, /line 1: Invalid regular expression/],
    ['answerable without a passage', { kind: 'unanswerable' }, /unanswerable/],
    ['no passages and no answers', { passages: [], answer: [] }, /unanswerable/],
  ];
  for (const [name, changed, message] of cases) test(name, () => assert.throws(() => parse(changed), message));
});

describe('code files that are added to the manuals', () => {
  const [first, second] = [hit({ id: 'a' }), hit({ id: 'b' })];
  const fresh = (content: string) => hit({ id: 'c', content });

  test('may leave the results as they are, or change their order', () => {
    assert.equal(effectOf('trait', [first, second], [first, second]), 'unchanged');
    assert.equal(effectOf('trait', [first, second], [second, first]), 'reordered');
  });

  test('can bring hits with the same words or with other words of the same stem', () => {
    const effect = (content: string) => effectOf('trait object', [first, second], [first, fresh(content)]);
    assert.equal(effect('an Object of a trait'), 'new hits with the words');
    assert.equal(effect('objects of traits'), 'new hits without the words');
  });

  test('are tested with fifty different queries', () => {
    assert.equal(new Set(QUERIES).size, 50);
  });
});
