/** `pinakes serve`, `pinakes api`, `pinakes worker`: run the service in one process, or as two roles. */
import { environment, loadConfig } from '../../config.ts';
import type { Role } from '../../main.ts';
import type { Command } from '../shared/command.ts';
import { becomeServiceUser } from './admin-client.ts';

function roleCommand(name: Role, summary: string, details: string): Command {
  return {
    name,
    summary,
    options: {},
    details,
    async run() {
      becomeServiceUser(loadConfig(environment()).dataDir);
      // Imported here, so that other commands do not load the service.
      return (await import('../../main.ts')).runService(name);
    },
  };
}

export const serveCommand = roleCommand(
  'serve',
  'Start the service: API and worker, with the embedded database unless PINAKES_DATABASE_URL is set.',
  `
  PINAKES_PORT=8000 PINAKES_DATA_DIR=/srv/pinakes pinakes serve

Settings are environment variables, such as PINAKES_HOST (default 127.0.0.1), PINAKES_PORT
(default 7700; 0: any free port), PINAKES_DATA_DIR (default ./.pinakes) and PINAKES_CHAT_MODEL
(default extractive). docs/configuration.md has all of them. The first start writes an API key
to the file <data dir>/admin.key.`,
);

const replica = (role: Role): string => `
  PINAKES_DATABASE_URL=postgres://… PINAKES_MASTER_KEY=… PINAKES_BLOB_URL=file:///srv/pinakes pinakes ${role}

Needs PINAKES_DATABASE_URL, PINAKES_MASTER_KEY, and a PINAKES_BLOB_URL that all processes share.`;

export const apiCommand = roleCommand('api', 'Start only the API, on a shared PostgreSQL server.', replica('api'));
export const workerCommand = roleCommand(
  'worker',
  'Start only a worker, on a shared PostgreSQL server.',
  replica('worker'),
);
