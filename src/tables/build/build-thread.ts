/** The worker thread that builds one table for run-build.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { type BuildRequest, buildTable, TableProblem } from './build-table.ts';
import type { BuildAnswer } from './run-build.ts';

const port = parentPort;
if (!port) throw new Error('tables are built in a worker thread only');

try {
  port.postMessage({ table: buildTable(workerData as BuildRequest) } satisfies BuildAnswer);
} catch (error) {
  if (!(error instanceof TableProblem)) throw error;
  port.postMessage({ problem: error.message } satisfies BuildAnswer);
}
