import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANSWER_LOG_ODDS_MIN, extractPassages, scoredPassages } from './extract.ts';
import { readQuestion } from './question.ts';

function chunksOf(contents: readonly string[], language: string) {
  return contents.map((content, i) => {
    return { number: i + 1, name: 'a.txt', headingPath: [], context: null, content, score: 10 - i, language };
  });
}

function logOddsOf(question: string, contents: readonly string[], language = 'en'): number {
  return extractPassages(question, chunksOf(contents, language)).logOdds;
}

function bestOf(question: string, contents: readonly string[], language = 'en'): string {
  const { candidates } = scoredPassages(question, chunksOf(contents, language));
  return candidates.toSorted((a, b) => b.score - a.score)[0]!.text;
}

test('a passage with the number or the default that the question asks for beats a passage with the same words', () => {
  const bridge = ['The bridge was opened by the mayor.', 'The bridge was opened in 1931 by the mayor.'];
  assert.equal(bestOf('When was the bridge opened?', [bridge.join(' ')]), bridge[1]);
  const crew = ['The crew of the ship was large.', 'The crew of the ship was 214.'];
  assert.equal(bestOf('How many were in the crew of the ship?', [crew.join(' ')]), crew[1]);
  const club = ['その部の会員は年に3回集まる。', 'その部の会員は全部で45人である。'];
  assert.equal(bestOf('その部の会員は何人ですか？', [club.join('')], 'ja'), club[1]);
  const wait = ['The wait of the client is long.', 'The wait of the client is long by default.'];
  assert.equal(bestOf('What is the wait of the client if I set nothing?', [wait.join(' ')]), wait[1]);
});

test('a passage of the best chunk beats a passage with the same words in another chunk', () => {
  const contents = ['Pumps are blue. The pump needs oil.', 'The pump needs care in winter, they say.'];
  assert.equal(bestOf('What does the pump need?', contents), 'The pump needs oil.');
});

test('there is no answer when no passage has an identifier of the question, in any spelling', () => {
  const options = 'The option maxRetriesPerHost sets the maximum number of retries for each host. The default is 5.';
  const ask = (identifier: string): number => logOddsOf(`What is the default of ${identifier}?`, [options]);
  assert.ok(ask('maxRetriesPerHost') > ANSWER_LOG_ODDS_MIN);
  assert.ok(ask('max_retries_per_host') > ANSWER_LOG_ODDS_MIN);
  assert.equal(ask('maxRetriesPerPort'), Number.NEGATIVE_INFINITY);
});

test('the qualifiers of an asked name need not be in the passage', () => {
  const sysctl = 'tcp_tw_reuse: Enable reuse of sockets in the state TIME-WAIT for new connections when it is safe.';
  const [plain, qualified] = ['tcp_tw_reuse', 'net.ipv4.tcp_tw_reuse'].map((name) =>
    logOddsOf(`What does ${name} do?`, [sysctl]),
  );
  assert.equal(qualified, plain);
});

test('a name with its modules is looked for without the first of them', () => {
  const options = 'The option Net::Hosts::Retries sets the number of retries for each host. The default is 5.';
  const ask = (name: string): number => logOddsOf(`What is the default of ${name}?`, [options]);
  assert.notEqual(ask('Core::Net::Hosts::Retries'), Number.NEGATIVE_INFINITY);
  assert.equal(ask('Net::Hosts::Colors'), Number.NEGATIVE_INFINITY);
  const spawn = 'The function spawn_blocking runs the closure on a thread where blocking is acceptable.';
  for (const name of ['tokio::task::spawn_blocking', 'core::AtomicU64::spawn_blocking'])
    assert.ok(logOddsOf(`What does ${name} do?`, [spawn]) > ANSWER_LOG_ODDS_MIN, name);
});

test('an answer is unlikely when no passage has a name of the question', () => {
  const contents = ['Oslo has 709000 inhabitants. The harbour of Oslo is open all year.'];
  const held = logOddsOf('How many inhabitants does Oslo have?', contents);
  const missing = logOddsOf('How many inhabitants does Bergen have?', contents);
  const other = logOddsOf('Which saint founded the chapel of Bergen?', contents);
  assert.ok(held > 0, String(held));
  assert.ok(missing < ANSWER_LOG_ODDS_MIN, String(missing));
  assert.equal(other, Number.NEGATIVE_INFINITY);
});

