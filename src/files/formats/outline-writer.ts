/** Writes a file as blocks with heading paths: headings, entries (a term with its text), lists, code and tables. */
import type { Link } from '../../text/link-line.ts';
import { oneLine } from '../../util/code-points.ts';
import { tableText } from './data/table-text.ts';
import type { LinkMarks } from './markup/link-marks.ts';
import { type BlockDraft, fenced, type TextBuilder } from './text-builder.ts';

/** Maximum length of a term in a heading path. The block itself has the whole term. */
const PATH_TERM_UNITS_MAX = 100;
/** Maximum length of terms that share one text. Further terms become entries of their own. */
const JOINED_UNITS_MAX = 8000;
/** Maximum depth of frames. A deeper frame replaces the last one. */
const FRAMES_MAX = 30;
/** Maximum number of terms in one heading path. Deeper terms are dropped from the path. */
const PATH_TERMS_MAX = 3;

/** An open frame: an entry with a term, or an item of a list with a marker. */
interface Frame {
  term?: string;
  marker?: string;
  /** True if the frame has text, and its term or marker is therefore written. */
  used: boolean;
}

export class OutlineWriter {
  private readonly builder: TextBuilder;
  private readonly headings: { level: number; title: string }[] = [];
  private readonly frames: Frame[] = [];
  private listLines: string[] = [];
  private listPath: string[] = [];
  private listMark: string | undefined;

  private readonly marks: LinkMarks | undefined;

  /** Texts may contain links in the form that `marks` writes. */
  constructor(builder: TextBuilder, marks?: LinkMarks) {
    this.builder = builder;
    this.marks = marks;
  }

  /** Writes a heading and closes all frames. */
  heading(level: number, text: string): void {
    const title = oneLine(text);
    if (title === '') return;
    this.closeTo(0);
    this.flush();
    while (this.headings.length > 0 && this.headings.at(-1)!.level >= level) this.headings.pop();
    this.headings.push({ level, title: this.plain(title) });
    const depth = Math.min(level, 6);
    this.add({ kind: 'heading', level: depth }, `${'#'.repeat(depth)} ${title}`);
  }

  /** Number of open frames, for `closeTo`. */
  get depth(): number {
    return this.frames.length;
  }

  /** Opens an entry inside the first `depth` frames. Consecutive terms without text between them share one entry. */
  openTerm(depth: number, term: string): void {
    const frame = this.frames.at(-1);
    const text = oneLine(term);
    const isNext = this.frames.length === depth + 1 && frame?.term !== undefined && !frame.used;
    if (isNext && frame.term!.length + text.length < JOINED_UNITS_MAX) frame.term = `${frame.term}, ${text}`;
    else {
      this.closeTo(Math.min(depth, FRAMES_MAX));
      this.frames.push({ term: text, used: false });
    }
  }

  openItem(marker: string): void {
    this.closeTo(FRAMES_MAX);
    this.frames.push({ marker, used: false });
  }

  /** True if the innermost frame has text. */
  get isUsed(): boolean {
    return this.frames.at(-1)?.used ?? false;
  }

  closeTo(depth: number): void {
    while (this.frames.length > depth) {
      const frame = this.frames.at(-1)!;
      // A term without an explanation is written as text.
      if (!frame.used && frame.term) this.introduce('');
      this.frames.pop();
    }
  }

  paragraph(text: string): void {
    if (text.trim() === '') return;
    const frame = this.frames.at(-1);
    if (frame?.marker !== undefined) this.itemLine(frame, text);
    else if (frame?.term && !frame.used) {
      this.introduceAbove();
      frame.used = true;
      this.add({ kind: 'paragraph' }, `${withColon(frame.term)} ${text.trimStart()}`);
    } else this.add({ kind: 'paragraph' }, text);
  }

  code(text: string, language = ''): void {
    const code = fenced(text, language);
    if (code === '') return;
    this.introduce(':');
    this.add({ kind: 'code' }, code);
  }

