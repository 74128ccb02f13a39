/** Parses exports of chats in JSON: Slack, Matrix, Discord, Teams and Telegram. Each message is a line with its time and sender. */

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

/** Where an export has what a message consists of. Of several members the first with a text counts. */
interface Export {
  /** Members that each message of the export has, and no other list of objects. */
  signs: readonly string[];
  time: readonly string[];
  sender: readonly string[];
  text: readonly string[];
  /** Names of attached files, and texts of quoted posts: members of the objects in these lists. */
  attached: Readonly<Record<string, readonly string[]>>;
  /** True if texts have signs such as `<@U123>` for users, channels and addresses. */
  hasSigns?: boolean;
}

const EXPORTS: readonly Export[] = [
  {
    signs: ['type', 'ts', 'text'],
    time: ['ts'],
    sender: ['user_profile.real_name', 'user_profile.display_name', 'user', 'username', 'bot_id'],
    text: ['text'],
    attached: { files: ['title', 'name'], attachments: ['text', 'fallback'] },
    hasSigns: true,
  },
  {
    signs: ['origin_server_ts', 'sender', 'content'],
    time: ['origin_server_ts'],
    sender: ['sender'],
    text: ['content.body'],
    attached: {},
  },
  {
    signs: ['timestamp', 'timestampEdited', 'author', 'content'],
    time: ['timestamp'],
    sender: ['author.nickname', 'author.name'],
    text: ['content'],
    attached: { attachments: ['fileName'], embeds: ['title', 'description'] },
  },
  {
    signs: ['createdDateTime', 'messageType', 'body'],
    time: ['createdDateTime'],
    sender: ['from.user.displayName', 'from.application.displayName'],
    text: ['body.content'],
    attached: { attachments: ['name'] },
  },
  {
    signs: ['date_unixtime', 'text_entities'],
    time: ['date_unixtime'],
    sender: ['from', 'actor'],
    text: ['text'],
    attached: {},
  },
];

/** Returns the form of the export that these messages are from. */
export function chatOf(messages: readonly Json[]): Export | undefined {
  if (messages.length === 0) return undefined;
  return EXPORTS.find(({ signs, hasSigns }) =>
    messages.every((message) => {
      if (!isObject(message) || !signs.every((sign) => Object.hasOwn(message, sign))) return false;
      return !hasSigns || SLACK_TIME.test(`"ts":"${message['ts']}"`);
    }),
  );
}

/** Returns the names of the users of a Slack export by their ids. They are in a file beside the folders of the channels. */
export async function namesOfUsers(
  source: string,
  path: string | undefined,
  { include }: Tools,
): Promise<Map<string, string>> {
  if (!include || path === undefined || !SLACK_TIME.test(source)) return new Map();
  const bytes = await include(`${folderOf(folderOf(path).slice(0, -1))}users.json`);
  if (typeof bytes === 'string') return new Map();
  try {
    const users = JSON.parse(new TextDecoder().decode(bytes)) as Json;
    const list = Array.isArray(users) ? users : [];
    return new Map(
      list.map((user) => [textAt(user, ['id']), textAt(user, ['profile.real_name', 'real_name', 'name'])]),
    );
  } catch {
    return new Map();
  }
}

/** Writes messages with a section for each day. @param names the names of users by their ids */
export function writeChat(
  builder: TextBuilder,
  messages: readonly Json[],
  form: Export,
  names: ReadonlyMap<string, string>,
): void {
  const known = new Map([...namesIn(messages), ...names]);
  const written = messages.map((message) => writtenMessage(message, form, known));
  const language =
    detectLanguage(
      written
        .map(({ text }) => text)
        .join('\n')
        .slice(0, SAMPLE_UNITS),
    ) ?? null;
  let today = '';
  for (const { time, sender, text, links } of written) {
    if (text === '') continue;
    const [day = '', clock = ''] = time?.toISOString().split(/T|:\d\d\./) ?? [];
    if (day !== today && time) {
      const title = `${day} (${dayInWords(time, language)})`;
      builder.add({ kind: 'heading', level: 2, title }, `## ${title}`);
    }
    today = day;
    const when = time ? `${day} ${clock} UTC` : '';
    const who = [when, sender].filter(Boolean).join(', ');
    builder.add({ kind: 'paragraph', links }, who === '' ? text : `${who}: ${text}`);
  }
}

function writtenMessage(message: Json, form: Export, names: ReadonlyMap<string, string>) {
  const links: Link[] = [];
  const sender = textAt(message, form.sender);
  const attached = Object.entries(form.attached).flatMap(([list, members]) => {
    const own = valueAt(message, list);
    return Array.isArray(own) ? own.map((one) => textAt(one, members)) : [];
  });
  const raw = textAt(message, form.text);
  const said = quotedHtml(raw, links) ?? (form.hasSigns ? withoutSigns(raw, names) : raw);
  const text = [said, ...attached.map((one) => (form.hasSigns ? withoutSigns(one, names) : one))];
  return { time: timeOf(textAt(message, form.time)), sender: names.get(sender) ?? sender, text: joined(text), links };
}

function joined(texts: readonly string[]): string {
  return [...new Set(texts.map((text) => text.trim()))].filter(Boolean).join('\n');
}

/** Returns the names of users that the messages themselves have. */
function namesIn(messages: readonly Json[]): Map<string, string> {
  const pairs = messages.map(
    (message) => [textAt(message, ['user']), textAt(message, ['user_profile.real_name'])] as const,
  );
  return new Map(pairs.filter(([, name]) => name !== ''));
}

/** Returns a text of Slack without its signs for users, channels and addresses. */
function withoutSigns(text: string, names: ReadonlyMap<string, string>): string {
  const plain = text.replace(
    /<([@#!]?)([^<>|]{1,2000})(?:\|([^<>]{0,2000}))?>/g,
    (_all, sign: string, id: string, label = '') => {
      if (sign === '') return label === '' || label === id ? id : `${label} (${id})`;
      return `${sign === '#' ? '#' : '@'}${label || (names.get(id) ?? id)}`;
    },
  );
  return decodeHtml(plain);
}

/** Returns the time of an ISO date, or of seconds or milliseconds since 1970. */
function timeOf(text: string): Date | undefined {
  const number = Number(text);
  const time = new Date(Number.isNaN(number) ? text : number * (number < 1e11 ? 1000 : 1));
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** Returns the first text at one of the paths. A list of texts and of objects with a text is one text. */
function textAt(value: Json, paths: readonly string[]): string {
  for (const path of paths) {
    const found = valueAt(value, path);
    const parts = Array.isArray(found) ? found : [found];
    const text = parts
      .map((part) => (isObject(part) ? part['text'] : part))
      .filter((part) => part !== null && part !== undefined);
    if (text.join('').trim() !== '') return text.join('');
  }
  return '';
}

function valueAt(value: Json, path: string): Json | undefined {
  let at: Json | undefined = value;
  for (const name of path.split('.')) at = isObject(at) && Object.hasOwn(at, name) ? (at[name] as Json) : undefined;
  return at;
}
