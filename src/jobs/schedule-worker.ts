/** The worker thread that evaluates recurrence rules for schedules.ts. */
import { parentPort } from 'node:worker_threads';
import { folderOfThread } from '../util/work/work-time.ts';
import { checkRule, nextOccurrences, RuleProblem } from './schedule.ts';
import type { RuleAnswer, RuleQuestion } from './schedules.ts';

const port = parentPort;
if (!port) throw new Error('recurrence rules are evaluated in a worker thread only');

port.on('message', ({ id, rule, anchor, after, count, check }: RuleQuestion) => {
  const answer = (rest: Omit<RuleAnswer, 'id'>): void => port.postMessage({ id, ...rest });
  try {
    answer({ times: check ? checkRule(rule, anchor, after, count) : nextOccurrences(rule, anchor, after, count) });
  } catch (error) {
    if (!(error instanceof RuleProblem)) throw error;
    answer({ problem: error.message });
  }
});
port.postMessage({ id: 0, folder: folderOfThread() } satisfies RuleAnswer);
