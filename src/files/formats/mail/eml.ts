/** Parses mails (RFC 5322) and web archives (MHTML). Attachments are listed in the text and become files inside. */
import { Buffer } from 'node:buffer';
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import type { ChunkMetadataKey } from '../../../corpus/values.ts';
import { overLimit } from '../../failure.ts';
import type { ParsedFile } from '../../parsed.ts';
import { parseHtml } from '../html/html.ts';
import { TextBuilder } from '../text-builder.ts';
import { mailFile, oneLine, writeMail } from './mail-text.ts';

/** Maximum size of a mail. Its decoded attachments are in memory together with it. */
const MAIL_BYTES_MAX = 64 * 1024 * 1024;
/** Maximum depth of parts within parts, and of forwarded mails within mails. */
const PART_DEPTH_MAX = 64;
const FORWARD_DEPTH_MAX = 5;
const HEADER_BYTES_MAX = 1024 * 1024;
/** Maximum number of addresses from one header. */
const ADDRESSES_MAX = 100;

/** Parses a mail. @throws FileError for a mail over a limit, and the library's error for a mail nested too deeply. */
export async function parseEml(bytes: Uint8Array): Promise<ParsedFile> {
  const mail = await readMail(bytes);
  const attached = mail.attachments.filter(isAttached);
  const builder = writeMail({
    headers: [
      ['From', addresses(mail.from ? [mail.from] : [])],
      ['To', addresses(mail.to)],
      ['Cc', addresses(mail.cc)],
      ['Date', mail.date ?? ''],
      ['Subject', mail.subject ?? ''],
    ],
    text: mail.text,
    html: mail.html,
    attachments: attached.map(attachmentName),
  });
  const facts = {
    title: oneLine(mail.subject ?? '') || undefined,
    author: addresses(mail.from ? [mail.from] : []),
    recipients: addresses(mail.to),
    created: mail.date,
    message_id: mail.messageId,
  };
  const members = attached.map((one) => ({ name: attachmentName(one), bytes: () => contentOf(one) }));
  return mailFile(builder, facts, members);
}

/** Parses a page that a browser saved with its pictures. @throws FileError like `parseEml`. */
export async function parseMhtml(bytes: Uint8Array, keys: readonly ChunkMetadataKey[]): Promise<ParsedFile> {
  const { html, text, headers } = await readMail(bytes);
  const place = headers.find(({ key }) => key === 'snapshot-content-location' || key === 'content-location')?.value;
  const parsed = parseHtml(html ?? '', keys, place);
  return html === undefined && text !== undefined ? { ...parsed, ...plainTextBlocks(text) } : parsed;
}

/** Returns the HTML of a web archive. @throws FileError like `parseEml`. */
export async function htmlOfMail(bytes: Uint8Array): Promise<string | undefined> {
  return (await readMail(bytes)).html;
}

async function readMail(bytes: Uint8Array): Promise<Email> {
  if (bytes.length > MAIL_BYTES_MAX) throw overLimit(`Mails are read up to ${MAIL_BYTES_MAX / 1024 / 1024} MiB.`);
  return PostalMime.parse(bytes, {
    maxNestingDepth: PART_DEPTH_MAX,
    maxRfc822NestingDepth: FORWARD_DEPTH_MAX,
    maxHeadersSize: HEADER_BYTES_MAX,
  });
}

function plainTextBlocks(text: string): Pick<ParsedFile, 'text' | 'blocks'> {
  const builder = new TextBuilder();
  builder.add({ kind: 'paragraph' }, text);
  return { text: builder.text(), blocks: builder.blocks };
}

/** True for an attachment, false for a picture that the HTML shows. */
function isAttached({ related, disposition }: Attachment): boolean {
  return !related || disposition === 'attachment';
}

function contentOf({ content }: Attachment): Uint8Array {
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof ArrayBuffer ? new Uint8Array(content) : content;
}

function attachmentName({ filename, mimeType }: Attachment): string {
  return oneLine(filename ?? '') || mimeType;
}

function addresses(list: readonly Address[] | undefined): string {
  const flat = (list ?? []).flatMap((entry) => entry.group ?? [entry]).slice(0, ADDRESSES_MAX);
  return flat
    .map(({ name, address }) => oneLine(name === '' || name === address ? address : `${name} <${address}>`))
    .filter(Boolean)
    .join(', ');
}
