/**
 * Parses PowerPoint files of 97 to 2003 without LibreOffice: titles, texts and notes of the slides that are shown.
 *
 * Source of the record types and their members: [MS-PPT], PowerPoint (.ppt) Binary File Format.
 */
import { Buffer } from 'node:buffer';
import { openCompoundFile } from '../../detect/compound-file.ts';
import { badFile } from '../../failure.ts';
import type { ParsedFile } from '../../parsed.ts';
import { TextBuilder } from '../text-builder.ts';
import { hiddenWarnings } from './hidden.ts';

const DOCUMENT = 0x03e8;
const SLIDE_ATOM = 0x03ef;
const SLIDE_PERSIST = 0x03f3;
const SLIDE_INFO = 0x03f9;
const OUTLINE_REFERENCE = 0x0f9e;
const TEXT_HEADER = 0x0f9f;
const TEXT_UNICODE = 0x0fa0;
const TEXT_LATIN = 0x0fa8;
const SLIDE_LIST = 0x0ff0;
const USER_EDIT = 0x0ff5;
const PERSIST_DIRECTORY = 0x1772;
const TEXT_BOX = 0xf00d;

const HEADER_BYTES = 8;
/** The lower four bits of the first number of a record that contains records. */
const CONTAINER = 0xf;
/** Instances of the lists of slides and of notes. */
const [SLIDES, NOTES] = [0, 2];
/** Types of texts that are titles. */
const TITLES = new Set([0, 6]);
/** The flag of a slide that is not shown. */
const HIDDEN = 4;
/** Programs save changes as edits at the end of the file. */
const EDITS_MAX = 1_000;
/** Reads of records beyond the number that a file can have: a slide is read twice, for its settings and for its texts. */
const READS_MIN = 1_000;
const DEPTH_MAX = 20;
const WARNING = 'The file was read without LibreOffice: its lists and tables are paragraphs.';

interface Rec {
  type: number;
  instance: number;
  isContainer: boolean;
  start: number;
  end: number;
}

interface Text {
  text: string;
  isTitle: boolean;
}

/** A slide or notes page, as the list of all of them has it. */
interface Listed {
  persistId: number;
  slideId: number;
  texts: Text[];
}

/** Parses a presentation. @throws FileError for a damaged presentation. */
export function parseOldSlides(bytes: Uint8Array): ParsedFile {
  try {
    return new Presentation(bytes).parse();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw Object.assign(badFile('parse', 'Damaged presentation', 'The file is not a complete presentation.'), {
      cause,
    });
  }
}

class Presentation {
  private readonly data: Buffer;
  private readonly documentId: number;
  /** Where the parts of the document are, by id. */
  private readonly places = new Map<number, number>();
  /** Number of records that may still be read. Only a file whose records overlap needs more. */
  private left: number;

  constructor(bytes: Uint8Array) {
    const file = openCompoundFile(bytes);
    this.data = Buffer.from(file.read('PowerPoint Document') ?? []);
    this.left = this.data.length / HEADER_BYTES + READS_MIN;
    this.documentId = this.readEdits(Buffer.from(file.read('Current User') ?? []).readUInt32LE(16));
  }

  parse(): ParsedFile {
    const builder = new TextBuilder();
    const document = this.partOf(this.documentId);
    if (document?.type !== DOCUMENT) throw new RangeError('no document');
    const lists = this.inside(document).filter(({ type }) => type === SLIDE_LIST);
    const listOf = (kind: number) =>
      lists.filter(({ instance }) => instance === kind).flatMap((list) => this.listed(list));
    const notes = new Map(listOf(NOTES).map((page) => [page.slideId, page]));
    let hidden = 0;
    for (const [index, slide] of listOf(SLIDES).entries()) {
      const part = this.partOf(slide.persistId);
      if (!part) continue;
      const records = this.inside(part);
      if (records.some((one) => one.type === SLIDE_INFO && (this.data.readUInt16LE(one.start + 10) & HIDDEN) !== 0)) {
        hidden += 1;
        continue;
      }
      const pages: [number, number] = [index + 1, index + 1];
      const texts = this.textsOf(part, slide.texts);
      const title = texts.find(({ text, isTitle }) => isTitle && text !== '');
      if (title) builder.add({ kind: 'heading', level: 2, pages }, `## ${title.text.replaceAll('\n', ' ')}`);
      for (const one of texts) if (one !== title) builder.add({ kind: 'paragraph', pages }, one.text);
      const atom = records.find(({ type }) => type === SLIDE_ATOM);
      const page = atom && notes.get(this.data.readUInt32LE(atom.start + 16));
      const note = page && this.partOf(page.persistId);
      const said = note ? this.textsOf(note, page.texts).flatMap(({ text }) => text.split('\n').filter(Boolean)) : [];
      if (said.length > 0) builder.add({ kind: 'quote', pages }, `> Notes: ${said.join('\n> ')}`);
    }
    const warnings = [...hiddenWarnings(hidden, 'slide'), WARNING];
    return builder.file('pptx', {}, { warnings });
  }

