import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimOf } from './claims.ts';
import { evidenceOf, findSupport } from './verify.ts';

const supports = (sentence: string, content: string, language = 'en') =>
  findSupport([claimOf(sentence, language)], evidenceOf(content, language));

test('a clause is compared with the clause that says the most of it and no more', () => {
  const differs = (sentence: string, content: string, language: string) => {
    assert.equal(supports(sentence, content, language).reason, 'The passage and the sentence differ in a negation.');
  };
  // The negation itself makes no clause alike.
  const ja = '最大都市は首都のブラザヴィル（人口189万人、2015年）である。人口10万人を超える都市は存在しない。';
  differs('最大都市は首都のブラザヴィル（人口189万人、2015年）ではない。', ja, 'ja');
  const zh = '作者为使徒还是兄弟，又或两者都是，或两者都不是。';
  differs('作者为使徒还是兄弟，又或两者都是，或两者都是。', zh, 'zh');
  const ko =
    '후보측은 검찰 발표가 판세에 별다른 영향을 주지 않았다고 주장하며 조사를 종합했다. "압승할 것입니다."라고 주장했다.';
  differs('라고 주장하지 않았다.', ko, 'ko');
  // A long clause that has all words of the claim is more alike than a short one that has some.
  const server =
    'For reasons of privacy the server does not store any passwords of customers in its central database, but the server stores hashes.';
  differs('The server stores passwords.', server, 'en');
});

test('a line wrap does not separate a negation from what it negates', () => {
  const passage =
    'These short descriptions of the packages in the archive do\nnot capitalize their first word, and end without a period.';
  const claims = ['do not capitalize their first word', 'do capitalize their first word'];
  assert.deepEqual(
    claims.map((words) => supports(`The short descriptions of packages in the archive ${words}.`, passage).verified),
    [true, false],
  );
  const ja = '社員は年間25日の有給休暇を取得できます。未使用の休暇は翌年に繰り越せま\nせん。';
  const japanese = ['未使用の休暇は翌年に繰り越せません。', '未使用の休暇は翌年に繰り越せます。'];
  assert.deepEqual(
    japanese.map((claim) => supports(claim, ja, 'ja').verified),
    [true, false],
  );
  // A sentence may be copied with its wrap.
  const wrapped = 'These fields of the configuration can be set only if the\nrecompute flag is not set';
  assert.equal(supports(wrapped, `${wrapped}. The flag is set by default.`).verified, true);
});

test('each line of code and of a record is a clause', () => {
  const code = '```\nDEBUG=false\nCACHE=no\nLOG=yes\nPORT=80\n```';
  const record = 'Colour: red\nStreaming: not supported\nBatch mode: supported\nSize: 5 MB';
  const verdicts = (passage: string, sentences: string[]) => sentences.map((one) => supports(one, passage).verified);
  assert.deepEqual(verdicts(code, ['PORT=80', 'The variable PORT is 80.', 'PORT is not 80.', 'LOG is not yes.']), [
    ...[true, true, false, false],
  ]);
  const lines = ['Batch mode: supported', 'Streaming: not supported', 'Batch mode is not supported.'];
  assert.deepEqual(verdicts(record, lines), [true, true, false]);
});

test('a clause that is only a negation does not negate the next clause', () => {
  const ja = '返金：なし、買い手が送料を負担します。';
  assert.equal(supports('買い手が送料を負担します', ja, 'ja').verified, true);
  assert.equal(supports('買い手が送料を負担しません', ja, 'ja').verified, false);
  assert.equal(supports('运费由买家承担', '退款：无，运费由买家承担。', 'zh').verified, true);
});

