/**
 * Makes V8 optimize only the functions of the embedded database that run very long. `scripts/run-tests.ts` loads this module into every
 * process of a test run: most tests end before optimized code pays for its compilation, which takes a third of the processor time of the
 * run. Tests of searches run so long that without any optimized code they take half as long again.
 */
import { setFlagsFromString } from 'node:v8';

for (const flag of ['--wasm-tiering-budget=1000000000', '--wasm-lazy-validation']) setFlagsFromString(flag);
