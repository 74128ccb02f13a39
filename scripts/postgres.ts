/**
 * A PostgreSQL 17 with pgvector for tests and benchmarks. It is installed from Debian 13 packages into a separate directory
 * (`debootstrap`), so that nothing else on the machine changes. The first start needs root on Debian or Ubuntu, about 2 minutes and
 * 700 MB; later starts are fast. The directory is PINAKES_TEST_SERVER_ROOT, by default in the system's folder for temporary files.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const SUITE = 'trixie';
const PACKAGES = ['postgresql-17', 'postgresql-17-pgvector'];
const PROGRAMS = '/usr/lib/postgresql/17/bin';
const START_WAIT_MS = 30_000;
const STOP_WAIT_MS = 10_000;

export interface PostgresServer {
  /** Address with the name of a superuser. */
  url: string;
  /** Process id of the server. Its child processes serve the connections. */
  pid: number;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Settings, named as in postgresql.conf. */
  settings?: Readonly<Record<string, string>>;
  /** The data are kept under this name for later starts. Without a name, they are deleted when the server stops. */
  keepAs?: string;
}

/** Starts the server. @throws Error when it is not installed yet, and this user cannot install it. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  if (process.getuid?.() !== 0) throw new Error('PostgreSQL is set up with debootstrap, which needs root');
  const root = process.env['PINAKES_TEST_SERVER_ROOT'] ?? join(tmpdir(), 'pinakes-postgresql-17');
  if (!existsSync(root)) buildRoot(root);
  return startServer(root, options);
}

/** Installs the server. The directory is built under another name and then renamed, so that an interrupted installation is not used. */
function buildRoot(root: string): void {
  const building = `${root}.building`;
  rmSync(building, { recursive: true, force: true });
  if (spawnSync('debootstrap', ['--version']).error) {
    run('apt-get', ['update', '-qq']);
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'debootstrap']);
  }
  run('debootstrap', ['--variant=minbase', SUITE, building, debianMirror()]);
  // The installation must not start services or create a cluster.
  writeFileSync(join(building, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  mkdirSync(join(building, 'etc/postgresql-common'), { recursive: true });
  writeFileSync(join(building, 'etc/postgresql-common/createcluster.conf'), 'create_main_cluster = false\n');
  run('chroot', [building, 'apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...PACKAGES]);
  run('chroot', [building, 'apt-get', 'clean']);
  renameSync(building, root);
}

/** Returns the Debian mirror that apt uses on this machine, or else Debian's own mirror. */
function debianMirror(): string {
  const files = ['/etc/apt/sources.list'];
  const folder = '/etc/apt/sources.list.d';
  if (existsSync(folder)) files.push(...readdirSync(folder).map((name) => join(folder, name)));
  for (const file of files.filter((name) => existsSync(name))) {
    const text = readFileSync(file, 'utf8');
    const uri = text.match(/^(?:URIs:\s*|deb\s+(?:\[[^\]]*\]\s+)?)(https?:\/\/\S+\/debian)\/?(?=\s|$)/m)?.[1];
    if (uri) return uri;
  }
  return 'http://deb.debian.org/debian';
}

async function startServer(root: string, { settings, keepAs }: PostgresOptions): Promise<PostgresServer> {
  const dataDir = `/tmp/pinakes-${keepAs ?? randomBytes(6).toString('hex')}`;
  const isNew = !existsSync(join(root, dataDir));
  const asServer = ['--userspec=postgres', root];
  if (isNew) {
    const { uid, gid } = serverUser(root);
    mkdirSync(join(root, dataDir), { recursive: true, mode: 0o700 });
    chownSync(join(root, dataDir), uid, gid);
    const access = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'];
    execFileSync('chroot', [...asServer, `${PROGRAMS}/initdb`, '-D', dataDir, ...access]);
  }
  const port = await freePort();
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    dynamic_shared_memory_type: 'mmap',
    max_connections: '200',
    ...settings,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn('chroot', [...asServer, `${PROGRAMS}/postgres`, '-D', dataDir, '-p', String(port), ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const log: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => void log.push(chunk.toString()));
  const stop = async (): Promise<void> => {
    await endServer(child);
    if (keepAs === undefined) rmSync(join(root, dataDir), { recursive: true, force: true });
  };
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  try {
    await untilReady(url, child);
  } catch (error) {
    await stop();
    throw new Error(`PostgreSQL did not start:\n${log.join('')}`, { cause: error });
  }
  return { url, pid: child.pid!, stop };
}

function serverUser(root: string): { uid: number; gid: number } {
  const line = readFileSync(join(root, 'etc/passwd'), 'utf8').match(/^postgres:[^:]*:(\d+):(\d+):/m);
  if (!line) throw new Error(`${root} has no user postgres; remove it and run again`);
  return { uid: Number(line[1]), gid: Number(line[2]) };
}

/** Returns a port of loopback that no server uses. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += 200) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return;
    } catch (error) {
      if (waitedMs > START_WAIT_MS || child.exitCode !== null) throw error;
      await sleep(200);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/** Stops the server with SIGINT, which is PostgreSQL's fast shutdown. */
async function endServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await Promise.race([exited, sleep(STOP_WAIT_MS)]);
  child.kill('SIGKILL');
}

function run(program: string, args: readonly string[]): void {
  console.log(`> ${program} ${args.join(' ')}`);
  execFileSync(program, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
  });
}
