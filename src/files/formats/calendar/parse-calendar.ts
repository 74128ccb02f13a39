/** Parses calendars (ics) and contacts (vcf): each event, task, note and contact becomes a few lines. */

import { detectLanguage, SAMPLE_UNITS } from '../../../text/language.ts';
import { oneLine } from '../../../util/code-points.ts';
import { dayInWords } from '../../day-words.ts';
import type { ParsedFile } from '../../parsed.ts';
import { SINGLE_RECORDS_MAX } from '../data/records.ts';
import { TextBuilder } from '../text-builder.ts';
import { parseTxt } from '../txt.ts';
import { type Property, partsOf, plainText, propertiesOf } from './properties.ts';

/** Components that become text. Others inside them, such as alarms, and time zones do not. */
const ENTRIES = new Set(['VEVENT', 'VTODO', 'VJOURNAL', 'VCARD']);
/** Maximum depth of components, number of properties of an entry, and number of those with one name. */
const DEPTH_MAX = 32;
const PROPERTIES_MAX = 1_000;
const REPEATS_MAX = 100;

/** Parses a file. A file without components is plain text. */
export function parseCalendar(source: string): ParsedFile {
  const builder = new TextBuilder();
  const declared = languageDeclaredIn(source);
  const language = languageIn(source, declared);
  const open: string[] = [];
  let entry: Property[] = [];
  let title: string | undefined;
  let name: string | undefined;
  let isCalendar = false;
  let count = 0;
  const end = (): void => {
    const text = entryText(entry, language);
    name = entry.some((property) => NAMING.has(property.name)) ? text.split('\n', 1)[0] : undefined;
    entry = [];
    count += 1;
    // So many entries share chunks.
    builder.add({ kind: count > SINGLE_RECORDS_MAX ? 'paragraph' : 'record' }, text);
  };
  for (const property of propertiesOf(source)) {
    const { name, value } = property;
    const component = value.trim().toUpperCase();
    if (name === 'BEGIN') {
      isCalendar = true;
      // A contact that is never closed ends where the next begins.
      if (ENTRIES.has(component) && entry.length > 0) end();
      if (ENTRIES.has(component)) open.length = 0;
      if (open.length < DEPTH_MAX) open.push(component);
    } else if (name === 'END') {
      const at = open.lastIndexOf(component);
      if (at !== -1) open.length = at;
      if (ENTRIES.has(component)) end();
    } else if (ENTRIES.has(open.at(-1) ?? '')) {
      if (entry.length < PROPERTIES_MAX && SHOWN.has(name)) entry.push(property);
    } else if (name === 'X-WR-CALNAME') title ??= plainText(value) || undefined;
  }
  if (entry.length > 0) end();
  if (!isCalendar) return parseTxt(source);
  // A file of one contact or event has its name.
  return builder.file('txt', { title: title ?? (count === 1 ? name : undefined), language: declared });
}

/** Returns the language that a text declares, as calendars of offices do: `SUMMARY;LANGUAGE=de-DE:Abnahme`. */
function languageDeclaredIn(source: string): string | undefined {
  for (const { parameters } of propertiesOf(source)) {
    const [code] = /^[a-z]{2}(?=$|[-_])/.exec(parameters.get('LANGUAGE')?.toLowerCase() ?? '') ?? [];
    if (code !== undefined) return code;
  }
  return undefined;
}

/** Returns the language in which people wrote the entries; null if it is unknown. Short entries do not tell it. */
function languageIn(source: string, declared: string | undefined): string | null {
  let words = '';
  for (const { name, value } of propertiesOf(source)) {
    if (/^(?:SUMMARY|DESCRIPTION|NOTE|COMMENT)$/.test(name)) words += `${plainText(value)}\n`;
    if (words.length >= SAMPLE_UNITS) break;
  }
  return detectLanguage(words.slice(0, SAMPLE_UNITS), declared) ?? declared ?? null;
}

type Format = (property: Property, entry: readonly Property[], language: string | null) => string;

const text: Format = ({ value }) => plainText(value);
const line: Format = ({ value }) => oneLine(plainText(value));
/** Returns the filled parts of a structured value, such as an address. */
const structure: Format = ({ value }) =>
  oneLine(
    partsOf(value, ';')
      .map((part) => plainText(part).replace(/,+$/, ''))
      .filter(Boolean)
      .join(', '),
  );
