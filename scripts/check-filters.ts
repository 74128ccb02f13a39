/**
 * Compares the SQL of filters with the reference evaluator, for many random filters on random corpora. This is a longer run of a test.
 *
 *     npm run check:filters -- [--count 10000] [--seed 1]
 *
 * The script stops at the first difference with exit code 1, and prints the filter and the seed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const TEST = join(import.meta.dirname, '..', 'test', 'retrieval', 'filters.test.ts');

const { values } = parseArgs({
  options: { count: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
});
for (const [name, value] of Object.entries(values))
  if (!/^[1-9]\d{0,6}$/.test(value)) throw new Error(`--${name} must be a whole number, not ${value}`);

const child = spawn(process.execPath, ['--test', '--test-name-pattern', 'random filters', TEST], {
  stdio: 'inherit',
  env: { ...process.env, PINAKES_TEST_FILTERS: values.count, PINAKES_TEST_SEED: values.seed },
});
const [code] = (await once(child, 'close')) as [number | null];
process.exitCode = code ?? 1;
