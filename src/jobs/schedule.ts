/**
 * Parses recurrence rules (RFC 5545) and computes their next occurrences. Pure.
 *
 * A rule comes from a tenant and may take long to evaluate. So the service calls this module in a separate thread with a time
 * limit: see schedules.ts.
 */
import { RRuleTemporal } from 'rrule-temporal';
import { OCCURRENCE_GAP_SECONDS_MIN } from './schedule-limits.ts';

/** How many of the next occurrences are checked for gaps that are too short. */
const OCCURRENCES_CHECKED = 100;
/** Occurrences later than this are ignored. */
const HORIZON_YEARS = 100;
/** Limits of the library's search. A rule that reaches a limit is refused. */
const ITERATIONS_MAX = 20_000;
const CANDIDATES_MAX = 100_000;
/** COUNT begins at DTSTART, so every evaluation counts all occurrences before the next one. */
const COUNT_MAX = 10_000;

/** A rule is refused. The message is the end of a sentence that begins with `rrule`. */
export class RuleProblem extends Error {
  override readonly name = 'RuleProblem';
}

const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'];
const WEEKDAY = '(?:MO|TU|WE|TH|FR|SA|SU)';
const TIME = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/;

type Parts = ReadonlyMap<string, string>;

/** By name of a part: a check of its value, and a description of right values. */
const PARTS: Readonly<Record<string, readonly [isRight: (value: string) => boolean, wanted: string]>> = {
  FREQ: [(value) => FREQUENCIES.includes(value), `one of ${FREQUENCIES.join(', ')}`],
  INTERVAL: [(value) => isWhole(value, 1, 9_999_999), 'a whole number of 1 or more'],
  COUNT: [(value) => isWhole(value, 1, COUNT_MAX), `a whole number from 1 to ${COUNT_MAX}`],
  UNTIL: [isUntil, 'a date such as 20301231, or a time in UTC such as 20301231T235959Z'],
  WKST: [(value) => new RegExp(`^${WEEKDAY}$`).test(value), 'a weekday such as MO'],
  BYDAY: [(value) => eachOf(value, isWeekday), 'weekdays such as MO,-1FR'],
  BYSECOND: numbers(0, 59),
  BYMINUTE: numbers(0, 59),
  BYHOUR: numbers(0, 23),
  BYMONTH: numbers(1, 12),
  BYMONTHDAY: signedNumbers(31),
  BYYEARDAY: signedNumbers(366),
  BYWEEKNO: signedNumbers(53),
  BYSETPOS: signedNumbers(366),
};

/** Combinations that RFC 5545 forbids. */
const FORBIDDEN: readonly (readonly [holds: (parts: Parts) => boolean, problem: string])[] = [
  [(parts) => parts.has('COUNT') && parts.has('UNTIL'), 'may have COUNT or UNTIL, not both'],
  [(parts) => parts.has('BYWEEKNO') && parts.get('FREQ') !== 'YEARLY', 'may have BYWEEKNO with FREQ=YEARLY only'],
  [
    (parts) => parts.has('BYYEARDAY') && ['DAILY', 'WEEKLY', 'MONTHLY'].includes(parts.get('FREQ')!),
    'cannot have BYYEARDAY with FREQ=DAILY, WEEKLY or MONTHLY',
  ],
  [(parts) => parts.has('BYMONTHDAY') && parts.get('FREQ') === 'WEEKLY', 'cannot have BYMONTHDAY with FREQ=WEEKLY'],
  [
    (parts) =>
      /\d/.test(parts.get('BYDAY') ?? '') &&
      (!['MONTHLY', 'YEARLY'].includes(parts.get('FREQ')!) || parts.has('BYWEEKNO')),
    'may number weekdays (1MO) with FREQ=MONTHLY or YEARLY and without BYWEEKNO only',
  ],
  [
    (parts) => parts.has('BYSETPOS') && ![...parts.keys()].some((name) => /^BY(?!SETPOS)/.test(name)),
    'needs BYSETPOS together with another part that begins with BY',
  ],
];

/**
 * Returns at most `count` occurrences after `after`, soonest first.
 *
 * @param anchor the start of a rule without DTSTART, to the second.
 * @throws RuleProblem
 */
export function nextOccurrences(text: string, anchor: Date, after: Date, count: number): Date[] {
  const rule = open(text, anchor);
  const horizon = new Date(after);
  horizon.setUTCFullYear(horizon.getUTCFullYear() + HORIZON_YEARS);
  const found: Date[] = [];
  for (let from = after; found.length < count; ) {
    const next = search(rule, from);
    if (!next || next > horizon) break;
    found.push(next);
    from = next;
  }
  return found;
}

/** Returns the next `count` occurrences of a new rule. @throws RuleProblem when there is none, or two are too close. */
export function checkRule(text: string, anchor: Date, now: Date, count: number): Date[] {
  const occurrences = nextOccurrences(text, anchor, now, OCCURRENCES_CHECKED);
  if (occurrences.length === 0) throw new RuleProblem('has no occurrence in the future');
  occurrences.slice(1).forEach((occurrence, i) => {
    if (occurrence.getTime() - occurrences[i]!.getTime() < OCCURRENCE_GAP_SECONDS_MIN * 1000)
      throw new RuleProblem(`occurs at intervals of less than ${OCCURRENCE_GAP_SECONDS_MIN / 60} minutes`);
  });
  return occurrences.slice(0, count);
}

