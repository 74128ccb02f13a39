/**
 * Parses JSON and JSON Lines. Values become indented `key: value` lines. Each element of an array of objects, and each line of
 * JSON Lines, is a record.
 */

import type { ChunkMetadataKey } from '../../../corpus/values.ts';
import type { Link } from '../../../text/link-line.ts';
import { isObject } from '../../../util/is-object.ts';
import { cleanText } from '../../detect/decode.ts';
import { badFile } from '../../failure.ts';
import { KeyPicker } from '../../metadata-values.ts';
import type { ParsedFile } from '../../parsed.ts';
import { isPackedData } from '../data/binary-text.ts';
import { SINGLE_RECORDS_MAX } from '../data/records.ts';
import { startsOf } from '../data/table-text.ts';
import { quotedHtml } from '../html/quoted.ts';
import { writeSpeech } from '../speech.ts';
import { type BlockDraft, TextBuilder } from '../text-builder.ts';
import { parseTxt } from '../txt.ts';
import { programOf, writeChat } from './chat.ts';
import { transcriptOf } from './transcript.ts';
import type { Json } from './value.ts';

/** Maximum levels of indentation, and maximum parts of a dotted metadata key. */
const INDENT_LEVELS_MAX = 12;
/** Records in one block, if a file has too many records for blocks of their own. */
const RECORDS_PER_BLOCK = 20;
/** Maximum depth of a list of records inside objects. */
const RECORD_LEVELS_MAX = 4;

/**
 * Parses JSON. JSON with comments or commas behind the last member, as in settings of programs, is text: the comments explain it.
 *
 * @param users the names of users of a chat by their ids
 * @throws FileError if the text is neither JSON nor JSON Lines.
 */
export function parseJson(
  source: string,
  keys: readonly ChunkMetadataKey[],
  users: ReadonlyMap<string, string> = new Map(),
): ParsedFile {
  const read = readJson(source);
  const value = read === undefined ? undefined : withNamedCoordinates(read);
  if (value === undefined) {
    // Many tools write one object per line into files named .json.
    if (isJsonLines(source)) return parseJsonl(source, keys);
    if (readJson(withoutComments(source)) !== undefined) return parseTxt(source, 'json');
    throw badFile('parse', 'Invalid JSON', 'The file is not valid JSON.');
  }
  const picker = new KeyPicker(keys);
  const builder = new TextBuilder();
  const chat = picker.active ? undefined : writeMessages(builder, value, users);
  if (chat) return builder.file('json', chat);
  const speech = picker.active ? undefined : transcriptOf(value);
  const main = mainRecords(value);
  if (speech) addLines(builder, { kind: 'paragraph' }, speech.others);
  if (speech) writeSpeech(builder, speech.cues);
  else if (Array.isArray(value) && value.some(isObject)) writeRecords(builder, value, picker);
  else if (main) {
    // The names of the objects around the records are in their heading paths.
    if (lines(main.rest).length > main.path.filter(Boolean).length) addLines(builder, { kind: 'paragraph' }, main.rest);
    writeRecords(builder, main.records, picker, main.path);
  } else writeSections(builder, value);
  return finish('json', builder, picker, []);
}

/**
 * Writes the messages of a chat: a list, or a member of the file, which may say where the chat took place. Returns what is known of the
 * chat; undefined for another value.
 */
function writeMessages(builder: TextBuilder, value: Json, users: ReadonlyMap<string, string>) {
  const members = isObject(value) ? Object.entries(value as { [key: string]: Json }) : [['', value] as const];
  for (const [, messages] of members) {
    const program = isRecordList(messages) ? programOf(messages) : undefined;
    if (!program) continue;
    const links: Link[] = [];
    const around = members.filter(([, member]) => member !== messages);
    const text = around.flatMap(([name, member]) => lines(member, name, 0, links)).join('\n');
    builder.add({ kind: 'paragraph', links }, text);
    const asRecord = (message: Json) => lines(message).join('\n');
    return { modified: writeChat(builder, messages as Json[], program, users, asRecord) };
  }
  return undefined;
}

