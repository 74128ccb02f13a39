/** `pinakes migrate`: an operator command. */
import { callAdmin } from './admin-client.ts';
import type { Command } from './command.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Bring the database schema up to date (operator).',
  synopsis: '',
  argumentsMin: 0,
  argumentsMax: 0,
  options: {},
  details: `
The service migrates by itself when it starts; this does it before, for example while no
replica runs. Migrations go forward only.`,
  async run({ io }) {
    const { applied, pending } = await callAdmin<{ applied: string[]; pending: string[] }>('GET', '/migrations');
    io.out(`${applied.length} migrations applied, ${pending.length} pending\n`);
    for (const name of pending) io.out(`pending: ${name}\n`);
    return pending.length === 0 ? 0 : 1;
  },
};
