/** Parses mails (RFC 5322) and web archives (MHTML). Attachments are listed in the text and become files inside. */
import { Buffer } from 'node:buffer';
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import type { ChunkMetadataKey } from '../../../corpus/values.ts';
import { oneLine } from '../../../util/code-points.ts';
import { overLimit } from '../../failure.ts';
import type { FileMember, ParsedFile } from '../../parsed.ts';
import { parseHtml } from '../html/html.ts';
import { parseTxt } from '../txt.ts';
import { mailFile, writeMail } from './mail-text.ts';
import { subjectOf } from './mbox.ts';
import { tnefFiles } from './tnef.ts';

/** Maximum size of a mail. Its decoded attachments are in memory together with it. */
const MAIL_BYTES_MAX = 64 * 1024 * 1024;
/** Maximum depth of parts within parts, and of forwarded mails within mails. */
const PART_DEPTH_MAX = 64;
const FORWARD_DEPTH_MAX = 5;
const HEADER_BYTES_MAX = 1024 * 1024;
/** Maximum number of addresses from one header. */
const ADDRESSES_MAX = 100;
const BODY_TYPES: ReadonlySet<string> = new Set(['text/plain', 'text/html', 'multipart/related']);
/** Names of parts to which the sender gave no name. The content decides how a part is read. */
const PART_NAMES: Readonly<Record<string, string>> = {
  'message/delivery-status': 'delivery report',
  'message/disposition-notification': 'read receipt',
  'message/feedback-report': 'abuse report',
  'text/rfc822-headers': 'headers of the mail',
  'message/rfc822-headers': 'headers of the mail',
  'text/calendar': 'calendar entry',
  'application/pdf': 'document.pdf',
  'application/rtf': 'document.rtf',
  'text/rtf': 'document.rtf',
  'text/html': 'page.html',
  'text/csv': 'table.csv',
};
const KIND_NAMES: Readonly<Record<string, string>> = {
  text: 'text',
  image: 'picture',
  audio: 'recording',
  video: 'video',
};

/** Returns the mail of a file of Apple Mail, which has the number of its bytes before it and properties behind it. */
export function withoutCount(bytes: Uint8Array): Uint8Array {
  const [line, count] = /^(\d{1,9})\s*\n/.exec(String.fromCharCode(...bytes.subarray(0, 20))) ?? [];
  return line === undefined ? bytes : bytes.subarray(line.length, line.length + Number(count));
}

/** Parses a mail. @throws FileError for a mail over a limit, and the library's error for a mail nested too deeply. */
export async function parseEml(bytes: Uint8Array): Promise<ParsedFile> {
  const { mail, alternatives } = await readMail(bytes);
  const attached = mail.attachments.filter((one) => isAttached(one) && !alternatives.has(one.content));
  const members = attached.flatMap((one): FileMember[] => {
    const bytes = contentOf(one);
    return tnefFiles({ name: attachmentName(one), bytes: () => bytes });
  });
  const from = addresses(mail.from ? [mail.from] : []);
  const written = writeMail({
    from,
    to: addresses(mail.to),
    cc: addresses(mail.cc),
    subject: mail.subject ?? '',
    sent: mail.date,
    offset: offsetOf(mail.headers.find(({ key }) => key === 'date')?.value ?? ''),
    text: mail.text,
    html: mail.html,
    attachments: members.map(({ name }) => name),
  });
  const facts = {
    title: oneLine(mail.subject ?? '') || undefined,
    author: from,
    recipients: addresses(mail.to),
    created: mail.date,
    message_id: mail.messageId,
  };
  return mailFile(written, facts, members);
}

/** Parses a page that a browser saved with its pictures. @throws FileError like `parseEml`. */
export async function parseMhtml(bytes: Uint8Array, keys: readonly ChunkMetadataKey[]): Promise<ParsedFile> {
  const { html, text, headers } = (await readMail(bytes)).mail;
  const place = headers.find(({ key }) => key === 'snapshot-content-location' || key === 'content-location')?.value;
  return html === undefined && text !== undefined ? parseTxt(text, 'html') : parseHtml(html ?? '', keys, place);
}