/** Returns GeoJSON with the coordinates of points as members with names: it writes the longitude first, unlike most people. */
function withNamedCoordinates(value: Json): Json {
  if (!isObject(value)) return value;
  if (value['type'] === 'FeatureCollection' && Array.isArray(value['features']))
    return { ...value, features: value['features'].map(withNamedPoint) };
  return withNamedPoint(value);
}

function withNamedPoint(value: Json): Json {
  if (!isObject(value)) return value;
  if (value['type'] === 'Feature' && value['geometry'] !== undefined)
    return { ...value, geometry: withNamedPoint(value['geometry'] as Json) };
  const place = value['coordinates'];
  if (value['type'] !== 'Point' || !Array.isArray(place) || !place.every((one) => typeof one === 'number'))
    return value;
  const [longitude, latitude, ...altitude] = place;
  if (longitude === undefined || latitude === undefined || altitude.length > 1) return value;
  return { ...value, coordinates: { latitude, longitude, ...(altitude.length === 1 && { altitude: altitude[0]! }) } };
}

/** Writes a value. Each object of a list becomes a record, also in a list inside objects. Other members are written before. */
export function writeJson(builder: TextBuilder, value: Json, picker: KeyPicker): void {
  const path: string[] = [];
  let at = value;
  for (let level = 0; level < RECORD_LEVELS_MAX && isObject(at); level += 1) {
    const inner = Object.entries(at).filter(([, member]) => isRecordList(member) || isObject(member));
    const [name, member] = inner.find((entry) => isRecordList(entry[1])) ?? inner[0] ?? [];
    if (name === undefined || member === undefined || (!isRecordList(member) && inner.length > 1)) break;
    const { [name]: _, ...rest } = at;
    path.push(name);
    addLines(builder, { kind: 'paragraph' }, rest);
    at = member;
  }
  const main = isRecordList(at) ? { records: at, rest: {}, path: path.slice(-1) } : mainRecords(at);
  addLines(builder, { kind: 'paragraph' }, main?.rest ?? {});
  if (main) writeRecords(builder, main.records, picker, main.path);
  else writeSections(builder, at);
}

/** Share of a file that its list of records must have, and minimum number of records. */
const MAIN_SHARE_MIN = 0.8;
const MAIN_RECORDS_MIN = 5;

/**
 * Returns the records that a file mainly consists of, and the other members of the objects around them: a list as in
 * `{"total": 2, "issues": […]}`, or the members of an object that all have the same fields.
 */
function mainRecords(value: Json): { records: Json[]; rest: Json; path: string[] } | undefined {
  const rest: { [key: string]: Json } = Object.create(null);
  const path: string[] = [];
  let [at, others] = [value, rest];
  for (let level = 0; level <= RECORD_LEVELS_MAX && isObject(at); level += 1) {
    const members = Object.entries(at);
    if (haveSameFields(members.map(([, member]) => member))) {
      return { records: members.map(([name, member]) => ({ [name]: member })), rest, path };
    }
    const sizes = members.map(([, member]) => (typeof member === 'object' ? unitsOf(member) : 0));
    const largest = sizes.reduce((best, size, i) => (size > sizes[best]! ? i : best), 0);
    const [name, member] = members[largest] ?? [];
    const total = unitsOf(at);
    if (name === undefined || member === undefined || sizes[largest]! < total * MAIN_SHARE_MIN) return undefined;
    const inner: { [key: string]: Json } = Object.create(null);
    for (const [other, its] of members) others[other] = other === name ? inner : its;
    path.push(name);
    if (isRecordList(member)) return member.length < MAIN_RECORDS_MIN ? undefined : { records: member, rest, path };
    [at, others] = [member, inner];
  }
  return undefined;
}

function unitsOf(value: Json): number {
  return lines(value).reduce((units, line) => units + line.length, 0);
}

/** True for objects of which each has most fields of the first. */
function haveSameFields(values: readonly Json[]): boolean {
  if (values.length < MAIN_RECORDS_MIN || !values.every(isObject)) return false;
  const fields = Object.keys(values[0] as object);
  const common = (value: Json) => fields.filter((field) => Object.hasOwn(value as object, field)).length;
  return fields.length > 1 && values.every((value) => common(value) > fields.length / 2);
}

function isRecordList(value: Json): value is Json[] {
  return Array.isArray(value) && value.every(isObject);
}

