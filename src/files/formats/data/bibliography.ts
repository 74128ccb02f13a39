/** Parses bibliographies (BibTeX, RIS, PubMed, EndNote): each entry is a record with its title, its authors and its other fields. */
import { ownValue } from '../../../util/own-value.ts';
import { readWordPairs } from '../../../util/package-files.ts';
import type { ParsedFile } from '../../parsed.ts';
import { withTexLetters } from '../tex-letters.ts';
import { TextBuilder } from '../text-builder.ts';
import { parseTxt } from '../txt.ts';
import { SINGLE_RECORDS_MAX } from './records.ts';
import { type Entry, taggedEntries } from './tagged-references.ts';

/** Maximum depth of braces, which is the depth of no real value. */
const DEPTH_MAX = 100;
const FIELDS_MAX = 200;
/** Maximum length of all abbreviations that are written out. One that is made of itself doubles each time. */
const EXPANDED_UNITS_MAX = 5_000_000;
/** The beginning of an entry, as it follows a line break. */
const ENTRY = /@[ \t]*[\p{L}\d]{1,40}[ \t]*[({][^,{}()"=@]{0,300}[,=]/uy;

/** A value without marks around it: an abbreviation, a number or, in files of careless hands, the words up to the end of the line. */
const WORDS = /[^\s,#{}()"]{1,300}(?:[^\S\n]{1,20}(?![^,{}()"=@#%\n]{1,60}=)[^\s,#{}()"=%]{1,300}){0,100}/y;

/** Parses a bibliography. A file without entries is plain text. */
export function parseBibliography(source: string): ParsedFile {
  const entries = taggedEntries(source) ?? [...entriesOf(source)];
  if (entries.length === 0) return parseTxt(source);
  const byKey = new Map<string | undefined, Entry>(entries.map((entry) => [entry.key.toLowerCase(), entry]));
  const builder = new TextBuilder();
  for (const [index, entry] of entries.entries()) {
    const parent = byKey.get(entry.fields.get('crossref')?.toLowerCase());
    // So many entries share chunks.
    const kind = index < SINGLE_RECORDS_MAX ? 'record' : 'paragraph';
    builder.add({ kind }, entryText(entry, parent === entry ? undefined : parent));
  }
  return builder.file('txt');
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
  const lines = names.filter((name) => name !== 'title').map((name) => `${name}: ${all.get(name)!}`);
  const ends = [type && `type: ${type}`, key && `key: ${key}`].filter(Boolean);
  return [all.get('title') ?? key, ...lines, ...ends].join('\n').trimStart();
}

/** Returns names as people say them: `Knuth, Donald E. and Bibby, Duane` becomes `Donald E. Knuth; Duane Bibby`. */
function people(value: string): string {
  return splitOutsideBraces(value.replace(/\s+/g, ' '), ' and ')
    .map((name) => {
      const [last = '', ...more] = splitOutsideBraces(name, ',').map(plain);
      return more.length === 1 || more.length === 2 ? [more.pop(), last, ...more].join(' ') : plain(name);
    })
    .join('; ');
}

/** Splits a value at a mark. The name of an organization in braces stays whole. */
function splitOutsideBraces(value: string, mark: string): string[] {
  const parts: string[] = [];
  let [from, depth] = [0, 0];
  for (const { 0: sign, index } of value.matchAll(new RegExp(`\\\\.|[{}]|${mark}`, 'g'))) {
    if (sign === '{') depth += 1;
    else if (sign === '}') depth = Math.max(0, depth - 1);
    else if (sign === mark && depth === 0) {
      parts.push(value.slice(from, index));
      from = index + mark.length;
    }
  }
  return [...parts, value.slice(from)];
}

/** Yields the entries. A damaged entry ends where the next begins on a line of its own. */
function* entriesOf(source: string): Iterable<Entry> {
  const strings = new Strings();
  const opening = /@[ \t]*([\p{L}\d]{1,40})[ \t]*[({]/gu;
  for (let match = opening.exec(source); match; match = opening.exec(source)) {
    const type = match[1]!.toLowerCase();
    if (type === 'comment' || type === 'preamble') continue;
    const reader = new FieldReader(source, opening.lastIndex, strings);
    const key = type === 'string' ? '' : reader.key();
    if (key === undefined) continue;
    const fields = reader.fields();
    if (type === 'string') for (const [name, value] of fields) strings.values.set(name, value);
    else if (key !== '' || fields.size > 0) yield { type, key, fields: plainFields(fields) };
    opening.lastIndex = reader.at;
  }
}

function plainFields(fields: ReadonlyMap<string, string>): Map<string, string> {
  const plainOnes = [...fields].map(
    ([name, value]) => [name, PEOPLE.test(name) ? people(value) : plain(value)] as const,
  );
  return new Map(plainOnes.filter(([, value]) => value !== ''));
}

/** The abbreviations of a file, and the months. */
class Strings {
  readonly values = new Map<string, string>(MONTHS);
  private expandedUnits = 0;

  /** Returns the text of an abbreviation. Other words, and all behind the limit, stay as they are. */
  expand(word: string): string {
    const value = this.values.get(word.toLowerCase()) ?? word;
    if (this.expandedUnits + value.length > EXPANDED_UNITS_MAX) return word;
    this.expandedUnits += value.length;
    return value;
  }
}

/** Reads the key and the fields of one entry. */
class FieldReader {
  at: number;
  private readonly source: string;
  private readonly strings: Strings;

  constructor(source: string, at: number, strings: Strings) {
    this.source = source;
    this.at = at;
    this.strings = strings;
  }

  /** Returns the key, which may be missing or have blanks, or undefined if this is no entry. */
  key(): string | undefined {
    const found = this.match(/([^,{}()"=@]{0,300})(?:,|(?=[})]))|(?=[^,{}()"=@]{1,60}=)/y);
    return found && (found[1] ?? '').trim();
  }

  /** Returns the fields with their marks. Fields of one name are joined. */
  fields(): Map<string, string> {
    const fields = new Map<string, string>();
    while (fields.size < FIELDS_MAX) {
      this.match(/[\s,]+/y);
      const name = this.match(/([^,{}()"=@#%\n]{1,60})\s*=\s*/y)?.[1]
        ?.trim()
        .toLowerCase();
      if (name === undefined) {
        if (this.skip()) continue;
        break;
      }
      let value = this.value();
      while (this.match(/\s*#\s*/y)) value += this.value();
      const before = fields.get(name);
      if (!before) fields.set(name, value);
      else if (before !== value) fields.set(name, before + (PEOPLE.test(name) ? ' and ' : '; ') + value);
    }
    return fields;
  }

  /** Moves behind the next comma or line break, and returns false if the entry ends before. */
  private skip(): boolean {
    let depth = 0;
    for (; this.at < this.source.length; this.at += 1) {
      const sign = this.source[this.at]!;
      if (/[({]/.test(sign)) depth += 1;
      else if (/[)}]/.test(sign)) depth -= 1;
      else if (depth === 0 && /[,\n]/.test(sign)) return true;
      if (depth < 0 || (sign === '@' && this.isEntry(this.at))) return false;
    }
    return false;
  }

  private isEntry(at: number): boolean {
    ENTRY.lastIndex = at;
    return this.source[at - 1] === '\n' && ENTRY.test(this.source);
  }

  private value(): string {
    const sign = this.source[this.at];
    if (sign === '{') return this.enclosed('}');
    if (sign === '"') return this.enclosed('"');
    const words = this.match(WORDS)?.[0] ?? '';
    return this.strings.expand(words);
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
      else if (sign === '@' && this.isEntry(i)) {
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

const MONTHS = 'January February March April May June July August September October November December'
  .split(' ')
  .map((month) => [month.slice(0, 3).toLowerCase(), month] as const);
/** Commands that stand for a sign. */
const SIGNS = readWordPairs('tex/signs.txt');
/** Commands that only say how the words behind them look. */
const LOOKS =
  /\\(?:em|it|bf|sc|rm|tt|sf|sl|(?:bf|md)series|(?:it|sc|sl|up)shape|normalfont|protect|relax|unskip|left|right)(?![a-zA-Z])[ \t]?/g;

/** Returns the words of a value: letters instead of commands, without braces, on one line. */
function plain(value: string): string {
  return (
    withTexLetters(value)
      .replace(/\\(?:url|path|href|verb)(?![a-zA-Z])\s*/g, '')
      .replace(/\\par(?![a-zA-Z])|\\\\/g, ' ')
      .replace(/\\item(?![a-zA-Z])/g, ' - ')
      .replace(/\\(?:begin|end)\{\w{1,40}\}/g, ' ')
      // The dollars of a formula.
      .replace(/(?<!\\)\$([^$]{0,500})(?<!\\)\$/g, '$1{}')
      .replace(/\\([&%$#_{}@])/g, (_mark, sign: string) => (/[{}]/.test(sign) ? '' : sign))
      .replace(LOOKS, '')
      .replace(/\\[a-zA-Z]{1,40}\*?[ \t]?(?=(?:\[[^\][]{0,200}\])?\{(?!\}))/g, '')
      // Places where a word may be cut.
      .replace(/\\-/g, '')
      .replace(/\\[,;:! /]/g, ' ')
      .replace(/``|''/g, '"')
      .replace(/---/g, '—')
      .replace(/--/g, '–')
      .replace(/(?<!\/)~/g, ' ')
      .replace(
        /(?<=([\p{L}\d])?)\\(?:text)?([a-zA-Z]{1,40})\*?([ \t]?)/gu,
        (_command, before: string | undefined, name: string, blank: string) =>
          ownValue(SIGNS, name) ?? `${before === undefined || name.includes('TeX') ? '' : ' '}${name}${blank}`,
      )
      .replace(/[{}]/g, '')
      .replace(/\s+/g, ' ')
      .trim()
  );
}
