/** Parses XML of any vocabulary: prose as headings and paragraphs, feeds entry by entry, data as records. */

import type { ChunkMetadataKey } from '../../../corpus/values.ts';
import { isObject } from '../../../util/is-object.ts';
import { FileError } from '../../failure.ts';
import { pageLinks } from '../../links.ts';
import { KeyPicker } from '../../metadata-values.ts';
import type { ParsedFile } from '../../parsed.ts';
import { isPackedData } from '../data/binary-text.ts';
import { writeHtml } from '../html/blocks.ts';
import { stripTags } from '../html/dom.ts';
import { writeJson } from '../json/json.ts';
import type { Json } from '../json/value.ts';
import { withoutRepeats, writeSpeech } from '../speech.ts';
import { TextBuilder } from '../text-builder.ts';
import { parseTxt } from '../txt.ts';
import { writeDiagram } from './drawing.ts';
import { withoutEntities } from './entities.ts';
import { writeOpml } from './opml.ts';
import { isProse, writeProse } from './prose.ts';
import { timedText } from './timed-text.ts';
import { writeQt, writeTmx, writeXliff } from './translations.ts';
import {
  attribute,
  attributes,
  childAt,
  childElements,
  findElements,
  hasOwnText,
  readXml,
  textOf,
  type XmlElement,
} from './tree.ts';

/** Maximum length and number of tags of XML that is read as a tree. The text of a larger file is its source. */
const TREE_UNITS_MAX = 8 * 1024 * 1024;
const TREE_TAGS_MAX = 500_000;

/** Matches attributes that say nothing about the content. */
const TECHNICAL = /^(?:xmlns(?::.*)?|xsi:.*|xml:space)$/;
/** Matches text that is quoted HTML, as in feeds. */
const ESCAPED_HTML = /<\/(?:p|div|span|li|td|a|b|i|h\d)\s*>|<(?:p|br)\s*\/?>/i;

/** Matches an element whose text may be the bytes of a picture or file. Pages of draw.io are packed in the same way. */
const PACKED_TEXT = />\s*([A-Za-z0-9+/]{40}[A-Za-z0-9+/=\s]*)(?=<\/)/g;

/** Parses XML. @throws FileError if the entities that the file declares are too long. */
export function parseXml(text: string, keys: readonly ChunkMetadataKey[]): ParsedFile {
  const words = text.includes('<mxfile')
    ? text
    : text.replace(PACKED_TEXT, (all, data: string) => (isPackedData(data) ? '>' : all));
  const { xml, warnings } = withoutEntities(words);
  const top = topElement(xml);
  if (!top) return parseTxt(words, 'xml');
  const builder = new TextBuilder();
  const picker = new KeyPicker(keys);
  const title = writeTop(top, builder, picker, warnings);
  // All words may be in attributes: the source becomes the text. Drawings without words are pictures.
  if (builder.blocks.length === 0 && top.name !== 'svg') return { ...parseTxt(words, 'xml'), warnings };
  const facts = { title: title || undefined, language: attribute(top, 'xml:lang') || undefined };
  return builder.file('xml', facts, { warnings: [...warnings, ...picker.warnings()] });
}

/**
 * Returns the top element, or the root of a fragment with several top elements. Returns undefined if there is no element, or if
 * the tree would be too large or too deep.
 */
