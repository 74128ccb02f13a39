/** `pinakes serve`, `pinakes api`, `pinakes worker`: the service itself, in one process or in its two roles. */
import type { Role } from '../../main.ts';
import type { Command } from '../shared/command.ts';

function roleCommand(name: Role, summary: string, details: string): Command {
  return {
    name,
    summary,
    synopsis: '',
    argumentsMin: 0,
    argumentsMax: 0,
    options: {},
    details,
    // Loaded here: no other command should pay for loading the service.
    run: async () => (await import('../../main.ts')).runService(name),
  };
}

export const serveCommand = roleCommand(
  'serve',
  'Start the service: API, worker and, unless a server is set, the embedded database.',
  `
  PINAKES_PORT=8000 PINAKES_DATA_DIR=/srv/pinakes pinakes serve

Settings are environment variables: PINAKES_HOST (127.0.0.1), PINAKES_PORT (7700; 0 = any
free port), PINAKES_DATA_DIR (./.pinakes), PINAKES_CHAT_MODEL (extractive) and more:
see docs/configuration.md. The first start writes an API key to <data dir>/admin.key.`,
);

const replica = (role: Role): string => `
  PINAKES_DATABASE_URL=postgres://… PINAKES_MASTER_KEY=… PINAKES_BLOB_URL=file:///srv/pinakes pinakes ${role}

Needs PINAKES_DATABASE_URL, PINAKES_MASTER_KEY and a shared PINAKES_BLOB_URL.`;

export const apiCommand = roleCommand('api', 'Start the API role alone.', replica('api'));
export const workerCommand = roleCommand('worker', 'Start the worker role alone.', replica('worker'));
