/** Parses bibliographies (BibTeX, BibLaTeX): each entry is a record with its title, its authors and its other fields. */
import type { ParsedFile } from '../../parsed.ts';
import { withTexLetters } from '../tex-letters.ts';
import { TextBuilder } from '../text-builder.ts';
import { parseTxt } from '../txt.ts';
import { SINGLE_RECORDS_MAX } from './records.ts';

/** Maximum depth of braces, which is the depth of no real value. */
const DEPTH_MAX = 100;
const FIELDS_MAX = 200;

interface Entry {
  type: string;
  key: string;
  fields: Map<string, string>;
}

/** Parses a bibliography. A file without entries is plain text. */
export function parseBibliography(source: string): ParsedFile {
  const entries = [...entriesOf(source)];
  if (entries.length === 0) return parseTxt(source);
  const byKey = new Map(entries.map((entry) => [entry.key.toLowerCase(), entry]));
  const builder = new TextBuilder();
  for (const [index, entry] of entries.entries()) {
    const parent = byKey.get((entry.fields.get('crossref') ?? '').toLowerCase());
    // So many entries share chunks.
    const kind = index < SINGLE_RECORDS_MAX ? 'record' : 'paragraph';
    builder.add({ kind }, entryText(entry, parent === entry ? undefined : parent));
  }
  return { fileType: 'txt', text: builder.text(), blocks: builder.blocks, metadata: {}, warnings: [] };
}

/** Fields of an entry that another entry takes over, with the names that they have there. */
const INHERITED: readonly (readonly [from: string, to: string])[] = [
  ['title', 'booktitle'],
  ...['editor', 'publisher', 'location', 'address', 'date', 'year', 'series'].map((name) => [name, name] as const),
];
const PEOPLE =
  /^(?:(?:book|short)?author|editor[abc]?|translator|annotator|commentator|holder|introduction|afterword|foreword)$/;
/** The fields that stand first. The others follow in the order of the file. */
const FIRST = ['subtitle', 'author', 'editor', 'year', 'date', 'booktitle', 'journaltitle', 'journal', 'publisher'];

function entryText({ type, key, fields }: Entry, parent: Entry | undefined): string {
  const all = new Map(fields);
  for (const [from, to] of INHERITED) {
    const value = parent?.fields.get(from);
    const isDated = /^(?:year|date)$/.test(to) && (all.has('year') || all.has('date'));
    if (value !== undefined && !all.has(to) && !isDated) all.set(to, value);
  }
  const names = [...FIRST.filter((name) => all.has(name)), ...[...all.keys()].filter((name) => !FIRST.includes(name))];
  const lines = names
    .filter((name) => name !== 'title')
    .map((name) => `${name}: ${PEOPLE.test(name) ? people(all.get(name)!) : all.get(name)!}`);
  return [all.get('title') ?? key, ...lines, `type: ${type}`, `key: ${key}`].join('\n');
}

/** Returns names as people say them: `Knuth, Donald E. and Bibby, Duane` becomes `Donald E. Knuth; Duane Bibby`. */
function people(value: string): string {
  return value
    .split(/\s+and\s+/)
    .map((name) => {
      const parts = name.split(/\s*,\s*/);
      if (parts.length === 2) return `${parts[1]} ${parts[0]}`;
      return parts.length === 3 ? `${parts[2]} ${parts[0]} ${parts[1]}` : name;
    })
    .join('; ');
}

