/** Converts the properties of a row to text, typed values and front matter. Pure. */
import { createHash } from 'node:crypto';
import type { MetadataType, TypedMetadata } from '../../corpus/values.ts';
import { typedValue } from '../../files/metadata-values.ts';
import { fileOf } from './files.ts';
import { escapeText } from './text.ts';
import { Property, plainText, type WireDate, type WireProperty, type WireUser } from './wire.ts';

const PROPERTIES_MAX = 100;
const NAME_UNITS_MAX = 256;
const VALUE_UNITS_MAX = 4096;
/** Front matter is read up to 64 KiB. */
const FRONT_UNITS_MAX = 60_000;
const HASH_UNITS = 16;

type Properties = Record<string, WireProperty>;

/** Returns whether a page is a row of a database. Every page has a title; a row has more properties. */
export function isRow(properties: Properties | undefined): properties is Properties {
  return Object.values(properties ?? {}).some(({ type }) => type !== 'title');
}

export function titleOf(properties: Properties | undefined): string | undefined {
  const title = Object.values(properties ?? {}).find(({ type }) => type === 'title');
  return title === undefined ? undefined : plainText(title.title).replace(/\s+/g, ' ').trim();
}

/** Returns non-empty properties sorted by name, because the workspace sends them in any order. */
function entriesOf(properties: Properties): [name: string, property: WireProperty, text: string][] {
  return Object.entries(properties)
    .map(([name, property]): [string, WireProperty, string] => [name.trim(), property, textOf(property)])
    .filter(([name, , text]) => name !== '' && name.length <= NAME_UNITS_MAX && text !== '')
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .slice(0, PROPERTIES_MAX);
}

/**
 * Returns a hash of the properties. It detects changes of rollups and formulas, which can change without an edit of the row.
 */
export function propertiesHash(properties: Properties): string {
  const text = JSON.stringify(entriesOf(properties).map(([name, , value]) => [name, value]));
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_UNITS);
}

/** Returns `base` with the typed values of the row added. Names in `base` are not overwritten. */
export function propertyMetadata(properties: Properties, base: TypedMetadata): TypedMetadata {
  const metadata: TypedMetadata = { ...base };
  for (const [name, property, text] of entriesOf(properties)) {
    const value = typedValue(rawOf(property, text), typeOf(property, text)) ?? typedValue(text, 'string');
    if (value && !Object.hasOwn(metadata, name)) {
      Object.defineProperty(metadata, name, { value, enumerable: true, configurable: true, writable: true });
    }
  }
  return metadata;
}

/** Returns the properties twice: as front matter, for declared chunk metadata keys, and as a list, for search. */
export function rowHead(title: string, properties: Properties): { front: string; list: string } {
  const entries = entriesOf(properties);
  const lines = [`title: ${singleQuoted(title)}`];
  let units = 0;
  for (const [name, property, text] of entries) {
    const key = quotedKey(name);
    const line = `${key}: ${singleQuoted(rawOf(property, text))}`;
    units += line.length + 1;
    if (key !== undefined && name !== 'title' && units <= FRONT_UNITS_MAX) lines.push(line);
  }
  const list = entries
    .filter(([, { type }]) => type !== 'title')
    .map(([name, , text]) => `- ${escapeText(name.replace(/\s+/g, ' '))}: ${escapeText(text)}`);
  return { front: `---\n${lines.join('\n')}\n---\n`, list: list.join('\n') };
}

/** Returns a quoted YAML string. Between single quotes only the quote itself is special. */
function singleQuoted(text: string): string {
  return `'${text.replace(/\s+/g, ' ').replaceAll("'", "''")}'`;
}

function quotedKey(name: string): string | undefined {
  if (/[\n\r]/.test(name)) return undefined;
  if (!name.includes("'")) return `'${name}'`;
  return /["\\]/.test(name) ? undefined : `"${name}"`;
}

function typeOf(property: WireProperty, text: string): MetadataType {
  const { type, formula, rollup } = property;
  const kind = type === 'formula' ? formula?.type : type === 'rollup' ? rollup?.type : type;
  if (kind === 'number') return 'float';
  if (kind === 'created_time' || kind === 'last_edited_time') return 'datetime';
  if (kind === 'date') return rawOf(property, text).includes('T') ? 'datetime' : 'date';
  return 'string';
}

/** Returns the raw value that is parsed as a typed value: the start of a span of time, otherwise the text. */
function rawOf({ date, formula, rollup }: WireProperty, text: string): string {
  return date?.start ?? formula?.date?.start ?? rollup?.date?.start ?? text;
}

function textOf(property: WireProperty): string {
  return valueText(property).replace(/\s+/g, ' ').trim().slice(0, VALUE_UNITS_MAX);
}

/** Returns the text of a property. A relation has only ids, so it has no text. */
function valueText(property: WireProperty): string {
  switch (property.type) {
    case 'title':
      return plainText(property.title);
    case 'rich_text':
      return plainText(property.rich_text);
    case 'number':
      return numberText(property.number);
    case 'select':
      return property.select?.name ?? '';
    case 'status':
      return property.status?.name ?? '';
    case 'multi_select':
      return joined(property.multi_select?.map(({ name }) => name));
    case 'date':
      return dateText(property.date);
    case 'people':
      return joined(property.people?.map(userName));
    case 'files':
      return joined(property.files?.map((file) => fileOf(file)?.name));
    case 'checkbox':
      return String(property.checkbox === true);
    case 'url':
      return property.url ?? '';
    case 'email':
      return property.email ?? '';
    case 'phone_number':
      return property.phone_number ?? '';
    case 'formula':
      return formulaText(property.formula);
    case 'rollup':
      return rollupText(property.rollup);
    case 'created_time':
      return property.created_time ?? '';
    case 'last_edited_time':
      return property.last_edited_time ?? '';
    case 'created_by':
      return userName(property.created_by);
    case 'last_edited_by':
      return userName(property.last_edited_by);
    case 'unique_id':
      return [property.unique_id?.prefix, numberText(property.unique_id?.number)].filter(Boolean).join('-');
    case 'verification':
      return property.verification?.state ?? '';
    case 'place':
      return joined([property.place?.name, property.place?.address]);
    default:
      return '';
  }
}

function formulaText(formula: WireProperty['formula']): string {
  if (formula?.type === 'date') return dateText(formula.date);
  return String(formula?.string ?? formula?.number ?? formula?.boolean ?? '');
}

function rollupText(rollup: WireProperty['rollup']): string {
  if (rollup?.type === 'array') return joined(rollup.array?.map((value) => valueText(Property.parse(value))));
  return rollup?.type === 'date' ? dateText(rollup.date) : numberText(rollup?.number);
}

function dateText(date: WireDate | null | undefined): string {
  return [date?.start, date?.end].filter(Boolean).join(' → ');
}

function numberText(number: number | null | undefined): string {
  return typeof number === 'number' ? String(number) : '';
}

function userName(user: WireUser | undefined): string {
  return user?.name ?? '';
}

function joined(values: readonly (string | null | undefined)[] | undefined): string {
  return (values ?? []).filter(Boolean).join(', ');
}