/** Returns the HTML of a web archive. @throws FileError like `parseEml`. */
export async function htmlOfMail(bytes: Uint8Array): Promise<string | undefined> {
  return (await readMail(bytes)).mail.html;
}

/** A part of a mail, as the library keeps it. Its types do not declare the tree of parts, which alone says what is an alternative. */
interface Part {
  contentType: { multipart: string | false; parsed: { value: string; params: Record<string, string> } };
  contentDisposition: { parsed: { value: string; params: Record<string, string> } };
  childNodes: readonly Part[];
  content: unknown;
}

interface ReadMail {
  mail: Email;
  /** Contents of the parts that say the same as the text of the mail. */
  alternatives: ReadonlySet<unknown>;
}

async function readMail(bytes: Uint8Array): Promise<ReadMail> {
  if (bytes.length > MAIL_BYTES_MAX) throw overLimit(`Mails are read up to ${MAIL_BYTES_MAX / 1024 / 1024} MiB.`);
  const parser = new PostalMime({
    maxNestingDepth: PART_DEPTH_MAX,
    maxRfc822NestingDepth: FORWARD_DEPTH_MAX,
    maxHeadersSize: HEADER_BYTES_MAX,
  });
  const mail = await parser.parse(bytes);
  return { mail, alternatives: new Set(alternativesIn((parser as unknown as { root: Part }).root)) };
}

/** Yields the contents of all parts that another format of the text stands beside. Parts with a name are attachments. */
function* alternativesIn(part: Part): Iterable<unknown> {
  const isAlternative = part.contentType.multipart === 'alternative';
  const hasText = part.childNodes.some(({ contentType }) => BODY_TYPES.has(contentType.parsed.value));
  for (const child of part.childNodes) {
    if (isAlternative && hasText && isUnnamed(child)) yield child.content;
    yield* alternativesIn(child);
  }
}

function isUnnamed({ contentType, contentDisposition }: Part): boolean {
  const { value, params } = contentDisposition.parsed;
  return value !== 'attachment' && !params['filename'] && !contentType.parsed.params['name'];
}

/** True for an attachment, false for a picture that the HTML shows and for a signature, which has no words. */
function isAttached({ related, disposition, mimeType }: Attachment): boolean {
  return !/^application\/(?:pgp|(?:x-)?pkcs7)-signature$/.test(mimeType) && (!related || disposition === 'attachment');
}

function contentOf({ content }: Attachment): Uint8Array {
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof ArrayBuffer ? new Uint8Array(content) : content;
}

/** Returns the name that the sender gave. Without one, a mail is named by its subject, and another part by what it is. */
function attachmentName(attachment: Attachment): string {
  const { filename, description, mimeType } = attachment;
  const given = oneLine(filename ?? '');
  if (given !== '') return given;
  if (mimeType === 'message/rfc822') return `${subjectOf(Buffer.from(contentOf(attachment)))}.eml`;
  const kind = mimeType.slice(0, mimeType.indexOf('/'));
  return (
    PART_NAMES[mimeType] ?? (oneLine(description ?? '').replace(/[/\\]/g, '-') || KIND_NAMES[kind] || 'attachment')
  );
}

/** Returns the minutes by which the clock of a `Date` header is ahead of UTC; undefined without a zone in digits, and for UTC. */
function offsetOf(date: string): number | undefined {
  const [, sign, hours, minutes] = /\s([+-])(\d\d)([0-5]\d)(?:\s*\(.*)?\s*$/.exec(date) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  return Math.abs(offset) < 24 * 60 && offset !== 0 ? offset : undefined;
}

function addresses(list: readonly Address[] | undefined): string {
  const flat = (list ?? []).flatMap((entry) => entry.group ?? [entry]).slice(0, ADDRESSES_MAX);
  return flat
    .map(({ name, address }) => oneLine(name === '' || name === address ? address : `${name} <${address}>`))
    .filter(Boolean)
    .join(', ');
}
