/** `pinakes backup`: an operator command that keeps the stored files while a backup runs. */
import { spawn } from 'node:child_process';
import { environment, loadConfig } from '../../config.ts';
import type { Command } from '../shared/command.ts';
import { CliError, usageError } from '../shared/io.ts';

/** What a shell returns for a command that a signal ended. */
const ENDED_BY_SIGNAL = 128;

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Run a command that makes a backup of a PostgreSQL server and of the stored files (operator).',
  synopsis: '-- <command…>',
  argumentsMin: 1,
  argumentsMax: Number.POSITIVE_INFINITY,
  options: {},
  details: `
  pinakes backup -- sh nightly.sh

While the command runs, the service goes on and deletes no stored file. So a copy of the files
that is made after pg_dump has every file that the dump names. What is deleted is hidden at
once as always; its files are deleted after the command has ended. The exit code is that of
the command, or 1 if the connection to the database was lost meanwhile: then make the backup
again.

With the embedded database, stop the service and copy the data directory instead.`,
  async run({ arguments: [program = '', ...args], io }) {
    const { databaseUrl, dataDir } = loadConfig(environment());
    if (databaseUrl === null)
      throw usageError(
        `PINAKES_DATABASE_URL is not set. For a backup of the embedded database, stop the service and copy ${dataDir}.`,
      );
    const { holdFiles } = await import('../../db/server/hold-files.ts');
    const hold = await holdFiles(databaseUrl);
    let exitCode: number;
    try {
      exitCode = await runProgram(program, args);
    } catch (error) {
      await hold.release();
      throw error;
    }
    if (await hold.release()) return exitCode;
    io.err('pinakes: The connection to the database was lost: files may be missing. Make the backup again.\n');
    return exitCode || 1;
  },
};

/** Runs a program with the terminal of this process and returns its exit code. Passes signals on. @throws CliError */
async function runProgram(program: string, args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit' });
  // Ctrl-C reaches the program, too. This process waits for it.
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, passOn);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', (error) => reject(new CliError(`${program} cannot be run: ${error.message}`)));
      child.once('exit', (code) => resolve(code ?? ENDED_BY_SIGNAL));
    });
  } finally {
    for (const signal of signals) process.off(signal, passOn);
  }
}
