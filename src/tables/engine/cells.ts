/** Converts values of the engine to values of JSON. */
import type { Cell } from './protocol.ts';

/** Decimal digits that a JavaScript number keeps. */
const DIGITS_MAX = 15;

/**
 * Returns the value as JSON can have it. Numbers that a JavaScript number cannot hold, dates and times are texts; a date and a time are
 * joined by `T`.
 */
export function toCell(value: unknown): Cell {
  switch (typeof value) {
    case 'boolean':
    case 'string':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case 'object':
      return value === null ? null : objectCell(value);
    default:
      return null;
  }
}

function objectCell(value: object): Cell {
  if ('items' in value && Array.isArray(value.items)) return value.items.map(toCell);
  if ('entries' in value && Array.isArray(value.entries)) {
    const pairs = value.entries as { key: unknown; value: unknown }[];
    return pairs.map((pair) => ({ key: toCell(pair.key), value: toCell(pair.value) }));
  }
  if ('entries' in value && typeof value.entries === 'object' && value.entries !== null) {
    return Object.fromEntries(Object.entries(value.entries).map(([name, member]) => [name, toCell(member)]));
  }
  const text = String(value);
  if ('scale' in value) return text.replace(/[^0-9]/g, '').length <= DIGITS_MAX ? Number(text) : text;
  return /^\d{4,}-\d\d-\d\d \d\d:/.test(text) ? text.replace(' ', 'T') : text;
}
