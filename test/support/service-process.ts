/** The real service as a child process: for tests that need a process of its own (kill -9, memory, start-up). */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { generateApiKey } from '../../src/access/api-key.ts';
import { copyTemplate } from './database.ts';
import { assertNoCanary } from './passages/canary.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

export interface ServiceProcess {
  /** `http://127.0.0.1:port` */
  url: string;
  key: string;
  pid: number;
  /** Milliseconds from spawn to "ready". */
  readyMs: number;
  /** Everything written to stderr so far. */
  errors(): string;
  /** Sends SIGKILL and waits until the process has ended. */
  kill(): Promise<void>;
  /** Sends SIGTERM, waits until the process has ended and returns the exit code. */
  stop(): Promise<number | null>;
  /** Resolves when the process ends for any reason. */
  ended: Promise<void>;
  /** Returns the current resident memory in bytes. */
  rss(): number;
  /** Returns the peak resident memory since the start, as the kernel measured it. */
  peakRss(): number;
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

export interface ServiceOptions {
  dataDir: string;
  key?: string;
  env?: Record<string, string>;
  /** The service makes its database; otherwise an empty `dataDir` gets a copy of the migrated template first. */
  firstStart?: boolean;
  /** Runs `npm start` instead of the command line: `pid` belongs to npm. */
  npmStart?: boolean;
}

/** Starts the service and waits until it is ready. @throws Error with the output of a service that ends earlier. */
export async function startServiceProcess(options: ServiceOptions): Promise<ServiceProcess> {
  const key = options.key ?? generateApiKey().key;
  const isEmbedded = options.env?.['PINAKES_DATABASE_URL'] === undefined;
  if (isEmbedded && !options.firstStart && !existsSync(path.join(options.dataDir, 'database')))
    await copyTemplate(options.dataDir);
  const startedAt = performance.now();
  const [command, args] = options.npmStart
    ? ['npm', ['start', '--silent']]
    : [process.execPath, ['src/cli/pinakes.ts', 'serve']];
  const child = spawn(command, args, {
    cwd: ROOT,
    env: {
      ...fromTestRun(),
      PINAKES_DATA_DIR: options.dataDir,
      PINAKES_PORT: '0',
      PINAKES_LOG_LEVEL: 'warn',
      PINAKES_BOOTSTRAP_KEY: key,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own: npm and its children can be ended together.
    detached: options.npmStart === true,
  });
  let errors = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  // A test that ends early must not leave a service behind.
  const reap = (): void => void (options.npmStart ? process.kill(-child.pid!, 'SIGKILL') : child.kill('SIGKILL'));
  process.on('exit', reap);
  const ended = once(child, 'exit').then(() => void process.off('exit', reap));
  const url = await readyUrl(child, ended, () => errors);
  const pid = child.pid!;
  return {
    url,
    key,
    pid,
    readyMs: performance.now() - startedAt,
    errors: () => errors,
    async kill() {
      child.kill('SIGKILL');
      await ended;
      assertNoCanary('the log', errors);
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      assertNoCanary('the log', errors);
      return child.exitCode;
    },
    ended,
    rss: () => statusBytes(pid, 'VmRSS'),
    peakRss: () => statusBytes(pid, 'VmHWM'),
    fetch: (where, init = {}) =>
      fetch(`${url}/api/v1${where}`, {
        ...init,
        headers: { 'x-api-key': key, ...(init.headers as Record<string, string>) },
      }),
  };
}

/** Returns what a test run sets to be faster (scripts/run-tests.ts); other settings of the machine do not reach the service. */
function fromTestRun(): Record<string, string | undefined> {
  const { PATH, TMPDIR, NODE_OPTIONS, NODE_COMPILE_CACHE } = process.env;
  return { PATH, TMPDIR, NODE_OPTIONS, NODE_COMPILE_CACHE };
}

async function readyUrl(child: ChildProcess, ended: Promise<void>, errors: () => string): Promise<string> {
  const lines = createInterface({ input: child.stdout! });
  const ready = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      const url = /^Pinakes is ready at (\S+)$/.exec(line)?.[1];
      if (url) resolve(url);
    });
  });
  const early = ended.then(() => {
    throw new Error(`the service ended before it was ready:\n${errors()}`);
  });
  return Promise.race([ready, early]);
}

function statusBytes(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024;
}
