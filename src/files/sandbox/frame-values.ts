/**
 * Counts the values of a message before it is read. Reading takes a microsecond for each small object, and it cannot be divided: a message
 * of three megabytes could hold the event loop for a second.
 *
 * A message is in V8's structured-clone format, version 15: tags of one byte, each with its data.
 */

const tag = (character: string): number => character.charCodeAt(0);
const VERSION = 0xff;
/** Tags followed by a length and as many bytes: strings, and the digits of arrays of bytes. */
const WITH_BYTES = new Set(['"', 'c', 'S', 'B'].map(tag));
/** How many numbers of variable length follow other tags. */
const NUMBERS = new Map<number, number>([
  ...['\0', '_', '0', 'T', 'F', '-', 'o', ';', "'"].map((one) => [tag(one), 0] as const),
  ...['I', 'U', '^', 'A', 'a', '{', ':', ','].map((one) => [tag(one), 1] as const),
  ...['$', '@'].map((one) => [tag(one), 2] as const),
]);
const WITH_DOUBLE = new Set(['N', 'D'].map(tag));
const DOUBLE_BYTES = 8;
const BIGINT = tag('Z');
/** A view of bytes, as Node.js writes it: its type, its length and the bytes. */
const VIEW = tag('\\');

/** @throws RangeError if the message has more than `max` values, or a kind of value that no message of ours has. */
export function checkValues(body: Uint8Array, max: number): void {
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let factor = 1; at < body.length; factor *= 128) {
      const byte = body[at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) break;
    }
    return value;
  };
  const skip = (bytes: number): void => {
    at += bytes;
  };
  if (body[at++] !== VERSION) throw new RangeError('A message has no version.');
  number();
  for (let values = 0; at < body.length; values += 1) {
    if (values > max) throw new RangeError(`A message has more than ${max} values.`);
    const kind = body[at++]!;
    const numbers = NUMBERS.get(kind);
    if (numbers !== undefined) for (let i = 0; i < numbers; i += 1) number();
    else if (WITH_BYTES.has(kind)) skip(number());
    else if (WITH_DOUBLE.has(kind)) skip(DOUBLE_BYTES);
    else if (kind === BIGINT) skip(Math.floor(number() / 2));
    else if (kind === VIEW) {
      number();
      skip(number());
    } else throw new RangeError(`A message has a value of the unexpected kind ${kind}.`);
  }
}
