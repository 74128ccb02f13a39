/** `pinakes rotate-master-key`: an operator command. */

import { type Command, flagOption } from '../shared/command.ts';
import { callAdmin } from './admin-client.ts';

interface Rotation {
  secrets: number;
  key_id: string;
  previous_key_id: string | null;
  origin: 'environment' | 'file';
}

export const rotateMasterKeyCommand: Command = {
  name: 'rotate-master-key',
  summary: 'Seal the stored secrets with a new master key (operator).',
  synopsis: '',
  argumentsMin: 0,
  argumentsMax: 0,
  options: { json: { type: 'boolean', text: 'print the answer as JSON' } },
  details: `
  pinakes rotate-master-key

With the key file <data dir>/master.key: makes a new key and replaces the file.

With PINAKES_MASTER_KEY: set it to the new key and PINAKES_MASTER_KEY_PREVIOUS to the old
one, restart every process, run this command, then remove PINAKES_MASTER_KEY_PREVIOUS.

The old key opens backups made before: keep it for as long as you keep those.
Works through <data dir>/admin.sock while the service runs, else on the database directly.`,
  async run({ options, io }) {
    const rotation = await callAdmin<Rotation>('POST', '/master-key/rotate', {});
    if (flagOption(options, 'json')) io.out(`${JSON.stringify(rotation)}\n`);
    else {
      const where = rotation.origin === 'file' ? 'in the key file' : 'from PINAKES_MASTER_KEY';
      io.out(`${rotation.secrets} secrets are sealed anew. The master key is now ${rotation.key_id} (${where}).\n`);
    }
    return 0;
  },
};
