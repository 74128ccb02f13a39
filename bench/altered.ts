/**
 * Changes one fact in sentences of real passages and counts how many altered sentences are verified by rules. Counts also how many
 * unchanged sentences, and sentences that differ only in order and asides, are verified.
 *
 *     npm run bench:altered -- [--each 2000] [--seed 1] [--show] [set …]
 *
 * Takes passages in random order until each of number, name, unit and negation was altered `--each` times, or no passage is left.
 * Exits with 1 when one of these is verified. The other kinds are reported: rules do not look for them. `--show` prints these
 * sentences, and the unchanged ones that are not verified.
 */
import { readFileSync } from 'node:fs';
import { claimOf } from '../src/answers/grounding/claims.ts';
import { type Evidence, evidenceOf, findSupport } from '../src/answers/grounding/verify.ts';
import { splitUnits } from '../src/text/sentences.ts';
import { type Alteration, alterationsOf, FACTS, type Fact } from '../test/support/passages/alterations.ts';
import { ALTERED_PASSAGES, changesOf } from '../test/support/passages/altered-passages.ts';
import { faithfulOf, namesIn, widerAlterationsOf } from '../test/support/passages/wider-alterations.ts';
import { readOptions } from './support/options.ts';

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
/** The kinds that rules check. None of these may be verified. */
const CHECKED: Readonly<Partial<Record<Fact, string>>> = {
  ...{ number: 'number', 'number word': 'number', digits: 'number' },
  ...{ name: 'name', unit: 'unit', negation: 'negation' },
};
/** A longer sentence does not fit in a quote. */
const SENTENCE_CODE_POINTS_MAX = 290;

const { values, positionals } = readOptions(import.meta.filename, {
  allowPositionals: true,
  options: {
    each: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    show: { type: 'boolean', default: false },
  },
});
const each = Number(values.each);

interface Count {
  all: number;
  verified: number;
}
type Kind = Fact | 'unchanged' | 'reworded';
type Counts = Record<Kind, Count>;

const newCounts = (): Counts =>
  Object.fromEntries([...FACTS, 'unchanged', 'reworded'].map((what) => [what, { all: 0, verified: 0 }])) as Counts;

/** Returns random numbers from 0 to below 1, the same for the same seed (mulberry32). */
function openRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = openRandom(Number(values.seed));
const total = newCounts();

/** Counts the sentence, and prints it when the verdict is wrong. */
function count(counts: Counts, what: Kind, sentence: string, evidence: Evidence): void {
  const isChecked = CHECKED[what as Fact] !== undefined;
  if (isChecked && isFull(what as Fact)) return;
  const { verified, reason } = findSupport([claimOf(sentence, evidence.language)], evidence);
  for (const one of [counts, total]) {
    one[what].all++;
    if (verified) one[what].verified++;
  }
  const isFaithful = what === 'unchanged' || what === 'reworded';
  if (values.show && (isChecked || isFaithful) && verified !== isFaithful)
    console.log(`  ${what}, ${verified ? 'verified' : reason}: ${sentence}`);
}

function countOf(counts: Counts, kind: string): Count {
  const facts = FACTS.filter((fact) => (CHECKED[fact] ?? fact) === kind);
  return {
    all: facts.reduce((sum, fact) => sum + counts[fact].all, 0),
    verified: facts.reduce((sum, fact) => sum + counts[fact].verified, 0),
  };
}

const CHECKED_KINDS = [...new Set(Object.values(CHECKED))];
const isFull = (fact: Fact): boolean => countOf(total, CHECKED[fact]!).all >= each;

/** Replaces one name of the sentence by a name of another passage. */
function renamed(sentence: string, language: string, source: string, others: readonly string[]): Alteration[] {
  return namesIn(sentence, language).flatMap(({ name, at }): Alteration[] => {
    const other = others[Math.floor(random() * others.length)]!;
    // Another form of a name of the passage is no other name.
    const start = other.toLowerCase().slice(0, /^[\p{sc=Han}\p{sc=Hang}]/u.test(other) ? 2 : 5);
    const isOther = !source.toLowerCase().includes(start) && !other.includes(name);
    return isOther ? [{ fact: 'name', text: sentence.slice(0, at) + other + sentence.slice(at + name.length) }] : [];
  });
}

