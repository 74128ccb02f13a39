/** Finds numbers and times of a passage that may answer a question for a number or a time. */
import { numbersIn } from '../grounding/numbers.ts';
import { plainOf } from './letter-groups.ts';

/** Returns whether a text has digits that the question does not have. */
export function hasOwnDigits(text: string, question: string): boolean {
  return areOwn(text.match(/\p{N}+/gu) ?? [], question);
}

/** Returns whether a text has a number, a month or a weekday that the question does not have. It may be written as a word. */
export function hasOwnNumber(text: string, question: string, language: string | null): boolean {
  if (hasOwnDigits(text, question)) return true;
  const numbers = numbersIn(text, language).map(({ written }) => written);
  return areOwn([...numbers, ...(text.match(calendarNames(language ?? 'en')) ?? [])], question);
}

function areOwn(found: readonly string[], question: string): boolean {
  const asked = plainOf(question);
  return found.some((one) => !asked.includes(plainOf(one)));
}

/** Returns a pattern for the names of months and weekdays, the months as they stand in dates. The English "may" is no month. */
function calendarNames(language: string): RegExp {
  const months = new Intl.DateTimeFormat(language, { month: 'long', day: 'numeric', timeZone: 'UTC' });
  const days = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
  const names = Array.from({ length: 12 }, (_, i) => [
    months.formatToParts(Date.UTC(2000, i)).find(({ type }) => type === 'month')?.value ?? '',
    days.format(Date.UTC(2000, 0, i + 1)),
  ]).flat();
  // In Chinese and Japanese a month is a number, which numbersIn finds.
  const words = names.filter((name) => /^[\p{L}\p{M}]+$/u.test(name));
  return new RegExp(`(?:${words.join('|')})(?!\\p{sc=Latin})`, 'gu');
}
