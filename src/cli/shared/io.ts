/** Output of commands. Results go to `out`, progress and problems to `err`, so that `pinakes … --json | jq` works. */

export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** True if `err` is a terminal, on which a progress bar can be redrawn in place. */
  terminal: boolean;
  /** Width of the terminal in columns. */
  columns: number;
  /** Width of the terminal to which `out` writes; undefined in a pipe. */
  outColumns?: number | undefined;
  /** Asks the user on the terminal and returns the answer. Undefined if there is no terminal. */
  ask?: ((question: string) => Promise<string>) | undefined;
  /** Prints the sentence when the user ends the command with Ctrl-C, until the returned function is called. */
  onInterrupt?: ((sentence: string) => () => void) | undefined;
}

const COLUMNS_DEFAULT = 80;

/** Returns the output of this process. */
export function processIo(): Io {
  // The reader of a pipe may stop early: `pinakes parse … | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    process.stderr.write(`pinakes: The output cannot be written: ${error.message}\n`);
    process.exit(1);
  });
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    terminal: process.stderr.isTTY === true,
    columns: process.stderr.columns ?? COLUMNS_DEFAULT,
    outColumns: process.stdout.isTTY ? process.stdout.columns : undefined,
    ask: process.stdin.isTTY && process.stderr.isTTY ? askOnTerminal : undefined,
    onInterrupt: sayOnInterrupt,
  };
}

function sayOnInterrupt(sentence: string): () => void {
  const say = (): void => {
    process.stderr.write(`\n${sentence}\n`);
    // The process ends as without this listener, which is gone now.
    process.kill(process.pid, 'SIGINT');
  };
  process.once('SIGINT', say);
  return () => void process.off('SIGINT', say);
}

async function askOnTerminal(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => prompt.once('close', () => resolve('')));
  try {
    // Ctrl-D ends the input. This counts as an empty answer.
    return await Promise.race([prompt.question(question), closed]);
  } finally {
    prompt.close();
  }
}

/**
 * Asks for confirmation, unless `isConfirmed` (option `--yes`).
 *
 * @throws CliError when the user declines; with exit code 2 when there is no terminal to ask on.
 */
export async function confirm(io: Io, question: string, isConfirmed: boolean): Promise<void> {
  if (isConfirmed) return;
  if (io.ask === undefined) throw usageError(`${question} There is no terminal to ask on: add --yes to agree.`);
  const answer = await io.ask(`${question} [y/N] `);
  if (!/^\s*y(?:es)?\s*$/i.test(answer)) throw new CliError('Nothing was changed.');
}

/** A problem that is printed in one line, without a stack trace. */
export class CliError extends Error {
  /** 1: the command failed. 2: the command was called wrongly. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}

/** Returns the error for a wrong call, with exit code 2. */
export function usageError(message: string): CliError {
  return new CliError(message, 2);
}
