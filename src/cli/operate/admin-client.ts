/**
 * Runs operator commands: through `<data dir>/admin.sock` while a service runs, otherwise on the database directly. The socket needs no
 * key, because only the operator can open it.
 */
import { request } from 'node:http';
import { join } from 'node:path';
import { type Config, environment, loadConfig } from '../../config.ts';
import { CliError } from '../shared/io.ts';

const ADMIN_SOCKET = 'admin.sock';
/** Help text of operator commands. */
export const HOW_OPERATOR_COMMANDS_WORK =
  'While the service runs, the command uses the socket <data dir>/admin.sock. Otherwise it opens the database.';
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

interface AdminAnswer {
  status: number;
  body: string;
}

/** Calls one admin operation (see admin.ts) and returns its JSON. @throws CliError with the service's reason. */
export async function callAdmin<T>(method: string, path: string, body?: unknown): Promise<T> {
  const config = loadConfig(environment());
  const viaSocket = await sendToSocket(join(config.dataDir, ADMIN_SOCKET), method, path, body);
  if (viaSocket === undefined) return (await runDirectly(config, method, path, body)) as T;
  const answer = JSON.parse(viaSocket.body) as T & { error?: { message: string } };
  if (viaSocket.status >= 400) throw new CliError(answer.error?.message ?? `The service answered ${viaSocket.status}.`);
  return answer;
}

/** Sends a request to the socket. Returns undefined if no service listens there. */
function sendToSocket(
  socketPath: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<AdminAnswer | undefined> {
  return new Promise((resolve, reject) => {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const outgoing = request({
      socketPath,
      method,
      path,
      headers:
        payload === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) },
    });
    outgoing.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > ANSWER_BYTES_MAX) response.destroy(new Error('the answer is too long'));
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      response.once('error', reject);
    });
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(undefined);
      else reject(new CliError(`${socketPath} cannot be used: ${error.message}`));
    });
    outgoing.end(payload);
  });
}

/** Opens the database for one operation. Its modules are imported here, because requests to the socket do not need them. */
async function runDirectly(config: Config, method: string, path: string, body: unknown): Promise<unknown> {
  const { pino } = await import('pino');
  const { openDeps } = await import('../../deps.ts');
  const { runAdminCommand } = await import('../../admin.ts');
  const deps = await openDeps(config, pino({ level: 'warn' }, pino.destination(2)));
  try {
    return await runAdminCommand(deps, method, path, body);
  } finally {
    await deps.close();
  }
}
