/** What a command writes to. Results go to `out`, progress and problems to `err`, so that `pinakes … --json | jq` works. */

export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** True when `err` is a terminal: a progress bar may be redrawn in place. */
  terminal: boolean;
  /** Width of the terminal in columns. */
  columns: number;
  /** Width of the terminal to which `out` writes; undefined in a pipe. */
  outColumns?: number | undefined;
  /** Asks the person on the terminal and returns the answer; undefined where nobody can answer. */
  ask?: ((question: string) => Promise<string>) | undefined;
}

const COLUMNS_DEFAULT = 80;

export function processIo(): Io {
  // Who reads may stop early: `pinakes parse … | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    terminal: process.stderr.isTTY === true,
    columns: process.stderr.columns ?? COLUMNS_DEFAULT,
    outColumns: process.stdout.isTTY ? process.stdout.columns : undefined,
    ask: process.stdin.isTTY && process.stderr.isTTY ? askOnTerminal : undefined,
  };
}

async function askOnTerminal(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => prompt.once('close', () => resolve('')));
  try {
    // The end of the input, by Ctrl-D, is no answer.
    return await Promise.race([prompt.question(question), closed]);
  } finally {
    prompt.close();
  }
}

/**
 * Returns when the person agrees, at once with `--yes`.
 *
 * @throws CliError when the person declines, and, exit code 2, where nobody can be asked.
 */
export async function confirm(io: Io, question: string, isConfirmed: boolean): Promise<void> {
  if (isConfirmed) return;
  if (io.ask === undefined) throw usageError(`${question} Nobody can be asked here: add --yes to agree.`);
  const answer = await io.ask(`${question} [y/N] `);
  if (!/^\s*y(?:es)?\s*$/i.test(answer)) throw new CliError('Nothing was done.');
}

/** A problem told to the person in one line, without a stack trace. */
export class CliError extends Error {
  /** 1 = it failed, 2 = it was called wrongly. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}

export function usageError(message: string): CliError {
  return new CliError(message, 2);
}
