/** Answers in which one fact of a passage was changed are never verified, reworded ones are. The long form: npm run bench:altered */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { citeAnswer } from '../../src/answers/grounding/citations.ts';
import { splitUnits } from '../../src/text/sentences.ts';
import { alterationsOf, FACTS } from '../support/passages/alterations.ts';
import { ALTERED_PASSAGES, changesOf } from '../support/passages/altered-passages.ts';
import { widerAlterationsOf } from '../support/passages/wider-alterations.ts';

function isVerified(sentence: string, content: string, language: string): boolean {
  const marker = { numbers: [1], at: [...sentence].length, start: 0 };
  return citeAnswer(sentence, [marker], [{ number: 1, content, language }]).citations[0]!.verified;
}

for (const [language, { passage, faithful }] of Object.entries(ALTERED_PASSAGES)) {
  test(`in ${language}`, () => {
    for (const { start, end } of splitUnits(passage)) {
      const sentence = passage.slice(start, end);
      assert.equal(isVerified(sentence, passage, language), true, sentence);
      for (const { fact, text } of [
        ...alterationsOf(sentence, language, passage),
        ...widerAlterationsOf(sentence, language, passage),
      ])
        assert.equal(isVerified(text, passage, language), false, `${fact}: ${text}`);
    }
    for (const { fact, text } of changesOf(language))
      assert.equal(isVerified(text, passage, language), false, `${fact}: ${text}`);
    for (const sentence of faithful) assert.equal(isVerified(sentence, passage, language), true, sentence);
  });
}

test('every kind of change is among them', () => {
  const changed = new Set(
    Object.keys(ALTERED_PASSAGES).flatMap((language) => changesOf(language).map(({ fact }) => fact)),
  );
  assert.deepEqual(
    FACTS.filter((fact) => !changed.has(fact)),
    ['number'], // those are made from every sentence
  );
});
