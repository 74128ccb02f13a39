/**
 * Changes one fact in sentences of real passages and counts how many altered sentences are verified. Counts also how many unchanged
 * sentences, and sentences that differ only in order and asides, are verified.
 *
 *     npm run bench:altered -- [--passages 120] [--show] [set …]
 *
 * Exits with 1 when an altered sentence is verified. `--show` prints these sentences, and the unchanged ones that are not verified.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { citeAnswer } from '../src/answers/grounding/citations.ts';
import { splitUnits } from '../src/text/sentences.ts';
import { alterationsOf, FACTS, type Fact } from '../test/support/passages/alterations.ts';
import { ALTERED_PASSAGES, changesOf } from '../test/support/passages/altered-passages.ts';
import { faithfulOf, widerAlterationsOf } from '../test/support/passages/wider-alterations.ts';

const DATA = new URL('../../shared/data/retrieval/', import.meta.url);
const SETS: Readonly<Record<string, string>> = {
  'xquad-en': 'en',
  'xquad-de': 'de',
  'xquad-zh': 'zh',
  'xquad-th': 'th',
  'jsquad-valid': 'ja',
  'korquad1-dev': 'ko',
  'drcd-dev': 'zh',
  scifact: 'en',
};
const HANDWRITTEN = 'handwritten';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { passages: { type: 'string', default: '120' }, show: { type: 'boolean', default: false } },
});

interface Count {
  all: number;
  verified: number;
}
type Counts = Record<Fact | 'unchanged' | 'reworded', Count>;

const newCounts = (): Counts =>
  Object.fromEntries([...FACTS, 'unchanged', 'reworded'].map((what) => [what, { all: 0, verified: 0 }])) as Counts;

function isVerified(sentence: string, content: string, language: string): boolean {
  const marker = { numbers: [1], at: [...sentence].length, start: 0 };
  return citeAnswer(sentence, [marker], [{ number: 1, content, language }]).citations[0]?.verified === true;
}

/** Counts the sentence, and prints it when the verdict is wrong. */
function count(counts: Counts, what: keyof Counts, sentence: string, content: string, language: string): void {
  const verified = isVerified(sentence, content, language);
  counts[what].all++;
  if (verified) counts[what].verified++;
  const isFaithful = what === 'unchanged' || what === 'reworded';
  if (values.show && verified !== isFaithful) console.log(`  ${what}, ${verified ? '' : 'not '}verified: ${sentence}`);
}

function countSet(set: string, language: string): Counts {
  const counts = newCounts();
  const lines = readFileSync(new URL(`${set}/corpus.jsonl`, DATA), 'utf8')
    .trim()
    .split('\n');
  const step = Math.max(1, Math.floor(lines.length / Number(values.passages)));
  for (const line of lines.filter((_, i) => i % step === 0)) {
    const { text } = JSON.parse(line) as { text: string };
    for (const unit of splitUnits(text)) {
      const sentence = text.slice(unit.start, unit.end);
      if ([...sentence].length > 290) continue; // longer than a quote
      count(counts, 'unchanged', sentence, text, language);
      for (const reworded of faithfulOf(sentence)) count(counts, 'reworded', reworded, text, language);
      for (const alteration of [
        ...alterationsOf(sentence, language, text),
        ...widerAlterationsOf(sentence, language, text),
      ])
        count(counts, alteration.fact, alteration.text, text, language);
    }
  }
  return counts;
}

function countHandwritten(): Counts {
  const counts = newCounts();
  for (const [language, { passage, faithful }] of Object.entries(ALTERED_PASSAGES)) {
    for (const { start, end } of splitUnits(passage))
      count(counts, 'unchanged', passage.slice(start, end), passage, language);
    for (const sentence of faithful) count(counts, 'reworded', sentence, passage, language);
    for (const { fact, text } of changesOf(language)) count(counts, fact, text, passage, language);
  }
  return counts;
}

const sets = [...Object.keys(SETS), HANDWRITTEN].filter((set) => positionals.length === 0 || positionals.includes(set));
const results = sets.map((set) => ({
  set,
  counts: set === HANDWRITTEN ? countHandwritten() : countSet(set, SETS[set]!),
}));
const total = newCounts();
for (const { counts } of results)
  for (const what of Object.keys(total) as (keyof Counts)[]) {
    total[what].all += counts[what].all;
    total[what].verified += counts[what].verified;
  }

const share = ({ all, verified }: Count): string => `${verified}/${all}`;
const altered = (counts: Counts): Count => ({
  all: FACTS.reduce((sum, fact) => sum + counts[fact].all, 0),
  verified: FACTS.reduce((sum, fact) => sum + counts[fact].verified, 0),
});
console.log('set            unchanged verified  reworded verified  altered verified');
for (const { set, counts } of [...results, { set: 'all', counts: total }])
  console.log(
    `${set.padEnd(14)} ${share(counts.unchanged).padStart(18)} ${share(counts.reworded).padStart(18)} ${share(altered(counts)).padStart(17)}`,
  );
console.log('\nverified of altered, by what was changed');
for (const fact of FACTS) console.log(`${fact.padEnd(14)} ${share(total[fact]).padStart(18)}`);
process.exitCode = altered(total).verified > 0 ? 1 : 0;
