/**
 * Makes V8 compile the embedded database with its baseline compiler only. `scripts/run-tests.ts` loads this module into every process
 * of a test run: a test ends before the optimized code pays for its compilation, which takes a third of the processor time of the run.
 */
import { setFlagsFromString } from 'node:v8';

for (const flag of ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--wasm-lazy-validation'])
  setFlagsFromString(flag);