test('a number of another sentence is refused where the sentence that is most like the claim has another one', () => {
  const passage =
    'Monkeys were treated with the drug once daily for seven weeks. Samples followed after 2, 4 and 8 weeks.';
  const claim = (weeks: string) => `Monkeys were treated with the drug once daily for ${weeks} weeks.`;
  assert.equal(supports(claim('7'), passage).verified, true);
  assert.equal(supports(claim('eight'), passage).reason, 'Only another sentence of the passage has the number eight.');
  assert.equal(supports(claim('9 of 8'), passage).reason, 'The passage lacks the number 9.');
  const bridge = 'The bridge is 412 metres long and spans the river. Its cable has 412 feet.';
  assert.equal(supports('The bridge is 412 feet long and spans the river.', bridge).verified, false);
  // A sentence with as many words of the claim says nothing against it.
  const cable = 'The bridge is 412 feet long and spans the river. Its cable of the bridge has 412 metres.';
  assert.equal(supports('The bridge is 412 feet long.', cable).verified, true);
  // A sentence with up to three times as many words says nothing against another number: the claim may join two sentences.
  const verified = (who: string) =>
    supports(`${who} took the drug for 8 weeks.`, `${who} took the drug for 7 weeks. Samples followed after 8 weeks.`)
      .verified;
  assert.deepEqual([verified('Healthy monkeys'), verified('Healthy young male monkeys')], [true, false]);
});

test('a negation among stop words alone counts', () => {
  const passage = 'The machine makes some steps before it halts and outputs the answer ("yes" or "no").';
  assert.equal(supports(passage.replace('outputs', 'gives'), passage).verified, true);
  assert.equal(supports(passage.replace('"no"', '"a"'), passage).isRefuted, true);
});

test('a sign is a unit whatever word follows', () => {
  const passage = 'Healthy young brown male monkeys lost 5% weight in the cold dark winter months. Others lost 7% fat.';
  const claim = (part: string) => `Healthy young brown male monkeys lost ${part} in the cold dark winter months.`;
  assert.equal(supports(claim('5% weight'), passage).verified, true);
  assert.equal(supports(claim('7% fat'), passage).reason, 'Only another sentence of the passage has the number 7%.');
});

test('a sentence may join the numbers of two sentences of the passage', () => {
  const passage =
    'Healthy monkeys were treated with the new drug once daily in the morning for seven weeks. The pause had 8 weeks.';
  for (const claim of [
    'Healthy monkeys were treated with the new drug once daily in the morning for seven weeks, and the pause had 8 weeks.',
    'Healthy monkeys were treated with the drug, and the pause had 8 weeks.',
  ])
    assert.equal(supports(claim, passage).verified, true, claim);
});

test('the mark of a note says nothing against a number of the next sentence', () => {
  const bridge = 'The bridge over the river Elbe in the old harbour district of Hamburg carries trains';
  const passage = `${bridge}, buses and pedestrians [7]. It opened in 1990.`;
  assert.equal(supports(`${bridge} and opened in 1990.`, passage).reason, null);
});

test('a number that a sentence has twice with one unit is needed twice with this unit', () => {
  const passage = 'Patients of 60 years were followed up for 3-60 months.';
  assert.equal(supports(passage, passage).verified, true);
  assert.equal(
    supports(passage.replace('60 years', '60 months'), passage).reason,
    'The passage lacks the number 60 months (2×).',
  );
  assert.equal(supports('43 people (43) came.', '43 people (43%) came.').verified, false);
});

test('a word behind a bracket may be a name', () => {
  const passage = 'The Sequential [Sepsis-related] Organ Assessment is short.';
  assert.equal(supports(passage, passage).verified, true);
  assert.equal(
    supports(passage.replace('Organ', 'Disorders'), passage).reason,
    'The passage lacks the name Disorders.',
  );
});

test('the first word behind a bracket that begins a sentence is no name', () => {
  const passage = 'Note: after the update, restart the server.';
  for (const mark of ['- [ ]', '- [x]', '[Note]', '**[Note]**', '[...]'])
    assert.equal(supports(`${mark} Restart the server after the update.`, passage).reason, null, mark);
});
