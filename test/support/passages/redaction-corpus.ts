/** Reads the labelled texts of test/redaction/corpus and scores the detectors of redaction on them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entity } from '../../../src/redaction/detectors/entities.ts';
import { compileRedactor } from '../../../src/redaction/redact.ts';
import type { RedactionRule } from '../../../src/redaction/redaction-policy.ts';

export interface CorpusLine {
  locale: string;
  text: string;
  /** The exact texts that the detector must find. Empty for a near miss: a text that only looks like a match. */
  find: string[];
}

/** A mark inside the keys of the corpus, so that a scanner of repositories does not report them as real keys. */
const BREAK = /¦/g;

/** Returns the labelled texts of an entity, without the marks. */
export function readCorpus(entity: Entity): CorpusLine[] {
  const file = join(import.meta.dirname, '../../redaction/corpus', `${entity}.jsonl`);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line.replaceAll(BREAK, '')));
}

/** Returns a redactor that masks these entities in output. */
export function redactorOf(entities: readonly Entity[]) {
  const rule: RedactionRule = {
    name: 'all',
    kind: 'entity',
    entities: [...entities],
    action: 'mask',
    apply_at: ['output'],
  };
  return compileRedactor({ version: 1, enabled: true, rules: [rule] }, new Uint8Array(32));
}

export interface Score {
  locale: string;
  positives: number;
  nearMisses: number;
  found: number;
  missed: number;
  wrong: number;
  /** A line for each text with a missed or wrong match. */
  failures: string[];
}

/** Returns the scores by locale. A match counts as found only if its text is exactly an expected text. */
export async function scoreOf(entity: Entity): Promise<Score[]> {
  const redactor = redactorOf([entity]);
  const scores = new Map<string, Score>();
  for (const { locale, text, find } of readCorpus(entity)) {
    const score = scores.get(locale) ?? {
      locale,
      positives: 0,
      nearMisses: 0,
      found: 0,
      missed: 0,
      wrong: 0,
      failures: [],
    };
    scores.set(locale, score);
    const points = [...text];
    const redacted = await redactor.redact(text, 'output');
    const matches = redacted.matches.map(({ start, end }) => points.slice(start, end).join(''));
    const missed = find.filter((one) => !matches.includes(one));
    const wrong = matches.filter((one) => !find.includes(one));
    if (find.length > 0) score.positives++;
    else score.nearMisses++;
    score.found += find.length - missed.length;
    score.missed += missed.length;
    score.wrong += wrong.length;
    if (missed.length + wrong.length > 0)
      score.failures.push(`${JSON.stringify(text)} missed ${JSON.stringify(missed)} wrong ${JSON.stringify(wrong)}`);
  }
  return [...scores.values()];
}

/** Returns precision and recall over all locales. */
export function rates(scores: readonly Score[]): { precision: number; recall: number } {
  const sum = (of: 'found' | 'missed' | 'wrong') => scores.reduce((total, score) => total + score[of], 0);
  return {
    precision: sum('found') / (sum('found') + sum('wrong')),
    recall: sum('found') / (sum('found') + sum('missed')),
  };
}
