/** Values between JavaScript and PostgreSQL's text format; both adapters use these, so both behave alike. */
import pg from 'pg';
import { Json } from './database.ts';

/** A parameter as the server gets it: text, bytes (for bytea), or SQL null. */
export type BoundValue = string | Buffer | null;

/** Type oids of int8 and numeric: the only types where the driver's own answer (text) is not what the port promises. */
const INT8 = 20;
const INT8_ARRAY = 1016;

/** @throws Error on a plain object: wrap it in `json()`; and on a number that is not finite. */
export function encodeValue(value: unknown): BoundValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (Buffer.isBuffer(value)) return value;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return encodeArray(value);
  return encodeScalar(value);
}

/** As `encodeValue`, but plain objects become JSON: for libraries written against `pg`. */
export function encodeForeignValue(value: unknown): BoundValue {
  const plain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return encodeValue(plain ? new Json(value) : value);
}

function encodeScalar(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Json) return JSON.stringify(value.value ?? null);
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  throw new Error(`cannot bind a value of type ${typeof value}; wrap objects in json()`);
}

function encodeArray(values: readonly unknown[]): string {
  const parts = values.map((value) => {
    if (value === null || value === undefined) return 'NULL';
    if (Array.isArray(value)) return encodeArray(value);
    return `"${encodeScalar(value).replaceAll(/["\\]/g, '\\$&')}"`;
  });
  return `{${parts.join(',')}}`;
}

/** The parser for a column's text value. int8 becomes a number: ours fit 2^53. */
export function valueParser(typeOid: number): (text: string) => unknown {
  if (typeOid === INT8) return Number;
  if (typeOid === INT8_ARRAY) return (text) => int8Array(text).map((item) => (item === null ? null : Number(item)));
  return pg.types.getTypeParser(typeOid, 'text') as (text: string) => unknown;
}

const int8Array = (pg.types.getTypeParser as (oid: number, format: 'text') => unknown)(INT8_ARRAY, 'text') as (
  text: string,
) => (string | null)[];