  table(rows: readonly (readonly string[])[]): void {
    const table = tableText(rows);
    if (!table) return;
    this.introduce(':');
    this.add(table.draft, table.text);
  }

  /** Closes all frames and writes the rest. */
  end(): void {
    this.closeTo(0);
    this.flush();
  }

  /** Writes the term before a block that cannot contain a term. */
  private introduce(mark: string): void {
    this.introduceAbove();
    const frame = this.frames.at(-1);
    if (!frame || frame.used || !frame.term) return;
    frame.used = true;
    this.add({ kind: 'paragraph' }, mark === '' ? frame.term : withColon(frame.term));
  }

  /** Writes the terms of the entries around the innermost frame that have no text yet. */
  private introduceAbove(): void {
    for (const [index, frame] of this.frames.slice(0, -1).entries()) {
      if (frame.used || !frame.term) continue;
      frame.used = true;
      this.add({ kind: 'paragraph' }, withColon(frame.term), index + 1);
    }
  }

  private itemLine(frame: Frame, text: string): void {
    this.introduceAbove();
    const depth = this.frames.filter(({ marker }) => marker !== undefined).length - 1;
    const indent = '  '.repeat(Math.max(0, depth));
    const path = this.path(this.frames.length);
    if (path.join('\n') !== this.listPath.join('\n')) this.flush();
    // An item with another kind of marker begins another list.
    if (depth === 0 && !frame.used) {
      if (this.listMark !== frame.marker![0] && (this.listMark === '-' || frame.marker === '-')) this.flush();
      this.listMark = frame.marker![0];
    }
    this.listPath = path;
    const body = text.trim().replaceAll('\n', `\n${indent}  `);
    this.listLines.push(frame.used ? `${indent}  ${body}` : `${indent}${frame.marker} ${body}`);
    frame.used = true;
  }

  private flush(): void {
    if (this.listLines.length === 0) return;
    const text = this.listLines.join('\n');
    this.listLines = [];
    this.put({ kind: 'list', headingPath: this.listPath }, text);
  }

  private add(draft: BlockDraft, text: string, depth = this.frames.length): void {
    this.flush();
    this.put({ ...draft, headingPath: this.path(depth) }, text);
  }

  private put(draft: BlockDraft, marked: string): void {
    const { text, links } = this.marks?.take(marked) ?? { text: marked, links: [] };
    const blockLinks: Link[] = links.map((link) => ({ text: link.text, url: link.url }));
    const block = blockLinks.length > 0 ? { ...draft, links: blockLinks } : draft;
    // `rowStarts` count the marks of links, so a table with links is not cut between rows.
    if (blockLinks.length > 0 && draft.rowStarts) delete block.rowStarts;
    this.builder.add(block, text);
  }

  /** Returns a text without marks of links and emphasis. */
  private plain(marked: string): string {
    if (!this.marks) return marked;
    return this.marks
      .take(marked)
      .text.replace(/\*\*|`/g, '')
      .replace(/(?<!\w)([*_])(?=\S)([^*_]{1,200}?)\1(?!\w)/g, '$2');
  }

  private path(depth: number): string[] {
    const terms = this.frames.slice(0, depth).flatMap(({ term }) => (term ? [pathTerm(this.plain(term))] : []));
    return [...this.headings.map(({ title }) => title), ...terms.slice(0, PATH_TERMS_MAX)];
  }
}

function withColon(term: string): string {
  return /[:：]$/.test(term) ? term : `${term}:`;
}

function pathTerm(term: string): string {
  if (term.length <= PATH_TERM_UNITS_MAX) return term;
  const cut = term.slice(0, PATH_TERM_UNITS_MAX).toWellFormed();
  const blank = cut.lastIndexOf(' ');
  return `${blank > 0 ? cut.slice(0, blank) : cut} …`;
}
