/** Makes the records of answers: the wire says `creation_time` in Unix seconds, the program `createdAt` in a `Date`. */
import type { z } from 'zod';
import { type CamelCase, camelCase } from '../../db/column-names.ts';
import { unixSeconds } from '../../util/time.ts';

/** Times whose member has another word. */
const TIMES = {
  creation_time: 'createdAt',
  start_time: 'startedAt',
  end_time: 'endedAt',
  update_time: 'updatedAt',
  last_update_time: 'updatedAt',
} as const;

type MemberName<Name extends string> = Name extends keyof typeof TIMES
  ? (typeof TIMES)[Name]
  : Name extends `${infer Time}_time`
    ? `${CamelCase<Time>}At`
    : CamelCase<Name>;

type Member<Name extends string, Value> = Name extends `${string}_time`
  ? Date | Extract<Value, null>
  : Unchanged<Value>;

type Unchanged<Value> = Value extends object ? { readonly [Name in keyof Value]: Unchanged<Value[Name]> } : Value;

/** What `toRecord` reads: the members of the schema in the names and types of the program, without those that are given. */
export type RowOf<Wire, Given = object> = {
  [Name in Exclude<keyof Wire & string, keyof Given> as MemberName<Name>]: Member<Name, Wire[Name]>;
};

/**
 * Returns the wire record of `row`. It has the members of the schema and no others.
 *
 * @param given members that are not simply those of `row`.
 */
export function toRecord<Shape extends z.ZodRawShape, Given extends Partial<z.input<z.ZodObject<Shape>>> = object>(
  { shape }: z.ZodObject<Shape>,
  row: RowOf<z.input<z.ZodObject<Shape>>, Given>,
  given?: Given,
): z.input<z.ZodObject<Shape>> {
  const members = Object.keys(shape).map((name) => [
    name,
    given && name in given ? given[name as keyof Given] : memberOf(name, row),
  ]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** The member of the program by the name on the wire. Schemas have few names, so it stays small. */
const memberNames = new Map<string, string>(Object.entries(TIMES));

function memberOf(name: string, row: object): unknown {
  let member = memberNames.get(name);
  if (member === undefined) {
    member = camelCase(name.replace(/_time$/, '_at'));
    memberNames.set(name, member);
  }
  const value = (row as Record<string, unknown>)[member];
  return value instanceof Date ? unixSeconds(value) : value;
}
