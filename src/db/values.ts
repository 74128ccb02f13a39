/** Converts values between JavaScript and PostgreSQL's text format. Both adapters use it, so both behave alike. */
import pg from 'pg';
import { Json } from './database.ts';

/** A parameter in the form that the server receives: text, bytes (for bytea), or SQL null. */
export type BoundValue = string | Buffer | null;

/** Type oids of int8 and int8[]: the only types for which the driver returns text and the port promises numbers. */
const INT8 = 20;
const INT8_ARRAY = 1016;

/** Returns the parameter for a value. @throws Error on a plain object, which must be wrapped in `json()`. */
export function encodeValue(value: unknown): BoundValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (Buffer.isBuffer(value)) return value;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return encodeArray(value);
  return encodeScalar(value);
}

/** Returns the parameter as `encodeValue` does, but encodes plain objects as JSON, for libraries written against `pg`. */
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

/** Returns the parser for the text values of a column. int8 becomes a number, because our values fit 2^53. */
export function valueParser(typeOid: number): (text: string) => unknown {
  if (typeOid === INT8) return Number;
  if (typeOid === INT8_ARRAY) return (text) => int8Array(text).map((item) => (item === null ? null : Number(item)));
  return pg.types.getTypeParser(typeOid, 'text') as (text: string) => unknown;
}

const int8Array = (pg.types.getTypeParser as (oid: number, format: 'text') => unknown)(INT8_ARRAY, 'text') as (
  text: string,
) => (string | null)[];
