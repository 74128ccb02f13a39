/** Converts tesseract's table of words to lines, page by page. Pure. */
import { flowGlue } from './flow.ts';
import type { PdfLine } from './line.ts';

/** A word with less confidence is a mark in a picture, not writing; so is a paragraph with less average confidence. */
const CONFIDENCE_MIN = 30;
const PARAGRAPH_CONFIDENCE_MIN = 50;
/**
 * A page with less average confidence of its letters has no words that could be trusted: a drawing, handwriting, or writing that is
 * turned or blurred. Such pages have 37 to 45, bad scans of which most words are right at least 60.
 */
const PAGE_CONFIDENCE_MIN = 50;
/** Columns of tesseract's table. */
const [LEVEL, PAGE, BLOCK, PARAGRAPH, LINE, CONFIDENCE, TEXT] = [0, 1, 2, 3, 4, 10, 11];
const WORD = '5';
/** files/formats/pdf/layout.ts expects this character where a word was hyphenated at the end of a line. */
const SOFT_HYPHEN = '\ufffe';

interface Word {
  line: string;
  text: string;
  confidence: number;
}

export const UNREADABLE_REASON = 'The words are blurred, turned or handwritten, or it is a drawing.';

export interface OcrPage {
  lines: PdfLine[];
  /** True if the page has marks like words, but hardly any could be read. It then has no lines. */
  isUnreadable: boolean;
}

/** Returns the pages of the picture. */
export function ocrPages(table: string): OcrPage[] {
  const paragraphs = new Map<string, { page: number; words: Word[] }>();
  const letters = new Map<number, { count: number; confidence: number }>();
  let last = 0;
  for (const row of table.split('\n')) {
    const cells = row.split('\t');
    const page = Number(cells[PAGE!]);
    if (Number.isInteger(page)) last = Math.max(last, page);
    if (cells[LEVEL!] !== WORD) continue;
    const text = (cells[TEXT!] ?? '').trim();
    const confidence = Number(cells[CONFIDENCE!]);
    if (text === '') continue;
    const sum = letters.get(page) ?? { count: 0, confidence: 0 };
    letters.set(page, { count: sum.count + text.length, confidence: sum.confidence + confidence * text.length });
    if (!(confidence >= CONFIDENCE_MIN)) continue;
    const key = [PAGE, BLOCK, PARAGRAPH].map((column) => cells[column!]).join(' ');
    const paragraph = paragraphs.get(key) ?? { page, words: [] };
    paragraph.words.push({ line: cells[LINE!] ?? '', text, confidence });
    paragraphs.set(key, paragraph);
  }
  const pages = Array.from({ length: last }, (_, index): OcrPage => {
    const { count, confidence } = letters.get(index + 1) ?? { count: 0, confidence: 0 };
    return { lines: [], isUnreadable: confidence < PAGE_CONFIDENCE_MIN * count };
  });
  for (const { page, words } of paragraphs.values()) {
    const { lines, isUnreadable } = pages[page - 1]!;
    const mean = words.reduce((sum, word) => sum + word.confidence, 0) / words.length;
    if (!isUnreadable && mean >= PARAGRAPH_CONFIDENCE_MIN) lines.push(...linesOf(words));
  }
  return pages;
}

function linesOf(words: readonly Word[]): PdfLine[] {
  const lines = [...Map.groupBy(words, (word) => word.line).values()].map((line) => joined(line));
  return lines.map((text, index) => {
    const divided = /\p{L}-$/u.test(text) && /^\p{Ll}/u.test(lines[index + 1] ?? '');
    return { text: divided ? `${text.slice(0, -1)}${SOFT_HYPHEN}` : text, size: 0, opens: index === 0 };
  });
}

/** Joins words. Scripts without blanks are recognized character by character. */
function joined(words: readonly Word[]): string {
  return words.map(({ text }) => text).reduce((line, text) => line + flowGlue(line, text) + text);
}
