/** Parses catalogues of translations (gettext PO): each message is a record with its translations. */
import type { ParsedFile } from '../../parsed.ts';
import { TextBuilder } from '../text-builder.ts';
import { parseTxt } from '../txt.ts';
import { SINGLE_RECORDS_MAX } from './records.ts';

/** A line of a message: its label and its text. Lines without text are left out. */
export type Line = readonly [label: string, text: string];

/** Writes one message. The first message of a catalogue has `index` 0. */
export function writeMessage(builder: TextBuilder, index: number, lines: readonly Line[]): void {
  const shown = lines.filter(([, text]) => text.trim() !== '');
  // So many messages share chunks.
  const kind = index < SINGLE_RECORDS_MAX ? 'record' : 'paragraph';
  const text = shown.map(([label, words]) => `${label}: ${words.trim().replace(/\n/g, '\n  ')}`).join('\n');
  builder.add({ kind }, text);
}

/** One message of a PO file. */
interface Message {
  comments: string[];
  places: string[];
  flags: string;
  isObsolete: boolean;
  /** `msgid`, `msgstr`, `msgstr[1]`, … with their unquoted texts. */
  texts: Map<string, string>;
}

/** Parses a gettext catalogue. A file without messages is plain text. */
export function parsePo(source: string): ParsedFile {
  const builder = new TextBuilder();
  let header = new Map<string, string>();
  let count = 0;
  for (const message of messagesOf(source)) {
    const [id, first] = [message.texts.get('msgid') ?? '', message.texts.get('msgstr') ?? ''];
    if (id === '' && count === 0 && !message.texts.has('msgctxt')) {
      header = headerOf(first);
      builder.add({ kind: 'paragraph' }, [...message.comments, first].join('\n').trim());
      continue;
    }
    writeMessage(builder, count, linesOf(message, translationLabel(header.get('language'))));
    count += 1;
  }
  if (count === 0) return parseTxt(source);
  const name = header.get('project-id-version') ?? '';
  const title = /^(?:PACKAGE\b.*)?$/.test(name) ? undefined : name;
  return builder.file('txt', { title, language: header.get('language') || undefined });
}

const languageNames = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' });

/** Returns the label of translations: `translation (Polish)`. */
export function translationLabel(language = ''): string {
  const tag = language.trim().replaceAll('_', '-').replace(/@.*$/, '');
  return /^[a-z]{2,3}(?:-[a-z\d]{2,8}){0,3}$/i.test(tag) ? `translation (${languageNames.of(tag)})` : 'translation';
}

function linesOf({ texts, comments, places, flags, isObsolete }: Message, label: string): Line[] {
  const plural = texts.get('msgid_plural') ?? '';
  const translations = [...texts].filter(([name]) => name.startsWith('msgstr'));
  const state = [flags, isObsolete ? 'obsolete' : ''].filter(Boolean).join(', ');
  return [
    ['source', texts.get('msgid') ?? ''],
    ['plural', plural],
    ...translations.map(([, text]): Line => [label, text]),
    ['context', texts.get('msgctxt') ?? ''],
    ['comment', comments.join('\n')],
    ['state', state],
    ['place', places.join(' ')],
  ];
}

function headerOf(text: string): Map<string, string> {
  const lines = text.split('\n').map((line) => /^([\w-]+):\s*(.*)$/.exec(line));
  return new Map(lines.flatMap((line) => (line ? [[line[1]!.toLowerCase(), line[2]!.trim()]] : [])));
}

function* messagesOf(source: string): Iterable<Message> {
  let message = emptyMessage();
  let current = '';
  for (const raw of source.split('\n')) {
    const obsolete = /^#~\|?\s?/.exec(raw)?.[0] ?? '';
    const line = raw.slice(obsolete.length).trim();
    const keyword = /^(msg(?:ctxt|id_plural|id|str(?:\[\d{1,2}\])?))\s*"(.*)"$/.exec(line);
    const begins = line.startsWith('#') || keyword?.[1] === 'msgctxt' || keyword?.[1] === 'msgid';
    if (begins && current.startsWith('msgstr')) {
      yield message;
      message = emptyMessage();
      current = '';
    }
    if (obsolete !== '') message.isObsolete = true;
    if (keyword) {
      current = keyword[1]!.replace('[0]', '');
      message.texts.set(current, unquoted(keyword[2]!));
    } else if (/^".*"$/.test(line) && current !== '')
      message.texts.set(current, message.texts.get(current)! + unquoted(line.slice(1, -1)));
    else if (line.startsWith('#:')) message.places.push(line.slice(2).trim());
    else if (line.startsWith('#,')) message.flags = flagsOf(line);
    // The text that a fuzzy message had before begins with `#|`.
    else if (line.startsWith('#') && !line.startsWith('#|')) message.comments.push(line.replace(/^#[.]?\s?/, ''));
  }
  if (message.texts.size > 0) yield message;
}

function emptyMessage(): Message {
  return { comments: [], places: [], flags: '', isObsolete: false, texts: new Map() };
}

/** Returns the flags that say something to a reader: a fuzzy translation is not checked yet. */
function flagsOf(line: string): string {
  return /\bfuzzy\b/.test(line) ? 'fuzzy' : '';
}

function unquoted(text: string): string {
  return text.replace(/\\(.)/g, (_whole, sign: string) => ({ n: '\n', t: '\t', r: '' })[sign] ?? sign);
}
