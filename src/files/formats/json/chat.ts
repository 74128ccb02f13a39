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
/** Members that all messages of an export have: of Slack, Matrix, Discord, Teams and Telegram. */
const SIGNS = [
  'type ts text',
  'origin_server_ts sender content',
  'timestamp timestampEdited author content',
  'createdDateTime messageType body',
  'date_unixtime text_entities',
].map((names) => names.split(' '));
/** Where the exports have the time and the sender of a message. The first member with a text counts. */
const TIME = 'ts origin_server_ts timestamp createdDateTime date_unixtime'.split(' ');
const SENDER = (
  'user_profile.real_name user_profile.display_name author.nickname author.name from.user.displayName ' +
  'from.application.displayName user username bot_id sender from'
).split(' ');
/** Where a message, and each of the posts, files and answers that are parts of it, has its words. All of them are written. */
const WORDS = (
  'pretext subject title content.body body.content text content description question name fileName file_name ' +
  'preview plain_text file photo alt_text footer'
).split(' ');
const PARTS =
  'fields files attachments embeds forwardedMessage stickers poll answers blocks elements accessory rows'.split(' ');
/** What stands behind the words of a field or of an answer. */
const VALUE = ['value', 'voters'];
/** Maximum depth of parts within parts. */
const PART_LEVELS_MAX = 12;
/** Matches the beginning of a further line that looks like a message of its own. */
const LIKE_MESSAGE = /\n(?=[^\S\n]*(?:[-*+•][^\S\n]+)?\[?\d{1,4}[./-]\d{1,2}[./-]\d{2,4})/g;

/** Returns whether all objects are messages of one export. */
export function isChat(messages: readonly Json[]): boolean {
  const haveAll = (signs: readonly string[]) =>
    messages.every((one) => isObject(one) && signs.every((sign) => Object.hasOwn(one, sign)));
  const ts = textAt(messages[0] ?? null, ['ts']);
  // Other programs also write `ts`.
  return messages.length > 0 && SIGNS.some(haveAll) && (ts === '' || SLACK_TIME.test(`"ts":"${ts}"`));
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
 * Writes messages with a section for each day.
 *
 * @param users the names of users by their ids
 * @param asRecord writes a message without words, such as a notice that somebody has left
 */
export function writeChat(
  builder: TextBuilder,
  threads: readonly Json[],
  users: ReadonlyMap<string, string>,
  asRecord: (message: Json) => string,
): void {
  const messages = threads.flatMap((one) => [one, ...repliesTo(one)]);
  const names = new Map([...namesOf(messages, 'user', ['user_profile.real_name']), ...users]);
  const written = messages.map((message) => ({ message, ...writtenMessage(message, names) }));
  const language =
    detectLanguage(
      written
        .map(({ text }) => text)
        .join('\n')
        .slice(0, SAMPLE_UNITS),
    ) ?? null;
  let today = '';
  for (const { message, day, clock, sender, text, links } of written) {
    const isNew = day !== today;
    const title = isNew && day !== '' ? `${day} (${dayInWords(new Date(day), language)})` : '';
    if (title !== '') builder.add({ kind: 'heading', level: 2, title }, `## ${title}`);
    const head = [day && `${day} ${clock} UTC`, sender || 'unknown'].filter(Boolean).join(', ');
    const item = `- ${head}: ${text.replace(LIKE_MESSAGE, '\n> ').replaceAll('\n', '\n  ')}`;
    if (text === '') builder.add({ kind: 'record' }, asRecord(message));
    else builder.add({ kind: 'list', links }, item, isNew ? '\n\n' : '\n');
    today = day;
  }
}

/** Returns the messages that Teams has inside of the message that they answer. */
function repliesTo(message: Json): Json[] {
  const replies = valueAt(message, 'replies');
  return Array.isArray(replies) && isChat(replies) ? replies : [];
}

function writtenMessage(message: Json, names: ReadonlyMap<string, string>) {
  const links: Link[] = [];
  const sender = textAt(message, SENDER);
  // Telegram's notices have an action.
  const found = textAt(message, ['action']) === '' ? textsIn(message, links) : [];
  const texts = found.map((text) =>
    valueAt(message, 'ts') === undefined ? (quotedHtml(text, links) ?? text) : withoutSigns(text, names),
  );
  const moment = textAt(message, TIME);
  // An ISO date, or seconds or milliseconds since 1970.
  const time = new Date(/^$|\D\d*\D/.test(moment) ? moment : Number(moment) * (Number(moment) < 1e11 ? 1000 : 1));
  const [day = '', clock] = Number.isNaN(time.getTime()) ? [] : time.toISOString().split(/T|:\d\d\./);
  const text = [...new Set(texts)]
    .join('\n')
    .replace(/[\r\n\u2028\u2029]+/g, '\n')
    .trim();
  return { day, clock, sender: oneLine(names.get(sender) ?? sender), text, links };
}

/** Returns the texts of a message and of its parts, and adds the addresses of titles. The author of a quoted post stands before it. */
function textsIn(part: Json, links: Link[], level = 0): string[] {
  if (level > PART_LEVELS_MAX) return [];
  const words = WORDS.map((name) => textAt(part, [name])).filter(Boolean);
  const type = textAt(part, ['type']);
  if (type === 'user') words.push(`<@${textAt(part, ['user_id'])}>`);
  if (type === 'link') return [`<${textAt(part, ['url'])}|${words.join('')}>`];
  // Slack repeats the text of a message as a block of rich text.
  const inner = PARTS.flatMap((name) => listAt(part, name))
    .filter((one) => words.length === 0 || textAt(one, ['type']) !== 'rich_text')
    .flatMap((one) => textsIn(one, links, level + 1));
  const texts = [...words, ...inner];
  if (/^rich_text_(?!list)/.test(type)) return [texts.join('')];
  const [title, url, value] = [['title'], ['title_link', 'url'], VALUE].map((paths) => textAt(part, paths));
  if (title && /^https?:/.test(url!)) links.push({ text: title, url: url! });
  if (value) return [`${texts.join(' ')}: ${value}`];
  const [first = textAt(part, ['fallback']), ...others] = texts;
  const author = textAt(part, level === 0 ? ['forwarded_from'] : ['author_name', 'author.name']);
  return [[author, first].filter(Boolean).join(': '), ...others].filter(Boolean);
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

/** Returns the first text at one of the paths. A list of texts and of objects with a text is one text. */
function textAt(value: Json, paths: readonly string[]): string {
  for (const path of paths) {
    const text = listAt(value, path).map((part) => (isObject(part) ? textWithAddress(part) : part));
    if (text.join('').trim() !== '') return text.join('');
  }
  return '';
}

/** Returns the text of a piece, and the address that Telegram has beside it. */
function textWithAddress({ text, href }: { [name: string]: Json | undefined }): Json | undefined {
  return typeof href === 'string' && href !== text ? `${text} (${href})` : text;
}

/** Returns the elements of a list, or the one value that stands there instead; none for null. */
function listAt(value: Json, path: string): Json[] {
  return [valueAt(value, path) ?? []].flat();
}

function valueAt(value: Json, path: string): Json | undefined {
  const inner = (at: Json | undefined, name: string) =>
    isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return path.split('.').reduce(inner as (at: Json | undefined, name: string) => Json | undefined, value);
}
