/** Runs the command line with its own settings: as a process, or in this process. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { runCli } from '../../src/cli/run.ts';

export const BIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'pinakes.ts');

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs the command line. The process gets the settings of `env`, and none of the machine that runs the tests. It is ended after
 * `timeoutMs`, unless that is 0. `bin` is the program, of this checkout or of a copy. `through` is a command that starts the process.
 */
export function runPinakes(
  args: readonly string[],
  env: Record<string, string> = {},
  { timeoutMs = 0, bin = BIN, through = [] }: { timeoutMs?: number; bin?: string; through?: readonly string[] } = {},
): Promise<CliResult> {
  const inherited = withoutSettings();
  return new Promise((resolve, reject) => {
    const [program = '', ...rest] = [...through, process.execPath, bin, ...args];
    const child = spawn(program, rest, {
      env: { ...inherited, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

let previous: Promise<unknown> = Promise.resolve();

/**
 * Runs the command line as `runPinakes` does, but in this process, which takes a fifth of the processor time. The
 * commands run one after the other, because they read their settings from the environment of the process. Each command
 * is also tested with `runPinakes`, because only a process shows that the command ends. `outColumns` is the width of a terminal.
 */
export function runPinakesHere(
  args: readonly string[],
  env: Record<string, string> = {},
  outColumns?: number,
): Promise<CliResult> {
  const result = previous.then(() => runHere(args, env, outColumns));
  previous = result.catch(() => undefined);
  return result;
}

async function runHere(
  args: readonly string[],
  env: Record<string, string>,
  outColumns: number | undefined,
): Promise<CliResult> {
  const said = { stdout: '', stderr: '' };
  const own = process.env;
  process.env = { ...withoutSettings(), ...env };
  try {
    const code = await runCli(args, {
      out(text) {
        said.stdout += text;
      },
      err(text) {
        said.stderr += text;
      },
      terminal: false,
      columns: 80,
      outColumns,
    });
    return { code, ...said };
  } finally {
    process.env = own;
  }
}

/** Returns the environment of the test run without the settings of Pinakes. */
function withoutSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PINAKES_')));
}
