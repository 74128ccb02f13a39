/** `pinakes migrate`: an operator command that migrates the database. */

import { type Command, flagOption } from '../shared/command.ts';
import { callAdmin } from './admin-client.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Bring the database schema up to date (operator).',
  synopsis: '',
  argumentsMin: 0,
  argumentsMax: 0,
  options: { json: { type: 'boolean', text: 'print the answer as JSON' } },
  details: `
  pinakes migrate

The service migrates the database when it starts. This command does it before, for example
while no process of the service runs. Migrations go forward only. If pg_textsearch was
installed on the PostgreSQL server or removed from it, the command also rebuilds the indexes
of the text search: restart all processes afterwards.`,
  async run({ options, io }) {
    const answer = await callAdmin<{
      applied: string[];
      pending: string[];
      changed_over: string[];
    }>('POST', '/migrations', {});
    const { applied, pending, changed_over } = answer;
    if (flagOption(options, 'json')) {
      io.out(`${JSON.stringify(answer)}\n`);
      return pending.length === 0 ? 0 : 1;
    }
    io.out(`${applied.length} migrations applied, ${pending.length} pending\n`);
    for (const name of changed_over)
      io.out(`text search of tenant ${name}: indexes were rebuilt; restart all processes\n`);
    for (const name of pending) io.out(`pending: ${name}\n`);
    return pending.length === 0 ? 0 : 1;
  },
};
