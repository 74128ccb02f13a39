/** Parses exports of chats in JSON: Slack, Matrix, Discord, Teams and Telegram. Each message is a list item with its time and sender. */

import { detectLanguage, SAMPLE_UNITS } from '../../../text/language.ts';
import type { Link } from '../../../text/link-line.ts';
import { oneLine } from '../../../util/code-points.ts';
import { isObject } from '../../../util/is-object.ts';
import { dayInWords } from '../../day-words.ts';
import type { Tools } from '../../tools.ts';
import { quotedHtml } from '../html/quoted.ts';
import { folderOf, NOT_THERE } from '../markup/included-files.ts';
import { decodeHtml } from '../references.ts';
import type { TextBuilder } from '../text-builder.ts';
import type { Json } from './value.ts';

/** Matches the time of a message of Slack. */
const SLACK_TIME = /"ts"\s*:\s*"\d{10}\.\d{6}"/;

/** Where a program has what a message says, as paths of members. */
interface Program {
  /** Members that all messages have, the first of them with the time. */
  signs: readonly string[];
  /** The first member with a text counts. */
  sender: readonly string[];
  /** Where a message, and each of its parts, has its words. All of them are written. */
  words: readonly string[];
  /** Members with posts, files and answers, which are parts of a message and may have parts themselves. */
  parts: readonly string[];
}

const list = (names: string) => names.split(' ');

const PROGRAMS: readonly Program[] = [
  // Slack: https://docs.slack.dev/reference/events/message
  {
    signs: list('ts type text'),
    sender: list('user_profile.real_name user_profile.display_name user username bot_id'),
    words: list('pretext subject title text description name preview plain_text alt_text footer'),
    parts: list('fields files attachments blocks elements accessory rows'),
  },
  // Matrix: https://spec.matrix.org/latest/client-server-api/#room-events
  {
    signs: list('origin_server_ts sender content'),
    sender: list('sender'),
    words: list('content.body'),
    parts: [],
  },
  // Discord: https://github.com/Tyrrrz/DiscordChatExporter
  {
    signs: list('timestamp timestampEdited author content'),
    sender: list('author.nickname author.name'),
    words: list('title content text description question name fileName footer'),
    parts: list('fields attachments embeds forwardedMessage stickers poll answers'),
  },
  // Teams: https://learn.microsoft.com/en-us/graph/api/resources/chatmessage
  {
    signs: list('createdDateTime messageType body'),
    sender: list('from.user.displayName from.application.displayName'),
    words: list('subject title body.content text content name'),
    parts: list('attachments'),
  },
  // Telegram: https://core.telegram.org/import-export
  {
    signs: list('date_unixtime text_entities'),
    sender: list('from'),
    words: list('title text question file_name file photo'),
    parts: list('poll answers'),
  },
];
/** What stands behind the words of a field or of an answer. The value of a button is internal, and may be a secret. */
const VALUES: { [place: string]: string[] } = { fields: ['value'], answers: ['voters', 'value'] };
/** Maximum depth of parts within parts. */
const PART_LEVELS_MAX = 12;
/** Matches the elements of Teams for notices and for the places of attachments. They have no words. */
const NO_WORDS = /^\s*<systemEventMessage\s*\/>\s*$|<attachment id="[^"<>]{0,200}"><\/attachment>/g;
/** Matches what Telegram writes in place of the path of a file. */
const NOT_INCLUDED = /^\(File (?:not included|exceeds maximum size|unavailable)[.,] [^()]{1,200}\)$/;
/** Matches the kinds of attachments of Teams that are other messages. */
const OTHER_MESSAGE = /^(?:m|forwardedM)essageReference$/;
/** Matches the beginning of a further line that looks like a message of its own. */
const LIKE_MESSAGE =
  /\n(?=(?:[^\S\n]|\p{Cf})*(?:(?:[-*+•]|\d{1,9}[.)])(?:[^\S\n]|\p{Cf})+)*\[?\d{1,4}[./-]\d{1,2}[./-]\d{2,4})/gu;

/** Returns the program whose messages all objects are; undefined for other objects. */
export function programOf(messages: readonly Json[]): Program | undefined {
  const haveAll = ({ signs }: Program) =>
    messages.every((one) => isObject(one) && signs.every((sign) => Object.hasOwn(one, sign)));
  const ts = textAt(messages[0] ?? null, ['ts']);
  // Other programs also write `ts`.
  const mayBe = messages.length > 0 && (ts === '' || SLACK_TIME.test(`"ts":"${ts}"`));
  return mayBe ? PROGRAMS.find(haveAll) : undefined;
}