const list: Format = ({ value }) => partsOf(value, ',').map(plainText).filter(Boolean).join(', ');
const person: Format = ({ parameters, value }) => {
  const address = value.replace(/^mailto:/i, '').trim();
  const name = parameters.get('CN')?.trim() ?? '';
  return name === '' || name === address ? address : `${name} <${address}>`;
};

/** The lines of an entry in their order. The first property that is there gives the first line, without a label. */
const NAMES: readonly (readonly [name: string, format: Format])[] = [
  ['SUMMARY', line],
  ['FN', line],
  ['N', ({ value }) => partsOf(value, ';').slice(0, 2).reverse().map(plainText).filter(Boolean).join(' ')],
  ['ORG', structure],
  ['EMAIL', line],
];
const LINES: readonly (readonly [name: string, label: string, format: Format])[] = [
  ['DTSTART', 'Start', (property, _, language) => withWords(momentText(property), language)],
  ['DTEND', 'End', (property, entry) => endText(property, entry)],
  ['DURATION', 'Duration', (property, entry) => lengthText(property, entry)],
  ['DUE', 'Due', (property, _, language) => withWords(momentText(property), language)],
  ['COMPLETED', 'Completed', (property) => momentText(property)],
  ['RRULE', 'Repeats', ({ value }) => ruleText(value)],
  ['STATUS', 'Status', ({ value }) => value.trim().toLowerCase()],
  ['LOCATION', 'Location', line],
  ['ORGANIZER', 'Organizer', person],
  ['ATTENDEE', 'Attendee', person],
  ['CONTACT', 'Contact', line],
  ['NICKNAME', 'Nickname', list],
  ['ORG', 'Organization', structure],
  ['TITLE', 'Title', line],
  ['ROLE', 'Role', line],
  ['TEL', 'Phone', ({ value }) => plainText(value).replace(/^tel:/i, '')],
  ['EMAIL', 'Mail', line],
  ['IMPP', 'Messenger', line],
  ['X-JABBER', 'Jabber', line],
  ['X-SKYPE', 'Skype', line],
  ['X-SOCIALPROFILE', 'Profile', line],
  ['ADR', 'Address', structure],
  ['BDAY', 'Birthday', (property, _, language) => withWords(momentText(property), language, 'long')],
  ['ANNIVERSARY', 'Anniversary', (property, _, language) => withWords(momentText(property), language, 'long')],
  // The number of another contact is no word.
  ['RELATED', 'Related', (property, ...rest) => (/^\s*urn:uuid:/i.test(property.value) ? '' : line(property, ...rest))],
  ['X-ABRELATEDNAMES', 'Related', line],
  ['URL', 'Web page', line],
  ['CATEGORIES', 'Categories', list],
  ['DESCRIPTION', 'Description', text],
  ['COMMENT', 'Comment', text],
  ['NOTE', 'Note', text],
];

const NAMING = new Set(NAMES.map(([name]) => name));
/** What a property of the same group is: `_$!<Spouse>!$_`. */
const LABEL = 'X-ABLABEL';
const SHOWN = new Set([...[...NAMES, ...LINES].map(([name]) => name), LABEL]);

function entryText(entry: readonly Property[], language: string | null): string {
  const byName = Map.groupBy(entry, ({ name }) => name);
  const lines: string[] = [];
  const first = NAMES.find(([name]) => byName.has(name));
  if (first) lines.push(first[1](byName.get(first[0])![0]!, entry, language));
  for (const [name, label, format] of LINES) {
    if (name === first?.[0]) continue;
    const values = (byName.get(name) ?? [])
      .slice(0, REPEATS_MAX)
      .map((property) => [property, format(property, entry, language)]);
    for (const [property, value] of values as [Property, string][])
      if (value !== '') lines.push(`${label}${kindsOf(property, byName.get(LABEL) ?? [])}: ${value}`);
  }
  return lines.filter((each) => each !== '').join('\n');
}

const KIND =
  /^(?:work|home|cell|fax|pager|main|mobile|spouse|child|parent|sibling|friend|colleague|co-worker|agent|emergency)$/;

