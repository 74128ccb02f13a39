/** How times, types and failures read on a terminal. */
import type { JobError } from '../../client/api.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const HALF_YEAR_MS = 182 * 86_400_000;

const two = (number: number): string => String(number).padStart(2, '0');

/** `2026-11-23 07:40` in the zone of this machine; empty for null. */
export function timeText(seconds: number | null): string {
  if (seconds === null) return '';
  const time = new Date(seconds * 1000);
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** As `ls -l` writes it: `Nov 23 07:40`, and `Nov 23  2024` when that is long ago. */
export function shortTime(seconds: number | null, now = Date.now()): string {
  if (seconds === null) return '';
  const time = new Date(seconds * 1000);
  const day = `${MONTHS[time.getMonth()]} ${String(time.getDate()).padStart(2)}`;
  const isLongAgo = Math.abs(now - seconds * 1000) > HALF_YEAR_MS;
  return `${day} ${isLongAgo ? ` ${time.getFullYear()}` : `${two(time.getHours())}:${two(time.getMinutes())}`}`;
}

/** Title and message in one line; some messages begin with the title. */
export function errorText({ title, message }: JobError): string {
  const text = message.startsWith(title) ? message : `${title}: ${message}`;
  return text.replace(/: $/, '').replaceAll(/\s+/gu, ' ');
}

/** `1 file`, `2 files`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
