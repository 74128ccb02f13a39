/** Reads files in a PDF that are attached to the document or pinned to a page. */
import { createHash } from 'node:crypto';
import { oneLine } from '../../../util/code-points.ts';
import { memberName } from '../../detect/member-name.ts';
import type { FileMember } from '../../parsed.ts';
import type { TextBuilder } from '../text-builder.ts';
import { type PdfiumModule, textOfCall, withMemory } from './pdfium.ts';

/** Maximum attachments of one PDF, and of their unpacked bytes, which stay in memory until the pages are read. */
export const ATTACHMENTS_MAX = 500;
export const ATTACHMENTS_BYTES_MAX = 64 * 1024 * 1024;
/**
 * Milliseconds of CPU after which no further attachment is read: chained filters may need far more work than the size suggests.
 */
const ATTACHMENTS_CPU_MS = 2_000;

/**
 * Collects the files while the document is open; they stay available after it is closed. pdfium unpacks a file once to report
 * its size and again to return it, so the limits count requested files, not stored ones.
 */
export class PdfAttachments {
  readonly members: FileMember[] = [];
  private readonly module: PdfiumModule;
  /** Handles of requested files: the same file may be attached and pinned to pages. */
  private readonly requested = new Set<number>();
  /** Names and hashes of stored files. */
  private readonly storedKeys = new Set<string>();
  private bytesRemaining = ATTACHMENTS_BYTES_MAX;
  private cpuRemainingMs: number;
  private skippedCount = 0;

  constructor(module: PdfiumModule, cpuMs = ATTACHMENTS_CPU_MS) {
    this.module = module;
    this.cpuRemainingMs = cpuMs;
  }

  /** Adds the files that are attached to the document. */
  addAll(document: number): void {
    const count = this.module._FPDFDoc_GetAttachmentCount(document);
    const read = Math.min(count, ATTACHMENTS_MAX);
    for (let index = 0; index < read; index += 1) this.add(this.module._FPDFDoc_GetAttachment(document, index));
    this.skippedCount += count - read;
  }

  /** Adds a file by its pdfium handle; 0 means no file. */
  add(attachment: number): void {
    if (attachment === 0 || this.requested.has(attachment)) return;
    const isOver = this.requested.size >= ATTACHMENTS_MAX || this.cpuRemainingMs <= 0 || this.bytesRemaining < 0;
    const before = process.cpuUsage();
    const bytes = isOver ? undefined : this.contentOf(attachment);
    const { user, system } = process.cpuUsage(before);
    this.cpuRemainingMs -= (user + system) / 1000;
    if (bytes === undefined) this.skippedCount += 1;
    else this.keep(this.nameOf(attachment), bytes);
  }

  /** Appends the names of the files to the text. */
  writeNames(builder: TextBuilder): void {
    const names = this.members.map(({ name }) => `- ${name}`);
    if (names.length > 0) builder.add({ kind: 'list' }, `Attachments:\n${names.join('\n')}`);
  }

  warnings(): string[] {
    if (this.skippedCount === 0) return [];
    const what = this.skippedCount === 1 ? '1 attachment was' : `${this.skippedCount} attachments were`;
    return [`${what} left out: empty, damaged, too large or too many.`];
  }

  private keep(name: string, bytes: Uint8Array): void {
    const mark = `${createHash('sha256').update(bytes).digest('hex')} ${name}`;
    if (this.storedKeys.has(mark)) return;
    this.storedKeys.add(mark);
    this.members.push({ name, bytes: () => bytes });
  }

  private contentOf(attachment: number): Uint8Array | undefined {
    const { module } = this;
    this.requested.add(attachment);
    return withMemory(module, 4, (scratch) => {
      const sizeAfter = (buffer: number, bytes: number) =>
        module._FPDFAttachment_GetFile(attachment, buffer, bytes, scratch)
          ? new DataView(module.HEAPU8.buffer).getUint32(scratch, true)
          : undefined;
      const size = sizeAfter(0, 0);
      if (size === undefined || size === 0) return undefined;
      this.bytesRemaining -= size;
      if (this.bytesRemaining < 0) return undefined;
      return withMemory(module, size, (buffer) =>
        buffer !== 0 && sizeAfter(buffer, size) === size ? module.HEAPU8.slice(buffer, buffer + size) : undefined,
      );
    });
  }

  /** Returns the name without folders of the machine that made the file. */
  private nameOf(attachment: number): string {
    const { module } = this;
    const name = textOfCall(module, (buffer, bytes) => module._FPDFAttachment_GetName(attachment, buffer, bytes));
    return oneLine(memberName(name ?? '').replace(/^.*\//s, ''));
  }
}
