/** What a command writes to. Results go to `out`, progress and problems to `err`, so that `pinakes … --json | jq` works. */

export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** True when `err` is a terminal: a progress bar may be redrawn in place. */
  terminal: boolean;
  /** Width of the terminal in columns. */
  columns: number;
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
  };
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
