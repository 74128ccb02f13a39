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

/** Writes the plain text of a mail, or its HTML if it has no plain text. */
function writeBody(text: string | undefined, html: string | undefined, builder: TextBuilder): void {
  const body = withSymbols(text ?? '')
    .replace(/\r\n?/g, '\n')
    .trim();
  if (body !== '') {
    for (const block of paragraphs(body, 0, body.length)) {
      builder.add({ kind: block.kind }, body.slice(block.start, block.end));
    }
  } else if (html !== undefined) {
    if (fitsTree(html)) writeHtmlBlocks(rootOf(parseTree(html)), builder);
    else builder.add({ kind: 'paragraph' }, stripTags(html));
  }
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
