/** Finds PEM and PGP blocks of private keys, from BEGIN to END; without END, as far as the text looks like a key. */
import type { Finder } from '../redaction-session.ts';

const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
const BEGIN_HERE = new RegExp(BEGIN.source, 'y');
const BEGIN_START = '-----BEGIN ';
const BEGIN_LENGTH_MAX = 75;
const END = /-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
const BODY = /[A-Za-z0-9+/=\s:\\,-]*/y;
const BLOCK_LENGTH_MAX = 8_192;

export const privateKey: Finder = {
  scan(text, from, until, found) {
    let next = from;
    for (;;) {
      BEGIN.lastIndex = next;
      const begin = BEGIN.exec(text);
      if (!begin || begin.index >= until) return Math.max(next, until);
      next = endOf(text, begin.index, begin[0].length);
      found(begin.index, next);
    }
  },
  openFrom(text, from) {
    for (let at = from; ; at++) {
      at = text.indexOf(BEGIN_START, at);
      if (at < 0) break;
      BEGIN_HERE.lastIndex = at;
      const longest = BEGIN_HERE.test(text) ? BLOCK_LENGTH_MAX : BEGIN_LENGTH_MAX;
      if (text.length - at <= longest && findEnd(text, at) === undefined) return at;
    }
    for (let length = Math.min(BEGIN_START.length - 1, text.length - from); length > 0; length--)
      if (text.endsWith(BEGIN_START.slice(0, length))) return text.length - length;
    return text.length;
  },
};

function findEnd(text: string, start: number): number | undefined {
  END.lastIndex = start;
  const end = END.exec(text.length > start + 2 * BLOCK_LENGTH_MAX ? text.slice(0, start + BLOCK_LENGTH_MAX) : text);
  if (!end || END.lastIndex > start + BLOCK_LENGTH_MAX) return undefined;
  return end.index + end[0].length;
}

function endOf(text: string, start: number, headLength: number): number {
  const end = findEnd(text, start);
  if (end !== undefined) return end;
  BODY.lastIndex = start + headLength;
  const body = BODY.exec(text.slice(0, start + BLOCK_LENGTH_MAX));
  return start + headLength + (body?.[0].trimEnd().length ?? 0);
}
