/** Sizes, texts, boxes and pictures of the pages of a PDF. Runs in a child process. */
import { type PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium';
import { badFile } from '../../../failure.ts';
import type { Box, PageAnswer, PageTask, Passage, TextRange } from '../../../page-task.ts';
import type { Area } from '../area.ts';
import { type PageText, readPageText } from '../page-text.ts';
import { boxOf as characterBox, withMemory } from '../pdfium.ts';
import { lettersOf } from './letters.ts';
import { locate } from './locate.ts';
import { encodePng } from './png.ts';
import { keepReadable, type ObjectModule } from './readable-objects.ts';

/** Pixels of the longer side of a picture. */
const SIDE_MAX = 4_000;
const PIXELS_MAX = 12_000_000;
/** Boxes are computed in whole numbers on a page of this size. */
const GRID = 16_384;
/** A cover extends beyond the boxes of its characters by this share of their height, because glyphs may. */
const COVER_MARGIN_SHARE = 0.2;
const COVER_MARGIN_PIXELS = 2;
/** Boxes that share this much of the smaller height are in one line. */
const LINE_OVERLAP_SHARE = 0.5;
/** pdfium's numbers: draws annotations; red before blue. BGRA has four bytes for each pixel. */
const [DRAW_ANNOTATIONS, REVERSE_BYTES, BGRA] = [0x01, 0x10, 4];
const WHITE = 0xffffffff;
/** What stands for a picture that is not drawn. Texts over it stay readable. */
const PICTURE_SHADE = 0xffd8d8d8;

interface PageModule extends ObjectModule {
  _FPDF_PageToDevice(
    page: number,
    left: number,
    top: number,
    width: number,
    height: number,
    turn: number,
    x: number,
    y: number,
    deviceX: number,
    deviceY: number,
  ): number;
  _FPDFText_HasUnicodeMapError(textPage: number, index: number): number;
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, pointer: number, stride: number): number;
  _FPDFBitmap_FillRect(bitmap: number, left: number, top: number, width: number, height: number, color: number): void;
  _FPDFBitmap_Destroy(bitmap: number): void;
  _FPDF_RenderPageBitmap(
    bitmap: number,
    page: number,
    left: number,
    top: number,
    width: number,
    height: number,
    turn: number,
    flags: number,
  ): void;
}

/** A page with its handles. */
interface Page {
  module: PageModule;
  page: number;
  textPage: number;
  width: number;
  height: number;
}

/** Answers a task about the pages of a PDF. @throws FileError for a file that cannot be opened. */
export async function viewPages(bytes: Uint8Array, task: PageTask): Promise<PageAnswer> {
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(bytes).catch(() => {
    throw badFile('parse', 'Damaged PDF', 'The file cannot be opened.');
  });
  try {
    return answer(document, task);
  } finally {
    document.destroy();
    library.destroy();
  }
}

function answer(document: PDFiumDocument, task: PageTask): PageAnswer {
  const count = document.getPageCount();
  if (task.kind === 'sizes')
    return { kind: 'sizes', sizes: Array.from({ length: count }, (_, i) => withPage(document, i + 1, sizeOf)) };
  if (task.kind === 'texts') {
    const texts = task.pages.map((number) => (hasPage(count, number) ? withPage(document, number, textOf) : ''));
    return { kind: 'texts', texts };
  }
  if (task.kind === 'boxes') {
    const none = (): Box[][] => task.passages.map(() => []);
    const lettersAt = (number: number): string =>
      hasPage(count, number) ? lettersOf(withPage(document, number, plainText)).folded : '';
    const around = { before: lettersAt(task.page - 1), after: lettersAt(task.page + 1) };
    const boxes = hasPage(count, task.page)
      ? withPage(document, task.page, (page) => boxesOf(page, task.passages, around))
      : none();
    return { kind: 'boxes', boxes };
  }
  const png = hasPage(count, task.page) ? withPage(document, task.page, (page) => draw(page, task)) : null;
  return { kind: 'picture', png };
}