/** Parses JSON Lines. A line that is not JSON is kept as text, with a warning. @throws FileError if no line is JSON. */
export function parseJsonl(source: string, keys: readonly ChunkMetadataKey[]): ParsedFile {
  const picker = new KeyPicker(keys);
  const builder = new TextBuilder();
  let bad = 0;
  const records: Json[] = [];
  for (const line of source.split('\n')) {
    if (line.trim() === '') continue;
    const value = readJson(line);
    if (value === undefined) bad += 1;
    records.push(value === undefined ? line : value);
  }
  if (records.length > 0 && bad === records.length)
    throw badFile('parse', 'Invalid JSON Lines', 'No line of the file is valid JSON.');
  writeRecords(builder, records, picker);
  const warnings = bad > 0 ? [`${bad} ${bad === 1 ? 'line is' : 'lines are'} not valid JSON and kept as text.`] : [];
  return finish('jsonl', builder, picker, warnings);
}

function finish(fileType: string, builder: TextBuilder, picker: KeyPicker, warnings: string[]): ParsedFile {
  return builder.file(fileType, {}, { warnings: [...warnings, ...picker.warnings()] });
}

function writeRecords(builder: TextBuilder, records: readonly Json[], picker: KeyPicker, headingPath?: string[]): void {
  const place = headingPath ? { headingPath } : {};
  if (picker.active || records.length <= SINGLE_RECORDS_MAX) {
    for (const record of records) {
      const metadata = picker.pick((key) => scalarAt(record, key));
      addLines(builder, { kind: 'record', metadata, ...place }, record);
    }
    return;
  }
  for (let from = 0; from < records.length; from += RECORDS_PER_BLOCK) {
    const links: Link[] = [];
    const texts = records
      .slice(from, from + RECORDS_PER_BLOCK)
      .map((record) => cleanText(lines(record, '', 0, links).join('\n')))
      .filter((text) => text !== '');
    builder.add({ kind: 'record', rowStarts: startsOf(texts, 2), links, ...place }, texts.join('\n\n'));
  }
}

/** A member with a longer text is a section of its own. */
const SECTION_UNITS_MIN = 1_500;
const SECTION_LEVELS_MAX = 6;

/**
 * Writes the members of objects, and the elements of lists, as blocks. The name of a member with a long text is a heading, so that each
 * part of a description of an API or of a schema says where it stands. Names keep their lines and indentation.
 */
function writeSections(builder: TextBuilder, value: Json, headingPath: readonly string[] = [], level = 0): void {
  if (!isObject(value) && !(level > 0 && Array.isArray(value) && value.every(isObject))) {
    addLines(builder, { kind: 'paragraph', headingPath: [...headingPath] }, value, '', level);
    return;
  }
  let scalars: string[] = [];
  let links: Link[] = [];
  const flush = () => {
    builder.add({ kind: 'paragraph', headingPath: [...headingPath], links }, scalars.join('\n'));
    scalars = [];
    links = [];
  };
  const members = Array.isArray(value) ? value.map((member) => ['', member] as const) : Object.entries(value);
  for (const [key, member] of members) {
    if (inlineText(member) !== undefined) {
      scalars.push(...lines(member, key, level, links));
      continue;
    }
    flush();
    const own = lines(member, key, level);
    if (own.join('\n').length < SECTION_UNITS_MIN || level >= SECTION_LEVELS_MAX)
      addLines(builder, { kind: 'paragraph', headingPath: [...headingPath] }, member, key, level);
    else {
      const path = key === '' ? headingPath : [...headingPath, key];
      if (key !== '') builder.add({ kind: 'heading', level: level + 1, title: key, headingPath: [...path] }, own[0]!);
      // A member without a name is a level, too: such members can be nested very deeply.
      writeSections(builder, member, path, Array.isArray(value) ? level : level + 1);
    }
  }
  flush();
}

/** Adds the lines of a value as a block, with the links of its HTML. */
function addLines(builder: TextBuilder, draft: BlockDraft, value: Json, key = '', level = 0): void {
  const links: Link[] = [];
  builder.add({ ...draft, links }, lines(value, key, level, links).join('\n'));
}

