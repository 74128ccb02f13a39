/** Runs a separate service as a child process, for the demo and for evaluation, which must not mix with other data. */
import { type ChildProcess, spawn } from 'node:child_process';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { environment } from '../../config.ts';
import { readAdminKey } from '../shared/client-config.ts';
import { CliError } from '../shared/io.ts';

export interface LocalService {
  url: string;
  apiKey: string;
  process: ChildProcess;
  /** Time from the start of the process until it was ready. */
  startMs: number;
  /** Stops the service gracefully. Resolves when the process has ended. */
  stop(): Promise<void>;
}

const READY_PATTERN = /Pinakes is ready at (http:\/\/\S+)/;
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 40_000;
const ERROR_LINES_MAX = 20;
/** Settings with which the child would share data with another service, or use other keys. */
const NOT_INHERITED = [
  'PINAKES_DATABASE_URL',
  'PINAKES_BLOB_URL',
  'PINAKES_BOOTSTRAP_KEY',
  'PINAKES_URL',
  'PINAKES_API_KEY',
];

/** Starts `pinakes serve` with its database in `dataDir`. Port 0: any free port. @throws CliError when it is not ready in time. */
export async function startLocalService(dataDir: string, port = 0): Promise<LocalService> {
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '..', `pinakes${extname(import.meta.filename)}`), 'serve'],
    {
      env: childEnvironment(dataDir, port),
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  try {
    const url = await readyAddress(child);
    const startMs = performance.now() - startedAt;
    return { url, apiKey: await readAdminKey(dataDir), process: child, startMs, stop: () => stop(child) };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

function childEnvironment(dataDir: string, port: number): Record<string, string | undefined> {
  const inherited = { ...environment() };
  for (const name of NOT_INHERITED) delete inherited[name];
  return {
    PINAKES_LOG_LEVEL: 'warn',
    ...inherited,
    PINAKES_DATA_DIR: dataDir,
    PINAKES_HOST: '127.0.0.1',
    PINAKES_PORT: String(port),
  };
}

/** Returns the address from the ready line. Both pipes are read until the child ends, because a full pipe would block the child. */
function readyAddress(child: ChildProcess): Promise<string> {
  const lastLines: string[] = [];
  return new Promise((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new CliError([`The service did not start: ${reason}`, ...lastLines].join('\n')));
    const timer = setTimeout(() => fail(`not ready after ${START_TIMEOUT_MS / 1000} s`), START_TIMEOUT_MS);
    const onLine = (line: string) => {
      const url = READY_PATTERN.exec(line)?.[1];
      if (url !== undefined) {
        clearTimeout(timer);
        resolve(url);
      }
      lastLines.push(line);
      if (lastLines.length > ERROR_LINES_MAX) lastLines.shift();
    };
    for (const stream of [child.stdout, child.stderr])
      if (stream) createInterface({ input: stream }).on('line', onLine);
    child.once('error', (error) => fail(error.message));
    child.once('close', (code) => {
      clearTimeout(timer);
      fail(`it ended with code ${code}`);
    });
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}
