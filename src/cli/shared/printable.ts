/** Texts of others on a terminal. Pure. */

/** Control characters but line breaks and tabs, and characters that turn the direction of what follows. */
const UNPRINTABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** Returns the text without carriage returns and with a replacement character for what else could steer a terminal: the names
 * and texts of files are not ours. */
export function printable(text: string): string {
  return text.replaceAll('\r', '').replaceAll(UNPRINTABLE, '\ufffd');
}
