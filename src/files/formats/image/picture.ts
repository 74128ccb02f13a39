/** Parses pictures: reads their words if OCR is switched on. */
import { badFile } from '../../failure.ts';
import type { ParsedFile } from '../../parsed.ts';
import type { Tools } from '../../tools.ts';
import { layoutPages } from '../pdf/layout.ts';
import { type OcrPage, ocrPages, UNREADABLE_REASON } from '../pdf/ocr-text.ts';
import { TextBuilder } from '../text-builder.ts';

/** Parses a picture. A picture with several pages (TIFF) gets page numbers. @throws FileError without OCR; errors of OCR. */
export async function parsePicture({ ocr }: Tools): Promise<ParsedFile> {
  if (!ocr) {
    throw badFile(
      'parse',
      'Pictures are not read',
      'The file is a picture. Words in pictures are read with PINAKES_OCR=tesseract where tesseract is installed.',
    );
  }
  const pages = ocrPages(await ocr(null));
  const builder = new TextBuilder();
  layoutPages(
    pages.map(({ lines }) => ({ lines, notes: [] })),
    builder,
  );
  const text = builder.text();
  return builder.file('unknown', {}, { warnings: warningsOf(pages, text) });
}

function warningsOf(pages: readonly OcrPage[], text: string): string[] {
  const unreadable = pages.filter(({ isUnreadable }) => isUnreadable).length;
  if (unreadable === 0) return text === '' ? ['No words were found in the picture.'] : [];
  const what = text === '' ? 'The picture could' : `${unreadable} of ${pages.length} pages could`;
  return [`${what} not be read. ${UNREADABLE_REASON}`];
}
