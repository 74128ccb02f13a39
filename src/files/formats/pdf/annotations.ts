/** What lies on the pages of a PDF: links, comments, and fields that were filled in. */
import type { Link } from '../../../text/link-line.ts';
import { LINK_TEXT_UNITS_MAX, outsideLinks } from '../../links.ts';
import { type PdfiumModule, textOfCall, utf16, withMemory, withName } from './pdfium.ts';

/** Links of a page, and annotations of a page that are looked at. */
const LINKS_MAX = 1000;
const ANNOTATIONS_MAX = 1000;
/** Bytes of an address; longer ones are not kept. */
const URI_BYTES_MAX = 4096;
const URI_ACTION = 3;
/** Points by which rectangles of links reach beyond their words. */
const SLACK_POINTS = 1;
/** Points around the middle of a link in which a character is looked for. */
const REACH_POINTS = 10;
/** Where the label of a field is looked for: points to the left of it, and how far around. */
const LABEL_PLACES = [
  [2, 4],
  [10, 8],
  [30, 20],
  [80, 40],
] as const;
/** Half the height of a line. */
const HALF_LINE_POINTS = 6;
/** pdfium's numbers: a note, text written on the page, marked text, stamp, caret, ink, pop-up, attached file. */
const [NOTE, WRITTEN, ATTACHED, FIELD] = [1, 3, 17, 20];
const COMMENTS = new Set([NOTE, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17]);
const [CHECK_BOX, RADIO_BUTTON, CHOICE, LIST, TEXT_FIELD] = [2, 3, 4, 5, 6];
const TICK = '☒';
/** Flag: not to be seen. */
const HIDDEN = 2;

/** A link and the index of a character that it covers, -1 where there is none. */
interface PlacedLink extends Link {
  index: number;
}

/** What was filled in, and the index of the character behind which it stands, -1 where there is none. */
interface PlacedField {
  name: string;
  value: string;
  index: number;
}

/** A page, its text, and what to ask for the fields of forms once there is one. */
export interface PageHandles {
  module: PdfiumModule;
  document: number;
  page: number;
  textPage: number;
  form: () => number;
  /** Takes the files that are pinned to the page. */
  attachments: { add(attachment: number): void };
}

