/** Parses mailboxes (mbox). The text is a list of the mails; each mail becomes a file inside. */
import { Buffer } from 'node:buffer';
import { decodeWords } from 'postal-mime';
import { oneLine } from '../../../util/code-points.ts';
import { MAILBOX_LINE } from '../../detect/file-types.ts';
import { memberName } from '../../detect/member-name.ts';
import { MEMBERS_MAX } from '../../detect/members.ts';
import { overLimit } from '../../failure.ts';
import type { FileMember, ParsedFile } from '../../parsed.ts';
import { TextBuilder } from '../text-builder.ts';

/** Maximum size of a mailbox, which is in memory as a whole. */
const MBOX_BYTES_MAX = 256 * 1024 * 1024;
/** The subject is searched in this many bytes at the start of a mail. */
const HEADER_BYTES_MAX = 64 * 1024;
const SUBJECT_CODE_POINTS_MAX = 200;
/** Bytes of a line that are compared with the pattern of a "From " line. */
const LINE_BYTES_MAX = 1200;
const FROM = Buffer.from('From ');
const LINE_FEED = 0x0a;

/** Parses a mailbox. @throws FileError over a limit. */
export function parseMbox(bytes: Uint8Array): ParsedFile {
  if (bytes.length > MBOX_BYTES_MAX) throw overLimit(`Mailboxes are read up to ${MBOX_BYTES_MAX / 1024 / 1024} MiB.`);
  const members = mailsOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (members.length > MEMBERS_MAX) throw overLimit(`The mailbox contains more than ${MEMBERS_MAX} mails.`);
  const builder = new TextBuilder();
  builder.add({ kind: 'list' }, members.map(({ name }) => `- ${memberName(name)}`).join('\n'));
  return builder.file('unknown', {}, { members });
}

function mailsOf(data: Buffer): FileMember[] {
  const starts = [...fromLines(data)];
  return starts.map((from, index) => {
    const mail = data.subarray(afterLine(data, from), starts[index + 1] ?? data.length);
    return { name: `${subjectOf(mail)}.eml`, bytes: () => unquoted(mail) };
  });
}

/** Yields the offsets at which mails begin: at the start, and after empty lines. */
function* fromLines(data: Buffer): Iterable<number> {
  for (let at = data.indexOf(FROM); at !== -1; at = data.indexOf(FROM, at + 1)) {
    const isAfterEmptyLine =
      data[at - 1] === LINE_FEED && (data[at - 2] === LINE_FEED || data.toString('latin1', at - 3, at) === '\n\r\n');
    const mayBegin = at === 0 || isAfterEmptyLine;
    if (mayBegin && MAILBOX_LINE.test(data.toString('latin1', at, at + LINE_BYTES_MAX))) yield at;
  }
}

function afterLine(data: Buffer, from: number): number {
  const end = data.indexOf(LINE_FEED, from);
  return end === -1 ? data.length : end + 1;
}

/** Returns the subject of a mail as a name without an extension. */
export function subjectOf(mail: Buffer): string {
  const head = mail.toString('utf8', 0, HEADER_BYTES_MAX).replace(/\r\n/g, '\n').split('\n\n', 1)[0]!;
  const raw = /^Subject:((?:.|\n[ \t])*)/im.exec(head)?.[1] ?? '';
  const subject = oneLine(decodeWords(raw)).replace(/[/\\]/g, '-');
  return [...subject.toWellFormed()].slice(0, SUBJECT_CODE_POINTS_MAX).join('') || 'mail';
}

/** Returns a mail without the quote signs before lines that begin with "From ". */
function unquoted(mail: Buffer): Uint8Array {
  const quoted = Buffer.from('\n>');
  if (mail.indexOf(quoted) === -1) return mail;
  return Buffer.from(mail.toString('latin1').replace(/^>(>*From )/gm, '$1'), 'latin1');
}