test('a passage with a part of a compound word is found by the letters they share', () => {
  const tasks = ['Eine Aufgabe des Parlaments sind Gesetze.', 'Eine Aufgabe der Verfassungsgerichte sind Grundrechte.'];
  const best = bestOf('Welche Aufgabe hat das Bundesverfassungsgericht?', [tasks.join(' ')], 'de');
  assert.match(best, /^Eine Aufgabe der Verfassungsgerichte/);
});

test('question words are not searched for, unless the question has no other words', () => {
  const termsOf = (text: string, language: string) => [...readQuestion(text, language).terms];
  for (const [question, topic, language] of [
    ['谁是市长？', '是市长', 'zh'],
    ['市長は誰ですか？', '市長は', 'ja'],
    ['시장은 누구입니까?', '시장은', 'ko'],
    ['ใครเป็นนายกเทศมนตรี', 'เป็นนายกเทศมนตรี', 'th'],
  ] as const)
    assert.deepEqual(termsOf(question, language), termsOf(topic, language), question);
  assert.notDeepEqual(termsOf('什么？', 'zh'), []);
});

test('a long question without a space is read in linear time', () => {
  // Processor time does not depend on other processes. A quadratic pattern needs 20 s for one of these questions.
  const used = process.cpuUsage();
  for (const letter of ['a', 'B', '_', '-', '1'])
    logOddsOf(`What does the pump need? ${letter.repeat(200_000)}`, ['The pump needs oil.']);
  assert.ok(process.cpuUsage(used).user < 5e6);
});

test('an answer is likelier when the search score of its chunk is far above the others', () => {
  const chunks = ['The pump needs oil in winter.', 'Pumps are blue.', 'Winter is long.'].map((content, i) => {
    return { number: i + 1, name: 'a.txt', headingPath: [], context: null, content, score: 10, language: 'en' };
  });
  const logOdds = (others: number) =>
    extractPassages(
      'What does the pump need?',
      chunks.map((chunk, i) => ({ ...chunk, score: i === 0 ? 10 : others })),
    ).logOdds;
  // More than the difference to the next passage alone can explain.
  assert.ok(logOdds(2) - logOdds(9) > 2, `${logOdds(2)} ${logOdds(9)}`);
});

test('chunks that score nearly as high, such as copies in other files, do not make an answer less likely', () => {
  const contents = ['The pump needs oil in winter.', 'Pumps are blue.', 'Oil is black.', 'Winter is long.'];
  const logOdds = (scores: readonly number[]) =>
    extractPassages(
      'What does the pump need?',
      chunksOf(contents, 'en').map((chunk, i) => ({ ...chunk, score: scores[i]! })),
    ).logOdds;
  assert.equal(logOdds([10, 9.9, 9.8, 4]), logOdds([10, 5, 4.5, 4]));
});

test('the word "I" is no name, and a missing name counts only if no passage has it', () => {
  assert.deepEqual([...readQuestion('How do I cross the harbour of Oslo?', 'en').names], ['oslo']);
  const said = 'Ferries cross the harbour every hour.';
  const elsewhere = logOddsOf('How do I cross the harbour of Oslo?', [said, 'Oslo is in Norway.']);
  const nowhere = logOddsOf('How do I cross the harbour of Bergen?', [said, 'Oslo is in Norway.']);
  assert.ok(elsewhere - nowhere > 2, `${elsewhere} ${nowhere}`);
});

