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
/** What stands behind the words of a field or of an answer. The value of a button is internal, and may be a secret. */
const VALUES: { [place: string]: string[] } = { fields: ['value'], answers: ['voters', 'value'] };
/** Maximum depth of parts within parts. */
const PART_LEVELS_MAX = 12;
/** Matches the elements of Teams for notices and for the places of attachments. They have no words. */
const NO_WORDS = /^\s*<systemEventMessage\s*\/>\s*$|<attachment id="[^"<>]{0,200}"><\/attachment>/g;
/** Matches the beginning of a further line that looks like a message of its own. */
const LIKE_MESSAGE =
  /\n(?=(?:[^\S\n]|\p{Cf})*(?:(?:[-*+•]|\d{1,9}[.)])(?:[^\S\n]|\p{Cf})+)*\[?\d{1,4}[./-]\d{1,2}[./-]\d{2,4})/gu;

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
  const words = written.map(({ text }) => text).join('\n');
  const language = detectLanguage(words.slice(0, SAMPLE_UNITS)) ?? null;
  let today = '';
  for (const { message, day, clock, sender, text, links } of written) {
    const title = day !== today && day !== '' ? `${day} (${dayInWords(new Date(day), language)})` : '';
    if (title !== '') builder.add({ kind: 'heading', level: 2, title }, `## ${title}`);
    const head = [day && `${day} ${clock} UTC`, sender || 'unknown'].filter(Boolean).join(', ');
    const item = `- ${head}: ${text.replace(LIKE_MESSAGE, '\n> ').replaceAll('\n', '\n  ')}`;
    if (text === '') builder.add({ kind: 'record' }, asRecord(message));
    else builder.add({ kind: 'list', links }, item, builder.blocks.at(-1)?.kind === 'list' ? '\n' : '\n\n');
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
  const read = (words: string) => quotedHtml(words, links) ?? words;
  const clean = (words: string) =>
    valueAt(message, 'ts') === undefined ? read(words.replace(NO_WORDS, '')) : withoutSigns(words, names);
  // Telegram's notices have an action.
  const texts = textAt(message, ['action']) === '' ? textsIn(message, links, clean) : [];
  const moment = textAt(message, TIME);
  // An ISO date, or seconds or milliseconds since 1970.
  const time = new Date(/^$|\D\d*\D/.test(moment) ? moment : Number(moment) * (Number(moment) < 1e11 ? 1000 : 1));
  const [day = '', clock] = Number.isNaN(time.getTime()) ? [] : time.toISOString().split(/T|:\d\d\./);
  const text = texts.join('\n').replace(/[\r\n\u2028\u2029]+/g, '\n');
  return { day, clock, sender: oneLine(names.get(sender) ?? sender), text: text.trim(), links };
}

/** Returns the texts of a part and of its own parts, and adds the addresses of titles. `place` is the member that has the part. */
function textsIn(part: Json, links: Link[], clean: (words: string) => string, place = '', level = 0): string[] {
  if (level > PART_LEVELS_MAX) return [];
  const type = textAt(part, ['type']);
  if (place === 'elements') {
    // Blanks between pieces count.
    if (type === 'text') return [plainText(part, 'text')];
    if (type === 'emoji') return [`:${textAt(part, ['name'])}:`];
    if (type === 'user') return [clean(`<@${textAt(part, ['user_id'])}>`)];
    if (type === 'link') return [clean(`<${textAt(part, ['url'])}|${textAt(part, ['text'])}>`)];
  }
  // An attachment of Teams may have data instead of a text.
  const noText = textAt(part, ['contentType']) === '' ? /^\s*$/ : /^\s*$|^\s*\{[\s\S]*\}\s*$/;
  const own = WORDS.map((name) => textAt(part, [name])).filter(Boolean);
  const words = [...new Set(own.map(clean))].filter((text) => !noText.test(text));
  const wordsIn = (texts: string[]) => texts.join('\n').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const said = new Set(wordsIn(words));
  const partsAt = (name: string) => listAt(part, name).map((one) => ({ one, name }));
  const inner = PARTS.flatMap(partsAt).flatMap(({ one, name }) => {
    const texts = textsIn(one, links, clean, name, level + 1).filter((text) => !words.includes(text));
    // Slack repeats the text of a message as a block of rich text.
    const repeats = words.length > 0 && textAt(one, ['type']) === 'rich_text';
    return repeats && wordsIn(texts).every((word) => said.has(word)) ? [] : texts;
  });
  const texts = [...words, ...inner];
  if (/^rich_text_(?!list)/.test(type)) return [texts.join('')].filter((text) => text.trim() !== '');
  const [title, url, value] = [['title'], ['title_link', 'url'], VALUES[place] ?? []].map((at) => textAt(part, at));
  if (title && /^https?:/.test(url!)) links.push({ text: title, url: url! });
  if (value) return [[texts.join(' '), clean(value)].filter(Boolean).join(': ')];
  const [first = clean(textAt(part, ['fallback'])), ...others] = texts;
  const by = clean(textAt(part, level === 0 ? ['forwarded_from'] : ['author_name', 'author.name']));
  // Discord does not say who wrote a forwarded message.
  const author = place === 'forwardedMessage' ? 'Forwarded' : by;
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

/** Returns the elements of a list, or of the rows of a table, or the one value that stands there instead; none for null. */
function listAt(value: Json, path: string): Json[] {
  const found = valueAt(value, path) ?? [];
  return Array.isArray(found) ? (found.flat() as Json[]) : [found];
}

function valueAt(value: Json, path: string): Json | undefined {
  const inner = (at: Json | undefined, name: string) =>
    isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return path.split('.').reduce(inner as (at: Json | undefined, name: string) => Json | undefined, value);
}
