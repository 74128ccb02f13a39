/** Options of commands that make a source which is kept in step with its origin. */
import { type OptionSpec, type OptionValues, textOption } from '../shared/command.ts';

const RULES: Readonly<Record<string, string>> = {
  hourly: 'FREQ=HOURLY',
  daily: 'FREQ=DAILY;BYHOUR=3;BYMINUTE=0',
  weekly: 'FREQ=WEEKLY;BYDAY=SU;BYHOUR=3;BYMINUTE=0',
};

export const CREATION_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  name: { type: 'string', value: '<text>', text: 'name of the source group (default: made of what is read)' },
  schedule: {
    type: 'string',
    value: '<rule>',
    text: 'when to read it again: hourly, daily, weekly (at 3 in the night, UTC) or an RFC 5545 RRULE',
  },
  wait: {
    type: 'boolean',
    short: 'w',
    text: 'show progress until everything is searchable; exit 1 if something failed',
  },
  json: { type: 'boolean', text: 'print the source as one line of JSON; with --wait also its run and errors' },
};

/** The member `rrule` of a request. */
export function scheduleIn(options: OptionValues): { rrule?: string } {
  const rule = textOption(options, 'schedule');
  return rule === undefined ? {} : { rrule: RULES[rule] ?? rule };
}
