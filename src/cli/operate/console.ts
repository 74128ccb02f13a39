/** `pinakes console`: an operator command that prints a sign-in link to the console. */
import { environment, loadConfig } from '../../config.ts';
import { type Command, printAnswer, textOption } from '../shared/command.ts';
import { callAdmin, HOW_OPERATOR_COMMANDS_WORK } from './admin-client.ts';

export const consoleCommand: Command = {
  name: 'console',
  summary: 'Print a sign-in link to the console (operator).',
  options: {
    tenant: { value: '<name>', text: 'the tenant to sign in to (default: default)' },
    url: { value: '<url>', text: 'address of the service, as the browser sees it' },
    json: { text: 'print the answer as JSON' },
  },
  details: `
  pinakes console                                    for the service on this machine
  pinakes console --url https://pinakes.example      as the browser reaches it

The link works once and for ten minutes. It signs in with the first operator's key of the tenant, which has all scopes.

${HOW_OPERATOR_COMMANDS_WORK}`,
  async run({ options, io }) {
    const body = { tenant: textOption(options, 'tenant') };
    const answer = await callAdmin<{ token: string; expires_time: number }>('POST', '/console-links', body);
    const { host, port } = loadConfig(environment());
    const url = textOption(options, 'url') ?? `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
    const link = `${url.replace(/\/$/, '')}/console/#t=${answer.token}`;
    return printAnswer({ options, io }, { ...answer, link }, () => io.out(`${link}\n`));
  },
};