/** Returns `key: value` lines of all scalars under a value. With `links`, HTML becomes text and adds its links. Not recursive. */
function lines(root: Json, key = '', level = 0, links?: Link[]): string[] {
  const out: string[] = [];
  const stack: { value: Json; key: string; depth: number; begins?: boolean }[] = [{ value: root, key, depth: level }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value, depth, begins = false } = next;
    const indent = '  '.repeat(Math.min(depth, INDENT_LEVELS_MAX));
    // A dash marks where an object of a list begins.
    const mark = begins && next.key !== '' ? `${indent.slice(2)}- ` : indent;
    const lead = `${mark}${next.key === '' ? '' : `${next.key}:`}`;
    const inline = inlineText(value);
    if (inline !== undefined) {
      const text = (links && quotedHtml(inline, links)) ?? inline;
      if (text.trim() !== '') {
        // Lines of a text are indented, so that the next member cannot be taken for one of them.
        const rest = text.replace(/\n(?=[^\n])/g, `\n${'  '.repeat(Math.min(depth, INDENT_LEVELS_MAX) + 1)}`);
        out.push(lead.trim() === '' ? lead + text : `${lead} ${rest}`);
      }
      continue;
    }
    if (next.key !== '') out.push(lead);
    const inner = next.key === '' ? depth : depth + 1;
    const members = Array.isArray(value)
      ? value.map((member) => ['', member] as const)
      : Object.entries(value as object);
    const isList = Array.isArray(value) && value.length > 1 && inner > level;
    for (let i = members.length - 1; i >= 0; i -= 1) {
      const [name, member] = members[i]!;
      stack.push({
        key: name,
        value: member,
        depth: inner,
        begins: isList ? isObject(member) : begins && next.key === '' && i === 0,
      });
    }
  }
  return out;
}

/** Returns the text of a scalar or of an array of scalars. */
function inlineText(value: Json): string | undefined {
  if (isScalar(value)) return scalarText(value);
  return Array.isArray(value) && value.every(isScalar) ? value.map(scalarText).filter(Boolean).join(', ') : undefined;
}

/** Returns the text of a record's own member, or of a nested member with a dotted name. Null if the member is an object or holds some. */
function scalarAt(record: Json, key: string): string | null | undefined {
  if (!isObject(record)) return undefined;
  if (Object.hasOwn(record, key)) return inlineText(record[key]!) ?? null;
  let value: Json = record;
  for (const part of key.split('.', INDENT_LEVELS_MAX)) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part]!;
  }
  return inlineText(value) ?? null;
}

function isScalar(value: Json): value is null | boolean | number | string {
  return value === null || typeof value !== 'object';
}

function scalarText(value: null | boolean | number | string): string {
  return value === null || (typeof value === 'string' && isPackedData(value)) ? '' : String(value);
}

/** Returns the value, or undefined if the text is not JSON. Whole numbers beyond 2^53 become texts with all their digits. */
function readJson(text: string): Json | undefined {
  try {
    return /\d{16}/.test(text) ? readExactly(text) : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

/** Reads JSON with exact whole numbers. A reviver is recursive, so very deep files get plain numbers instead. */
function readExactly(text: string): Json {
  const keep = (_key: string, value: Json, context: { source?: string }): Json =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
      ? (context.source ?? value)
      : value;
  try {
    return JSON.parse(text, keep as never) as Json;
  } catch (error) {
    if (error instanceof RangeError) return JSON.parse(text) as Json;
    throw error;
  }
}

/** Strings and comments. An end that is missing is at the end of the line or text, so that the search is linear. */
const STRINGS_AND_COMMENTS = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)/g;
const STRINGS_AND_LAST_COMMAS = /"(?:[^"\\\n]|\\.)*"?|,(?=\s*[}\]])/g;

/** Returns JSON without comments and without commas behind a last member. */
function withoutComments(text: string): string {
  const onlyString = (match: string) => (match.startsWith('"') ? match : '');
  return text.replace(STRINGS_AND_COMMENTS, onlyString).replace(STRINGS_AND_LAST_COMMAS, onlyString);
}

function isJsonLines(source: string): boolean {
  const [first, second] = source.trim().split('\n', 2);
  return first !== undefined && second !== undefined && readJson(first) !== undefined && readJson(second) !== undefined;
}
