/** A thread for tests of schedules: it sleeps as many milliseconds as the rule says, and computes nothing. */
import { readlinkSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { RuleAnswer, RuleQuestion } from '../../src/jobs/schedules.ts';

parentPort!.on('message', ({ id, rule }: RuleQuestion) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(rule));
  parentPort!.postMessage({ id, times: [] } satisfies RuleAnswer);
});
parentPort!.postMessage({ id: 0, folder: `/proc/${readlinkSync('/proc/thread-self')}` } satisfies RuleAnswer);