/** Returns the names of the users of a Slack export by their ids. They are in a file beside the folders of the channels. */
export async function namesOfUsers(source: string, path: string | undefined, { include }: Tools) {
  const names = new Map<string, string>();
  if (!include || path === undefined || !SLACK_TIME.test(source)) return { names, warnings: [] };
  const file = `${folderOf(folderOf(path).slice(0, -1))}users.json`;
  const answer = await include(file);
  try {
    const users = JSON.parse(new TextDecoder().decode(answer as Uint8Array)) as Json[];
    return { names: namesOf(users, 'id', ['profile.real_name', 'real_name', 'name']), warnings: [] };
  } catch {
    const why = typeof answer === 'string' ? answer : 'which is no list of users';
    const warning = `The chat has ids instead of the names in ${file}, ${why}.`;
    return { names, warnings: answer === NOT_THERE ? [] : [warning] };
  }
}

/** Returns names by ids. An entry without an id or without a name is left out. */
function namesOf(entries: readonly Json[], id: string, name: readonly string[]): Map<string, string> {
  const named = entries.map((one) => [textAt(one, [id]), textAt(one, name)] as const);
  return new Map(named.filter((pair) => !pair.includes('')));
}

/**
 * Writes messages with a section for each day. Returns the time of the newest message.
 *
 * @param users the names of users by their ids
 * @param asRecord writes a message without words, such as a notice that somebody has left
 */
export function writeChat(
  builder: TextBuilder,
  threads: readonly Json[],
  program: Program,
  users: ReadonlyMap<string, string>,
  asRecord: (message: Json) => string,
): string | undefined {
  const messages = threads.flatMap((one) => [one, ...repliesTo(one, program)]);
  const names = new Map([...namesOf(messages, 'user', ['user_profile.real_name']), ...users]);
  const written = messages.map((message) => ({ message, ...writtenMessage(message, program, names) }));
  const words = written.map(({ text }) => text).join('\n');
  const language = detectLanguage(words.slice(0, SAMPLE_UNITS)) ?? null;
  let [today, newest] = ['', ''];
  for (const { message, time, sender, text, links } of written) {
    const [day = '', clock] = time?.split(/T|:\d\d\./) ?? [];
    const title = day !== today && day !== '' ? `${day} (${dayInWords(new Date(day), language)})` : '';
    if (title !== '') builder.add({ kind: 'heading', level: 2, title }, `## ${title}`);
    const head = [day && `${day} ${clock} UTC`, sender || 'unknown'].filter(Boolean).join(', ');
    const item = `- ${head}: ${text.replace(LIKE_MESSAGE, '\n> ').replaceAll('\n', '\n  ')}`;
    if (text === '') builder.add({ kind: 'record' }, asRecord(message));
    else builder.add({ kind: 'list', links }, item, builder.blocks.at(-1)?.kind === 'list' ? '\n' : '\n\n');
    today = day;
    if (time !== undefined && time > newest) newest = time;
  }
  return newest || undefined;
}

/** Returns the messages that Teams has inside of the message that they answer. */
function repliesTo(message: Json, program: Program): Json[] {
  const replies = valueAt(message, 'replies');
  return Array.isArray(replies) && programOf(replies) === program ? replies : [];
}

function writtenMessage(message: Json, program: Program, names: ReadonlyMap<string, string>) {
  const links: Link[] = [];
  const sender = textAt(message, program.sender);
  const read = (words: string) => quotedHtml(words, links) ?? words;
  const isSlack = program === PROGRAMS[0];
  const clean = (words: string) => (isSlack ? withoutSigns(words, names) : read(words.replace(NO_WORDS, '')));
  // Telegram's notices have an action.
  const texts = textAt(message, ['action']) === '' ? textsIn(message, { ...program, links, clean }) : [];
  const moment = textAt(message, program.signs.slice(0, 1));
  // An ISO date, or seconds or milliseconds since 1970.
  const date = new Date(/^$|\D\d*\D/.test(moment) ? moment : Number(moment) * (Number(moment) < 1e11 ? 1000 : 1));
  const time = Number.isNaN(date.getTime()) ? undefined : date.toISOString();
  const text = texts.join('\n').replace(/[\r\n\u2028\u2029]+/g, '\n');
  return { time, sender: oneLine(names.get(sender) ?? sender), text: text.trim(), links };
}

interface PartReader extends Program {
  links: Link[];
  clean(words: string): string;
}

