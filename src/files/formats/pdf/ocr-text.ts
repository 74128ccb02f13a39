/** Converts tesseract's table of words to lines, page by page. Pure. */
import type { PdfLine } from './line.ts';

/** A word with less confidence is a mark in a picture, not writing; so is a paragraph with less average confidence. */
const CONFIDENCE_MIN = 30;
const PARAGRAPH_CONFIDENCE_MIN = 50;
/** Columns of tesseract's table. */
const [LEVEL, PAGE, BLOCK, PARAGRAPH, LINE, CONFIDENCE, TEXT] = [0, 1, 2, 3, 4, 10, 11];
const WORD = '5';
/** files/formats/pdf/layout.ts expects this character where a word was hyphenated at the end of a line. */
const SOFT_HYPHEN = '\ufffe';
const WIDE = /[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef\u0e00-\u0e7f]/;

interface Word {
  line: string;
  text: string;
  confidence: number;
}

/** Returns the lines of each page of the picture. */
export function ocrPages(table: string): PdfLine[][] {
  const paragraphs = new Map<string, { page: number; words: Word[] }>();
  let last = 0;
  for (const row of table.split('\n')) {
    const cells = row.split('\t');
    const page = Number(cells[PAGE!]);
    if (Number.isInteger(page)) last = Math.max(last, page);
    if (cells[LEVEL!] !== WORD) continue;
    const text = (cells[TEXT!] ?? '').trim();
    const confidence = Number(cells[CONFIDENCE!]);
    if (text === '' || !(confidence >= CONFIDENCE_MIN)) continue;
    const key = [PAGE, BLOCK, PARAGRAPH].map((column) => cells[column!]).join(' ');
    const paragraph = paragraphs.get(key) ?? { page, words: [] };
    paragraph.words.push({ line: cells[LINE!] ?? '', text, confidence });
    paragraphs.set(key, paragraph);
  }
  const pages: PdfLine[][] = Array.from({ length: last }, () => []);
  for (const { page, words } of paragraphs.values()) {
    const mean = words.reduce((sum, word) => sum + word.confidence, 0) / words.length;
    if (mean >= PARAGRAPH_CONFIDENCE_MIN) pages[page - 1]!.push(...linesOf(words));
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
  return words.reduce((line, { text }) => {
    const glue = line === '' || (WIDE.test(line.at(-1)!) && WIDE.test(text[0]!)) ? '' : ' ';
    return line + glue + text;
  }, '');
}
