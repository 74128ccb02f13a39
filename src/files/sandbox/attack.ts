/**
 * A program that tries, as an attacker who has taken over a parser, the table engine or a tool would, to reach the service. It changes
 * nothing, and writes the names of its tries and what they reached as JSON. `pinakes doctor` and tests run it inside the sandbox.
 */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';

export interface Targets {
  /** Process of the service. */
  pid: number;
  dataDir: string;
  blobs: string;
  /** Folder of temporary files. */
  temporary: string;
  home: string;
  /** Folder of the program's own files: nothing there may be written. */
  program: string;
  /** Ports of TCP servers on loopback. */
  ports: readonly number[];
  /** Unix sockets. Names of abstract ones begin with a zero character. */
  sockets: readonly string[];
  /** The folder of the program. Its name in another folder is no find. */
  own?: string | undefined;
}

export interface Try {
  name: string;
  /** What was reached; null if nothing was. */
  reached: string | null;
}

/** Variables that a program needs, or that shells and bubblewrap set. */
const HARMLESS_VARIABLES = ['HOME', 'LANG', 'OLDPWD', 'OMP_THREAD_LIMIT', 'PATH', 'PWD', 'SHLVL', 'TMPDIR', '_'];
const HARMLESS_DEVICES = ['full', 'null', 'random', 'urandom', 'zero'];
const DESCRIPTORS_MAX = 256;
const CONNECT_MS = 2_000;
const NAMES_SHOWN = 3;

/** Tries everything. Returns the tries in their order. */
async function attack(targets: Targets): Promise<Try[]> {
  const tries: Try[] = [];
  const add = async (name: string, reach: () => string | null | Promise<string | null>): Promise<void> => {
    let reached: string | null = null;
    try {
      reached = await reach();
    } catch {
      // Refused, or not there.
    }
    tries.push({ name, reached });
  };
  for (const [name, reach] of Object.entries(ways(targets))) await add(name, reach);
  for (const port of targets.ports)
    await add(`TCP port ${port} of loopback`, () => connected({ port, host: '127.0.0.1' }));
  for (const path of targets.sockets) await add(`socket ${printable(path)}`, () => connected({ path }));
  return tries;
}

function ways(targets: Targets): Record<string, () => string | null> {
  const { pid, dataDir, blobs, temporary, home, program, own } = targets;
  const ofService = (name: string) => `/proc/${pid}/${name}`;
  /** In a process namespace of its own, this number is another process. */
  const others = () => fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  /** Names in a folder, without the ways to the program and to its own folder. */
  const found = (folder: string) =>
    fs
      .readdirSync(folder)
      .filter((name) => ![`${own}/`, `${program}/`].some((path) => path.startsWith(`${join(folder, name)}/`)));
  const listed = (folder: string) => names(found(folder));
  return {
    'own environment': () => names(Object.keys(process.env).filter((name) => !HARMLESS_VARIABLES.includes(name))),
    'environment of the service': () => (pid === process.pid ? null : size(ofService('environ'))),
    'environment of other processes': () => names(others().filter((other) => size(`/proc/${other}/environ`) !== null)),
    'arguments of the service': () => (pid === process.pid ? null : size(ofService('cmdline'))),
    'descriptors of the service': () => (pid === process.pid ? null : listed(ofService('fd'))),
    'files of the service through /proc': () => (pid === process.pid ? null : listed(join(ofService('root'), dataDir))),
    'memory of the service': () => (pid === process.pid ? null : opened(ofService('mem'), 'r+')),
    'list of processes': () => names(others()),
    'master key': () => size(join(dataDir, 'master.key')),
    'key of the first start': () => size(join(dataDir, 'admin.key')),
    'key of the admin socket': () => size(join(dataDir, 'operator.key')),
    'data directory': () => listed(dataDir),
    blobs: () => listed(blobs),
    'embedded database': () => listed(join(dataDir, 'database')),
    'temporary files': () => listed(temporary),
    'home folder': () => (home === '/' ? null : listed(home)),
    'link to the master key': () =>
      throughLink(join(dataDir, 'master.key'), [temporary, '/tmp', '/dev/shm', '/var/tmp']),
    'secrets of the container': () => listed('/run/secrets') ?? listed('/var/run/secrets'),
    'sockets of the system': () => names(['/run/docker.sock', '/run/dbus/system_bus_socket'].filter(fs.existsSync)),
    'accounts of the system': () => size('/etc/shadow'),
    'writing to the data directory': () => written(dataDir),
    // A folder of that name without the files is a mount point of this program.
    'writing to the program': () => (fs.readdirSync(program).some(isEntry) ? written(program) : null),
    'writing to the system': () => ['/', '/usr', '/usr/lib', '/etc', '/var'].map(written).find(Boolean) ?? null,
    'shared memory': () => listed('/dev/shm'),
    devices: () => names(found('/dev').filter((name) => !HARMLESS_DEVICES.includes(name))),
    'settings of the kernel': () => writable('/proc/sys/kernel/core_pattern'),
    'devices and control groups in /sys': () => listed('/sys'),
    'memory of the kernel': () => opened('/proc/kcore', 'r') ?? opened('/dev/mem', 'r'),
    'signal to the service': () => (process.kill(pid, 0) && pid > DESCRIPTORS_MAX ? `process ${pid}` : null),
    'network interfaces': () =>
      names(
        Object.entries(networkInterfaces()).flatMap(([name, all]) => (all?.every((one) => one.internal) ? [] : name)),
      ),
    'inherited descriptors': () => inherited(),
    'new user namespace': () => (succeeds('unshare', '--user', 'true') ? 'made' : null),
    'new mount': () => (succeeds('unshare', '--mount', 'true') ? 'made' : null),
  };
}

