/**
 * A MariaDB server for tests. Its Debian packages are unpacked into a separate directory, so that nothing else on the machine changes.
 * The first start needs apt on Debian or Ubuntu. The directory is PINAKES_TEST_MARIADB_ROOT, by default in the system's folder for
 * temporary files.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { freePort } from './postgres.ts';

const PACKAGES = ['mariadb-server', 'mariadb-server-core', 'mariadb-client-core', 'mariadb-common'];
/** Libraries of the server that a small system may lack. Names differ between releases. */
const LIBRARIES = ['libaio1', 'libaio1t64', 'liburing2', 'libnuma1', 'libpmem1', 'libsnappy1v5'];
const START_WAIT_MS = 60_000;
const STOP_WAIT_MS = 10_000;

export interface MariadbServer {
  /** Address of a user with all rights and without a password, without the name of a database. */
  url: string;
  port: number;
  pid: number;
  stop(): Promise<void>;
}

/** Starts the server with a new, empty data folder. @throws Error when it is not installed and cannot be. */
export async function startMariadb(): Promise<MariadbServer> {
  const root = process.env['PINAKES_TEST_MARIADB_ROOT'] ?? join(tmpdir(), 'pinakes-mariadb');
  if (!existsSync(root)) unpack(root);
  const folder = mkdtempSync(join(tmpdir(), 'pinakes-mariadb-data-'));
  const dataDir = join(folder, 'data');
  const env = { PATH: process.env['PATH'] ?? '', LD_LIBRARY_PATH: libraryFolder(root) };
  const base = ['--no-defaults', `--basedir=${join(root, 'usr')}`, `--datadir=${dataDir}`];
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  execFileSync(
    join(root, 'usr/bin/mariadb-install-db'),
    [...base, ...asRoot, '--auth-root-authentication-method=normal', '--skip-test-db'],
    { env, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const port = await freePort();
  const child = spawn(
    join(root, 'usr/sbin/mariadbd'),
    [
      ...base,
      ...asRoot,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(folder, 'socket')}`,
      `--lc-messages-dir=${join(root, 'usr/share/mysql')}`,
      '--innodb-buffer-pool-size=64M',
    ],
    { env, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const log: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => void log.push(chunk.toString()));
  const stop = async (): Promise<void> => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(port, child);
  } catch (error) {
    await stop();
    throw new Error(`MariaDB did not start:\n${log.join('')}`, { cause: error });
  }
  return { url: `mysql://root@127.0.0.1:${port}`, port, pid: child.pid!, stop };
}

/** Unpacks the packages. The directory is filled under another name and then renamed. */
function unpack(root: string): void {
  const building = `${root}.building`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(join(building, 'packages'), { recursive: true });
  const cwd = join(building, 'packages');
  execFileSync('apt-get', ['download', '-qq', ...PACKAGES], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  for (const library of LIBRARIES) {
    try {
      execFileSync('apt-get', ['download', '-qq', library], { cwd, stdio: 'ignore' });
    } catch {
      // This release has the library under another name.
    }
  }
  for (const file of readdirSync(cwd)) execFileSync('dpkg', ['-x', join(cwd, file), building]);
  rmSync(cwd, { recursive: true });
  renameSync(building, root);
}

function libraryFolder(root: string): string {
  const base = join(root, 'usr/lib');
  return readdirSync(base)
    .filter((name) => name.includes('-linux-gnu'))
    .map((name) => join(base, name))
    .join(':');
}

async function untilReady(port: number, child: ChildProcess): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += 200) {
    try {
      const connection = await mysql.createConnection({ host: '127.0.0.1', port, user: 'root' });
      await connection.end();
      return;
    } catch (error) {
      if (waitedMs > START_WAIT_MS || child.exitCode !== null) throw error;
      await sleep(200);
    }
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WAIT_MS);
  await ended;
  clearTimeout(timer);
}
