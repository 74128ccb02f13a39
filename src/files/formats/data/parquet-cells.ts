/** Texts of the values of Parquet columns: exact decimals, ISO dates, JSON for nested values. */
import { Buffer } from 'node:buffer';
import type { FileMetaData, ParquetParsers, SchemaElement } from 'hyparquet';
import { bytesText, type CellLimit, jsonText } from './binary-text.ts';

/** A column of the table and the text of its values. */
export interface CellReader {
  name: string;
  text(value: unknown): string;
}

const NANOS_PER_SECOND = 1_000_000_000n;
const decoder = new TextDecoder();

/** Parsers that keep what the library's own lose: digits after the milliseconds, and JSON as it was written. */
export const PARSERS: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (millis) => timeText(millis, 1_000_000n),
  timestampFromMicroseconds: (micros) => timeText(micros, 1_000n),
  timestampFromNanoseconds: (nanos) => timeText(nanos, 1n),
  dateFromDays: (days) => isoText(days * 86_400_000)?.slice(0, -14) ?? String(days),
  jsonFromBytes: (bytes) => bytes && decoder.decode(bytes),
  stringFromBytes: (bytes) => bytes && decoder.decode(bytes),
};

/**
 * Returns the metadata without the annotations that the library converts inexactly (decimals) or refuses (intervals, BSON). Decimals
 * inside nested values keep theirs.
 */
export function rawSchema(metadata: FileMetaData): FileMetaData {
  const top = new Set(topElements(metadata).map(({ element }) => element));
  const schema = metadata.schema.map((element) => {
    const { converted_type: converted, logical_type: logical, ...bare } = element;
    const isUnread = converted === 'INTERVAL' || converted === 'BSON';
    if (isUnread || (top.has(element) && isDecimal(element))) return bare;
    return logical?.type === 'DATE' ? { ...element, converted_type: 'DATE' as const } : element;
  });
  return { ...metadata, schema, original: metadata.schema } as FileMetaData;
}

/** Returns a reader for each column. `metadata` comes from `rawSchema`. */
export function cellReaders(metadata: FileMetaData, limit: CellLimit): CellReader[] {
  const { original } = metadata as FileMetaData & { original: SchemaElement[] };
  return topElements({ schema: original }).map(({ element, below }) => {
    const toText = textOf(element, below);
    return {
      name: element.name,
      text(value) {
        if (value === null || value === undefined || Number.isNaN(value)) return '';
        return limit.of(toText(value));
      },
    };
  });
}

/** Returns the elements of the columns, each with the elements below it. The first element of a schema is its root. */
function topElements({ schema }: Pick<FileMetaData, 'schema'>): { element: SchemaElement; below: SchemaElement[] }[] {
  const found: { element: SchemaElement; below: SchemaElement[] }[] = [];
  for (let at = 1; at < schema.length; ) {
    const end = endOf(schema, at);
    found.push({ element: schema[at]!, below: schema.slice(at + 1, end) });
    at = end;
  }
  return found;
}

/** Returns the index after the element at `at` and everything below it. Not recursive: the depth of a schema is not limited. */
function endOf(schema: readonly SchemaElement[], at: number): number {
  let open = 1;
  let index = at;
  for (; open > 0 && index < schema.length; index += 1) open += (schema[index]!.num_children ?? 0) - 1;
  return index;
}

function isDecimal({ converted_type: converted, logical_type: logical }: SchemaElement): boolean {
  return converted === 'DECIMAL' || logical?.type === 'DECIMAL';
}

function textOf(element: SchemaElement, below: readonly SchemaElement[]): (value: unknown) => string {
  const { converted_type: converted, logical_type: logical, repetition_type: repetition } = element;
  if (below.length > 0 || repetition === 'REPEATED' || logical?.type === 'VARIANT') {
    const hasDecimals = [element, ...below].some(isDecimal);
    return (value) => jsonText(hasDecimals ? withoutNoise(value) : value);
  }
  if (isDecimal(element)) {
    const scale = (logical?.type === 'DECIMAL' ? logical.scale : element.scale) ?? 0;
    return (value) => decimalText(value, scale);
  }
  if (converted === 'INTERVAL') return intervalText;
  if (logical?.type === 'TIME') return (value) => dayTimeText(value, UNIT_NANOS[logical.unit]);
  if (converted === 'TIME_MILLIS') return (value) => dayTimeText(value, UNIT_NANOS.MILLIS);
  if (converted === 'TIME_MICROS') return (value) => dayTimeText(value, UNIT_NANOS.MICROS);
  if (logical?.type === 'TIMESTAMP' ? logical.isAdjustedToUTC : converted?.startsWith('TIMESTAMP'))
    return (value) => `${plainText(value)}Z`;
  return plainText;
}

const UNIT_NANOS = { MILLIS: 1_000_000n, MICROS: 1_000n, NANOS: 1n } as const;

function plainText(value: unknown): string {
  if (value instanceof Uint8Array) return bytesText(value);
  return typeof value === 'object' ? jsonText(value) : String(value);
}

/** Returns the value with at most 15 digits in its numbers: decimals inside nested values come as binary fractions. */
function withoutNoise(value: unknown): unknown {
  return JSON.parse(jsonText(value), (_key, member) =>
    typeof member === 'number' && !Number.isInteger(member) ? Number(member.toPrecision(15)) : member,
  );
}

function decimalText(value: unknown, scale: number): string {
  if (!(typeof value === 'number' || typeof value === 'bigint' || value instanceof Uint8Array)) return plainText(value);
  const unscaled = value instanceof Uint8Array ? signedOf(value) : BigInt(value);
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString();
  const sign = unscaled < 0n ? '-' : '';
  if (scale <= 0) return sign + digits;
  const padded = digits.padStart(scale + 1, '0');
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

/** Returns the number that big-endian two's complement bytes stand for. */
function signedOf(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  const value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  return BigInt.asIntN(bytes.length * 8, value);
}

/** Returns an ISO 8601 duration of months, days and milliseconds. */
function intervalText(value: unknown): string {
  if (!(value instanceof Uint8Array) || value.length !== 12) return plainText(value);
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  const [months, days, millis] = [0, 4, 8].map((at) => view.getUint32(at, true));
  return `P${months}M${days}DT${millis! / 1000}S`;
}

function dayTimeText(value: unknown, unit: bigint): string {
  if (typeof value !== 'number' && typeof value !== 'bigint') return plainText(value);
  return timeText(BigInt(value), unit)?.slice(11) ?? '';
}

/** Returns date and time without a zone, with a fraction of a second only if there is one. */
function timeText(count: bigint | undefined, unitNanos: bigint): string | undefined {
  if (count === undefined) return undefined;
  const nanos = BigInt(count) * unitNanos;
  const fraction = ((nanos % NANOS_PER_SECOND) + NANOS_PER_SECOND) % NANOS_PER_SECOND;
  const seconds = (nanos - fraction) / NANOS_PER_SECOND;
  const text = isoText(Number(seconds) * 1000)?.slice(0, -5);
  if (text === undefined) return String(count);
  return fraction === 0n ? text : `${text}.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`;
}

/** Returns undefined for a time that no calendar has. */
function isoText(millis: number): string | undefined {
  const date = new Date(millis);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
