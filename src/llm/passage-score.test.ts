import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeQuery, analyzeText } from '../retrieval/analyzer.ts';
import { ANSWER_LOG_ODDS_MIN, type Extract, extractPassages } from './extract.ts';
import { readQuestion } from './question.ts';

const analyzer = {
  index: (text: string, language: string | null) => analyzeText(text, language).split(' '),
  query: (text: string, language: string | null) => analyzeQuery(text, language === null ? [] : [language]),
};

function extract(question: string, contents: readonly string[], language = 'en'): Extract {
  const chunks = contents.map((content, i) => {
    return { number: i + 1, name: 'a.txt', headingPath: [], context: null, content, score: 10 - i, language };
  });
  return extractPassages(question, chunks, analyzer);
}

function bestOf({ passages }: Extract): string {
  return passages.toSorted((a, b) => b.score - a.score)[0]!.text;
}

test('the kind of thing that is asked for decides between sentences that hold the same words', () => {
  const bridge = ['The bridge was opened by the mayor.', 'The bridge was opened in 1931 by the mayor.'];
  assert.equal(bestOf(extract('When was the bridge opened?', [bridge.join(' ')])), bridge[1]);
  const crew = ['The crew of the ship was large.', 'The crew of the ship was 214.'];
  assert.equal(bestOf(extract('How many were in the crew of the ship?', [crew.join(' ')])), crew[1]);
  const club = ['その部の会員は年に3回集まる。', 'その部の会員は全部で45人である。'];
  assert.equal(bestOf(extract('その部の会員は何人ですか？', [club.join('')], 'ja')), club[1]);
  const law = ['The law was written in the old town.', 'The law was written by Emma Weiss.'];
  assert.equal(bestOf(extract('Who has written the law?', [law.join(' ')])), law[1]);
});

test('a passage of the best chunk is preferred to the same words elsewhere', () => {
  const found = extract('What does the pump need?', [
    'Pumps are blue. The pump needs oil.',
    'The pump needs care in winter, they say.',
  ]);
  assert.equal(bestOf(found), 'The pump needs oil.');
});

test('what the question names and no passage holds makes an answer unlikely', () => {
  const contents = ['Oslo has 709000 inhabitants. The harbour of Oslo is open all year.'];
  const held = extract('How many inhabitants does Oslo have?', contents).logOdds;
  const missing = extract('How many inhabitants does Bergen have?', contents).logOdds;
  const other = extract('Which saint founded the chapel of Bergen?', contents).logOdds;
  assert.ok(held > 0, String(held));
  assert.ok(missing < ANSWER_LOG_ODDS_MIN, String(missing));
  assert.equal(other, Number.NEGATIVE_INFINITY);
});

test('a compound and its parts have letters in common', () => {
  const found = extract(
    'Welche Aufgabe hat das Bundesverfassungsgericht?',
    ['Eine Aufgabe des Parlaments sind Gesetze.', 'Eine Aufgabe der Verfassungsgerichte sind Grundrechte.'],
    'de',
  );
  assert.match(bestOf(found), /^Eine Aufgabe der Verfassungsgerichte/);
});

test('the words that ask are no topic, unless there is nothing else', () => {
  const termsOf = (text: string, language: string) => [...readQuestion(text, language, analyzer).terms];
  for (const [question, topic, language] of [
    ['谁是市长？', '是市长', 'zh'],
    ['市長は誰ですか？', '市長は', 'ja'],
    ['시장은 누구입니까?', '시장은', 'ko'],
    ['ใครเป็นนายกเทศมนตรี', 'เป็นนายกเทศมนตรี', 'th'],
  ] as const)
    assert.deepEqual(termsOf(question, language), termsOf(topic, language), question);
  assert.notDeepEqual(termsOf('什么？', 'zh'), []);
});

test('a chunk that leads the others in relevance is likelier to answer', () => {
  const chunks = ['The pump needs oil in winter.', 'Pumps are blue.', 'Winter is long.'].map((content, i) => {
    return { number: i + 1, name: 'a.txt', headingPath: [], context: null, content, score: 10, language: 'en' };
  });
  const logOdds = (others: number) =>
    extractPassages(
      'What does the pump need?',
      chunks.map((chunk, i) => ({ ...chunk, score: i === 0 ? 10 : others })),
      analyzer,
    ).logOdds;
  // More than the lead over the next passage alone can make.
  assert.ok(logOdds(2) - logOdds(9) > 2, `${logOdds(2)} ${logOdds(9)}`);
});

test('a question for several things may be answered at more length', () => {
  const wheres = [
    'red shelf beside old tools',
    'cellar under iron stairs',
    'office drawer, locked at night',
    'van that drives north',
    'box behind green doors',
  ];
  const items = wheres.map(
    (where, i) =>
      `- Pump part ${String.fromCharCode(65 + i)}${i}: ${where}, with two spare ${where.split(' ')[0]} copies there`,
  );
  const length = (question: string) =>
    [
      ...extract(question, [items.join('\n')])
        .passages.map(({ text }) => text)
        .join('\n'),
    ].length;
  assert.ok(length('Where is a pump part?') <= 300);
  assert.ok(length('Which are the pump parts?') > 300);
});
