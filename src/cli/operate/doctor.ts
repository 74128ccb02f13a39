/** `pinakes doctor`: an operator command. */

import { type Command, flagOption } from '../shared/command.ts';
import { callAdmin } from './admin-client.ts';

interface Check {
  name: string;
  ok: boolean;
  detail: string;
}

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Tell what works and what does not (operator).',
  synopsis: '',
  argumentsMin: 0,
  argumentsMax: 0,
  options: {
    check: { type: 'boolean', text: 'also compare rows, blobs, chunks and counters with each other (slow)' },
    json: { type: 'boolean', text: 'print the answer as JSON' },
  },
  details: `
  pinakes doctor
  pinakes doctor --check --json | jq '.[] | select(.ok | not)'

Exits with 1 when a check fails.`,
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
