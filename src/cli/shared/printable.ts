/** Makes foreign texts safe for a terminal. Pure. */

/** Control characters, except line breaks and tabs, and characters that change the direction of the text after them. */
const UNPRINTABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Returns the text without carriage returns. Other characters that could control a terminal become `�`. Names and texts of files need
 * this, because other people wrote them.
 */
export function printable(text: string): string {
  return text.replaceAll('\r', '').replaceAll(UNPRINTABLE, '\ufffd');
}