function countPassage(counts: Counts, text: string, language: string, names: readonly string[]): void {
  const evidence = evidenceOf(text, language);
  for (const unit of splitUnits(text)) {
    const sentence = text.slice(unit.start, unit.end);
    if ([...sentence].length > SENTENCE_CODE_POINTS_MAX) continue;
    count(counts, 'unchanged', sentence, evidence);
    for (const reworded of faithfulOf(sentence)) count(counts, 'reworded', reworded, evidence);
    for (const alteration of [
      ...alterationsOf(sentence, language, text),
      ...widerAlterationsOf(sentence, language, text),
      ...renamed(sentence, language, text, names),
    ])
      count(counts, alteration.fact, alteration.text, evidence);
  }
}

function countHandwritten(counts: Counts): void {
  for (const [language, { passage, faithful }] of Object.entries(ALTERED_PASSAGES)) {
    const evidence = evidenceOf(passage, language);
    for (const { start, end } of splitUnits(passage)) count(counts, 'unchanged', passage.slice(start, end), evidence);
    for (const sentence of faithful) count(counts, 'reworded', sentence, evidence);
    for (const { fact, text } of changesOf(language)) count(counts, fact, text, evidence);
  }
}

function readPassages(set: string): { texts: string[]; names: string[] } {
  const lines = readFileSync(new URL(`${set}/corpus.jsonl`, DATA), 'utf8')
    .trim()
    .split('\n');
  const texts = lines.map((line) => (JSON.parse(line) as { text: string }).text);
  // A word that is written small elsewhere is no name: "Use" in the title of a report.
  const words = new Set(texts.flatMap((text) => text.match(/[\p{L}\p{M}]+/gu) ?? []));
  const found = new Set(texts.flatMap((text) => namesIn(text, SETS[set]!).map(({ name }) => name)));
  const names = [...found].filter((name) => name === name.toLowerCase() || !words.has(name.toLowerCase()));
  const order = texts.map((text) => ({ text, place: random() })).toSorted((one, other) => one.place - other.place);
  return { texts: order.map(({ text }) => text), names };
}

const isChosen = (set: string): boolean => positionals.length === 0 || positionals.includes(set);
const results: { set: string; counts: Counts }[] = [];
if (isChosen(HANDWRITTEN)) {
  const counts = newCounts();
  countHandwritten(counts);
  results.push({ set: HANDWRITTEN, counts });
}
const sets = Object.keys(SETS)
  .filter(isChosen)
  .map((set) => ({ set, counts: newCounts(), ...readPassages(set) }));
// One passage of each set in turn, so that no set fills a kind alone.
const rounds = Math.max(0, ...sets.map(({ texts }) => texts.length));
const isDone = (): boolean => CHECKED_KINDS.every((kind) => countOf(total, kind).all >= each);
for (let round = 0; round < rounds && !isDone(); round++)
  for (const { set, counts, texts, names } of sets) {
    const text = texts[round];
    if (text !== undefined) countPassage(counts, text, SETS[set]!, names);
  }
results.push(...sets.map(({ set, counts }) => ({ set, counts })));

const share = ({ all, verified }: Count): string => `${verified}/${all}`;
const altered = (counts: Counts): Count => {
  const kinds = CHECKED_KINDS.map((kind) => countOf(counts, kind));
  return {
    all: kinds.reduce((sum, { all }) => sum + all, 0),
    verified: kinds.reduce((sum, { verified }) => sum + verified, 0),
  };
};
console.log(`seed ${values.seed}, passages of each set: ${sets.map(({ texts }) => texts.length).join(' ')}`);
console.log('verified of:      unchanged           reworded   altered number, name, unit, negation');
for (const { set, counts } of [...results, { set: 'all', counts: total }])
  console.log(
    `${set.padEnd(14)} ${share(counts.unchanged).padStart(12)} ${share(counts.reworded).padStart(18)} ${share(altered(counts)).padStart(18)}`,
  );
console.log('\nverified of altered, by what was changed');
for (const kind of CHECKED_KINDS) console.log(`${kind.padEnd(14)} ${share(countOf(total, kind)).padStart(14)}`);
console.log('not checked by rules:');
for (const fact of FACTS.filter((one) => CHECKED[one] === undefined))
  console.log(`${fact.padEnd(14)} ${share(total[fact]).padStart(14)}`);
process.exitCode = altered(total).verified > 0 ? 1 : 0;
