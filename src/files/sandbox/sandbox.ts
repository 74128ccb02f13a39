/**
 * The sandbox of parsers and tools: namespaces of its own for files, network, processes and users, by bubblewrap or by
 * programs of util-linux. A program inside sees its own files, and nothing of the service.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Config } from '../../config.ts';
import { FileError } from '../failure.ts';
import { type Found, KINDS, type Kind } from './namespaces.ts';
import { isInside, nodeView, type View } from './views.ts';

export interface SandboxSettings {
  /** `required`: nothing runs without a sandbox. `auto`: without one, programs run as the service's user. */
  mode: 'auto' | 'required' | 'off';
  /** Folders with programs, as in PATH. */
  searchPath: string;
  /** Folders that no program sees, even if they are inside a folder that it sees. */
  hidden: readonly string[];
}

export interface Sandbox {
  /** Returns the words before a command that start it with this view; none without a sandbox. @throws FileError if one is required. */
  prefix(view: View): Promise<readonly string[]>;
  /** Says what holds for programs with such a view. */
  facts(view?: Pick<View, 'system'>): Promise<SandboxFacts>;
}

export interface SandboxFacts {
  mode: SandboxSettings['mode'];
  /** Null: there is no sandbox. */
  kind: Kind['name'] | null;
  /** Says for a person why there is no sandbox. */
  reason: string;
}

/** Programs that only administrators have in their PATH. */
const ADMINISTRATOR_FOLDERS = ['/usr/sbin', '/sbin', '/usr/bin', '/bin'];
/** Without an answer there is no sandbox, so a busy machine has much time. */
const PROBE_TIME_MS = 300_000;
/** Maximum number of processes and threads in a sandbox. LibreOffice has some dozens. */
const PROCESSES_MAX = 256;
const REASON_UNITS_MAX = 200;

/** Opens a sandbox. No program is started before the first call. `kinds` are tried in their order. */
export function openSandbox(settings: SandboxSettings, kinds: readonly Kind[] = KINDS): Sandbox {
  return new NamespaceSandbox(settings, kinds);
}

/** Returns the settings of the service's sandbox. */
export function sandboxSettings({ sandbox, tools, dataDir, blobs }: Config): SandboxSettings {
  return { mode: sandbox, searchPath: tools.searchPath, hidden: [dataDir, blobs.directory] };
}

interface Choice {
  kind: Kind | undefined;
  found: Found;
  reason: string;
}

class NamespaceSandbox implements Sandbox {
  private readonly settings: SandboxSettings;
  private readonly kinds: readonly Kind[];
  /** By `system` of the view: a container may forbid a new `/proc`, and allow everything else. */
  private readonly choices = new Map<boolean, Promise<Choice>>();

  constructor(settings: SandboxSettings, kinds: readonly Kind[]) {
    this.settings = settings;
    this.kinds = kinds;
  }

  async prefix(view: View): Promise<readonly string[]> {
    const { kind, found, reason } = await this.choice(view.system);
    if (kind) return limited(found, view, (seen) => kind.command(found, seen, this.hidden()));
    if (this.settings.mode === 'required') throw noSandbox(reason);
    return [];
  }

  async facts({ system } = { system: false }): Promise<SandboxFacts> {
    const { kind, reason } = await this.choice(system);
    return { mode: this.settings.mode, kind: kind?.name ?? null, reason };
  }

  private choice(system: boolean): Promise<Choice> {
    const known = this.choices.get(system) ?? this.choose(system);
    this.choices.set(system, known);
    return known;
  }

  private async choose(system: boolean): Promise<Choice> {
    const { mode } = this.settings;
    if (mode === 'off') return { kind: undefined, found: {}, reason: 'PINAKES_SANDBOX is off' };
    if (process.platform !== 'linux') return { kind: undefined, found: {}, reason: 'it needs Linux' };
    // The memory of a program inside is watched from outside. This file names its process.
    if (!existsSync(`/proc/self/task/${process.pid}/children`)) {
      return { kind: undefined, found: {}, reason: 'the kernel does not list the children of a process' };
    }
    const reasons: string[] = [];
    for (const kind of this.kinds) {
      const found = this.find([...kind.needs, 'prlimit']);
      const missing = kind.needs.filter((name) => found[name] === undefined);
      if (missing.length > 0) {
        reasons.push(`${kind.name}: ${missing.join(', ')} not found`);
        continue;
      }
      const command = limited(found, { ...nodeView(), system }, (seen) => kind.command(found, seen, []));
      const problem = await problemOf([...command, process.execPath]);
      if (problem === undefined) return { kind, found, reason: '' };
      reasons.push(`${kind.name}: ${problem}`);
    }
    return { kind: undefined, found: {}, reason: reasons.join('; ') };
  }

  private find(names: readonly string[]): Found {
    const folders = [...this.settings.searchPath.split(delimiter).filter(Boolean), ...ADMINISTRATOR_FOLDERS];
    const found: Found = {};
    for (const name of names) {
      const path = folders.map((folder) => join(folder, name)).find(isProgram);
      if (path !== undefined) found[name] = path;
    }
    return found;
  }

  private hidden(): string[] {
    return this.settings.hidden.filter((path) => existsSync(path)).map((path) => realpathSync(path));
  }
}

/** Adds limits that hold inside. There the number of processes counts only those inside. */
function limited({ prlimit }: Found, view: View, command: (view: View) => string[]): string[] {
  if (prlimit === undefined) return command(view);
  const read = view.read.some((path) => isInside(prlimit, path)) ? view.read : [...view.read, prlimit];
  return [...command({ ...view, read }), prlimit, `--nproc=${PROCESSES_MAX}`, '--core=0', '--'];
}

/** Runs Node.js behind a prefix. Returns why it cannot run there, or undefined. */
function problemOf([command = '', ...args]: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, [...args, '--version'], { env: {}, timeout: PROBE_TIME_MS }, (error, stdout, stderr) => {
      if (!error && stdout.trim() === process.version) resolve(undefined);
      else resolve((stderr.trim().split('\n')[0] || error?.message || 'it does not work').slice(0, REASON_UNITS_MAX));
    });
  });
}

function noSandbox(reason: string): FileError {
  return new FileError({
    stage: 'parse',
    title: 'No sandbox',
    message: `PINAKES_SANDBOX is required, but there is no sandbox on this system (${reason}). No file is read.`,
    retryable: true,
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Ends a process that was started as the first of its process group, and the processes of the group. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}
