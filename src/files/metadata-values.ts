/** Converts text to typed metadata values. Pure. */

import type { ChunkMetadataKey, MetadataType, TypedMetadata, TypedValue } from '../corpus/values.ts';
import { escapePattern } from '../text/escape-pattern.ts';
import { lazy } from '../util/lazy.ts';
import { readMeasure } from './columns/numbers.ts';
import { CURRENCIES } from './columns/words.ts';
import { cleanText } from './detect/decode.ts';

/** Longer values are dropped. */
const VALUE_UNITS_MAX = 4096;

const INTEGER = /^[+-]?\d{1,18}$/;
const FLOAT = /^[+-]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})(e[+-]?\d{1,3})?$/i;
/** Significant decimal digits that a double represents exactly. */
const DECIMAL_DIGITS = 15;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const SLASH_DATE = /^(\d{4})[/.](\d{1,2})[/.](\d{1,2})$/;
const DATETIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?$/i;

/** Returns the value as `type` in canonical spelling, or undefined if the text does not convert. */
export function typedValue(raw: string, type: MetadataType): TypedValue | undefined {
  const text = raw.trim();
  if (text === '' || text.length > VALUE_UNITS_MAX) return undefined;
  const val = convert(text, type);
  return val === undefined ? undefined : { val, type };
}

function convert(text: string, type: MetadataType): string | undefined {
  switch (type) {
    case 'string':
      // Mails and JSON may contain U+0000, which the database refuses.
      return cleanText(text);
    case 'integer':
      return integerOf(withoutUnit(text));
    case 'float':
      return floatOf(withoutUnit(text));
    case 'date':
      return dateOf(text);
    case 'datetime':
      return datetimeOf(text);
  }
}

/** Matches a currency before and after a number. Other capitals are no currency: `REV7`, `12 MAR`. */
const currency = lazy(() => {
  const signs = CURRENCIES.map(escapePattern).join('|');
  return { before: new RegExp(`^(-?)(?:${signs})(?=[\\d.])`), after: new RegExp(`(?<=\\d) ?(?:${signs})$`) };
});

/** Returns an amount as a workbook shows it (`-$5`, `12.5 €`, `CHF12`, `7.0 kg`) without its currency or measure. */
function withoutUnit(text: string): string {
  const measured = readMeasure(text);
  if (measured) return measured[0];
  const { before, after } = currency();
  return text.replace(before, '$1').replace(after, '');
}

/** Reads a number; `12.5%` is 0.125. */
function floatOf(text: string): string | undefined {
  const digits = text.replace(/\s?%$/, '');
  const number = FLOAT.test(digits) ? Number(digits) : Number.NaN;
  if (!Number.isFinite(number)) return undefined;
  return String(digits === text ? number : Number((number / 100).toPrecision(DECIMAL_DIGITS)));
}

/** Reads a whole number, also with a fraction of zeros: spreadsheets write `12.0`. */
function integerOf(text: string): string | undefined {
  if (INTEGER.test(text)) return String(BigInt(text.replace(/^\+/, '')));
  return /^[+-]?\d{1,15}\.0{1,10}$/.test(text) ? String(BigInt(text.replace(/^\+/, '').split('.')[0]!)) : undefined;
}

function dateOf(text: string): string | undefined {
  const slashed = SLASH_DATE.exec(text);
  const plain = slashed ? `${slashed[1]}-${slashed[2]!.padStart(2, '0')}-${slashed[3]!.padStart(2, '0')}` : text;
  if (DATE.test(plain)) return isRealDate(plain) ? plain : undefined;
  const whole = DATETIME.exec(text);
  return whole && isRealDate(whole[1]!) ? whole[1] : undefined;
}

/** Reads a date with a time. A time without an offset counts as UTC. */
function datetimeOf(text: string): string | undefined {
  const parts = DATETIME.exec(text);
  if (!parts) {
    const date = dateOf(text);
    return date === undefined ? undefined : `${date}T00:00:00Z`;
  }
  if (!isRealDate(parts[1]!)) return undefined;
  const zone = (parts[5] ?? 'Z').toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  const date = new Date(`${parts[1]}T${parts[2]}:${parts[3]}:${parts[4] ?? '00'}${zone}`);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace('.000Z', 'Z');
}

function isRealDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Picks the declared keys from records and counts, by key, the values that do not convert. */
export class KeyPicker {
  private readonly keys: readonly ChunkMetadataKey[];
  private readonly misses = new Map<string, number>();

  constructor(keys: readonly ChunkMetadataKey[]) {
    this.keys = keys;
  }

  get active(): boolean {
    return this.keys.length > 0;
  }

  /** Returns the declared keys that a row of headers has. */
  keysOf(header: readonly string[]): string[] {
    const names = new Set(header.map((cell) => cell.trim()));
    return this.keys.map(({ key }) => key).filter((key) => names.has(key));
  }

  /**
   * Returns the typed metadata of one record. Values that do not convert are counted; absent and empty values are not.
   *
   * @param rawOf null for a value that has no text, such as an object.
   */
  pick(rawOf: (key: string) => string | null | undefined): TypedMetadata {
    const metadata: TypedMetadata = {};
    for (const { key, type } of this.keys) {
      const raw = rawOf(key);
      if (raw === undefined || raw?.trim() === '') continue;
      const value = raw === null ? undefined : typedValue(raw, type);
      if (value) setOwn(metadata, key, value);
      else this.misses.set(key, (this.misses.get(key) ?? 0) + 1);
    }
    return metadata;
  }

  warnings(): string[] {
    return this.keys.flatMap(({ key, type }) => {
      const count = this.misses.get(key);
      if (!count) return [];
      return [`${count} ${count === 1 ? 'value' : 'values'} of ${JSON.stringify(key)} could not be read as ${type}.`];
    });
  }
}

/** Sets a key that comes from a file: `__proto__` becomes a plain member. */
function setOwn(metadata: TypedMetadata, key: string, value: TypedValue): void {
  Object.defineProperty(metadata, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Returns origin metadata made from a parser's string properties. Empty and too long values are dropped. */
export function originMetadata(values: Record<string, string | undefined>): TypedMetadata {
  const metadata: TypedMetadata = {};
  for (const [key, raw] of Object.entries(values)) {
    if (raw === undefined) continue;
    const type = key === 'created' || key === 'modified' ? 'datetime' : 'string';
    const value = typedValue(raw, type);
    if (value) metadata[key] = value;
  }
  return metadata;
}
