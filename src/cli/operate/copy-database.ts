/** `pinakes copy-database`: an operator command that copies the embedded database to a PostgreSQL server. */
import { environment, loadConfig } from '../../config.ts';
import { type Command, printAnswer } from '../shared/command.ts';
import { usageError } from '../shared/io.ts';
import { becomeServiceUser } from './admin-client.ts';

export const copyDatabaseCommand: Command = {
  name: 'copy-database',
  summary: 'Copy the embedded database to a PostgreSQL server (operator).',
  options: { json: { text: 'print the answer as JSON' } },
  details: `
  PINAKES_DATABASE_URL=postgres://… pinakes copy-database

Copies the database in PINAKES_DATA_DIR to the empty database of PINAKES_DATABASE_URL: tenants,
keys, sources, tags, policies, secrets, conversations, audit logs and waiting jobs. Stop the
service before. The embedded database and the stored files stay as they are. Vectors of an
embedding model are copied to a cache for a day: start the service in this time, and it does
not ask the model for them again.`,
  async run({ options, io }) {
    const config = loadConfig(environment());
    const { databaseUrl, dataDir } = config;
    if (databaseUrl === null)
      throw usageError(
        'Set PINAKES_DATABASE_URL to the empty database, for example postgres://user:secret@host/pinakes.',
      );
    const { hasEmbeddedDatabase } = await import('../../db/open.ts');
    if (!hasEmbeddedDatabase(dataDir)) throw usageError(`There is no database in ${dataDir}: set PINAKES_DATA_DIR.`);
    becomeServiceUser(dataDir);
    const { copyToServer } = await import('../../copy-database.ts');
    const { pino } = await import('pino');
    const log = pino({ level: 'warn' }, pino.destination(2));
    const copied = await copyToServer({ ...config, databaseUrl }, log, (name) => io.err(`${name}\n`));
    const { tenants, rows, jobs } = copied;
    const text =
      `${rows} rows of ${tenants} tenants and ${jobs} waiting jobs were copied. The files stay in ${config.blobs.directory}, ` +
      'and the master key stays the same.\n';
    return printAnswer({ options, io }, copied, () => io.out(text));
  },
};
