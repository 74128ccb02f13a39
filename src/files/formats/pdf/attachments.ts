/** Files that a PDF carries: attached to the document, or pinned to a page. */
import { createHash } from 'node:crypto';
import { memberName } from '../../detect/member-name.ts';
import type { FileMember } from '../../parsed.ts';
import { oneLine } from '../mail/mail-text.ts';
import type { TextBuilder } from '../text-builder.ts';
import { type PdfiumModule, textOfCall, withMemory } from './pdfium.ts';

/** Files of one PDF that are looked at, and their bytes unpacked: they are held until the pages are read. */
export const ATTACHMENTS_MAX = 500;
export const ATTACHMENTS_BYTES_MAX = 64 * 1024 * 1024;
/** Milliseconds of work, after which no other is looked at: chained filters do far more than the size tells. */
const ATTACHMENTS_CPU_MS = 2_000;

/**
 * Collects the files while the document is open; they outlive it. pdfium unpacks a file to tell its size, and again to give
 * it, so that what counts is what was asked for, not what was kept.
 */
export class PdfAttachments {
  readonly members: FileMember[] = [];
  private readonly module: PdfiumModule;
  /** Handles of the files that were asked for: one may be pinned to pages as well. */
  private readonly asked = new Set<number>();
  /** Names and bytes of what was kept. */
  private readonly kept = new Set<string>();
  private bytesLeft = ATTACHMENTS_BYTES_MAX;
  private cpuLeftMs: number;
  private leftOut = 0;

  constructor(module: PdfiumModule, cpuMs = ATTACHMENTS_CPU_MS) {
    this.module = module;
    this.cpuLeftMs = cpuMs;
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
    if (attachment === 0 || this.asked.has(attachment)) return;
    const isOver = this.asked.size >= ATTACHMENTS_MAX || this.cpuLeftMs <= 0 || this.bytesLeft < 0;
    const before = process.cpuUsage();
    const bytes = isOver ? undefined : this.contentOf(attachment);
    const { user, system } = process.cpuUsage(before);
    this.cpuLeftMs -= (user + system) / 1000;
    if (bytes === undefined) this.leftOut += 1;
    else this.keep(this.nameOf(attachment), bytes);
  }

  /** Their names behind the text. */
  writeNames(builder: TextBuilder): void {
    const names = this.members.map(({ name }) => `- ${name}`);
    if (names.length > 0) builder.add({ kind: 'list' }, `Attachments:\n${names.join('\n')}`);
  }

  warnings(): string[] {
    if (this.leftOut === 0) return [];
    const what = this.leftOut === 1 ? '1 attachment was' : `${this.leftOut} attachments were`;
    return [`${what} left out: empty, damaged, too large or too many.`];
  }

  private keep(name: string, bytes: Uint8Array): void {
    const mark = `${createHash('sha256').update(bytes).digest('hex')} ${name}`;
    if (this.kept.has(mark)) return;
    this.kept.add(mark);
    this.members.push({ name, bytes: () => bytes });
  }

  private contentOf(attachment: number): Uint8Array | undefined {
    const { module } = this;
    this.asked.add(attachment);
    return withMemory(module, 4, (scratch) => {
      const sizeAfter = (buffer: number, bytes: number) =>
        module._FPDFAttachment_GetFile(attachment, buffer, bytes, scratch)
          ? new DataView(module.HEAPU8.buffer).getUint32(scratch, true)
          : undefined;
      const size = sizeAfter(0, 0);
      if (size === undefined || size === 0) return undefined;
      this.bytesLeft -= size;
      if (this.bytesLeft < 0) return undefined;
      return withMemory(module, size, (buffer) =>
        buffer !== 0 && sizeAfter(buffer, size) === size ? module.HEAPU8.slice(buffer, buffer + size) : undefined,
      );
    });
  }

  /** Without the folders of the machine where it came from. */
  private nameOf(attachment: number): string {
    const { module } = this;
    const name = textOfCall(module, (buffer, bytes) => module._FPDFAttachment_GetName(attachment, buffer, bytes));
    return oneLine(
      memberName(name ?? '')
        .split('/')
        .at(-1)!,
    );
  }
}
