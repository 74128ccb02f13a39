/** Starts the service: reads the settings, opens the adapters, and runs a role. One process serves the API, runs jobs, or both. */
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { openAdminServer } from './admin.ts';
import { type App, buildApp } from './app.ts';
import { bootstrap } from './bootstrap.ts';
import { type Config, checkReplicaConfig, environment, findUnknownSettings, loadConfig } from './config.ts';
import { dropUnansweredIdempotencyKeys } from './corpus/idempotency-store.ts';
import { countGenerations } from './corpus/vector-store.ts';
import { prepareDatabase } from './db/open.ts';
import { openDeps } from './deps.ts';
import { authorizationFacts } from './doctor.ts';
import { reasonOf } from './errors.ts';
import { openToolRunner } from './files/sandbox/tool-runner.ts';
import type { Deps } from './http/deps.ts';
import { openReadiness } from './http/operations/readiness.ts';
import { tryToListen } from './http/server.ts';
import { isLocalName } from './llm/embedding/local.ts';
import { collectWhenDoubled, releaseMemory } from './util/garbage.ts';
import { ConfigError, type Environment } from './util/settings/settings-reader.ts';
import { settleMasterKey } from './vault/rotate.ts';
import { buildWorker } from './worker.ts';

export type Role = 'serve' | 'api' | 'worker';

/** Requests and jobs may finish within this time. After it they are aborted, and jobs are released. */
const STOP_GRACE_MS = 20_000;
/** The process exits after this time, even if something still hangs. */
const STOP_MAX_MS = 29_000;

export interface Service {
  /** `http://host:port`, or null for the role `worker`. */
  url: string | null;
  /** The API key that the first start made; undefined at later starts. */
  firstKey: string | undefined;
  deps: Deps;
  /** Accepts no more requests, lets requests and jobs finish, releases the other jobs, and closes everything. */
  stop(): Promise<void>;
}

/**
 * Runs the role until SIGTERM or SIGINT, and returns the exit code.
 *
 * @throws ConfigError for a wrong setting.
 */
export async function runService(role: Role): Promise<number> {
  const env = environment();
  const config = loadConfig(env);
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  for (const { name, nearest } of findUnknownSettings(env)) {
    const meant = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    log.warn({ setting: name }, `${name} is not a setting of Pinakes and has no effect${meant}`);
  }
  collectWhenDoubled();
  // Loading the modules leaves 50 MB of garbage. Once the embedded database runs, this would also drop its compiled code.
  releaseMemory();
  const service = await startService(role, config, env, log);
  if (service.firstKey !== undefined && process.stderr.isTTY) {
    process.stderr.write(`API key of the first start (also in ${config.dataDir}/admin.key): ${service.firstKey}\n`);
  }
  process.stdout.write(service.url === null ? 'Pinakes worker is ready\n' : `Pinakes is ready at ${service.url}\n`);
  if (service.url !== null && config.console) process.stdout.write(`Console: ${service.url}/console/\n`);
  await stopSignal(log);
  const guard = setTimeout(() => {
    log.error('the stop took too long: the process exits with unfinished work');
    process.exit(1);
  }, STOP_MAX_MS);
  await service.stop();
  clearTimeout(guard);
  return 0;
}

/** Starts a role, without signals and terminal output. Resolves when `/readyz` answers 200. */
export async function startService(role: Role, config: Config, env: Environment, log: pino.Logger): Promise<Service> {
  if (role !== 'serve') checkReplicaConfig(config, env);
  // A start that cannot listen ends before it makes a database.
  if (role !== 'worker') await explained(tryToListen(config), config);
  const deps = await openDeps(config, log);
  const closers: (() => Promise<void>)[] = [() => deps.close()];
  try {
    await settleMasterKey(deps);
    const firstKey =
      role === 'worker' ? undefined : await prepareDatabase(deps.db, config, () => bootstrap(deps.db, config));
    if (deps.db.kind === 'embedded') await dropUnansweredIdempotencyKeys(deps.db.system);
    const app = role === 'worker' ? undefined : await buildApp(deps);
    const worker = role === 'api' ? undefined : buildWorker(deps);
    await worker?.start();
    if (role !== 'worker') {
      const stopped = new AbortController();
      closers.push(async () => stopped.abort());
      void loadModels(deps, stopped.signal);
    }
    if (app) {
      const { ok, detail } = await authorizationFacts(deps);
      if (!ok) log.warn(`authorization is ${detail}`);
    }
    if (worker) {
      void noteSandbox(deps);
      void noteOcr(deps);
    }
    const admin = role === 'worker' ? undefined : await openAdminServer(deps);
    if (admin) closers.push(() => admin.close());
    if (worker) closers.push(() => worker.stop(STOP_GRACE_MS));
    const url = app ? await listen(app, deps) : null;
    if (app) closers.push(() => closeApp(app));
    return { url, firstKey, deps, stop: () => stopAll(closers) };
  } catch (error) {
    await stopAll(closers);
    throw error;
  }
}

