/** Tells whether rules find values of a table by its header only. */
import type { ApplyAt, Redactor } from './redact.ts';

/** Values that detectors find only beside a word: those of all entities in NEEDS_WORDS. */
const PROBES = [
  '1982-07-19',
  '536904399',
  '111222333',
  '02079460123',
  '2125550123',
  '123456789018',
  '9001011234567',
  'q8Zr5TfW2mKx9LbV7nHd',
];

/** Returns whether a rule of the steps finds values below one of the headers that it would not find alone. A header is a row with bars. */
export async function areTellingHeaders(
  redactor: Redactor,
  headers: readonly string[],
  steps: readonly ApplyAt[],
  signal: AbortSignal,
): Promise<boolean> {
  if (headers.length === 0) return false;
  for (const step of steps.filter((one) => redactor.appliesAt(one))) {
    for (const probe of PROBES) {
      const alone = await countMatches(redactor, `| ${probe} |`, step, signal);
      for (const header of headers) {
        const columns = header.split('|').length;
        const row = `|${` ${probe} |`.repeat(columns)}`;
        if ((await countMatches(redactor, row, step, signal, header)) > alone * columns) return true;
      }
    }
  }
  return false;
}

async function countMatches(
  redactor: Redactor,
  row: string,
  step: ApplyAt,
  signal: AbortSignal,
  header?: string,
): Promise<number> {
  const { matches, blocked } = await redactor.redact(row, step, signal, header);
  return blocked ? Number.POSITIVE_INFINITY : matches.length;
}