  /** Reads the edits from the newest one on: a part has the place that the newest edit gives it. Returns the id of the document. */
  private readEdits(newest: number): number {
    let documentId: number | undefined;
    // Each edit stands before the newer ones.
    for (let at = newest, count = 0, before = Number.POSITIVE_INFINITY; at > 0 && count < EDITS_MAX; count += 1) {
      if (at >= before) throw new RangeError('no order of edits');
      before = at;
      const { type, start } = this.recordAt(at);
      if (type !== USER_EDIT) throw new RangeError('no edit');
      documentId ??= this.data.readUInt32LE(start + 16);
      this.readDirectory(this.recordAt(this.data.readUInt32LE(start + 12)));
      at = this.data.readUInt32LE(start + 8);
    }
    if (documentId === undefined) throw new RangeError('no edit');
    return documentId;
  }

  private readDirectory({ type, start, end }: Rec): void {
    if (type !== PERSIST_DIRECTORY) throw new RangeError('no directory');
    this.left -= (end - start) / HEADER_BYTES;
    if (this.left < 0) throw new RangeError('directories overlap');
    for (let at = start; at + 4 <= end; ) {
      const range = this.data.readUInt32LE(at);
      const [first, count] = [range & 0xfffff, range >>> 20];
      at += 4;
      for (let i = 0; i < count && at + 4 <= end; i += 1, at += 4)
        if (!this.places.has(first + i)) this.places.set(first + i, this.data.readUInt32LE(at));
    }
  }

  private partOf(id: number): Rec | undefined {
    const place = this.places.get(id);
    return place === undefined ? undefined : this.recordAt(place);
  }

  /** @throws RangeError outside the data, and after too many records. */
  private recordAt(at: number): Rec {
    this.left -= 1;
    if (this.left < 0) throw new RangeError('records overlap');
    const head = this.data.readUInt16LE(at);
    const start = at + HEADER_BYTES;
    const end = Math.min(start + this.data.readUInt32LE(at + 4), this.data.length);
    return {
      type: this.data.readUInt16LE(at + 2),
      instance: head >>> 4,
      isContainer: (head & CONTAINER) === CONTAINER,
      start,
      end,
    };
  }

  /** Returns the records directly inside a record. */
  private inside({ start, end }: Rec): Rec[] {
    const records: Rec[] = [];
    for (let at = start; at + HEADER_BYTES <= end; at = records.at(-1)!.end) {
      const record = this.recordAt(at);
      records.push({ ...record, end: Math.min(record.end, end) });
    }
    return records;
  }

  private listed(list: Rec): Listed[] {
    const pages: Listed[] = [];
    for (const record of this.inside(list)) {
      const { type, start } = record;
      if (type === SLIDE_PERSIST) {
        const [persistId, slideId] = [this.data.readUInt32LE(start), this.data.readUInt32LE(start + 12)];
        pages.push({ persistId, slideId, texts: [] });
      } else if (type === TEXT_HEADER)
        pages.at(-1)?.texts.push({ text: '', isTitle: TITLES.has(this.data.readUInt32LE(start)) });
      else if (isText(record)) {
        const text = pages.at(-1)?.texts.at(-1);
        if (text) text.text = this.textOf(record);
      }
    }
    return pages;
  }

  /** Returns the texts of a page in the order of its shapes. `outline` has the texts that shapes refer to. */
  private textsOf(part: Rec, outline: readonly Text[]): Text[] {
    return this.boxesIn(part, DEPTH_MAX).flatMap((box) => {
      let isTitle = false;
      return this.inside(box).flatMap((record) => {
        if (record.type === TEXT_HEADER) isTitle = TITLES.has(this.data.readUInt32LE(record.start));
        if (record.type === OUTLINE_REFERENCE) return outline[this.data.readUInt32LE(record.start)] ?? [];
        return isText(record) ? { text: this.textOf(record), isTitle } : [];
      });
    });
  }

  private boxesIn(record: Rec, depth: number): Rec[] {
    if (record.type === TEXT_BOX) return [record];
    if (!record.isContainer || depth === 0) return [];
    return this.inside(record).flatMap((one) => this.boxesIn(one, depth - 1));
  }

  private textOf({ type, start, end }: Rec): string {
    const text = this.data.subarray(start, end).toString(type === TEXT_UNICODE ? 'utf16le' : 'latin1');
    // A field, such as the number of the slide, is a star.
    return text
      .replaceAll(/[\r\v]/g, '\n')
      .replace(/^\s*\*\s*$/, '')
      .trim();
  }
}

function isText({ type }: Rec): boolean {
  return type === TEXT_UNICODE || type === TEXT_LATIN;
}
