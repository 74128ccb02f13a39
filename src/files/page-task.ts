/** What a child process is asked about the pages of a stored file, and its answers: plain data. */

/** Half-open range of UTF-16 units of the text of a page. */
export interface TextRange {
  start: number;
  end: number;
}

/** A part of the extracted text that is looked for on a page, with the text around it, which tells equal passages apart. */
export interface Passage {
  before: string;
  text: string;
  after: string;
}

/** A rectangle as shares of the page: 0 to 1 from the left and from the top. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Pages are numbered from 1. Numbers beyond the last page have no text, no boxes and no picture. */
export type PageTask =
  | { kind: 'sizes' }
  | { kind: 'texts'; pages: number[] }
  | { kind: 'boxes'; page: number; passages: Passage[] }
  /** `cover`: these ranges of the text are covered, and with them all that may hold text which no rule can read. Null: nothing is. */
  | { kind: 'picture'; page: number; scale: number; cover: TextRange[] | null };

export type PageAnswer =
  | { kind: 'sizes'; sizes: { width: number; height: number }[] }
  /** A text is null if the page has characters whose meaning the file does not say. */
  | { kind: 'texts'; texts: (string | null)[] }
  /** The boxes of each passage; none if the passage was not found, or if its place is not certain. */
  | { kind: 'boxes'; boxes: Box[][] }
  /** Null: there is no such page. */
  | { kind: 'picture'; png: Uint8Array | null };
