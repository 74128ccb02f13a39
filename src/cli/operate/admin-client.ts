/**
 * Runs operator commands: through `<data dir>/admin.sock` while a service runs, otherwise on the database directly. The key of the
 * socket is in the data directory, too.
 */
import { closeSync, openSync, type Stats, statSync } from 'node:fs';
import { request } from 'node:http';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { AdminAnswer } from '../../admin.ts';
import { type Config, environment, loadConfig } from '../../config.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import { ADMIN_SOCKET, operatorAuthorization, operatorKeyFile, readOperatorKey } from '../../operator-key.ts';
import { CliError, usageError } from '../shared/io.ts';

/** Help text of operator commands. */
export const HOW_OPERATOR_COMMANDS_WORK =
  'While the service runs, the command uses the socket <data dir>/admin.sock. Otherwise it opens the database.';
/** The only operation that makes a missing database, or changes its schema. */
const MIGRATES = 'POST /migrations';
/** Operations that a database with missing migrations allows. */
const EXAMINES = /^GET \/(?:doctor|migrations)\b/;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** No operation works with jobs. The queue's own tables are made by the service. */
const NO_QUEUE: JobQueue = {
  enqueue: () => Promise.reject(new Error('operator commands queue no jobs')),
  givesPlace: () => Promise.resolve(false),
  listRunsWithJob: () => Promise.resolve([]),
  work: () => Promise.reject(new Error('operator commands work on no jobs')),
  stop: async () => {},
};

/** Calls one admin operation (see admin.ts) and returns its JSON. @throws CliError with the service's reason. */
export async function callAdmin<T>(method: string, path: string, body?: unknown): Promise<T> {
  const config = loadConfig(environment());
  const key = await keyOf(config.dataDir);
  const viaSocket = await sendToSocket(join(config.dataDir, ADMIN_SOCKET), key.value, method, path, body);
  if (viaSocket === undefined) return (await runDirectly(config, method, path, body)) as T;
  if (viaSocket.status === 401) throw new CliError(`The running service asks for its key, but ${key.problem}.`);
  const answer = JSON.parse(viaSocket.body) as T & { error?: { message: string } };
  if (viaSocket.status >= 400) throw new CliError(answer.error?.message ?? `The service answered ${viaSocket.status}.`);
  return answer;
}

/**
 * Makes a command of root work as the user of the service, who could not use files that root makes beside its own. An embedded database
 * with such files does not even start. The first start is by the owner of the data directory. Root stays root, with a warning, if it may
 * not become that user, or if that user does not reach the data.
 *
 * @throws CliError if that user cannot run this program. Threads and child processes of the command read it, too.
 */
export function becomeServiceUser(dataDir: string): void {
  if (process.geteuid?.() !== 0) return;
  const [owner] = [operatorKeyFile(dataDir), join(dataDir, 'database'), dataDir].flatMap(
    (path) => statSync(path, { throwIfNoEntry: false }) ?? [],
  );
  if (!owner || owner.uid === 0) return;
  const obstacle = obstacleOf(owner, dataDir);
  if (obstacle !== undefined) {
    const whose = `The data in ${dataDir} belong to the user ${owner.uid}`;
    process.stderr.write(`pinakes: ${whose}, but this command works as root, because ${obstacle}.\n`);
    return;
  }
  setGroups(owner);
  process.setgid!(owner.gid);
  process.setuid!(owner.uid);
  const unreadable = [process.execPath, import.meta.filename].find((path) => !isReadable(path));
  if (unreadable === undefined) return;
  const user = nameOfUser(owner.uid);
  throw new CliError(
    `The data in ${dataDir} belong to ${user}, who cannot read ${unreadable}. ` +
      `Run the command as that user, with the program of the service: sudo -u ${user} PINAKES_DATA_DIR=${dataDir} pinakes …`,
  );
}