/** Returns the texts of a part and of its own parts, and adds the addresses of titles. `place` is the member that has the part. */
function textsIn(part: Json, reader: PartReader, place = '', level = 0): string[] {
  if (level > PART_LEVELS_MAX) return [];
  const { links, clean } = reader;
  if (Array.isArray(part)) {
    const cells = part.map((cell) => oneLine(textsIn(cell, reader, place, level + 1).join(' ')));
    return cells.some(Boolean) ? [cells.join(' | ')] : [];
  }
  const type = textAt(part, ['type']);
  if (place === 'elements') {
    // Blanks between pieces count.
    if (type === 'text') return [plainText(part, 'text')];
    if (type === 'emoji') return [`:${textAt(part, ['name'])}:`];
    if (type === 'user') return [clean(`<@${textAt(part, ['user_id'])}>`)];
    if (type === 'link') return [clean(`<${textAt(part, ['url'])}|${textAt(part, ['text'])}>`)];
  }
  const kind = textAt(part, ['contentType']);
  const other = OTHER_MESSAGE.test(kind) ? otherMessage(part, clean) : '';
  if (other !== '') return [other];
  // An attachment of Teams may have data instead of a text.
  const noText = kind === '' ? /^\s*$/ : /^\s*$|^\s*\{[\s\S]*\}\s*$/;
  const own = reader.words
    .map((name) => textAt(part, [name]))
    .filter((text) => text !== '' && !NOT_INCLUDED.test(text));
  const words = [...new Set(own.map(clean))].filter((text) => !noText.test(text));
  const wordsIn = (texts: string[]) => texts.join('\n').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const said = new Set(wordsIn(words));
  const partsAt = (name: string) => listAt(part, name).map((one) => ({ one, name }));
  const inner = reader.parts.flatMap(partsAt).flatMap(({ one, name }) => {
    const texts = textsIn(one, reader, name, level + 1).filter((text) => !words.includes(text));
    // Slack repeats the text of a message as a block of rich text.
    const repeats = words.length > 0 && textAt(one, ['type']) === 'rich_text';
    return repeats && wordsIn(texts).every((word) => said.has(word)) ? [] : texts;
  });
  const [title, url, value] = [['title'], ['title_link', 'url'], VALUES[place] ?? []].map((at) => textAt(part, at));
  if (title && /^https?:/.test(url!)) links.push({ text: title, url: url! });
  // A title and the text below it are one line, which can be quoted.
  const named = title && level > 0 ? words.indexOf(clean(title)) : -1;
  if (named !== -1) words.splice(named, 2, words.slice(named, named + 2).join(': '));
  const texts = [...words, ...inner];
  if (/^rich_text_(?!list)/.test(type)) return [texts.join('')].filter((text) => text.trim() !== '');
  if (value) return [[texts.join(' '), clean(value)].filter(Boolean).join(': ')];
  const isPhoto = NOT_INCLUDED.test(textAt(part, ['photo']));
  const [first = clean(textAt(part, ['fallback', 'media_type']) || (isPhoto ? 'photo' : '')), ...others] = texts;
  const by = clean(textAt(part, level === 0 ? ['forwarded_from'] : ['author_name', 'author.name']));
  // Discord does not say who wrote a forwarded message.
  const author = place === 'forwardedMessage' ? 'Forwarded' : by;
  return [[author, first].filter(Boolean).join(': '), ...others].filter(Boolean);
}

/** Returns the message that another one of Teams quotes or forwards, as a quotation; "" without a text. */
function otherMessage(part: Json, clean: PartReader['clean']): string {
  let other: Json;
  try {
    other = JSON.parse(textAt(part, ['content'])) as Json;
  } catch {
    return '';
  }
  const sender = textAt(other, ['messageSender.user.displayName', 'originalMessageSender.user.displayName']);
  const text = clean(textAt(other, ['messagePreview', 'originalMessageContent'])).trim();
  return (
    text &&
    `> ${[sender, text]
      .filter(Boolean)
      .join(': ')
      .replace(/\s*\n\s*/g, '\n> ')}`
  );
}

/** Returns a text of Slack without its signs for users, channels and addresses. */
function withoutSigns(text: string, names: ReadonlyMap<string, string>): string {
  const SIGN = /<([@#!]?)([^<>|]{1,2000})(?:\|([^<>]{0,2000}))?>/g;
  const plain = text.replace(SIGN, (_all, sign: string, id: string, label = '') => {
    if (sign === '') return label === '' || label === id ? id : `${label} (${id})`;
    return `${sign === '#' ? '#' : '@'}${label || (names.get(id) ?? id)}`;
  });
  return decodeHtml(plain);
}

/** Returns the first text at one of the paths that is not blank. */
function textAt(value: Json, paths: readonly string[]): string {
  for (const path of paths) {
    const text = plainText(value, path);
    if (text.trim() !== '') return text;
  }
  return '';
}

/** Returns the text at the path. A list of texts and of objects with a text is one text. Telegram has addresses beside the pieces. */
function plainText(value: Json, path: string): string {
  const pieces = listAt(value, path).map((piece) => {
    const { text, href } = isObject(piece) ? piece : { text: piece };
    return typeof text === 'string' && typeof href === 'string' && href !== text ? `${text} (${href})` : text;
  });
  return pieces.filter((piece) => typeof piece === 'string' || typeof piece === 'number').join('');
}

/** Returns the elements of a list, or the one value that stands there instead; none for null. */
function listAt(value: Json, path: string): Json[] {
  const found = valueAt(value, path) ?? [];
  return Array.isArray(found) ? found : [found];
}

function valueAt(value: Json, path: string): Json | undefined {
  const inner = (at: Json | undefined, name: string) =>
    isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return path.split('.').reduce(inner as (at: Json | undefined, name: string) => Json | undefined, value);
}