function hasPage(count: number, number: number): boolean {
  return number >= 1 && number <= count;
}

/** Runs `use` with a page and closes the page afterwards. */
function withPage<T>(document: PDFiumDocument, number: number, use: (page: Page) => T): T {
  const opened = document.getPage(number - 1);
  const { module, pageIdx: page } = opened as unknown as { module: PageModule; pageIdx: number };
  const { originalWidth: width, originalHeight: height } = opened.getOriginalSize();
  const textPage = module._FPDFText_LoadPage(page);
  try {
    return use({ module, page, textPage, width, height });
  } finally {
    if (textPage) module._FPDFText_ClosePage(textPage);
    module._FPDF_ClosePage(page);
  }
}

function sizeOf({ width, height }: Page): { width: number; height: number } {
  return { width, height };
}

/** Returns the text of a page; null if the file does not say what some of its characters mean. */
function textOf(page: Page): string | null {
  const { module, textPage } = page;
  if (!textPage) return null;
  const count = module._FPDFText_CountChars(textPage);
  for (let index = 0; index < count; index += 1)
    if (module._FPDFText_HasUnicodeMapError(textPage, index) === 1) return null;
  return plainText(page);
}

function plainText({ module, textPage }: Page): string {
  return readPageText(module, textPage).text;
}

function boxesOf(page: Page, passages: readonly Passage[], around: { before: string; after: string }): Box[][] {
  const pageText = readPageText(page.module, page.textPage);
  const { text } = pageText;
  const letters = { page: lettersOf(text), ...around };
  const boxOf = characterBoxes(page, pageText, GRID, GRID);
  return passages.map((passage) =>
    locate(text, passage, letters).flatMap((range) => lineBoxes(range, boxOf).map(toShares)),
  );
}

function toShares({ left, top, right, bottom }: Area): Box {
  const share = (value: number): number => Math.min(1, Math.max(0, Math.round((value / GRID) * 10_000) / 10_000));
  return { x: share(left), y: share(top), width: share(right - left), height: share(bottom - top) };
}

/** Returns a function that returns the box of a character of the text, on a page of this size; undefined for invented characters. */
function characterBoxes(
  page: Page,
  { indexOf }: PageText,
  width: number,
  height: number,
): (unit: number) => Area | undefined {
  const { module, textPage } = page;
  return (unit) => {
    const box = characterBox(module, textPage, indexOf(unit));
    return box && box.right > box.left && box.top > box.bottom ? toDevice(page, box, width, height) : undefined;
  };
}

/** Turns a rectangle in points, from the bottom of the page, into a rectangle on a shown page of this size. */
function toDevice({ module, page }: Page, area: Area, width: number, height: number): Area {
  const corner = (x: number, y: number): [number, number] =>
    withMemory(module, 8, (pointer) => {
      module._FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, pointer, pointer + 4);
      return [module.HEAP32[pointer >> 2]!, module.HEAP32[(pointer >> 2) + 1]!];
    });
  const [x1, y1] = corner(area.left, area.top);
  const [x2, y2] = corner(area.right, area.bottom);
  return { left: Math.min(x1, x2), top: Math.min(y1, y2), right: Math.max(x1, x2), bottom: Math.max(y1, y2) };
}

function lineBoxes({ start, end }: TextRange, boxOf: (unit: number) => Area | undefined): Area[] {
  const lines: Area[] = [];
  for (let unit = start; unit < end; unit += 1) {
    const box = boxOf(unit);
    if (!box) continue;
    const line = lines.at(-1);
    if (line && inOneLine(line, box)) {
      line.left = Math.min(line.left, box.left);
      line.top = Math.min(line.top, box.top);
      line.right = Math.max(line.right, box.right);
      line.bottom = Math.max(line.bottom, box.bottom);
    } else lines.push({ ...box });
  }
  return lines;
}

