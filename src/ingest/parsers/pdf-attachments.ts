/** Files that a PDF carries: attached to the document, or pinned to a page. */
import type { FileMember } from '../members.ts';
import { oneLine } from './mail-text.ts';
import { type PdfiumModule, textOfCall, withMemory } from './pdfium.ts';
import type { TextBuilder } from './text-builder.ts';

/** Files of one PDF that are read, and their bytes: they are held unpacked until the pages are read. */
export const ATTACHMENTS_MAX = 500;
export const ATTACHMENTS_BYTES_MAX = 64 * 1024 * 1024;

/** Collects the files while the document is open; they outlive it. */
export class PdfAttachments {
  readonly members: FileMember[] = [];
  private readonly module: PdfiumModule;
  private bytesLeft = ATTACHMENTS_BYTES_MAX;
  private leftOut = 0;

  constructor(module: PdfiumModule) {
    this.module = module;
  }

  /** Those of the document. */
  addAll(document: number): void {
    const count = this.module._FPDFDoc_GetAttachmentCount(document);
    const read = Math.min(count, ATTACHMENTS_MAX);
    for (let index = 0; index < read; index += 1) this.add(this.module._FPDFDoc_GetAttachment(document, index));
    this.leftOut += count - read;
  }

  /** A file that pdfium has a handle of; 0 is none. */
  add(attachment: number): void {
    if (attachment === 0) return;
    const { module } = this;
    const name = textOfCall(module, (buffer, bytes) => module._FPDFAttachment_GetName(attachment, buffer, bytes));
    const bytes = this.members.length < ATTACHMENTS_MAX ? this.contentOf(attachment) : undefined;
    if (bytes === undefined) this.leftOut += 1;
    else this.members.push({ name: nameOf(name), bytes: () => bytes });
  }

  /** Their names behind the text. */
  writeNames(builder: TextBuilder): void {
    const names = this.members.map(({ name }) => `- ${name}`);
    if (names.length > 0) builder.add({ kind: 'list' }, `Attachments:\n${names.join('\n')}`);
  }

  warnings(): string[] {
    if (this.leftOut === 0) return [];
    const what = this.leftOut === 1 ? '1 attachment was' : `${this.leftOut} attachments were`;
    return [`${what} left out: empty, damaged or too large.`];
  }

  private contentOf(attachment: number): Uint8Array | undefined {
    const { module } = this;
    return withMemory(module, 4, (scratch) => {
      const sizeAfter = (buffer: number, bytes: number) =>
        module._FPDFAttachment_GetFile(attachment, buffer, bytes, scratch)
          ? new DataView(module.HEAPU8.buffer).getUint32(scratch, true)
          : undefined;
      const size = sizeAfter(0, 0);
      if (size === undefined || size === 0 || size > this.bytesLeft) return undefined;
      return withMemory(module, size, (buffer) => {
        if (buffer === 0 || sizeAfter(buffer, size) !== size) return undefined;
        this.bytesLeft -= size;
        return module.HEAPU8.slice(buffer, buffer + size);
      });
    });
  }
}

/** A name for people, never a path. */
function nameOf(raw: string | undefined): string {
  return oneLine((raw ?? '').split(/[/\\]/).at(-1)!) || 'attachment';
}
