import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentsDe } from './agents-de.ts';
import { controlDe } from './control-de.ts';
import { de } from './de.ts';
import { serviceTextsDe } from './said-de.ts';
import { tablesDe } from './tables-de.ts';

/** Words that were used beside those of the catalogue for the same thing: a reader takes them for another thing. */
const OTHER_WORDS =
  /Quellen?gruppe|Konnektor|Gespräch|Subjekt|Abschnitt|Passage|scheiter|Sprachmodell|\bBelege?n?\b|(?<!Branches oder |eines )\bTags\b/i;
/** “Geprüft” says that somebody looked. A citation that is not verified was looked at, too. */
const CHECKED = /\bnicht geprüft|\bungeprüft/i;

describe('the German words', () => {
  test('one thing has one German word', () => {
    const texts = Object.entries({ ...de, ...controlDe, ...agentsDe, ...tablesDe, ...serviceTextsDe }).flatMap(
      ([key, entry]) => (typeof entry === 'string' ? [entry] : [entry.one, entry.other]).map((text) => [key, text]),
    );
    assert.ok(texts.length > 1_000, `${texts.length} texts`);
    assert.deepEqual(
      texts.filter(([, text]) => OTHER_WORDS.test(text!) || CHECKED.test(text!)),
      [],
    );
  });
});