test('a passage of the file that the question names beats one with the same words', () => {
  const content = 'The file is compressed with level 6.';
  const other = 'The file is compressed well, with level 9.';
  const chunks = chunksOf([other, content], 'en').map((one, i) => ({ ...one, name: ['zip.1', 'gzip.1'][i]! }));
  const { candidates } = scoredPassages('With which level is a file compressed by gzip?', chunks);
  assert.deepEqual(
    candidates.map(({ features }) => features.fileNamed),
    [0, 1],
  );
  assert.ok(candidates[1]!.score > candidates[0]!.score);
  const code = chunks.map((chunk) => ({ ...chunk, isCode: true }));
  const scored = scoredPassages('With which level is a file compressed by gzip?', code).candidates;
  assert.ok(scored.every(({ features }) => features.fileNamed === 0));
  const packed = chunks.map((chunk) => ({ ...chunk, name: `${chunk.name}.gz` }));
  const unpacked = scoredPassages('With which level is a file compressed by gzip?', packed).candidates;
  assert.deepEqual(
    unpacked.map(({ features }) => features.fileNamed),
    [0, 1],
  );
});

test('a passage that names a default in its own language beats a passage with the same words', () => {
  for (const [question, contents, language] of [
    ['Welche Stufe gilt, wenn ich nichts setze?', ['Die Stufe ist hoch.', 'Die Stufe ist laut Vorgabe 2.'], 'de'],
    ['Jaka jest domyślna długość kolejki?', ['Kolejka ma długość.', 'Kolejka ma długość, domyślnie 64.'], 'pl'],
    ['Какой размер по умолчанию?', ['Это размер файла.', 'Это размер, по умолчанию 4.'], 'ru'],
  ] as const)
    assert.equal(bestOf(question, [contents.join(' ')], language), contents[1]);
});

test('the number of a section is no part of the name of an entry', () => {
  const named = (heading: string): number => {
    const [chunk] = chunksOf(['It is 5 seconds.'], 'en');
    const { candidates } = scoredPassages('What is the mail check?', [{ ...chunk!, headingPath: [heading] }]);
    return candidates[0]!.features.headNamed;
  };
  assert.equal(named('3.163. mail check'), named('mail check'));
});

test('passages that follow one another are read as one, in their order', () => {
  const long = (first: string, more: string) => `${first}${` ${more}`.repeat(22)}.`;
  const sentences = [long('The pump is oiled', 'by masons'), long('In winter it is oiled', 'and painted')];
  const { passages } = extractPassages('When is the pump oiled?', chunksOf([sentences.join(' ')], 'en'));
  assert.deepEqual(
    passages.map(({ text }) => text),
    [sentences.join(' ')],
  );
  const middle = long('Then the pump is painted', 'and dried');
  const three = [long('The pump is oiled', 'by masons'), middle, long('The pump is oiled twice', 'by smiths')].join(
    ' ',
  );
  const between = extractPassages('When is the pump oiled?', chunksOf([three], 'en')).passages;
  assert.deepEqual(
    between.map(({ text }) => text),
    [three],
  );
  const apart = extractPassages('When is the pump oiled?', chunksOf(sentences, 'en')).passages;
  assert.ok(apart.every(({ quoted }) => quoted.length === 1));
});

test('a polite ending of a Korean question is no topic', () => {
  const termsOf = (question: string): string[] => [...readQuestion(question, 'ko').terms];
  assert.deepEqual(termsOf('비밀번호는 무엇인가요?'), termsOf('비밀번호는 무엇인가?'));
  assert.deepEqual(termsOf('언제 시작되었나요?'), termsOf('언제 시작되었는가?'));
});

test('below a title with the name that is asked for, a passage need not repeat the name, and the title alone is no evidence', () => {
  const rooms = 'The rooms are dry. There is a yard.';
  const notice = 'The notice is three months.';
  const lease = ['Between the owner and the old bakery Baker of Leeds.', rooms, notice, 'The rent is 900.'];
  const chunk = (content: string, title: string) => ({ ...chunksOf([content], 'en')[0]!, headingPath: [title] });
  const asked = 'Which notice does the old bakery Baker of Leeds have?';
  const named = chunk(lease.join(' '), 'Lease of the old bakery Baker of Leeds');
  const { candidates } = scoredPassages(asked, [named]);
  assert.equal(candidates.toSorted((a, b) => b.score - a.score)[0]!.text, notice);
  const oven = extractPassages('Which oven does the bakery Baker have?', [
    chunk('The rent is 900.', named.headingPath[0]!),
  ]);
  assert.ok(oven.logOdds < ANSWER_LOG_ODDS_MIN);
});