function topElement(text: string): XmlElement | undefined {
  if (text.length > TREE_UNITS_MAX || (text.match(/</g)?.length ?? 0) > TREE_TAGS_MAX) return undefined;
  try {
    const root = readXml(text);
    const [top, ...others] = childElements(root);
    const isWhole =
      others.length === 0 && root.children.every((child) => typeof child !== 'string' || child.trim() === '');
    return isWhole ? top : root;
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

const VOCABULARIES: Record<string, (top: XmlElement, builder: TextBuilder, warnings: string[]) => void> = {
  mxfile: writeDiagram,
  xliff: writeXliff,
  tmx: writeTmx,
  TS: writeQt,
};

/** Writes the top element. Returns the title, if the vocabulary has one. */
function writeTop(top: XmlElement, builder: TextBuilder, picker: KeyPicker, warnings: string[]): string | undefined {
  const feed = childAt(top, 'channel') ?? (/^(?:feed|en-export)$/.test(top.name) ? top : undefined);
  if (feed) return writeFeed(feed, top, builder);
  const write = VOCABULARIES[top.name];
  if (write) {
    write(top, builder, warnings);
    return undefined;
  }
  const isTimed = top.name === 'tt' && findElements(top, 'p').some((part) => attribute(part, 'begin') !== '');
  if (isTimed) return writeTimedText(top, builder);
  if (top.name === 'opml' || (top.name === 'map' && childAt(top, 'node'))) return writeOpml(top, builder);
  if (isProse(top)) return writeProse(top, builder);
  if (top.name === 'svg') {
    for (const name of ['title', 'desc', 'text']) {
      for (const words of findElements(top, name)) builder.add({ kind: 'paragraph' }, plainText(words));
    }
    return undefined;
  }
  // Metadata is picked by the names of attributes, too.
  const data = toJson(top, !picker.active);
  writeJson(builder, top.name === '' ? data : { [top.name]: data }, picker);
  return undefined;
}

/** Writes subtitles, below what the file says of itself. Returns the title. */
function writeTimedText(top: XmlElement, builder: TextBuilder): string {
  const factsOf = (element: XmlElement): string[] =>
    hasOwnText(element)
      ? [`${element.name}: ${plainText(element)}`]
      : childElements(element).flatMap((child) => (child.name === 'p' ? [] : factsOf(child)));
  builder.add({ kind: 'paragraph' }, factsOf(top).join('\n'));
  writeSpeech(builder, withoutRepeats(timedText(top)));
  return plainText(findElements(childAt(top, 'head') ?? top, 'title')[0]);
}

/** Members of an entry that are facts about it. Notes of Evernote have tags, and the address they were copied from. */
const ENTRY_FACTS = 'link pubDate date published created updated author creator category tag source-url'.split(' ');

/** Writes a feed (RSS, Atom), or exported notes (Evernote), with a section for each entry. Returns its title. */
function writeFeed(feed: XmlElement, top: XmlElement, builder: TextBuilder): string | undefined {
  const title = plainText(childAt(feed, 'title'));
  builder.add({ kind: 'heading', level: 1 }, title === '' ? '' : `# ${title}`);
  builder.add({ kind: 'paragraph' }, plainText(childAt(feed, 'description') ?? childAt(feed, 'subtitle')));
  const hasNamespaces = attributes(top).some(([name]) => name.startsWith('xmlns'));
  // The entries of an RDF feed are siblings of the channel.
  for (const entry of [feed, top === feed ? undefined : top].flatMap((parent) => (parent ? entriesOf(parent) : []))) {
    const headline = plainText(childAt(entry, 'title'));
    builder.add({ kind: 'heading', level: 2 }, headline === '' ? '' : `## ${headline}`);
    const about = childAt(entry, 'note-attributes');
    const facts = ENTRY_FACTS.flatMap((name) =>
      [entry, ...(about ? [about] : [])]
        .flatMap((parent) => childElements(parent, name))
        .map((fact) => [name, plainText(fact) || attribute(fact, 'href') || attribute(fact, 'term')]),
    );
    const lines = facts.filter(([, value]) => value !== '').map(([name, value]) => `${name}: ${value}`);
    builder.add({ kind: 'paragraph' }, lines.join('\n'));
    const bodies = ['encoded', 'content', 'description', 'summary'].map((name) => childAt(entry, name));
    const body = bodies.find((each) => plainText(each) !== '');
    if (body) writeBody(body, facts.find(([name]) => name === 'link')?.[1], builder);
    if (!hasNamespaces && entry.name !== 'note') writeFurtherFacts(entry, builder);
  }
  return title || undefined;
}

/** Elements of an entry that are written elsewhere, and those for machines. */
const FEED_ELEMENTS = [...ENTRY_FACTS, ...'title description content encoded summary guid id enclosure'.split(' ')];

/** Writes the state, people and comments that a tracker adds to an entry. Additions with namespaces are for other programs. */
function writeFurtherFacts(entry: XmlElement, builder: TextBuilder): void {
  const further = childElements(entry).filter((one) => !FEED_ELEMENTS.includes(one.name) && plainText(one) !== '');
  const facts = further.filter(hasOwnText);
  builder.add({ kind: 'paragraph' }, facts.map((fact) => `${fact.name}: ${plainText(fact)}`).join('\n'));
  const items = further
    .filter((one) => !hasOwnText(one))
    .flatMap((one) => childElements(one))
    .map((part) => {
      const words = attributes(part).flatMap(([, value]) => (/^\d*$/.test(value) ? [] : value));
      return `- ${[part.name, ...words].join(', ')}: ${wordsOf(part).replace(/\n+/g, '\n  ')}`;
    });
  builder.add({ kind: 'list' }, items.join('\n'));
}

/** Returns the text of an element with blanks between its elements. */
function wordsOf(element: XmlElement): string {
  return hasOwnText(element) ? plainText(element) : childElements(element).map(wordsOf).filter(Boolean).join(' ');
}

/** Writes the quoted HTML of an entry. Its headings become lower than the heading of the entry. */
function writeBody(body: XmlElement, url: string | undefined, builder: TextBuilder): void {
  const source = textOf(body).trim();
  const html = withTasks(source).replace(/<(\/?)h([1-6])(?=[\s>])/gi, (_tag, slash: string, level: string) => {
    return `<${slash}h${Math.min(Number(level) + ENTRY_LEVEL, LEVEL_MAX)}`;
  });
  if (ESCAPED_HTML.test(source) || source.includes('<en-note')) writeHtml(html, builder, { links: pageLinks(url) });
  else builder.add({ kind: 'paragraph' }, plainText(body));
}

/** Writes the boxes of tasks in notes of Evernote as signs. */
function withTasks(html: string): string {
  return html
    .replace(/<\?xml[^<>]*\?>\s*|<!DOCTYPE[^<>]*>/gi, '')
    .replace(/<en-todo\b([^<>]*?)\/?>/g, (_box, state: string) => (/checked="true"/.test(state) ? '☒ ' : '☐ '))
    .replace(/<en-media\b[^<>]*>/g, '');
}

const ENTRY_LEVEL = 2;
const LEVEL_MAX = 6;

function entriesOf(parent: XmlElement): XmlElement[] {
  return childElements(parent).filter(({ name }) => /^(?:item|entry|note)$/.test(name));
}

/** A number with attributes that say its currency, unit and the like. */
const NUMBER = /^[-+]?\d[\d.,]{0,30}$/;

/**
 * Converts an element to JSON. Elements and attributes become members; several elements of one name become a list. If `asText`, the
 * attributes of a number stand behind it.
 */
function toJson(element: XmlElement, asText: boolean): Json {
  const inner = childElements(element);
  const own = attributes(element).filter(([name, value]) => !TECHNICAL.test(name) && value.trim() !== '');
  if (inner.length === 0 || hasOwnText(element)) {
    const text = plainText(element);
    return own.length === 0 ? text : { ...Object.fromEntries(own), ...(text === '' ? {} : { text }) };
  }
  if (element.name === 'dict' && inner.length % 2 === 0) return propertiesOf(inner);
  const members = new Map<string, Json[]>(own.map(([name, value]) => [name, [value]]));
  for (const child of inner) {
    const values = members.get(child.name) ?? [];
    values.push(toJson(child, asText));
    members.set(child.name, values);
  }
  const joined = (values: Json[]) => (values.length > 1 ? values : asText ? withNumber(values[0]!) : values[0]!);
  return Object.fromEntries([...members].map(([name, values]) => [name, joined(values)]));
}

/** Returns a number with attributes as one text: `12.50 (currency: EUR)`. */
function withNumber(value: Json): Json {
  if (!isObject(value)) return value;
  const { text, ...others } = value as { [key: string]: Json };
  const facts = Object.entries(others);
  if (typeof text !== 'string' || !NUMBER.test(text) || facts.some(([, fact]) => typeof fact !== 'string'))
    return value;
  return `${text} (${facts.map(([name, fact]) => `${name}: ${fact}`).join(', ')})`;
}

/** Converts a property list of macOS, in which the element before a value is its key. */
function propertiesOf(pairs: readonly XmlElement[]): Json {
  const members = pairs.flatMap((key, index): [string, Json][] => {
    const value = pairs[index + 1];
    if (index % 2 === 1 || !value) return [];
    return [[textOf(key), /^(?:true|false)$/.test(value.name) ? value.name : toJson(value, false)]];
  });
  return Object.fromEntries(members);
}

/** Returns the text of an element, without the tags of quoted HTML. */
function plainText(element: XmlElement | undefined): string {
  const text = textOf(element).trim();
  if (ESCAPED_HTML.test(text)) return stripTags(text);
  return text.includes('\n') ? text.replace(/[ \t]+/g, ' ').replace(/ ?\n\s*/g, '\n') : text;
}