/** Yields the entries. A damaged entry ends where the next begins on a line of its own. */
function* entriesOf(source: string): Iterable<Entry> {
  const strings = new Map<string, string>();
  const opening = /@[ \t]*([\p{L}\d]{1,40})[ \t]*[({]/gu;
  for (let match = opening.exec(source); match; match = opening.exec(source)) {
    const type = match[1]!.toLowerCase();
    if (type === 'comment' || type === 'preamble') continue;
    const reader = new FieldReader(source, opening.lastIndex, strings);
    const key = type === 'string' ? '' : reader.key();
    if (key === undefined) continue;
    const fields = reader.fields();
    if (type === 'string') for (const [name, value] of fields) strings.set(name, value);
    else yield { type, key, fields };
    opening.lastIndex = reader.at;
  }
}

/** Reads the key and the fields of one entry. */
class FieldReader {
  at: number;
  private readonly source: string;
  private readonly strings: ReadonlyMap<string, string>;

  constructor(source: string, at: number, strings: ReadonlyMap<string, string>) {
    this.source = source;
    this.at = at;
    this.strings = strings;
  }

  /** Returns the key, or undefined if this is no entry. */
  key(): string | undefined {
    return this.match(/\s*([^\s,{}()"=@]{1,300})\s*(?:,|(?=[})]))/uy)?.[1];
  }

  fields(): Map<string, string> {
    const fields = new Map<string, string>();
    while (fields.size < FIELDS_MAX) {
      const name = this.match(/\s*,?\s*([\p{L}\d_:.+/-]{1,60})\s*=\s*/uy)?.[1]?.toLowerCase();
      if (name === undefined) break;
      const parts: string[] = [];
      do parts.push(this.value());
      while (this.match(/\s*#\s*/y));
      const value = plain(parts.join(''));
      if (value !== '' && !fields.has(name)) fields.set(name, value);
    }
    return fields;
  }

  private value(): string {
    const sign = this.source[this.at];
    if (sign === '{') return this.enclosed('}');
    if (sign === '"') return this.enclosed('"');
    const word = this.match(/[^\s,#{}()"]{1,300}/y)?.[0] ?? '';
    return this.strings.get(word.toLowerCase()) ?? MONTHS[word.toLowerCase()] ?? word;
  }

  /** Returns the text up to `end` outside inner braces, or up to the next entry if it is missing. */
  private enclosed(end: string): string {
    const start = this.at + 1;
    let depth = 0;
    for (let i = start; i < this.source.length; i += 1) {
      const sign = this.source[i]!;
      if (sign === '\\') i += 1;
      else if (depth === 0 && sign === end) {
        this.at = i + 1;
        return this.source.slice(start, i);
      } else if (sign === '{') depth = Math.min(depth + 1, DEPTH_MAX);
      else if (sign === '}') depth = Math.max(0, depth - 1);
      else if (sign === '@' && this.source[i - 1] === '\n') {
        this.at = i;
        return this.source.slice(start, i);
      }
    }
    this.at = this.source.length;
    return this.source.slice(start);
  }

  private match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (!found) return undefined;
    this.at = pattern.lastIndex;
    return found;
  }
}

const MONTHS: Readonly<Record<string, string>> = Object.fromEntries(
  'January February March April May June July August September October November December'
    .split(' ')
    .map((month) => [month.slice(0, 3).toLowerCase(), month]),
);

/** Returns the words of a value: letters instead of commands, without braces, on one line. */
function plain(value: string): string {
  return (
    withTexLetters(value)
      .replace(/\\(?:url|path|href)\s*(?=\{)/g, '')
      .replace(/\\par(?![a-zA-Z])|\\\\/g, ' ')
      .replace(/\\item(?![a-zA-Z])/g, ' - ')
      .replace(/\\(?:begin|end)\{\w{1,40}\}/g, ' ')
      .replace(/\\([&%$#_{}@])/g, (_mark, sign: string) => (/[{}]/.test(sign) ? '' : sign))
      .replace(/\\(TeX|LaTeX|BibTeX|LaTeXe|METAFONT|MF|MP)(?![a-zA-Z])/g, '$1')
      .replace(/\\[a-zA-Z]{1,40}\*?[ \t]?/g, '')
      // Places where a word may be cut.
      .replace(/\\-/g, '')
      .replace(/\\[,;:! /]/g, ' ')
      .replace(/``|''/g, '"')
      .replace(/---/g, '—')
      .replace(/--/g, '–')
      .replace(/(?<!\/)~/g, ' ')
      .replace(/[{}]/g, '')
      .replace(/\s+/g, ' ')
      .trim()
  );
}
