/** Reads the annotations on pages of a PDF: links, comments, and filled form fields. */

import type { Link } from '../../../text/link-line.ts';
import { oneLine } from '../../../util/code-points.ts';
import { LINK_TEXT_UNITS_MAX, outsideLinks } from '../../links.ts';
import type { Area } from './area.ts';
import type { FormField } from './fields.ts';
import { AREA_BYTES, areaAt, type PdfiumModule, textOfCall, utf16, withMemory, withName } from './pdfium.ts';

/** Maximum links and annotations that are read on one page. */
const LINKS_MAX = 1000;
const ANNOTATIONS_MAX = 1000;
/** Bytes of an address; longer addresses are dropped. */
const URI_BYTES_MAX = 4096;
const URI_ACTION = 3;
/** Points by which the rectangle of a link extends beyond its words. */
const SLACK_POINTS = 1;
/** Points around the middle of a link within which a character is searched. */
const REACH_POINTS = 10;
/**
 * pdfium's numbers of annotations: a note, text on the page, an attached file, a form field. The set of comments also has
 * marked text, stamps, carets, ink and pop-ups.
 */
const [NOTE, FREE_TEXT, ATTACHED, FIELD] = [1, 3, 17, 20];
const COMMENTS = new Set([NOTE, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17]);
const [CHECK_BOX, RADIO_BUTTON, CHOICE, LIST, TEXT_FIELD] = [2, 3, 4, 5, 6];
const TICK = '☒';
/** The flag of hidden annotations. */
const HIDDEN = 2;

/** A link with the index of a character that it covers, or -1. */
interface PlacedLink extends Link {
  index: number;
}

/** The handles of a page and its text. `form` opens the form of the document when a field needs it. */
export interface PageHandles {
  module: PdfiumModule;
  document: number;
  page: number;
  textPage: number;
  form: () => number;
  /** Collects the files that are pinned to the page. */
  attachments: { add(attachment: number): void };
}

/** Returns links to web addresses, in the order of the file. */
export function pageLinks({ module, document, page, textPage }: PageHandles): PlacedLink[] {
  return withMemory(module, 8 + AREA_BYTES, (scratch) => {
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
      // A link that continues on the next line is stored as one link per line.
      if (before?.url === url && text !== '' && before.text.length + text.length < LINK_TEXT_UNITS_MAX)
        before.text = `${before.text} ${text}`;
      else links.push({ text, url, index: characterAt(module, textPage, area) });
    }
    return links;
  });
}

/** Returns the comments of a page as `[comment by Ann] text`, texts that were added to the page, and all form fields. */
export function pageNotes(handles: PageHandles): { notes: string[]; fields: FormField[] } {
  const { module, page } = handles;
  const count = Math.min(module._FPDFPage_GetAnnotCount(page), ANNOTATIONS_MAX);
  const [notes, fields]: [string[], FormField[]] = [[], []];
  for (let index = 0; index < count; index += 1) {
    const annotation = module._FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    const kind = module._FPDFAnnot_GetSubtype(annotation);
    if (kind === ATTACHED) handles.attachments.add(module._FPDFAnnot_GetFileAttachment(annotation));
    if ((module._FPDFAnnot_GetFlags(annotation) & HIDDEN) === 0) {
      if (kind === FIELD) fields.push(...fieldOf(handles, annotation));
      else if (kind === FREE_TEXT || COMMENTS.has(kind)) notes.push(...noteOf(module, annotation, kind !== FREE_TEXT));
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

function fieldOf({ module, form }: PageHandles, annotation: number): FormField[] {
  const handle = form();
  const kind = module._FPDFAnnot_GetFormFieldType(handle, annotation);
  const isBox = kind === CHECK_BOX || kind === RADIO_BUTTON;
  if (!isBox && kind !== CHOICE && kind !== LIST && kind !== TEXT_FIELD) return [];
  const read = (call: '_FPDFAnnot_GetFormFieldName' | '_FPDFAnnot_GetFormFieldValue') =>
    textOfCall(module, (buffer, bytes) => module[call](handle, annotation, buffer, bytes)) ?? '';
  const tick = isBox && isTicked(entryOf(module, annotation, 'AS')) ? TICK : '';
  const value = isBox ? tick : read('_FPDFAnnot_GetFormFieldValue');
  const area = withMemory(module, AREA_BYTES, (rectangle) =>
    module._FPDFAnnot_GetRect(annotation, rectangle) ? rectangleAt(module, rectangle) : NO_PLACE,
  );
  return [{ name: read('_FPDFAnnot_GetFormFieldName'), value, isBox, area }];
}

/** No label is near this place. */
const NO_PLACE: Area = { left: -1e6, top: -1e6, right: -1e6, bottom: -1e6 };

/** Returns whether a box is ticked. The file chooses the name of the ticked state; only `Off` is fixed. */
function isTicked(state: string | undefined): boolean {
  return state !== undefined && state !== 'Off';
}

/** Returns a text or name from the dictionary of an annotation. */
function entryOf(module: PdfiumModule, annotation: number, key: string): string | undefined {
  return withName(module, key, (name) =>
    textOfCall(module, (buffer, bytes) => module._FPDFAnnot_GetStringValue(annotation, name, buffer, bytes)),
  );
}

function rectangleAt(module: PdfiumModule, pointer: number): Area {
  const { left, top, right, bottom } = areaAt(module, pointer);
  return { left, top: Math.max(top, bottom), right, bottom: Math.min(top, bottom) };
}

function characterAt(module: PdfiumModule, textPage: number, { left, top, right, bottom }: Area): number {
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

function wordsIn(module: PdfiumModule, textPage: number, { left, top, right, bottom }: Area): string {
  const edge = right - SLACK_POINTS;
  return withMemory(module, LINK_TEXT_UNITS_MAX * 2, (buffer) => {
    const units = module._FPDFText_GetBoundedText(textPage, left, top, edge, bottom, buffer, LINK_TEXT_UNITS_MAX);
    const text = utf16(module, buffer, Math.min(units, LINK_TEXT_UNITS_MAX) * 2);
    return oneLine(text.replace(/[\0\ufffe]/g, '')).toWellFormed();
  });
}
