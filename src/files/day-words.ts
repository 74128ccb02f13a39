/** Writes days in words: people ask for mails and events by the month or the day of the week. */

/** Returns a day, in UTC, with its weekday in a language: `Thursday, March 5, 2026`; without the weekday if `style` is long. */
export function dayInWords(day: Date, language: string | null, style: 'full' | 'long' = 'full'): string {
  return new Intl.DateTimeFormat(language ?? 'en', { dateStyle: style, timeZone: 'UTC' }).format(day);
}
