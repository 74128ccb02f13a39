/** Detectors on the corpus: what they have to find, and to leave alone. The table: npm run bench:redaction. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ENTITIES } from '../../src/policy/detectors/entities.ts';
import { rates, readCorpus, redactorOf, scoreOf } from '../support/redaction-corpus.ts';

const PRECISION_MIN = 0.97;
const RECALL_MIN = 0.95;
const LINES_MIN = 30;

for (const entity of ENTITIES) {
  test(`${entity}: precision and recall, in every locale`, () => {
    const scores = scoreOf(entity);
    for (const score of scores) {
      const { precision, recall } = rates([score]);
      const what = `${entity} ${score.locale}\n${score.failures.join('\n')}`;
      assert.ok(score.positives >= LINES_MIN && score.nearMisses >= LINES_MIN, `too few lines: ${what}`);
      assert.ok(precision >= PRECISION_MIN, `precision ${precision}: ${what}`);
      assert.ok(recall >= RECALL_MIN, `recall ${recall}: ${what}`);
    }
  });
}

test('with all detectors at once, nothing that is to be found stays readable', () => {
  const redactor = redactorOf(ENTITIES);
  for (const entity of ENTITIES) {
    for (const { text, find } of readCorpus(entity)) {
      const redacted = redactor.redact(text, 'output').text;
      for (const one of find) assert.ok(!redacted.includes(one), `${entity}: ${redacted}`);
    }
  }
});

describe('values that are not hidden by how they are written', () => {
  const redactor = redactorOf(ENTITIES);
  const cases: [what: string, text: string, redacted: string][] = [
    ['full-width digits and signs', 'card ４１１１－１１１１－１１１１－１１１１.', 'card [CREDIT_CARD].'],
    ['Arabic digits', 'card ٤١١١ ١١١١ ١١١١ ١١١١', 'card [CREDIT_CARD]'],
    ['mathematical digits', 'card 𝟒𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏', 'card [CREDIT_CARD]'],
    ['circled digits', 'SSN ①②③-④⑤-⑥⑦⑧⑨', 'SSN [US_SSN]'],
    ['zero-width characters everywhere', [...'jane@example.com'].join('\u200b\u2060\u200d'), '[EMAIL]'],
    ['direction marks', 'jane\u202e@exam\u202cple.com', '[EMAIL]'],
    ['soft hyphens', 'DE89\u00ad3704\u00ad0044\u00ad0532\u00ad0130\u00ad00', '[IBAN]'],
    ['non-breaking and narrow blanks', 'DE89\u00a03704\u202f0044\u20090532\u30000130\u00a000', '[IBAN]'],
    ['dashes of all kinds', '4111‐1111–1111−1111', '[CREDIT_CARD]'],
    ['full-width letters', 'ｊａｎｅ＠ｅｘａｍｐｌｅ．ｃｏｍ', '[EMAIL]'],
    ['a variation selector', '4111 1111 11\ufe0f11 1111', '[CREDIT_CARD]'],
    ['tag characters', 'jane@example\u{e0041}.com', '[EMAIL]'],
  ];
  for (const [what, text, redacted] of cases)
    test(what, () => assert.equal(redactor.redact(text, 'output').text, redacted));
});
