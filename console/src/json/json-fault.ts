/** What is wrong in a text of JSON, and where: what cannot be read, and what the service refuses. */
import { inWords, PinakesError } from '../data/api.ts';
import { say } from '../words/words.ts';
import { JsonProblem, type Place, type PlacedJson, placeOf, readJson } from './json-places.ts';

export interface Fault {
  message: string;
  /** Null: nobody knows where. */
  place: Place | null;
}

/** Returns the JSON of a text, or what is wrong with it. */
export function readOrFault(text: string): PlacedJson | Fault {
  try {
    return readJson(text);
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    const { at, member } = error;
    const message = member === null ? say('json.wrong') : say('json.twice', { name: member });
    return { message, place: { start: at, end: at + 1 } };
  }
}

/** Whether the service refuses a value in the member of a body that the pointer names. */
export function isIn(error: Error, member: string): boolean {
  const pointer = error instanceof PinakesError ? error.pointer : null;
  return pointer !== null && (pointer === member || pointer.startsWith(`${member}/`));
}

/** Returns what the service refuses in the JSON, which was sent as the member `within` of a body. */
export function refusedIn(read: PlacedJson, error: Error, within = ''): Fault {
  const pointer = error instanceof PinakesError && isIn(error, within) ? error.pointer : null;
  if (pointer === null) return { message: inWords(error), place: null };
  const { message } = error;
  return {
    message: message.startsWith(`${within}/`) ? message.slice(within.length) : message,
    place: placeOf(read, pointer.slice(within.length)),
  };
}

/** Returns what is wrong with a text: that it is not JSON, or what the service refuses in the JSON. */
export function faultIn(text: string, refusal: Error | null, within: string): Fault | null {
  const read = readOrFault(text);
  if (!('value' in read)) return read;
  return refusal && refusedIn(read, refusal, within);
}
