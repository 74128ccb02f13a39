/** Removes running headers, running footers and page numbers of PDF pages. Pure. */
import type { PdfLine } from './line.ts';

/** Lines at the top and the bottom of a page that may be running headers. */
const MARGIN_LINES = 2;
/** A margin line on at least this share of the pages is a running header. */
const RUNNING_SHARE = 0.6;
const RUNNING_PAGES_MIN = 3;
/** A table with more rows is no running header, even if tables on several pages are alike. */
const RUNNING_ROWS_MAX = 4;
/** Maximum distance of pages with the same header: the first page of a chapter has none, and left pages may have another. */
const RUNNING_GAP_MAX = 3;
/** Minimum pages whose numbers increase with the pages, so that they count as page numbers. */
const NUMBERED_PAGES_MIN = 3;
const RUNNING_UNITS_MAX = 120;

type Pages = readonly (readonly PdfLine[])[];

/** Returns the lines of each page without lines that repeat over pages, and without page numbers. */
export function withoutRunningLines(pages: Pages): PdfLine[][] {
  const everywhere = shapesOnMostPages(pages);
  const numbers = new PageNumbers(pages);
  const inChapters = textsOfChapters(pages, numbers);
  return pages.map((lines, page) =>
    lines.filter((line, index) => {
      if (!isAtEdge(lines, index)) return true;
      if (line.rows && !(line.rows.length <= RUNNING_ROWS_MAX && /\p{L}{3}/u.test(line.text))) return true;
      if (everywhere.has(shape(line.text))) return false;
      if (line.rows || !isOutermost(lines, index)) return true;
      return !(numbers.isNumber(line.text, page) || inChapters.has(`${page} ${index}`));
    }),
  );
}

function isAtEdge(lines: readonly PdfLine[], index: number): boolean {
  return index < MARGIN_LINES || index >= lines.length - MARGIN_LINES;
}

function isOutermost(lines: readonly PdfLine[], index: number): boolean {
  return index === 0 || index === lines.length - 1;
}

function shapesOnMostPages(pages: Pages): Set<string> {
  const seen = new Map<string, number>();
  for (const lines of pages) {
    const edge = new Set(lines.filter((_, index) => isAtEdge(lines, index)).map((line) => shape(line.text)));
    for (const key of edge) seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  const running = [...seen].filter(([, count]) => count >= RUNNING_PAGES_MIN && count >= pages.length * RUNNING_SHARE);
  return new Set(running.map(([key]) => key));
}

/** Returns the line with its numbers replaced, because page numbers differ from page to page. */
function shape(text: string): string {
  return text.replace(/\d+/g, '#').trim();
}

/** Finds page numbers: numbers at the edges of several pages that differ from the page's index by the same amount. */
class PageNumbers {
  private readonly offsets: ReadonlySet<string>;

  constructor(pages: Pages) {
    const counts = new Map<string, number>();
    for (const [page, lines] of pages.entries()) {
      const ends = new Set([lines[0], lines.at(-1)].flatMap((line) => (line ? numbersOf(line.text) : [])));
      for (const number of ends) {
        const key = offset(number, page);
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    this.offsets = new Set(
      [...counts].filter(([key, count]) => count >= (key.startsWith('r') ? 2 : NUMBERED_PAGES_MIN)).map(([key]) => key),
    );
  }

  /** Returns whether a line is only the number of its page. */
  isNumber(text: string, page: number): boolean {
    const bare = text.replace(/^(?:page|seite|página|pagina|-|–|—)?\s*|\s*(?:-|–|—)?$/gi, '');
    return /^(?:\d{1,5}|[ivxlc]{1,8})$/i.test(bare) && this.has(bare, page);
  }

  /** Returns the words beside the page number at either end of a line, or undefined if the line has no page number. */
  wordsNextToNumber(text: string, page: number): string | undefined {
    const found = /^(\d{1,5}|[ivxlc]{1,8})\s+(\S.*)$|^(.*\S)\s+(\d{1,5}|[ivxlc]{1,8})$/i.exec(text);
    if (found?.[1] !== undefined && this.has(found[1], page)) return found[2]!;
    return found?.[4] !== undefined && this.has(found[4], page) ? found[3]! : undefined;
  }

  private has(number: string, page: number): boolean {
    return this.offsets.has(offset(number, page));
  }
}

function numbersOf(text: string): string[] {
  if (text.length > RUNNING_UNITS_MAX) return [];
  const found = /^\W{0,3}(\d{1,5}|[ivxlc]{1,8})\b|\b(\d{1,5}|[ivxlc]{1,8})\W{0,3}$/i;
  const first = found.exec(text);
  return [first?.[1], /\b(\d{1,5}|[ivxlc]{1,8})\W{0,3}$/i.exec(text)?.[1]].filter((one) => one !== undefined);
}

/** Returns the difference of number and page index as a key. Arabic and Roman numbers have separate keys. */
function offset(number: string, page: number): string {
  const isArabic = /^\d/.test(number);
  return `${isArabic ? 'a' : 'r'}${(isArabic ? Number(number) : romanValue(number)) - page}`;
}

const ROMAN: Record<string, number> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

function romanValue(number: string): number {
  const digits = [...number.toLowerCase()].map((digit) => ROMAN[digit]!);
  return digits.reduce((sum, digit, index) => sum + (digit < (digits[index + 1] ?? 0) ? -digit : digit), 0);
}

/**
 * Returns places (`page line`) of outermost lines whose words also appear there on nearby pages, such as headers of chapters.
 */
function textsOfChapters(pages: Pages, numbers: PageNumbers): Set<string> {
  const seen = new Map<string, { page: number; index: number; isNumbered: boolean }[]>();
  for (const [page, lines] of pages.entries()) {
    for (const index of new Set([0, lines.length - 1])) {
      const line = lines[index];
      if (!line || line.rows || line.text.length > RUNNING_UNITS_MAX || !/\p{L}{2}/u.test(line.text)) continue;
      const words = numbers.wordsNextToNumber(line.text, page);
      const key = `${index === 0 ? 'top' : 'bottom'} ${words ?? line.text}`;
      const places = seen.get(key) ?? [];
      places.push({ page, index, isNumbered: words !== undefined });
      seen.set(key, places);
    }
  }
  const found = new Set<string>();
  for (const places of seen.values()) {
    // Places are sorted by page, so the nearby places form one range.
    let [from, to] = [0, 0];
    for (const { page, index, isNumbered } of places) {
      while (places[from]!.page < page - RUNNING_GAP_MAX) from += 1;
      while (to < places.length && places[to]!.page <= page + RUNNING_GAP_MAX) to += 1;
      if (to - from >= (isNumbered ? 2 : RUNNING_PAGES_MIN)) found.add(`${page} ${index}`);
    }
  }
  return found;
}
