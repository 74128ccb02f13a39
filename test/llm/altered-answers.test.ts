/** Checks that sentences with an altered number, name, unit or negation are not verified, and that reworded sentences are. `npm run bench:altered` checks many more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { citeAnswer } from '../../src/answers/grounding/citations.ts';
import { splitUnits } from '../../src/text/sentences.ts';
import { alterationsOf, FACTS, type Fact } from '../support/passages/alterations.ts';
import { ALTERED_PASSAGES, changesOf } from '../support/passages/altered-passages.ts';
import { widerAlterationsOf } from '../support/passages/wider-alterations.ts';

async function isVerified(sentence: string, content: string, language: string): Promise<boolean> {
  const marker = { numbers: [1], at: [...sentence].length, start: 0 };
  const { citations } = await citeAnswer(sentence, [marker], [{ number: 1, content, language }]);
  return citations[0]!.verified;
}

/** The kinds of facts that rules check. */
const CHECKED: readonly Fact[] = ['number', 'number word', 'digits', 'name', 'unit', 'negation'];
const isChecked = ({ fact }: { fact: Fact }): boolean => CHECKED.includes(fact);

for (const [language, { passage, faithful }] of Object.entries(ALTERED_PASSAGES)) {
  test(`sentences with an altered number, name, unit or negation are not verified, and faithful ones are: ${language}`, async () => {
    for (const { start, end } of splitUnits(passage)) {
      const sentence = passage.slice(start, end);
      assert.equal(await isVerified(sentence, passage, language), true, sentence);
      for (const { fact, text } of [
        ...alterationsOf(sentence, language, passage),
        ...widerAlterationsOf(sentence, language, passage),
      ].filter(isChecked))
        assert.equal(await isVerified(text, passage, language), false, `${fact}: ${text}`);
    }
    for (const { fact, text } of changesOf(language).filter(isChecked))
      assert.equal(await isVerified(text, passage, language), false, `${fact}: ${text}`);
    for (const sentence of faithful) assert.equal(await isVerified(sentence, passage, language), true, sentence);
  });
}

test('the handwritten changes cover every kind of fact', () => {
  const changed = new Set(
    Object.keys(ALTERED_PASSAGES).flatMap((language) => changesOf(language).map(({ fact }) => fact)),
  );
  assert.deepEqual(
    FACTS.filter((fact) => !changed.has(fact)),
    ['number'], // numbers are altered in every sentence by a rule
  );
});
