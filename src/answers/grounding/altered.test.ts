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
});

test('a line wrap does not separate a negation from what it negates', () => {
  const passage =
    'These short descriptions of the packages in the archive do\nnot capitalize their first word, and end without a period.';
  const claims = ['do not capitalize their first word', 'do capitalize their first word'];
  assert.deepEqual(
    claims.map((words) => supports(`The short descriptions of packages in the archive ${words}.`, passage).verified),
    [true, false],
  );
});