function open(text: string, anchor: Date): RRuleTemporal {
  const { parts, start, zone } = read(text);
  const written = [...parts].map(([name, value]) => `${name}=${value}`).join(';');
  const begin = start ?? `${new Date(Math.floor(anchor.getTime() / 1000) * 1000).toISOString().slice(0, 19)}Z`;
  const dtstart = { timeZoneId: zone, toString: () => `${begin}[${zone}]` };
  try {
    return new RRuleTemporal({
      rruleString: `RRULE:${written}`,
      dtstart,
      tzid: zone,
      maxIterations: ITERATIONS_MAX,
      maxCandidateEvaluations: CANDIDATES_MAX,
      cache: false,
    });
  } catch {
    throw new RuleProblem('is not a rule that can be evaluated');
  }
}

function search(rule: RRuleTemporal, after: Date): Date | null {
  try {
    const next = rule.next(after);
    return next ? new Date(next.epochMilliseconds) : null;
  } catch {
    throw new RuleProblem('has no occurrence that can be computed');
  }
}

interface Read {
  parts: Parts;
  /** ISO 8601, with Z or local to the zone. Undefined: the rule starts at the anchor. */
  start: string | undefined;
  /** IANA name. */
  zone: string;
}

/** Parses the value of an RRULE property, or the lines DTSTART and RRULE. Accepts DTSTART and TZID as parts of the rule too. */
function read(text: string): Read {
  let zone: string | undefined;
  let start: string | undefined;
  let parts: Map<string, string> | undefined;
  for (const line of unfold(text)) {
    const [, property = 'RRULE', parameters = '', value = line] = /^([A-Za-z-]+)((?:;[^:]*)?):(.*)$/.exec(line) ?? [];
    if (property.toUpperCase() === 'DTSTART') {
      if (start !== undefined) throw new RuleProblem('has more than one DTSTART');
      zone = parameterOf(parameters, 'TZID') ?? zone;
      start = value;
    } else if (property.toUpperCase() === 'RRULE') {
      if (parts) throw new RuleProblem('has more than one RRULE');
      parts = readParts(value);
    } else throw new RuleProblem(`may have the lines DTSTART and RRULE, not ${property.slice(0, 20)}`);
  }
  if (!parts?.has('FREQ')) throw new RuleProblem('needs FREQ, for example FREQ=DAILY;BYHOUR=6');
  zone = parts.get('TZID') ?? zone ?? 'UTC';
  start = parts.get('DTSTART') ?? start;
  parts.delete('TZID');
  parts.delete('DTSTART');
  for (const [holds, problem] of FORBIDDEN) if (holds(parts)) throw new RuleProblem(problem);
  if (!isZone(zone)) throw new RuleProblem('names a TZID that is no time zone, such as Europe/Berlin');
  const begin = start === undefined ? undefined : readTime(start);
  if (start !== undefined && begin === undefined)
    throw new RuleProblem('has a DTSTART that is no time such as 20260105T060000 or 20260105T060000Z');
  return { parts, start: begin, zone };
}

/** Returns the lines. A line that begins with a blank continues the line before it. */
function unfold(text: string): string[] {
  return text
    .replaceAll(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function parameterOf(parameters: string, name: string): string | undefined {
  const found = parameters.split(';').find((parameter) => parameter.toUpperCase().startsWith(`${name}=`));
  return found?.slice(name.length + 1).replaceAll('"', '');
}

function readParts(text: string): Map<string, string> {
  const parts = new Map<string, string>();
  for (const part of text.split(';').map((one) => one.trim())) {
    if (part === '') continue;
    const [given = '', value = ''] = part.split(/=(.*)/s);
    const name = given.toUpperCase();
    if (parts.has(name)) throw new RuleProblem(`has ${name} twice`);
    if (name === 'TZID' || name === 'DTSTART') parts.set(name, value);
    else parts.set(name, checkPart(name, value.toUpperCase()));
  }
  return parts;
}

function checkPart(name: string, value: string): string {
  const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
  if (!part)
    throw new RuleProblem(
      `has the unknown part ${JSON.stringify(name.slice(0, 20))}: write for example FREQ=DAILY;BYHOUR=6`,
    );
  const [isRight, wanted] = part;
  if (!isRight(value)) throw new RuleProblem(`must have in ${name} ${wanted}`);
  return value;
}

function numbers(min: number, max: number): readonly [(value: string) => boolean, string] {
  return [(value) => eachOf(value, (one) => isWhole(one, min, max)), `numbers from ${min} to ${max}`];
}

function signedNumbers(max: number): readonly [(value: string) => boolean, string] {
  const isRight = (one: string): boolean => isWhole(one.replace(/^[+-]/, ''), 1, max);
  return [(value) => eachOf(value, isRight), `numbers from 1 to ${max} or -${max} to -1`];
}

function eachOf(value: string, isRight: (one: string) => boolean): boolean {
  return value.split(',').every((one) => isRight(one));
}

function isWhole(value: string, min: number, max: number): boolean {
  return /^\d{1,7}$/.test(value) && Number(value) >= min && Number(value) <= max;
}

function isWeekday(value: string): boolean {
  const [, number] = new RegExp(`^(?:[+-]?(\\d{1,2}))?${WEEKDAY}$`).exec(value) ?? ['', '0'];
  return number === undefined || isWhole(number, 1, 53);
}

/** Returns whether the value is a date or a time in UTC. RFC 5545 also has local times, which the library does not read. */
function isUntil(value: string): boolean {
  return readTime(value) !== undefined && (value.endsWith('Z') || !value.includes('T'));
}

function isZone(zone: string): boolean {
  // Only names: an offset such as +02:00 has no daylight saving time, which the caller hardly wants.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** Returns `2026-01-05T06:00:00Z` for `20260105T060000Z`, the first moment of a date, and undefined for other text. */
function readTime(value: string): string | undefined {
  const [matched, year, month, day, hour = '00', minute = '00', second = '00', utc = ''] = TIME.exec(value) ?? [];
  if (matched === undefined) return undefined;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const time = new Date(`${iso}Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(iso) ? `${iso}${utc}` : undefined;
}
