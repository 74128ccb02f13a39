/**
 * The SQL of filters against the reference evaluator, on many random filters over random corpora: the test of the suite, longer.
 *
 *     npm run check:filters -- [--count 10000] [--seed 1]
 *
 * Ends with 1 at the first difference, which names filter and seed.
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
