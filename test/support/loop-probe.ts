/**
 * Loaded into a service under test with `--import`: writes the long turns of its event loop to the file PROBE_FILE.
 *
 * A turn is measured in processor time of the API's thread, so that a busy machine does not make a turn long.
 */
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const TICK_MS = 5;
/** Shorter turns are not written. */
const NOTED_MS_MIN = 20;

const file = process.env['PROBE_FILE'];
if (isMainThread && file !== undefined) {
  // Child processes of the service have other threads.
  delete process.env['PROBE_FILE'];
  appendFileSync(file, 'started\n');
  let before = process.threadCpuUsage();
  setInterval(() => {
    const now = process.threadCpuUsage();
    const ms = (now.user - before.user + now.system - before.system) / 1000;
    before = now;
    if (ms >= NOTED_MS_MIN) appendFileSync(file, `${Math.round(ms)}\n`);
  }, TICK_MS).unref();
}
