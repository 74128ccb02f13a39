/** `pinakes rotate-master-key`: an operator command that replaces the master key. */

import { type Command, printAnswer } from '../shared/command.ts';
import { callAdmin, HOW_OPERATOR_COMMANDS_WORK } from './admin-client.ts';

interface Rotation {
  secrets: number;
  key_id: string;
  previous_key_id: string | null;
  origin: 'environment' | 'file';
}

export const rotateMasterKeyCommand: Command = {
  name: 'rotate-master-key',
  summary: 'Encrypt the stored secrets with a new master key (operator).',
  options: { json: { text: 'print the answer as JSON' } },
  details: `
  pinakes rotate-master-key

If the master key is in the file <data dir>/master.key, the command makes a new key and
replaces the file.

If the master key is in PINAKES_MASTER_KEY, set it to the new key, and set
PINAKES_MASTER_KEY_PREVIOUS to the old key. Restart every process, run this command, then
remove PINAKES_MASTER_KEY_PREVIOUS.

Older backups can be opened only with the old key: keep it as long as the backups.
${HOW_OPERATOR_COMMANDS_WORK}`,
  async run({ options, io }) {
    const rotation = await callAdmin<Rotation>('POST', '/master-key/rotate', {});
    const where = rotation.origin === 'file' ? 'in the key file' : 'from PINAKES_MASTER_KEY';
    const text = `${rotation.secrets} secrets were encrypted again. The master key is now ${rotation.key_id} (${where}).\n`;
    return printAnswer({ options, io }, rotation, () => io.out(text));
  },
};
