/** Writes PDFs object by object, for tests of what a page may hide. */
import { pdfOf } from '../files/make-files.ts';

export interface WrittenPage {
  /** PDF operators. The page has the fonts F1 (Helvetica) and F2 (Courier). */
  content: string;
  /** More entries of the page's resources. `@name` refers to an object. */
  resources?: string;
  /** More entries of the page, such as a box or annotations. */
  entries?: string;
}

export interface WrittenPdf {
  pages: readonly WrittenPage[];
  /** More objects by name. `@name` refers to another one. */
  objects?: Readonly<Record<string, string>>;
  /** More entries of the catalog. */
  catalog?: string;
}

const BOX = '/MediaBox [0 0 400 300]';
const FONTS = '/F1 @helvetica /F2 @courier';

export function writePdf({ pages, objects = {}, catalog = '' }: WrittenPdf): Uint8Array {
  const kids = pages.map((_, at) => `@page${at}`);
  const all: [string, string][] = [
    ['catalog', `<< /Type /Catalog /Pages @pages ${catalog} >>`],
    ['pages', `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${pages.length} >>`],
    ['helvetica', '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'],
    ['courier', '<< /Type /Font /Subtype /Type1 /BaseFont /Courier-Bold /Encoding /WinAnsiEncoding >>'],
    ...pages.flatMap(({ content, resources = '', entries = '' }, at): [string, string][] => {
      const box = entries.includes('/MediaBox') ? '' : BOX;
      const own = resources.includes('/Font') ? resources : `/Font << ${FONTS} >> ${resources}`;
      return [
        [
          `page${at}`,
          `<< /Type /Page /Parent @pages ${box} ${entries} /Resources << ${own} >> /Contents @content${at} >>`,
        ],
        [`content${at}`, stream(content)],
      ];
    }),
    ...Object.entries(objects),
  ];
  const numbers = new Map(all.map(([name], at) => [name, at + 1]));
  return pdfOf(
    all.map(([, body]) =>
      body.replace(/@([a-z]\w*)/gi, (_, name: string) => {
        const number = numbers.get(name);
        if (number === undefined) throw new Error(`There is no object ${name}.`);
        return `${number} 0 R`;
      }),
    ),
  );
}

/** Returns a stream object. Its content has Latin-1 characters only. */
export function stream(content: string, entries = ''): string {
  return `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

export function form(content: string, resources = `/Font << ${FONTS} >>`, entries = ''): string {
  return stream(content, `/Type /XObject /Subtype /Form /BBox [0 0 400 300] /Resources << ${resources} >> ${entries}`);
}

/** Returns operators that write a line of text. */
export function line(text: string, x = 40, y = 150, size = 14, font = 'F1', more = ''): string {
  return `BT /${font} ${size} Tf ${more} 1 0 0 1 ${x} ${y} Tm ${literal(text)} Tj ET`;
}

export function literal(text: string): string {
  return `(${text.replace(/[\\()]/g, '\\$&')})`;
}

/** Returns a table that maps codes of a font to characters. Codes have `bytes` bytes. */
export function toUnicode(map: ReadonlyMap<number, string>, bytes: 1 | 2): string {
  const hex = (value: number, length: number): string => value.toString(16).padStart(length, '0');
  const lines = [...map].map(([code, text]) => {
    const units = Array.from({ length: text.length }, (_, at) => hex(text.charCodeAt(at), 4));
    return `<${hex(code, bytes * 2)}> <${units.join('')}>`;
  });
  return stream(
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n/CMapName /Plain def /CMapType 2 def\n' +
      `1 begincodespacerange <${'00'.repeat(bytes)}> <${'ff'.repeat(bytes)}> endcodespacerange\n` +
      `${lines.length} beginbfchar\n${lines.join('\n')}\nendbfchar\nendcmap end end`,
  );
}
