/** Writes days in words: people ask for mails and events by the month or the day of the week. */

/** One for each language and style: to make one takes far longer than to write a day. */
const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * Returns a day, in UTC, with its weekday in a language: `Thursday, March 5, 2026`; without the weekday if `style` is long, and with a
 * short month if it is medium.
 */
export function dayInWords(day: Date, language: string | null, style: 'full' | 'long' | 'medium' = 'full'): string {
  const key = `${language ?? 'en'} ${style}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(language ?? 'en', { dateStyle: style, timeZone: 'UTC' });
    formats.set(key, format);
  }
  return format.format(day);
}
