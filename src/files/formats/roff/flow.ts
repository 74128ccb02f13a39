/** Collects lines of text into paragraphs or code, and passes them to the writer. */
import type { OutlineWriter } from '../outline-writer.ts';
import { JOIN } from './text.ts';

export class Flow {
  readonly writer: OutlineWriter;
  private parts: string[] = [];
  private codeLines: string[] | undefined;

  constructor(writer: OutlineWriter) {
    this.writer = writer;
  }

  get isCode(): boolean {
    return this.codeLines !== undefined;
  }

  /** Returns whether a paragraph has started. */
  get isOpen(): boolean {
    return this.parts.length > 0;
  }

  /** Adds a line of text: after a blank to a paragraph, as a separate line to code. */
  line(text: string): void {
    if (this.codeLines) {
      const before = this.codeLines.at(-1);
      if (before?.endsWith(JOIN)) this.codeLines[this.codeLines.length - 1] = before.slice(0, -1) + text;
      else this.codeLines.push(text);
    } else if (text.trim() === '') this.end();
    // An indented line starts a new line.
    else if (/^[ \t]/.test(text) && this.parts.length > 0) this.parts.push('\n', text.trim());
    else this.parts.push(text.trim());
  }

  break(): void {
    if (!this.codeLines && this.parts.length > 0 && this.parts.at(-1) !== '\n') this.parts.push('\n');
  }

  /** Returns the started paragraph and removes it. */
  take(): string {
    const text = joinParts(this.parts);
    this.parts = [];
    return text;
  }

  /** Ends the paragraph. Inside code, adds an empty line. */
  end(): void {
    if (this.codeLines) this.codeLines.push('');
    else this.writer.paragraph(this.take());
  }

  beginCode(): void {
    if (this.codeLines) return;
    this.end();
    this.codeLines = [];
  }

  endCode(): void {
    const lines = this.codeLines;
    if (!lines) return;
    this.codeLines = undefined;
    const text = lines.map((line) => line.replaceAll(JOIN, '').trimEnd()).join('\n');
    if (text.trim() !== '') this.writer.code(text);
  }

  /** Ends the paragraph or the code. */
  close(): void {
    this.endCode();
    this.end();
  }
}

function joinParts(parts: readonly string[]): string {
  const out: string[] = [];
  let separator = '';
  for (const part of parts) {
    if (part === '\n') {
      separator = '\n';
      continue;
    }
    const isJoined = part.endsWith(JOIN);
    out.push(out.length === 0 ? '' : separator, part.replaceAll(JOIN, ''));
    separator = isJoined ? '' : ' ';
  }
  return out
    .join('')
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim();
}
