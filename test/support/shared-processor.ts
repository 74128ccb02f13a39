/** Parser processes that the services of a test run share: a service starts its own with the first file, which costs more than most tests. */
import type { Config } from '../../src/config.ts';
import type { FileProcessor } from '../../src/files/sandbox/file-processor.ts';
import { openProcessPool } from '../../src/files/sandbox/process-pool.ts';
import { openSandbox, sandboxSettings } from '../../src/files/sandbox/sandbox.ts';
import { openToolRunner } from '../../src/files/sandbox/tool-runner.ts';

/** The processes end this long after the last service that used them. The next test file may use them. */
const UNUSED_MS = 2_000;

let shared: FileProcessor | undefined;
let users = 0;
let ending: NodeJS.Timeout | undefined;

/** Returns the shared processes for a service with these settings, and what ends their use. */
export function shareProcessor(config: Config): { processor: FileProcessor; release(): void } {
  clearTimeout(ending);
  users += 1;
  const sandbox = openSandbox(sandboxSettings(config));
  shared ??= ofOneTenant(openProcessPool({ children: 1, sandbox, tools: openToolRunner(config.tools, sandbox) }));
  return {
    processor: shared,
    release() {
      users -= 1;
      if (users > 0) return;
      ending = setTimeout(() => {
        void shared?.close();
        shared = undefined;
      }, UNUSED_MS).unref();
    },
  };
}

/** Lets all tenants of the tests share a process. The service gives each tenant its own. */
function ofOneTenant(pool: FileProcessor): FileProcessor {
  return {
    process: (request, signal, members, whose, include) =>
      pool.process(request, signal, members, { ...whose, owner: 'tests' }, include),
    close: () => pool.close(),
  };
}