function names(list: readonly string[]): string | null {
  if (list.length === 0) return null;
  const more = list.length > NAMES_SHOWN ? ` and ${list.length - NAMES_SHOWN} more` : '';
  return `${list.slice(0, NAMES_SHOWN).join(', ')}${more}`;
}

/** Returns whether a file is an entry point of the service. */
function isEntry(name: string): boolean {
  return name.startsWith('main.');
}

function size(path: string): string | null {
  const { length } = fs.readFileSync(path);
  return length === 0 ? null : `${length} bytes`;
}

function opened(path: string, flags: string): string | null {
  fs.closeSync(fs.openSync(path, flags));
  return 'opened';
}

function writable(path: string): string | null {
  fs.accessSync(path, fs.constants.W_OK);
  return 'writable';
}

function written(folder: string): string | null {
  const path = join(folder, `.attack-${process.pid}`);
  try {
    fs.writeFileSync(path, '');
    fs.rmSync(path);
    return folder;
  } catch {
    return null;
  }
}

/** Reads a file through a symbolic link in the first folder that can be written. */
function throughLink(target: string, folders: readonly string[]): string | null {
  const folder = folders.find((one) => written(one));
  if (folder === undefined) return null;
  const link = join(folder, `.link-${process.pid}`);
  fs.symlinkSync(target, link);
  try {
    return size(link);
  } finally {
    fs.rmSync(link);
  }
}

/** Finds open files, folders, devices and sockets. Node.js opens only pipes and event descriptors itself. */
function inherited(): string | null {
  const found: string[] = [];
  for (let fd = 3; fd < DESCRIPTORS_MAX; fd += 1) {
    try {
      const stats = fs.fstatSync(fd);
      if (stats.isFile() || stats.isDirectory() || stats.isBlockDevice() || stats.isSocket()) found.push(String(fd));
    } catch {
      // Not open.
    }
  }
  return names(found);
}

function succeeds(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function connected(to: { path: string } | { port: number; host: string }): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect(to);
    const end = (reached: string | null) => {
      socket.destroy();
      resolve(reached);
    };
    socket.setTimeout(CONNECT_MS, () => end(null));
    socket.once('connect', () => end('connected')).once('error', () => end(null));
  });
}

function printable(path: string): string {
  return path.replace(/^\0/, '@');
}

const [, , given = '{}'] = process.argv;
process.stdout.write(JSON.stringify(await attack(JSON.parse(given) as Targets)));
