/** `pinakes backup`: an operator command that keeps the stored files while a backup runs. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { environment, loadConfig } from '../../config.ts';
import type { Command } from '../shared/command.ts';
import { CliError, usageError } from '../shared/io.ts';

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Run a command that makes a backup of a PostgreSQL server and of the stored files (operator).',
  synopsis: '-- <command…>',
  argumentsMin: 1,
  argumentsMax: Number.POSITIVE_INFINITY,
  runsProgram: true,
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
    const sayLost = (): void =>
      io.err('pinakes: The connection to the database was lost: files may be missing. Make the backup again.\n');
    // A backup may take hours: it is worth knowing at once, and again at the end.
    const hold = await holdFiles(databaseUrl, sayLost);
    let exitCode: number;
    try {
      exitCode = await runProgram(program, args);
    } catch (error) {
      await hold.release();
      throw error;
    }
    if (await hold.release()) return exitCode;
    sayLost();
    return exitCode || 1;
  },
};

/** Runs a program with the terminal of this process and returns its exit code. Passes SIGTERM and SIGHUP on. @throws CliError */
async function runProgram(program: string, args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit' });
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  // The terminal sends Ctrl-C to the program, too. This process waits for it.
  const wait = (): void => {};
  process.on('SIGINT', wait).on('SIGTERM', passOn).on('SIGHUP', passOn);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', (error) => reject(new CliError(`${program} cannot be run: ${error.message}`)));
      child.once('exit', (code, signal) => {
        // A shell returns the same for a command that a signal ended.
        resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
      });
    });
  } finally {
    process.off('SIGINT', wait).off('SIGTERM', passOn).off('SIGHUP', passOn);
  }
}
