/** `pinakes doctor`: an operator command that checks the service. */

import { type Command, flagOption } from '../shared/command.ts';
import { callAdmin } from './admin-client.ts';

interface Check {
  name: string;
  ok: boolean;
  detail: string;
}

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check whether the parts of the service work (operator).',
  synopsis: '',
  argumentsMin: 0,
  argumentsMax: 0,
  options: {
    check: { type: 'boolean', text: 'also check that rows, files, chunks and counters are consistent (slow)' },
    json: { type: 'boolean', text: 'print the answer as JSON' },
  },
  details: `
  pinakes doctor
  pinakes doctor --check --json | jq '.[] | select(.ok | not)'

The exit code is 1 if a check fails.`,
  async run({ options, io }) {
    const { checks } = await callAdmin<{ checks: Check[] }>(
      'GET',
      flagOption(options, 'check') ? '/doctor?check=1' : '/doctor',
    );
    if (flagOption(options, 'json')) io.out(`${JSON.stringify(checks)}\n`);
    else
      for (const { name, ok, detail } of checks)
        io.out(`${ok ? 'ok  ' : 'FAIL'}  ${name}${detail === '' ? '' : `: ${detail}`}\n`);
    return checks.every(({ ok }) => ok) ? 0 : 1;
  },
};