function inOneLine(a: Area, b: Area): boolean {
  const shared = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  const smaller = Math.min(a.bottom - a.top, b.bottom - b.top);
  // A large gap separates columns: the box would cover what stands between.
  const gap = Math.max(b.left - a.right, a.left - b.right);
  return shared >= smaller * LINE_OVERLAP_SHARE && gap <= 2 * (b.bottom - b.top);
}

/**
 * Draws a page. If parts of it must be covered, annotations are not drawn, because they may repeat them, and neither is anything else
 * that no rule can read.
 */
function draw(page: Page, { scale, cover }: Extract<PageTask, { kind: 'picture' }>): Uint8Array {
  const { module } = page;
  const side = Math.max(page.width, page.height, 1);
  const used = Math.min(scale, SIDE_MAX / side, Math.sqrt(PIXELS_MAX / Math.max(1, page.width * page.height)));
  const width = Math.max(1, Math.floor(page.width * used));
  const height = Math.max(1, Math.floor(page.height * used));
  const covered = cover === null ? null : prepareCovered(page, cover, width, height);
  const pixels = withMemory(module, width * height * BGRA, (pointer) => {
    const bitmap = module._FPDFBitmap_CreateEx(width, height, BGRA, pointer, width * BGRA);
    module._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    for (const { left, top, right, bottom } of covered?.pictures ?? [])
      module._FPDFBitmap_FillRect(bitmap, left, top, right - left, bottom - top, PICTURE_SHADE);
    const flags = covered === null ? DRAW_ANNOTATIONS | REVERSE_BYTES : REVERSE_BYTES;
    module._FPDF_RenderPageBitmap(bitmap, page.page, 0, 0, width, height, 0, flags);
    module._FPDFBitmap_Destroy(bitmap);
    return module.HEAPU8.slice(pointer, pointer + width * height * BGRA);
  });
  for (const area of covered?.areas ?? []) fill(pixels, width, height, area);
  return encodePng(width, height, pixels);
}

/** Takes off the page what no rule can read. Returns the areas to cover, and those of pictures, which are not drawn. */
function prepareCovered(
  page: Page,
  cover: readonly TextRange[],
  width: number,
  height: number,
): { areas: Area[]; pictures: Area[] } {
  const text = readPageText(page.module, page.textPage);
  const areas = coveredAreas(page, text, cover, width, height);
  const pictures = keepReadable(page.module, page.page, page.textPage, text.text);
  if (pictures === undefined) return { areas: [{ left: 0, top: 0, right: width, bottom: height }], pictures: [] };
  return { areas, pictures: pictures.map((area) => toDevice(page, area, width, height)) };
}

/** Returns the areas of the ranges. */
function coveredAreas(page: Page, text: PageText, cover: readonly TextRange[], width: number, height: number): Area[] {
  const boxOf = characterBoxes(page, text, width, height);
  // A character without a box may stand anywhere.
  if (cover.some((range) => hasUnplaced(text.text, range, boxOf)))
    return [{ left: 0, top: 0, right: width, bottom: height }];
  const lines = cover.flatMap((range) => lineBoxes(range, boxOf));
  return lines.map(({ left, top, right, bottom }) => {
    const margin = Math.max(COVER_MARGIN_PIXELS, Math.ceil((bottom - top) * COVER_MARGIN_SHARE));
    return { left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin };
  });
}

function hasUnplaced(text: string, { start, end }: TextRange, boxOf: (unit: number) => Area | undefined): boolean {
  for (let unit = start; unit < end; unit += 1)
    if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(text[unit]!) && boxOf(unit) === undefined) return true;
  return false;
}

function fill(pixels: Uint8Array, width: number, height: number, area: Area): void {
  const left = Math.max(0, Math.floor(area.left));
  const right = Math.min(width, Math.ceil(area.right));
  for (let y = Math.max(0, Math.floor(area.top)); y < Math.min(height, Math.ceil(area.bottom)); y += 1) {
    for (let x = left; x < right; x += 1) {
      const at = (y * width + x) * BGRA;
      pixels[at] = 0;
      pixels[at + 1] = 0;
      pixels[at + 2] = 0;
    }
  }
}
