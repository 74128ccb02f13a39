/** Parses exports of chats in JSON: Slack, Matrix, Discord, Teams and Telegram. Each message is a list item with its time and sender. */

import { detectLanguage, SAMPLE_UNITS } from '../../../text/language.ts';
import type { Link } from '../../../text/link-line.ts';
import { isObject } from '../../../util/is-object.ts';
import { dayInWords } from '../../day-words.ts';
import type { Tools } from '../../tools.ts';
import { quotedHtml } from '../html/quoted.ts';
import { folderOf } from '../markup/included-files.ts';
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
/** Where the exports have what a message consists of. The first member with a text counts. */
const TIME = 'ts origin_server_ts timestamp createdDateTime date_unixtime'.split(' ');
const SENDER = (
  'user_profile.real_name user_profile.display_name author.nickname author.name from.user.displayName ' +
  'from.application.displayName user username bot_id sender from actor'
).split(' ');
const TEXT = 'content.body body.content text content'.split(' ');
/** Lists of attached files and of quoted posts, and what each has of a text or a name. */
const ATTACHED = ['files', 'attachments', 'embeds'];
const ATTACHED_TEXT = 'text fallback title fileName name description'.split(' ');

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
  if (!include || path === undefined || !SLACK_TIME.test(source)) return names;
  const bytes = await include(`${folderOf(folderOf(path).slice(0, -1))}users.json`);
  try {
    for (const user of JSON.parse(new TextDecoder().decode(bytes as Uint8Array)) as Json[])
      names.set(textAt(user, ['id']), textAt(user, ['profile.real_name', 'real_name', 'name']));
  } catch {} // The ids stay.
  return names;
}

/** Writes messages with a section for each day. @param users the names of users by their ids */
export function writeChat(builder: TextBuilder, messages: readonly Json[], users: ReadonlyMap<string, string>): void {
  const own = messages.map((one) => [textAt(one, ['user']), textAt(one, ['user_profile.real_name'])] as const);
  const names = new Map([...own.filter(([, name]) => name !== ''), ...users]);
  const written = messages.map((message) => writtenMessage(message, names)).filter(({ text }) => text !== '');
  const language =
    detectLanguage(
      written
        .map(({ text }) => text)
        .join('\n')
        .slice(0, SAMPLE_UNITS),
    ) ?? null;
  let today = '';
  for (const { day, clock, sender, text, links } of written) {
    const isNew = day !== today;
    const title = isNew && day !== '' ? `${day} (${dayInWords(new Date(day), language)})` : '';
    if (title !== '') builder.add({ kind: 'heading', level: 2, title }, `## ${title}`);
    const head = [day && `${day} ${clock} UTC`, sender || 'unknown'].filter(Boolean).join(', ');
    builder.add({ kind: 'list', links }, `- ${head}: ${text.replace(/\n+/g, '\n  ')}`, isNew ? '\n\n' : '\n');
    today = day;
  }
}

function writtenMessage(message: Json, names: ReadonlyMap<string, string>) {
  const links: Link[] = [];
  const sender = textAt(message, SENDER);
  const attached = ATTACHED.flatMap((name) => valueAt(message, name) ?? []).map((one) => textAt(one, ATTACHED_TEXT));
  const texts = [textAt(message, TEXT), ...attached].map((text) =>
    valueAt(message, 'ts') === undefined ? (quotedHtml(text, links) ?? text) : withoutSigns(text, names),
  );
  const moment = textAt(message, TIME);
  // An ISO date, or seconds or milliseconds since 1970.
  const time = new Date(/\D\d*\D/.test(moment) ? moment : Number(moment) * (Number(moment) < 1e11 ? 1000 : 1));
  const [day = '', clock] = Number.isNaN(time.getTime()) ? [] : time.toISOString().split(/T|:\d\d\./);
  const text = [...new Set(texts.map((one) => one.trim()))].filter(Boolean).join('\n');
  return { day, clock, sender: names.get(sender) ?? sender, text, links };
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
    const text = [valueAt(value, path)].flat().map((part) => (isObject(part) ? part['text'] : part));
    if (text.join('').trim() !== '') return text.join('');
  }
  return '';
}

function valueAt(value: Json, path: string): Json | undefined {
  const inner = (at: Json | undefined, name: string) =>
    isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return path.split('.').reduce(inner as (at: Json | undefined, name: string) => Json | undefined, value);
}
