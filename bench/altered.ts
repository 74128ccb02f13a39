/**
 * Sentences of real passages with one number, name or negation changed: is any of them verified, and are those unchanged?
 *
 *     npm run bench:altered -- [--passages 120] [--show] [set …]
 *
 * Exit 1 when an altered sentence is verified. `--show` prints those and the unchanged ones that are not.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { citeAnswer } from '../src/features/completions/citations.ts';
import { splitUnits } from '../src/util/sentences.ts';
import { alterationsOf, type Fact } from '../test/support/alterations.ts';

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
const FACTS: readonly Fact[] = ['number', 'name', 'negation'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { passages: { type: 'string', default: '120' }, show: { type: 'boolean', default: false } },
});

function isVerified(sentence: string, content: string, language: string): boolean {
  const marker = { numbers: [1], at: [...sentence].length, start: 0 };
  return citeAnswer(sentence, [marker], [{ number: 1, content, language }]).citations[0]?.verified === true;
}

function show(what: string, text: string): void {
  if (values.show) console.log(`  ${what}: ${text}`);
}

let altered = 0;
console.log('set            unchanged verified   altered verified: number        name          negation');
for (const [set, language] of Object.entries(SETS)) {
  if (positionals.length > 0 && !positionals.includes(set)) continue;
  const lines = readFileSync(new URL(`${set}/corpus.jsonl`, DATA), 'utf8')
    .trim()
    .split('\n');
  const step = Math.max(1, Math.floor(lines.length / Number(values.passages)));
  const counts = Object.fromEntries(FACTS.map((fact) => [fact, { all: 0, verified: 0 }]));
  const unchanged = { all: 0, verified: 0 };
  for (const line of lines.filter((_, i) => i % step === 0)) {
    const { text } = JSON.parse(line) as { text: string };
    for (const unit of splitUnits(text)) {
      const sentence = text.slice(unit.start, unit.end);
      if ([...sentence].length > 290) continue; // longer than a quote
      unchanged.all++;
      if (isVerified(sentence, text, language)) unchanged.verified++;
      else show('unchanged, not verified', sentence);
      for (const alteration of alterationsOf(sentence, language, text)) {
        const count = counts[alteration.fact]!;
        count.all++;
        if (!isVerified(alteration.text, text, language)) continue;
        count.verified++;
        altered++;
        show(`${alteration.fact} altered, verified`, `${alteration.text}\n      from: ${sentence}`);
      }
    }
  }
  const share = ({ all, verified }: { all: number; verified: number }): string => `${verified}/${all}`.padStart(14);
  console.log(
    `${set.padEnd(14)} ${share(unchanged)} ${' '.repeat(16)}${FACTS.map((fact) => share(counts[fact]!)).join('')}`,
  );
}
process.exitCode = altered > 0 ? 1 : 0;
