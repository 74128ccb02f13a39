/** Writes mails as text: headers, body, and the names of the attachments. */
import { withSymbols } from '../../detect/decode.ts';
import { memberName } from '../../detect/member-name.ts';
import { originMetadata } from '../../metadata-values.ts';
import type { FileMember, ParsedFile } from '../../parsed.ts';
import { writeHtmlBlocks } from '../html/blocks.ts';
import { fitsTree, parseTree, rootOf, stripTags } from '../html/dom.ts';
import { TextBuilder } from '../text-builder.ts';
import { paragraphs } from '../txt.ts';

interface MailParts {
  headers: readonly (readonly [name: string, value: string])[];
  text: string | undefined;
  html: string | undefined;
  attachments: readonly string[];
}

export function writeMail({ headers, text, html, attachments }: MailParts): TextBuilder {
  const builder = new TextBuilder();
  const lines = headers.map(([name, value]) => [name, oneLine(value)]).filter(([, value]) => value !== '');
  builder.add({ kind: 'paragraph' }, lines.map(([name, value]) => `${name}: ${value}`).join('\n'));
  writeBody(text, html, builder);
  const names = attachments.map((name) => `- ${memberName(name)}`);
  if (names.length > 0) builder.add({ kind: 'list' }, `Attachments:\n${names.join('\n')}`);
  return builder;
}

/** Returns a mail as a parsed file, with its attachments as files inside. */
export function mailFile(
  builder: TextBuilder,
  facts: Record<'title' | 'author' | 'recipients' | 'created' | 'message_id', string | undefined>,
  members: FileMember[],
): ParsedFile {
  return {
    fileType: 'eml',
    text: builder.text(),
    blocks: builder.blocks,
    ...(facts.title === undefined ? {} : { title: facts.title }),
    metadata: originMetadata(facts),
    warnings: [],
    members,
  };
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

function writeHtml(html: string, builder: TextBuilder): void {
  if (fitsTree(html)) writeHtmlBlocks(rootOf(parseTree(html)), builder);
  else builder.add({ kind: 'paragraph' }, stripTags(html));
}

/** Returns whether most words of a page are not in the plain text: such a text only says that the mail is a page. */
function saysMore(page: string, plain: string): boolean {
  const [inPage, inPlain] = [page, plain].map(wordsOf);
  const more = inPage!.difference(inPlain!).size;
  if (more * 2 <= inPage!.size) return false;
  const isNotice = inPlain!.has('html') && inPlain!.size <= NOTICE_WORDS_MAX;
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

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
