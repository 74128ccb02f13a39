/** Words the problems that the schema library finds like the service's other errors: `must be a string, not a number.` Pure. */
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Beginnings of the library's own messages. A message that a schema defines itself is kept. */
const LIBRARY_WORDS = /^(?:Invalid |Invalid$|Too (?:small|big)|Unrecognized )/;
/** More than there are types of files. */
const CHOICES_MAX = 40;
const PATTERN_LENGTH_MAX = 100;

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
  undefined: 'absent',
  date: 'a date',
  NaN: 'NaN',
};
const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  url: 'an address such as https://example.com/',
  email: 'an e-mail address',
  datetime: 'a date and time such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
};

/** Returns a sentence without its subject: the caller puts the name of the wrong value before it. */
export function issueWords(issue: Issue): string {
  const words = LIBRARY_WORDS.test(issue.message) ? plainWords(issue) : issue.message;
  return words.endsWith('.') ? words : `${words}.`;
}

/** Whether the issue is that a required value is absent. */
export function isMissing(issue: Issue): boolean {
  return issue.code === 'invalid_type' && LIBRARY_WORDS.test(issue.message) && receivedOf(issue) === 'undefined';
}

function plainWords(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type': {
      const received = receivedOf(issue);
      if (received === 'undefined') return 'is required';
      if (received.endsWith('Infinity')) return 'must be a number that a double can hold';
      const whole = issue.expected === 'int' && received === 'number';
      return `must be ${typeWords(issue.expected)}, not ${whole ? 'one with a fraction' : typeWords(received)}`;
    }
    case 'invalid_value':
      return mustBeOneOf(issue.values);
    case 'too_small':
      return `must ${bound(issue.origin, 'at least', 'more than', issue, issue.minimum)}`;
    case 'too_big':
      return `must ${bound(issue.origin, 'at most', 'less than', issue, issue.maximum)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format': {
      const format = FORMATS[issue.format];
      if (format !== undefined) return `must be ${format}`;
      const { pattern } = issue;
      return pattern !== undefined && pattern.length <= PATTERN_LENGTH_MAX
        ? `must match the pattern ${pattern}`
        : 'has a form that is not allowed';
    }
    case 'invalid_union':
      return unionWords(issue);
    case 'invalid_key':
      return `is not an allowed name: it ${issue.issues[0] ? issueWords(issue.issues[0]) : 'cannot be used'}`;
    default:
      return 'is not allowed here';
  }
}

function unionWords(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  const { options } = issue as { options?: readonly unknown[] };
  if (options) return mustBeOneOf(options);
  const types = issue.errors.flatMap(([first]) =>
    first?.code === 'invalid_type' && first.path.length === 0 ? [typeWords(first.expected)] : [],
  );
  const one = issue.errors[0]?.[0];
  if (types.length === 0 || types.length < issue.errors.length || one?.code !== 'invalid_type')
    return 'has none of the allowed forms';
  return `must be ${[...new Set(types)].join(' or ')}, not ${typeWords(receivedOf(one))}`;
}

function bound(
  origin: string,
  inclusive: string,
  exclusive: string,
  issue: { inclusive?: boolean | undefined; exact?: boolean | undefined },
  limit: number | bigint,
): string {
  const how = issue.exact ? 'exactly' : issue.inclusive === false ? exclusive : inclusive;
  if (origin === 'string') return `have ${how} ${limit} ${limit === 1 ? 'character' : 'characters'}`;
  if (origin === 'array' || origin === 'set') return `have ${how} ${limit} ${limit === 1 ? 'element' : 'elements'}`;
  if (origin === 'object' || origin === 'map') return `have ${how} ${limit} ${limit === 1 ? 'member' : 'members'}`;
  return `be ${how} ${limit}`;
}

function mustBeOneOf(values: readonly unknown[]): string {
  const choices = values.slice(0, CHOICES_MAX).map(choiceWords);
  const more = values.length > CHOICES_MAX ? ', …' : '';
  return choices.length === 1 ? `must be ${choices[0]}` : `must be one of ${choices.join(', ')}${more}`;
}

/** Returns the choice, in quotes if a reader could not see where it ends. */
function choiceWords(value: unknown): string {
  return typeof value === 'string' && /^[\w:.-]+$/.test(value) ? value : String(JSON.stringify(value));
}

/** Returns the type of the received value. The library names this type only in its message. */
function receivedOf({ message }: Issue): string {
  return /received (-?\w+)$/.exec(message)?.[1] ?? '';
}

function typeWords(type: string): string {
  return TYPES[type] ?? (type === '' ? 'this' : `a ${type}`);
}
