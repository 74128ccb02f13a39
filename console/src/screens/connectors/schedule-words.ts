/** Schedules in words, in the language of the reader. */
import { localeTag, say } from '../../words/words.ts';
import { type Choice, DAYS, type Day, readRule } from './schedule.ts';

/** 5 January 2026 was a Monday. */
const MONDAY = Date.UTC(2026, 0, 5);
const DAY_MS = 86_400_000;

export function dayName(day: Day, width: 'long' | 'short' = 'long'): string {
  const date = new Date(MONDAY + DAYS.indexOf(day) * DAY_MS);
  return date.toLocaleDateString(localeTag(), { weekday: width, timeZone: 'UTC' });
}

/** Returns the zone in which the reader lives. */
export function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Returns the rule in words. The zone is named if it is not that of the reader. */
export function ruleInWords(rule: string): string {
  const { choice, zone } = readRule(rule);
  const words = choiceInWords(choice);
  return zone === null || zone === ownZone() ? words : say('schedule.inZone', { words, zone });
}

function choiceInWords({ every, hours, time, days, dayOfMonth, rule }: Choice): string {
  switch (every) {
    case 'never':
      return say('schedule.never');
    case 'hours':
      return say('schedule.everyHours', { n: hours });
    case 'day':
      return say('schedule.everyDay', { time: clock(time) });
    case 'week': {
      const names = days.map((day) => dayName(day));
      const list = new Intl.ListFormat(localeTag(), { type: 'conjunction' }).format(names);
      return say('schedule.everyWeek', { days: list, time: clock(time) });
    }
    case 'month':
      return say('schedule.everyMonth', { day: dayOfMonth, time: clock(time) });
    case 'rule':
      return rule;
  }
}

function clock(time: string): string {
  return new Date(`2026-01-05T${time}:00Z`).toLocaleTimeString(localeTag(), { timeStyle: 'short', timeZone: 'UTC' });
}

/** Returns a time with its weekday, in the zone of the reader. */
export function dayAndTime(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString(localeTag(), {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
}
