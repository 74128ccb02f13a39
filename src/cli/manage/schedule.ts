/** Options of commands that create a source with an origin. */
import { type OptionSpec, type OptionValues, textOption } from '../shared/command.ts';
import { usageError } from '../shared/io.ts';

const RULES: Readonly<Record<string, string>> = {
  hourly: 'FREQ=HOURLY',
  daily: 'FREQ=DAILY;BYHOUR=3;BYMINUTE=0',
  weekly: 'FREQ=WEEKLY;BYDAY=SU;BYHOUR=3;BYMINUTE=0',
};

export const CREATION_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  name: { value: '<text>', text: 'name of the source group (default: made from the address)' },
  schedule: {
    value: '<rule>',
    text: 'when to read the origin again: hourly, daily, weekly (the last two at 03:00 UTC) or an RFC 5545 RRULE',
  },
  wait: { short: 'w', text: 'show progress until everything is searchable; exit code 1 if something failed' },
  json: { text: 'print the source as one line of JSON; with --wait also its run and errors' },
};

/** Returns the member `rrule` of a request. @throws CliError with exit code 2 for a word that is no schedule. */
export function scheduleIn(options: OptionValues): { rrule: string | undefined } {
  const rule = textOption(options, 'schedule');
  if (rule === undefined) return { rrule: rule };
  const named = Object.hasOwn(RULES, rule) ? RULES[rule] : undefined;
  // Every rule has a part such as FREQ=DAILY. The service checks the rest.
  if (named === undefined && !rule.includes('='))
    throw usageError(
      `--schedule must be ${Object.keys(RULES).join(', ')} or an RRULE such as FREQ=DAILY;BYHOUR=3, not "${rule}".`,
    );
  return { rrule: named ?? rule };
}

export function isHttpAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
