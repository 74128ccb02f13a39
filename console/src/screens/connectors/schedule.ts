/** Schedules between the choices of the form and recurrence rules (RFC 5545). A rule that the form cannot show is kept as it is. */

export const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
export type Day = (typeof DAYS)[number];
export const EVERY = ['never', 'hours', 'day', 'week', 'month', 'rule'] as const;
export type Every = (typeof EVERY)[number];

export interface Choice {
  every: Every;
  hours: number;
  /** HH:MM */
  time: string;
  days: readonly Day[];
  dayOfMonth: number;
  rule: string;
}

export const NO_SCHEDULE: Choice = { every: 'never', hours: 6, time: '06:00', days: ['MO'], dayOfMonth: 1, rule: '' };

/** Returns the rule of a choice, in the zone; empty: no schedule. */
export function ruleOf({ every, hours, time, days, dayOfMonth, rule }: Choice, zone: string): string {
  const [hour = '0', minute = '0'] = time.split(':');
  const at = `BYHOUR=${Number(hour)};BYMINUTE=${Number(minute)};BYSECOND=0;TZID=${zone}`;
  switch (every) {
    case 'never':
      return '';
    case 'hours':
      return `FREQ=HOURLY;INTERVAL=${hours}`;
    case 'day':
      return `FREQ=DAILY;${at}`;
    case 'week':
      return `FREQ=WEEKLY;BYDAY=${DAYS.filter((day) => days.includes(day)).join(',')};${at}`;
    case 'month':
      return `FREQ=MONTHLY;BYMONTHDAY=${dayOfMonth};${at}`;
    case 'rule':
      return rule.trim();
  }
}

/** Returns the choice that a rule stands for, and the zone of its times. */
export function readRule(rule: string): { choice: Choice; zone: string | null } {
  const other = { choice: { ...NO_SCHEDULE, every: 'rule' as const, rule }, zone: null };
  if (rule.trim() === '') return { choice: NO_SCHEDULE, zone: null };
  const parts = new Map(rule.split(';').map((part) => part.split('=') as [string, string]));
  const { FREQ: frequency, TZID: zone, BYSECOND: second, ...by } = Object.fromEntries(parts);
  const isOnly = (...names: string[]) => Object.keys(by).toSorted().join() === names.toSorted().join();
  if (frequency === 'HOURLY' && isOnly('INTERVAL') && zone === undefined && second === undefined)
    return isWhole(by['INTERVAL'], 1, 168)
      ? { choice: { ...NO_SCHEDULE, every: 'hours', hours: Number(by['INTERVAL']) }, zone: null }
      : other;
  if (!isWhole(by['BYHOUR'], 0, 23) || !isWhole(by['BYMINUTE'], 0, 59)) return other;
  const time = `${by['BYHOUR']!.padStart(2, '0')}:${by['BYMINUTE']!.padStart(2, '0')}`;
  const timed = (choice: Partial<Choice>) => ({ choice: { ...NO_SCHEDULE, time, ...choice }, zone: zone ?? 'UTC' });
  if (frequency === 'DAILY' && isOnly('BYHOUR', 'BYMINUTE')) return timed({ every: 'day' });
  if (frequency === 'WEEKLY' && isOnly('BYDAY', 'BYHOUR', 'BYMINUTE')) {
    const days = by['BYDAY']!.split(',');
    return days.every(isDay) ? timed({ every: 'week', days }) : other;
  }
  if (frequency === 'MONTHLY' && isOnly('BYHOUR', 'BYMINUTE', 'BYMONTHDAY') && isWhole(by['BYMONTHDAY'], 1, 31))
    return timed({ every: 'month', dayOfMonth: Number(by['BYMONTHDAY']) });
  return other;
}

function isDay(text: string): text is Day {
  return (DAYS as readonly string[]).includes(text);
}

function isWhole(text: string | undefined, min: number, max: number): boolean {
  return text !== undefined && /^\d{1,3}$/.test(text) && Number(text) >= min && Number(text) <= max;
}
