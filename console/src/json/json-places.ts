/** Reads JSON with the place of every value in the text, so that an error or a rule can be shown where it stands. Pure. */

export interface Place {
  start: number;
  end: number;
}

export interface PlacedJson {
  value: unknown;
  /** Place of each value, by its JSON pointer. The whole text is the empty pointer. */
  places: ReadonlyMap<string, Place>;
}

/** Where a text is not JSON, or where a member is given a second time, of which a reader would keep only the last one. */
export class JsonProblem extends Error {
  readonly at: number;
  /** The name of the member that is there twice. */
  readonly member: string | null;
  constructor(at: number, member: string | null = null) {
    super('not JSON');
    this.name = 'JsonProblem';
    this.at = at;
    this.member = member;
  }
}

const DEPTH_MAX = 200;
const LITERALS: readonly (readonly [string, unknown])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const BLANK = /[ \t\r\n]*/y;

/** @throws JsonProblem with the offset of the first character that is wrong */
export function readJson(text: string): PlacedJson {
  const places = new Map<string, Place>();
  let at = 0;

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const blank = () => void match(BLANK);
  const expect = (character: string) => {
    if (text[at] !== character) throw new JsonProblem(at);
    at++;
  };
  const string = (): string => {
    const found = match(STRING);
    if (found === undefined) throw new JsonProblem(at);
    return JSON.parse(found) as string;
  };
  /** Reads members up to the closing character. */
  const members = (close: string, read: () => void) => {
    at++;
    blank();
    if (text[at] === close) return void at++;
    for (;;) {
      read();
      blank();
      if (text[at] === close) return void at++;
      expect(',');
      blank();
    }
  };
  const value = (pointer: string, depth: number): unknown => {
    if (depth > DEPTH_MAX) throw new JsonProblem(at);
    const start = at;
    const read = scalarOrMembers(pointer, depth);
    places.set(pointer, { start, end: at });
    return read;
  };
  const scalarOrMembers = (pointer: string, depth: number): unknown => {
    const first = text[at];
    if (first === '{') {
      const entries = new Map<string, unknown>();
      members('}', () => {
        const keyAt = at;
        const key = string();
        if (entries.has(key)) throw new JsonProblem(keyAt, key);
        blank();
        expect(':');
        blank();
        entries.set(key, value(`${pointer}/${escaped(key)}`, depth + 1));
      });
      return Object.fromEntries(entries);
    }
    if (first === '[') {
      const items: unknown[] = [];
      members(']', () => items.push(value(`${pointer}/${items.length}`, depth + 1)));
      return items;
    }
    if (first === '"') return string();
    for (const [literal, read] of LITERALS)
      if (text.startsWith(literal, at)) {
        at += literal.length;
        return read;
      }
    const number = match(NUMBER);
    if (number === undefined || number === '') throw new JsonProblem(at);
    return Number(number);
  };

  blank();
  const read = value('', 0);
  blank();
  if (at < text.length) throw new JsonProblem(at);
  return { value: read, places };
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Returns the place of a pointer, or of the nearest value around it that is there. */
export function placeOf({ places }: PlacedJson, pointer: string): Place {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const place = places.get(at);
    if (place) return place;
  }
  return places.get('') ?? { start: 0, end: 0 };
}

/** Returns the number of the line of an offset, from 0. */
export function lineOf(text: string, offset: number): number {
  let line = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