/** Tries to act as a user for a moment. Returns why root cannot work as that user; undefined if it can. */
function obstacleOf({ uid, gid }: Pick<Stats, 'uid' | 'gid'>, dataDir: string): string | undefined {
  const [rootGid, rootGroups] = [process.getegid!(), process.getgroups!()];
  try {
    setGroups({ uid, gid });
    try {
      process.setegid!(gid);
      process.seteuid!(uid);
      return isReadable(dataDir) ? undefined : 'that user cannot read them';
    } finally {
      process.seteuid!(0);
      process.setegid!(rootGid);
      process.setgroups!(rootGroups);
    }
  } catch (error) {
    return `it may not become that user (${(error as NodeJS.ErrnoException).code})`;
  }
}

function setGroups({ uid, gid }: Pick<Stats, 'uid' | 'gid'>): void {
  try {
    (process as unknown as { initgroups(user: number, group: number): void }).initgroups(uid, gid);
  } catch {
    // A user without a name has no other groups.
    process.setgroups!([gid]);
  }
}

/** Opens the path: `access` would ask for the real user of the process. */
function isReadable(path: string): boolean {
  try {
    closeSync(openSync(path, 'r'));
    return true;
  } catch {
    return false;
  }
}

/** Returns the name of the user of this process, or the number in the notation of `sudo`. */
function nameOfUser(uid: number): string {
  try {
    return userInfo().username;
  } catch {
    return `'#${uid}'`;
  }
}

/** Returns the key of the admin socket, and what is wrong with it if the service refuses it. */
async function keyOf(dataDir: string): Promise<{ value: string | undefined; problem: string }> {
  const file = operatorKeyFile(dataDir);
  try {
    const problem = `${file} is not the key of this service. A restart of the service writes the right one`;
    return { value: await readOperatorKey(dataDir), problem };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem =
      code === 'ENOENT'
        ? `${file} is missing. A restart of the service writes it`
        : `${file} cannot be read (${code}). Run the command as the user of the service`;
    return { value: undefined, problem };
  }
}

/** Sends a request to the socket. Returns undefined if no service listens there. */
function sendToSocket(
  socketPath: string,
  key: string | undefined,
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
      headers: {
        ...(key === undefined ? {} : { authorization: operatorAuthorization(key) }),
        ...(payload === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
      },
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

/**
 * Opens the database for one operation. Its modules are imported here, because requests to the socket do not need them.
 *
 * Only `pinakes migrate` changes the schema: another command must not migrate the database of an older service that runs.
 *
 * @throws CliError where the data directory has no database: it is most likely another directory than the one of the service.
 */
async function runDirectly(config: Config, method: string, path: string, body: unknown): Promise<unknown> {
  const operation = `${method} ${path}`;
  becomeServiceUser(config.dataDir);
  const { hasEmbeddedDatabase } = await import('../../db/open.ts');
  if (config.databaseUrl === null && operation !== MIGRATES && !hasEmbeddedDatabase(config.dataDir)) {
    throw usageError(
      `There is no database in ${config.dataDir}: set PINAKES_DATA_DIR to the data directory of the service. ` +
        '`pinakes serve` or `pinakes migrate` makes a new one.',
    );
  }
  const { pino } = await import('pino');
  const { openDeps } = await import('../../deps.ts');
  const { runAdminCommand } = await import('../../admin.ts');
  const { listMigrations } = await import('../../db/facts.ts');
  const log = pino({ level: 'warn' }, pino.destination(2));
  const migrates = operation === MIGRATES;
  const deps = await openDeps(config, log, migrates ? {} : { queue: NO_QUEUE }, { migrates });
  try {
    const { pending } = await listMigrations(deps.db);
    if (pending.length > 0 && !EXAMINES.test(operation))
      throw usageError(`The database lacks ${pending.length} of the migrations: run \`pinakes migrate\` first.`);
    return await runAdminCommand(deps, method, path, body);
  } finally {
    await deps.close();
  }
}