interface Rectangle {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Links to addresses, in the order of the file. */
export function pageLinks({ module, document, page, textPage }: PageHandles): PlacedLink[] {
  return withMemory(module, 8 + RECTANGLE_BYTES, (scratch) => {
    const [found, rectangle] = [scratch + 4, scratch + 8];
    const links: PlacedLink[] = [];
    new DataView(module.HEAPU8.buffer).setInt32(scratch, 0, true);
    for (let count = 0; count < LINKS_MAX && module._FPDFLink_Enumerate(page, scratch, found); count += 1) {
      const link = new DataView(module.HEAPU8.buffer).getInt32(found, true);
      const url = outsideLinks(uriOf(module, document, module._FPDFLink_GetAction(link)));
      if (url === undefined || !module._FPDFLink_GetAnnotRect(link, rectangle)) continue;
      const area = rectangleAt(module, rectangle);
      const text = wordsIn(module, textPage, area);
      const before = links.at(-1);
      // A link that goes on in the next line is one for each line.
      if (before?.url === url && text !== '' && before.text.length + text.length < LINK_TEXT_UNITS_MAX)
        before.text = `${before.text} ${text}`;
      else links.push({ text, url, index: characterAt(module, textPage, area) });
    }
    return links;
  });
}

/** `[comment by Ann] text` of every comment, and texts that were written on the page; fields of forms with their places. */
export function pageNotes(handles: PageHandles): { notes: string[]; fields: PlacedField[] } {
  const { module, page } = handles;
  const count = Math.min(module._FPDFPage_GetAnnotCount(page), ANNOTATIONS_MAX);
  const [notes, fields]: [string[], PlacedField[]] = [[], []];
  for (let index = 0; index < count; index += 1) {
    const annotation = module._FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    const kind = module._FPDFAnnot_GetSubtype(annotation);
    if (kind === ATTACHED) handles.attachments.add(module._FPDFAnnot_GetFileAttachment(annotation));
    if ((module._FPDFAnnot_GetFlags(annotation) & HIDDEN) === 0) {
      if (kind === FIELD) fields.push(...fieldOf(handles, annotation));
      else if (kind === WRITTEN || COMMENTS.has(kind)) notes.push(...noteOf(module, annotation, kind !== WRITTEN));
    }
    module._FPDFPage_CloseAnnot(annotation);
  }
  return { notes, fields };
}

function noteOf(module: PdfiumModule, annotation: number, isComment: boolean): string[] {
  const value = (key: string) => entryOf(module, annotation, key);
  const text = value('Contents');
  if (text === undefined) return [];
  const author = value('T');
  return [isComment ? `[comment${author === undefined ? '' : ` by ${author}`}] ${text}` : text];
}

function fieldOf({ module, textPage, form }: PageHandles, annotation: number): PlacedField[] {
  const handle = form();
  const kind = module._FPDFAnnot_GetFormFieldType(handle, annotation);
  const read = (call: '_FPDFAnnot_GetFormFieldName' | '_FPDFAnnot_GetFormFieldValue') =>
    textOfCall(module, (buffer, bytes) => module[call](handle, annotation, buffer, bytes)) ?? '';
  let value = '';
  if (kind === CHECK_BOX || kind === RADIO_BUTTON) value = isTicked(entryOf(module, annotation, 'AS')) ? TICK : '';
  else if (kind === CHOICE || kind === LIST || kind === TEXT_FIELD) value = read('_FPDFAnnot_GetFormFieldValue');
  if (value === '') return [];
  const index = withMemory(module, RECTANGLE_BYTES, (rectangle) => {
    if (!module._FPDFAnnot_GetRect(annotation, rectangle)) return -1;
    return labelOf(module, textPage, rectangleAt(module, rectangle));
  });
  return [{ name: read('_FPDFAnnot_GetFormFieldName'), value, index }];
}

/** The name of its state that a ticked box shows is its own choice. */
function isTicked(state: string | undefined): boolean {
  return state !== undefined && state !== 'Off';
}

/** A text or name in the dictionary of an annotation. */
function entryOf(module: PdfiumModule, annotation: number, key: string): string | undefined {
  return withName(module, key, (name) =>
    textOfCall(module, (buffer, bytes) => module._FPDFAnnot_GetStringValue(annotation, name, buffer, bytes)),
  );
}

/** A character of what stands to the left of a field, or above it. */
function labelOf(module: PdfiumModule, textPage: number, { left, top, bottom }: Rectangle): number {
  const find = (x: number, y: number, width: number) =>
    module._FPDFText_GetCharIndexAtPos(textPage, x, y, width * 2, HALF_LINE_POINTS * 2);
  for (const [distance, around] of LABEL_PLACES) {
    const index = find(left - distance, (top + bottom) / 2, around);
    if (index >= 0) return index;
  }
  return find(left + REACH_POINTS, top + HALF_LINE_POINTS, REACH_POINTS);
}

const RECTANGLE_BYTES = 16;

function rectangleAt(module: PdfiumModule, pointer: number): Rectangle {
  const [left = 0, top = 0, right = 0, bottom = 0] = module.HEAPF32.subarray(pointer >> 2, (pointer >> 2) + 4);
  return { left, top: Math.max(top, bottom), right, bottom: Math.min(top, bottom) };
}

function characterAt(module: PdfiumModule, textPage: number, { left, top, right, bottom }: Rectangle): number {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return module._FPDFText_GetCharIndexAtPos(textPage, x, y, REACH_POINTS, REACH_POINTS);
}

function uriOf(module: PdfiumModule, document: number, action: number): string {
  if (action === 0 || module._FPDFAction_GetType(action) !== URI_ACTION) return '';
  const bytes = module._FPDFAction_GetURIPath(document, action, 0, 0);
  if (bytes <= 1 || bytes > URI_BYTES_MAX) return '';
  return withMemory(module, bytes, (buffer) => {
    module._FPDFAction_GetURIPath(document, action, buffer, bytes);
    return new TextDecoder().decode(module.HEAPU8.slice(buffer, buffer + bytes - 1));
  });
}

function wordsIn(module: PdfiumModule, textPage: number, { left, top, right, bottom }: Rectangle): string {
  const edge = right - SLACK_POINTS;
  return withMemory(module, LINK_TEXT_UNITS_MAX * 2, (buffer) => {
    const units = module._FPDFText_GetBoundedText(textPage, left, top, edge, bottom, buffer, LINK_TEXT_UNITS_MAX);
    return utf16(module, buffer, Math.min(units, LINK_TEXT_UNITS_MAX) * 2)
      .replace(/[\0\ufffe]/g, '')
      .replace(/\s+/g, ' ')
      .trim()
      .toWellFormed();
  });
}