/** Returns what kind of telephone, address or relative a property is: ` (work, fax)`. */
function kindsOf({ name, group, parameters }: Property, labels: readonly Property[]): string {
  if (name === 'X-ABRELATEDNAMES') {
    const label = group === undefined ? undefined : labels.find((each) => each.group === group);
    const kind = label ? oneLine(plainText(label.value).replace(/^_\$!<(.*)>!\$_$/, '$1')).toLowerCase() : '';
    return kind === '' ? '' : ` (${kind})`;
  }
  if (!/^(?:TEL|EMAIL|ADR|IMPP|RELATED)$/.test(name)) return '';
  const kinds = (parameters.get('TYPE') ?? '').toLowerCase().split(',');
  const shown = new Set(kinds.filter((kind) => KIND.test(kind)));
  return shown.size === 0 ? '' : ` (${[...shown].join(', ')})`;
}

const MOMENT = /^(\d{4})-?(\d{2})-?(\d{2})(?:T(\d{2}):?(\d{2}):?(\d{2})?(?:\.\d+)?(Z)?)?/;

/** Returns a day, or a time with its zone: `2026-02-09 14:00 (Europe/Berlin)`. */
function momentText(property: Property): string {
  const value = property.value.trim();
  const parts = MOMENT.exec(value);
  if (!parts) return plainText(value);
  const [, year, month, day, hour, minute, second, utc] = parts;
  if (hour === undefined) return `${year}-${month}-${day}`;
  const zone = utc ? 'UTC' : property.parameters.get('TZID');
  const time = `${hour}:${minute}${second === undefined || second === '00' ? '' : `:${second}`}`;
  return `${year}-${month}-${day} ${time}${zone === undefined ? '' : ` (${zone.replace(/^\//, '')})`}`;
}

/** Returns a moment with its day in words. A moment without a year stays as it is. */
function withWords(moment: string, language: string | null, style: 'full' | 'long' = 'full'): string {
  const day = new Date(/^\d{4}-\d\d-\d\d(?= |$)/.exec(moment)?.[0] ?? '');
  return Number.isNaN(day.getTime()) ? moment : `${moment} – ${dayInWords(day, language, style)}`;
}

const DAY_MS = 86_400_000;

/** Returns the end of an event. A day as end is the day after the last; an event of one day has no end of its own. */
function endText(property: Property, entry: readonly Property[]): string {
  const end = momentText(property);
  if (!/^\d{4}-\d\d-\d\d$/.test(end) || Number.isNaN(Date.parse(end))) return end;
  const last = new Date(Date.parse(end) - DAY_MS).toISOString().slice(0, 10);
  const start = entry.find(({ name }) => name === 'DTSTART');
  return start && momentText(start) >= last ? '' : last;
}

/** Returns the length of an event; nothing for an event of one whole day. */
function lengthText({ value }: Property, entry: readonly Property[]): string {
  const start = entry.find(({ name }) => name === 'DTSTART');
  const isDay = start !== undefined && /^\d{4}-\d\d-\d\d$/.test(momentText(start));
  return isDay && value.trim() === 'P1D' ? '' : durationText(value);
}

function durationText(value: string): string {
  const parts = /^([+-]?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(value.trim());
  if (!parts) return value.trim();
  const units = ['weeks', 'days', 'h', 'min', 's'];
  return units
    .flatMap((unit, i) =>
      parts[i + 2] === undefined
        ? []
        : [`${parts[i + 2]} ${parts[i + 2] === '1' ? unit.replace(/(?<=..)s$/, '') : unit}`],
    )
    .join(' ');
}

/** Returns a rule of repetition: `monthly, interval 3, until 2026-12-31`. */
function ruleText(value: string): string {
  const parts = value
    .trim()
    .split(';')
    .map((part) => part.split('='));
  return parts
    .map(([name = '', rule = '']) => {
      if (name === 'FREQ') return rule.toLowerCase();
      if (name === 'UNTIL') return `until ${momentText({ name, parameters: new Map(), value: rule })}`;
      return `${name.toLowerCase().replace(/^by/, 'by ')} ${rule}`.trim();
    })
    .join(', ');
}