/**
 * Loads the local models, so that no search and no answer waits for that. The start does not wait either. A worker loads a model
 * with its first text.
 */
async function loadModels({ db, embedding, entailment, log }: Deps, signal: AbortSignal): Promise<void> {
  const load = async (model: string, use: () => Promise<unknown>): Promise<void> => {
    const begunAt = performance.now();
    try {
      await use();
      log.info({ model, seconds: Math.round(performance.now() - begunAt) / 1000 }, 'a local model is loaded');
    } catch (error) {
      if (!signal.aborted) log.error({ model, reason: reasonOf(error) }, 'a local model does not work');
    }
  };
  if (embedding) {
    // Queries use the previous model until the vectors of a new model are complete.
    const stored = await countGenerations(db.system).catch(() => []);
    const serving = stored.filter(({ status }) => status === 'serving').map(({ model }) => model);
    for (const name of new Set([...serving, embedding.model.name].filter(isLocalName)))
      await load(name, () => embedding.named(name).embed(['text'], 'query', signal));
  }
  if (entailment)
    await load(entailment.name, () => entailment.judge([{ premise: 'text', hypothesis: 'text' }], signal));
}

/** Logs whether files are read in a sandbox. The start does not wait for the answer. */
async function noteSandbox({ sandbox, log }: Deps): Promise<void> {
  const { kind, mode, reason } = await sandbox.facts();
  if (kind) log.info({ sandbox: kind }, 'files are read in a sandbox');
  else if (mode === 'off') log.info('files are read without a sandbox, because PINAKES_SANDBOX is off');
  else if (mode === 'auto')
    log.warn({ reason }, 'there is no sandbox: a program that reads files has the rights of the service');
  else log.error({ reason }, 'there is no sandbox, but PINAKES_SANDBOX is required: no file is read');
}

/** Warns if pictures are to be read but cannot be. The start does not wait for the answer. */
export async function noteOcr({
  config,
  sandbox,
  log,
}: Pick<Deps, 'sandbox' | 'log'> & { config: Pick<Config, 'tools'> }) {
  const { ok, detail } = await openToolRunner(config.tools, sandbox).describe('ocr');
  if (!ok) log.warn(`pictures and scanned pages are not read: ${detail}`);
}

/** Codes of an address that is not of this machine, or of a name that has no address. */
const UNUSABLE_ADDRESS = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN']);

/** Waits until the service listens. @throws ConfigError where its address is to blame */
async function explained<T>(listening: Promise<T>, { host, port }: Config): Promise<T> {
  try {
    return await listening;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EACCES') {
      // Which user is not obvious: root becomes the user of the service.
      const problem = `may not be used by the user ${process.geteuid?.()} (on ${host})`;
      throw new ConfigError('PINAKES_PORT', `${port} ${problem}: below 1024, it needs CAP_NET_BIND_SERVICE`, '7700');
    }
    if (code === 'EADDRINUSE')
      throw new ConfigError('PINAKES_PORT', `${port} is in use by another process (on ${host})`, '0 for any free port');
    if (!UNUSABLE_ADDRESS.has(code ?? '')) throw error;
    throw new ConfigError('PINAKES_HOST', `${host} cannot be found or is not an address of this machine`, '127.0.0.1');
  }
}

async function listen(app: App, deps: Deps): Promise<string> {
  const { config } = deps;
  await explained(app.listen({ host: config.host, port: config.port }), config);
  const failed = await openReadiness(deps).failed();
  if (failed.length > 0) throw new Error(`the service is not ready: ${failed.join(', ')}`);
  const { address, port, family } = app.server.address() as AddressInfo;
  const host =
    address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '[::1]' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}

/** Closes the API. Running requests finish, or are aborted when the grace time is over. */
async function closeApp(app: App): Promise<void> {
  const abort = setTimeout(() => app.abortRequests(), STOP_GRACE_MS);
  const cut = setTimeout(() => app.server.closeAllConnections(), STOP_GRACE_MS + 3_000);
  await app.close();
  clearTimeout(abort);
  clearTimeout(cut);
}

/** Stops API and worker at the same time, with the same grace time. Then the adapters that they use are closed. */
async function stopAll(closers: (() => Promise<void>)[]): Promise<void> {
  const [closeDeps, ...others] = closers;
  await Promise.allSettled(others.map((close) => close()));
  await closeDeps?.();
}

/** Resolves at the first SIGTERM or SIGINT. A second signal ends the process at once. */
function stopSignal(log: pino.Logger): Promise<void> {
  return new Promise((resolve) => {
    let signals = 0;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (++signals > 1) process.exit(1);
      log.info({ signal }, 'stopping');
      resolve();
    };
    process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  });
}
