/** Tagged tables of PDFs: how far the structure tree is read, and which ids of marked content count. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { parsePdf } from '../../src/files/formats/pdf/pdf.ts';
import type { PdfiumModule } from '../../src/files/formats/pdf/pdfium.ts';
import { TagReader } from '../../src/files/formats/pdf/structure.ts';
import { pdfOf } from '../support/files/make-files.ts';

const ROWS = [
  ['Bird', 'Nests'],
  ['Heron', 'high in trees'],
  ['Egret', 'in reeds'],
];
const TABLE = '| Bird | Nests |\n| --- | --- |\n| Heron | high in trees |\n| Egret | in reeds |';
const word = (x: number, y: number, text: string) => `BT /F1 10 Tf ${x} ${y} Td (${text}) Tj ET`;

interface Tagged {
  pages?: number;
  /** Empty elements beside the tables. */
  siblings?: number;
  /** Whether each element contains the table again. */
  isCycle?: boolean;
  /** Content that a form draws after the table. */
  form?: string;
}

/** Pages with one tagged table each, whose words are not aligned in columns. */
function taggedPdf({ pages = 1, siblings = 0, isCycle = false, form = '' }: Tagged): Uint8Array {
  const objects: string[] = [];
  const add = (body: string) => objects.push(body);
  const stream = (text: string, entries = '') => `<< ${entries} /Length ${text.length} >>\nstream\n${text}\nendstream`;
  const numbered = ROWS.flatMap((row, r) =>
    row.map((text, c) => `/TD << /MCID ${r * 2 + c} >> BDC\n${word(72 + c * 57 + r * 31, 700 - r * 23, text)}\nEMC`),
  );
  const around = [word(72, 640, 'Behind the table.'), '/X Do'];
  const font = '/Resources << /Font << /F1 4 0 R >> /XObject << /X 6 0 R >> >>';
  const perPage = 2 + ROWS.length * 3;
  const firstOf = (page: number) => 8 + page * perPage;
  const each = <T>(count: number, of: (index: number) => T) => Array.from({ length: count }, (_, index) => of(index));
  const sibling = firstOf(pages);
  const kids = [...each(pages, (page) => firstOf(page) + 1), ...each(siblings, () => sibling)];
  const owners = each(pages, (page) => `${page} [${each(6, (at) => `${firstOf(page) + 5 + at} 0 R`).join(' ')}]`);
  add('<< /Type /Catalog /Pages 2 0 R /StructTreeRoot 5 0 R /MarkInfo << /Marked true >> >>');
  add(`<< /Type /Pages /Count ${pages} /Kids [${each(pages, (page) => `${firstOf(page)} 0 R`).join(' ')}] >>`);
  add(stream([...numbered, ...around].join('\n')));
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  add(`<< /Type /StructTreeRoot /K 7 0 R /ParentTree << /Nums [${owners.join(' ')}] >> >>`);
  add(stream(form, '/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /Font << /F1 4 0 R >> >>'));
  add(`<< /Type /StructElem /S /Document /P 5 0 R /K [${kids.map((kid) => `${kid} 0 R`).join(' ')}] >>`);
  for (let page = 0; page < pages; page += 1) {
    const first = firstOf(page);
    const again = isCycle ? ` ${first + 1} 0 R` : '';
    add(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /StructParents ${page} ${font} /Contents 3 0 R >>`);
    add(`<< /Type /StructElem /S /Table /P 7 0 R /K [${each(3, (r) => `${first + 2 + r} 0 R`).join(' ')}${again}] >>`);
    for (const r of ROWS.keys())
      add(`<< /Type /StructElem /S /TR /P ${first + 1} 0 R /K [${first + 5 + r * 2} 0 R ${first + 6 + r * 2} 0 R] >>`);
    for (const [r, row] of ROWS.entries())
      for (const c of row.keys())
        add(`<< /Type /StructElem /S /TD /P ${first + 2 + r} 0 R /Pg ${first} 0 R /K [${r * 2 + c}${again}] >>`);
  }
  if (siblings > 0) add('<< /Type /StructElem /S /P /P 7 0 R >>');
  return pdfOf(objects);
}

async function tablesOf(bytes: Uint8Array): Promise<{ text: string; tables: string[] }> {
  const { text, blocks } = await parsePdf(bytes, {});
  const tables = blocks.filter(({ kind }) => kind === 'table').map(({ start, end }) => text.slice(start, end));
  return { text, tables };
}

test('other elements of a document do not hide a tagged table', async () => {
  assert.deepEqual((await tablesOf(taggedPdf({ siblings: 20_100 }))).tables, [TABLE]);
});

test('a structure element that contains itself is read once', async () => {
  assert.deepEqual((await tablesOf(taggedPdf({ isCycle: true }))).tables, [TABLE]);
});

test('content ids inside a form are not mixed up with ids of the page', async () => {
  const form = [word(72, 500, 'All of the invoices'), word(72, 480, 'Page footer')].map(
    (text, at) => `/P << /MCID ${at * 3} >> BDC\n${text}\nEMC`,
  );
  const { text, tables } = await tablesOf(taggedPdf({ form: form.join('\n') }));
  assert.deepEqual(tables, [TABLE]);
  assert.match(text, /Behind the table\.\s+All of the invoices\s+Page footer$/);
});

test('the structure tree of a document is read up to a limit of work', async () => {
  const childrenMax = 1000;
  const counted = async (siblings: number, limit = childrenMax, pages = 30) => {
    const library = await PDFiumLibrary.init();
    const document = await library.loadDocument(taggedPdf({ pages, siblings }));
    const { module } = document as unknown as { module: PdfiumModule };
    const counts = { trees: 0, children: 0 };
    const counting = new Proxy(module, {
      get(target, name, self) {
        if (name === '_FPDF_StructTree_GetForPage') counts.trees += 1;
        if (name === '_FPDF_StructElement_GetChildAtIndex') counts.children += 1;
        return Reflect.get(target, name, self);
      },
    });
    const rows: number[] = [];
    const tags = new TagReader(counting, limit);
    const found = Array.from({ length: pages }, (_, index) => {
      const { pageIdx } = document.getPage(index) as unknown as { pageIdx: number };
      const textPage = module._FPDFText_LoadPage(pageIdx);
      const text = 'x'.repeat(module._FPDFText_CountChars(textPage));
      const pageText = { text, indexOf: (unit: number) => unit, unitOf: (index: number) => index };
      const tables = tags.tablesOn(pageIdx, textPage, pageText, new Uint8Array(text.length).fill(1));
      module._FPDFText_ClosePage(textPage);
      rows.push(...tables.map((table) => table.rows.length));
      return tables.length;
    });
    document.destroy();
    library.destroy();
    return { ...counts, found, rows };
  };
  const few = await counted(300);
  assert.deepEqual(few.found.slice(0, 3), [1, 1, 0]);
  assert.ok(few.trees <= 4 && few.children <= childrenMax, JSON.stringify(few));
  // A single page: its table is complete or missing, wherever the work ends.
  const ends = await Promise.all(Array.from({ length: 15 }, (_, more) => counted(10, 30 + more * 4, 1)));
  assert.deepEqual([...new Set(ends.flatMap(({ rows }) => rows))], [3]);
  assert.deepEqual([ends[0]!.found, ends.at(-1)!.found], [[0], [1]]);
  // No child of an element with too many children is read.
  const many = await counted(1000);
  assert.deepEqual([many.trees, many.children, many.found.includes(1)], [1, 0, false]);
});
