/** Writes mails as text: headers, body, and the names of the attachments. */

import { detectLanguage, SAMPLE_UNITS } from '../../../text/language.ts';
import { oneLine } from '../../../util/code-points.ts';
import { dayInWords } from '../../day-words.ts';
import { withSymbols } from '../../detect/decode.ts';
import { memberName } from '../../detect/member-name.ts';
import type { FileMember, ParsedFile } from '../../parsed.ts';
import { writeHtml } from '../html/blocks.ts';
import { stripTags } from '../html/dom.ts';
import { TextBuilder } from '../text-builder.ts';
import { paragraphs } from '../txt.ts';

interface MailParts {
  from: string;
  to: string;
  cc: string;
  subject: string;
  /** When the mail was sent, in ISO 8601, or what the mail says instead. */
  sent: string | undefined;
  /** Minutes by which the sender's clock is ahead of UTC. */
  offset?: number | undefined;
  text: string | undefined;
  html: string | undefined;
  attachments: readonly string[];
}

/** A mail as text, and the lines that name it in the context of its later chunks. */
export interface WrittenMail {
  builder: TextBuilder;
  continuation: string;
}

export function writeMail({ from, to, cc, subject, sent, offset, text, html, attachments }: MailParts): WrittenMail {
  const builder = new TextBuilder();
  const language = detectLanguage((text?.trim() || stripTags(html ?? '')).slice(0, SAMPLE_UNITS)) ?? null;
  const date = sent === undefined ? '' : dateText(sent, offset, language);
  builder.add({ kind: 'paragraph' }, lines({ From: from, To: to, Cc: cc, Date: date, Subject: subject }));
  writeBody(text, html, builder);
  const names = attachments.map((name) => `- ${memberName(name)}`);
  if (names.length > 0) builder.add({ kind: 'list' }, `Attachments:\n${names.join('\n')}`);
  return { builder, continuation: lines({ From: from, Date: date, Subject: subject }) };
}

function lines(headers: Record<string, string>): string {
  const filled = Object.entries(headers).filter(([, value]) => oneLine(value) !== '');
  return filled.map(([name, value]) => `${name}: ${oneLine(value)}`).join('\n');
}

/**
 * Returns a date by the clock of the sender, in digits and in words of a language: `2026-03-05 09:30 +01:00 (Thursday, March 5, 2026)`.
 * People ask for mails by the month.
 */
function dateText(sent: string, offset: number | undefined, language: string | null): string {
  const time = Date.parse(sent);
  const local = new Date(time + (offset ?? 0) * 60_000);
  if (Number.isNaN(local.getTime())) return sent;
  const [day, clock] = local.toISOString().split('T');
  return `${day} ${clock!.slice(0, 5)} ${offset === undefined ? 'UTC' : offsetText(offset)} (${dayInWords(local, language)})`;
}

function offsetText(offset: number): string {
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}

/** Returns a mail as a parsed file, with its attachments as files inside. */
export function mailFile(
  { builder, continuation }: WrittenMail,
  facts: Record<'title' | 'author' | 'recipients' | 'created' | 'message_id', string | undefined>,
  members: FileMember[],
): ParsedFile {
  return builder.file('eml', facts, { continuation, members });
}

/** A letter of a script without blanks between words, or a word. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[\p{L}\p{N}]+/gu;
/** The HTML says clearly more if it has at least so many words that the plain text does not have. */
const MORE_WORDS_MIN = 8;
/** A plain text with the word HTML and at most so many different words may say that it is a placeholder. */
const NOTICE_WORDS_MAX = 40;

/** Writes the plain text of a mail, or its HTML if there is no plain text or the HTML says clearly more. Never both. */
function writeBody(text: string | undefined, html: string | undefined, builder: TextBuilder): void {
  const body = withSymbols(text ?? '')
    .replace(/\r\n?/g, '\n')
    .trim();
  const page = html === undefined ? undefined : htmlBody(html);
  if (body !== '' && !(page && saysMore(page.text(), body))) {
    for (const block of paragraphs(body, 0, body.length)) {
      builder.add({ kind: block.kind }, body.slice(block.start, block.end));
    }
  } else if (html !== undefined) writeHtml(html, builder);
}

function htmlBody(html: string): TextBuilder {
  const builder = new TextBuilder();
  writeHtml(html, builder);
  return builder;
}

/** Returns whether most words of a page are not in the plain text: such a text has no words, or only says that the mail is a page. */
function saysMore(page: string, plain: string): boolean {
  const [inPage, inPlain] = [page, plain].map(wordsOf);
  const more = inPage!.difference(inPlain!).size;
  if (more * 2 <= inPage!.size) return false;
  const isNotice = inPlain!.size === 0 || (inPlain!.has('html') && inPlain!.size <= NOTICE_WORDS_MAX);
  return isNotice || (more >= MORE_WORDS_MIN && inPage!.size > inPlain!.size);
}

/** Returns the different words of a text, without addresses, which differ between the two forms of a mail. */
function wordsOf(text: string): Set<string> {
  const words = text
    .replace(/\bhttps?:\/\/[^\s<>"]+/gi, ' ')
    .toLowerCase()
    .match(WORD);
  return new Set(words);
}
