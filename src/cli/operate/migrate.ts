/** `pinakes migrate`: an operator command that migrates the database. */

import { type Command, printAnswer } from '../shared/command.ts';
import { callAdmin } from './admin-client.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Bring the database schema up to date (operator).',
  options: { json: { text: 'print the answer as JSON' } },
  details: `
  pinakes migrate

The service migrates the database when it starts. This command does it before, for example
while no process of the service runs. Migrations go forward only. If pg_textsearch was
installed on the PostgreSQL server or removed from it, the command also rebuilds the indexes
of the text search: restart all processes afterwards.`,
  async run({ options, io }) {
    type Answer = Record<'applied' | 'pending' | 'changed_over', string[]>;
    const answer = await callAdmin<Answer>('POST', '/migrations', {});
    const { applied, pending, changed_over } = answer;
    await printAnswer({ options, io }, answer, () => {
      io.out(`${applied.length} migrations applied, ${pending.length} pending\n`);
      for (const name of changed_over)
        io.out(`text search of tenant ${name}: indexes were rebuilt; restart all processes\n`);
      for (const name of pending) io.out(`pending: ${name}\n`);
    });
    return pending.length === 0 ? 0 : 1;
  },
};
