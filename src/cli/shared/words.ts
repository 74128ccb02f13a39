/** Formats times, errors and counts for a terminal. */
import type { JobError } from '../../client/api.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const HALF_YEAR_MS = 182 * 86_400_000;

const two = (number: number): string => String(number).padStart(2, '0');

/** Returns `2026-11-23 07:40` in the time zone of this machine; empty for null. */
export function timeText(seconds: number | null): string {
  if (seconds === null) return '';
  const time = new Date(seconds * 1000);
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** Returns the time in the format of `ls -l`: `Nov 23 07:40`, or `Nov 23  2024` if it is more than half a year away. */
export function shortTime(seconds: number | null, now = Date.now()): string {
  if (seconds === null) return '';
  const time = new Date(seconds * 1000);
  const day = `${MONTHS[time.getMonth()]} ${String(time.getDate()).padStart(2)}`;
  const isLongAgo = Math.abs(now - seconds * 1000) > HALF_YEAR_MS;
  return `${day} ${isLongAgo ? ` ${time.getFullYear()}` : `${two(time.getHours())}:${two(time.getMinutes())}`}`;
}

/** Returns the time in a list: in the short format on a terminal; in a pipe with its zone, because programs read it. */
export function listTime(seconds: number | null, { outColumns }: { outColumns?: number | undefined }): string {
  if (outColumns !== undefined || seconds === null) return shortTime(seconds);
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** Returns title and message in one line, with the lines of the message apart. Some messages already begin with the title. */
export function errorText({ title, message }: JobError): string {
  const text = message.startsWith(title) ? message : `${title}: ${message}`;
  return text
    .replace(/: $/, '')
    .replaceAll(/\s*\n\s*/gu, '; ')
    .replaceAll(/\s+/gu, ' ');
}

/**
 * Returns an error of the service with the name of the refused value, as in `Query: must have 1 to 4000 characters`. The service names
 * it by its JSON pointer or as a query parameter, and the user of a command has written neither. A longer pointer stays: it names a
 * place in a file.
 */
export function refusalText({ message }: { message: string }): string {
  const [start, pointed, asked] = /^(?:\/([a-z_]+)(?:\/\d+)?|Query parameter "([a-z_]+)"): /u.exec(message) ?? [];
  if (start === undefined) return message;
  const name = asked === 'q' ? 'search text' : (pointed ?? asked ?? '').replaceAll('_', ' ');
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${message.slice(start.length)}`;
}

/** Returns the text with a full stop at its end. */
export function endedText(text: string): string {
  return text.replace(/\.?$/u, '.');
}

/** Returns the text as one word of a POSIX shell: in single quotes, unless no shell reads anything into it. */
export function shellWord(text: string): string {
  return /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
};

/** Returns why a file or folder cannot be read. */
export function fileProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return FILE_PROBLEMS[code] ?? code;
}

const NAMES_SHOWN_MAX = 3;

/** Returns the first names, and how many more there are. */
export function namesOf(paths: readonly string[]): string {
  const more = paths.length - NAMES_SHOWN_MAX;
  return `${paths.slice(0, NAMES_SHOWN_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
