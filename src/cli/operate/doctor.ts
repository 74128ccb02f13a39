/** `pinakes doctor`: an operator command that checks the service. */

import type { Check } from '../../features/console/checks.ts';
import { type Command, flagOption, printAnswer } from '../shared/command.ts';
import { usageError } from '../shared/io.ts';
import { callAdmin } from './admin-client.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check whether the parts of the service work (operator).',
  options: {
    check: { text: 'also check that rows, files, chunks and counters are consistent (slow)' },
    hashes: { text: 'with --check: also read every stored file and compare it with its hash (slower)' },
    json: { text: 'print the answer as JSON' },
  },
  details: `
  pinakes doctor
  pinakes doctor --check --hashes      # after a backup was restored
  pinakes doctor --check --json | jq '.[] | select(.ok | not)'

The exit code is 1 if a check fails.`,
  async run({ options, io }) {
    const [check, hashes] = [flagOption(options, 'check'), flagOption(options, 'hashes')];
    if (hashes && !check) throw usageError('--hashes needs --check.');
    const query = check ? `?check=1${hashes ? '&hashes=1' : ''}` : '';
    const { checks } = await callAdmin<{ checks: Check[] }>('GET', `/doctor${query}`);
    await printAnswer({ options, io }, checks, () => {
      for (const { name, ok, detail, fix } of checks) {
        io.out(`${ok ? 'ok  ' : 'FAIL'}  ${name}${detail === '' ? '' : `: ${detail}`}\n`);
        if (fix !== undefined) io.out(`      to add it: ${fix}\n`);
      }
    });
    return checks.every(({ ok }) => ok) ? 0 : 1;
  },
};
