/** Makes small but real DOCX, XLSX and PDF files, so that tests and the demo need no binary fixtures. */
import { strToU8, zipSync } from 'fflate';

export type DocxBlock =
  | { heading: string; level?: 1 | 2 | 3 | 4 | 5 | 6 }
  | { paragraph: string }
  | { list: readonly string[]; ordered?: boolean }
  | { table: readonly (readonly string[])[] };

export interface DocxOptions {
  title?: string;
  author?: string;
  blocks: readonly DocxBlock[];
}

/** The member `percent` is a number that the sheet shows as percents. */
export type XlsxValue = string | number | boolean | Date | { percent: number } | null;

export interface XlsxOptions {
  /** Merged ranges are written such as `A1:C2`. */
  sheets: readonly { name: string; rows: readonly (readonly XlsxValue[])[]; merged?: readonly string[] }[];
}

export interface PdfOptions {
  title?: string;
  author?: string;
  /** The lines of each page, in Windows-1252 characters only. A line `# text` is set larger and bold. */
  pages: readonly (readonly string[])[];
  /** Annotations of the first page, as PDF dictionaries. */
  annotations?: readonly string[];
  /** Form fields of the first page, as PDF dictionaries. */
  fields?: readonly string[];
  /** PDF operators that draw on the first page, after its lines. The page has the fonts F1 and F2. */
  drawing?: string;
  /** Attached files with Latin-1 characters only. Their streams are the last objects of the document. */
  attachments?: readonly { name: string; content: string }[];
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006';
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const ZIP_TIME = new Date('2020-01-01T00:00:00Z');

/** Returns a Word file with real heading styles, numbering and tables. */
export function makeDocx(options: DocxOptions): Uint8Array {
  const body = options.blocks.map(docxBlock).join('');
  const styles = [1, 2, 3, 4, 5, 6]
    .map((n) => `<w:style w:type="paragraph" w:styleId="Heading${n}"><w:name w:val="heading ${n}"/></w:style>`)
    .join('');
  const level = (id: number, format: string, text: string) =>
    `<w:abstractNum w:abstractNumId="${id}"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl></w:abstractNum>`;
  const num = (id: number, abstract: number) => `<w:num w:numId="${id}"><w:abstractNumId w:val="${abstract}"/></w:num>`;
  return zip({
    '[Content_Types].xml': contentTypes({
      '/word/document.xml': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
      '/word/styles.xml': 'application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml',
      '/word/numbering.xml': 'application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml',
      '/docProps/core.xml': 'application/vnd.openxmlformats-package.core-properties+xml',
    }),
    '_rels/.rels': relationships([
      [`${OFFICE}/relationships/officeDocument`, 'word/document.xml'],
      [`${PACKAGE}/relationships/metadata/core-properties`, 'docProps/core.xml'],
    ]),
    'word/_rels/document.xml.rels': relationships([
      [`${OFFICE}/relationships/styles`, 'styles.xml'],
      [`${OFFICE}/relationships/numbering`, 'numbering.xml'],
    ]),
    'word/document.xml': `${XML}<w:document xmlns:w="${WORD}"><w:body>${body}</w:body></w:document>`,
    'word/styles.xml': `${XML}<w:styles xmlns:w="${WORD}">${styles}</w:styles>`,
    'word/numbering.xml': `${XML}<w:numbering xmlns:w="${WORD}">${level(0, 'bullet', '•')}${level(1, 'decimal', '%1.')}${num(1, 0)}${num(2, 1)}</w:numbering>`,
    'docProps/core.xml': coreProperties(options.title, options.author),
  });
}

/** Returns an Excel workbook. A Date becomes a date cell, and a string becomes an inline string. */
export function makeXlsx(options: XlsxOptions): Uint8Array {
  const files: Record<string, string> = {
    'xl/styles.xml': `${XML}<styleSheet xmlns="${SHEET}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="10" applyNumberFormat="1"/><xf numFmtId="22" applyNumberFormat="1"/></cellXfs></styleSheet>`,
  };
  const types: Record<string, string> = {
    '/xl/workbook.xml': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml',
    '/xl/styles.xml': 'application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml',
  };
  const links: [string, string][] = [];
  const entries = options.sheets.map((sheet, index) => {
    const part = `worksheets/sheet${index + 1}.xml`;
    const rows = sheet.rows.map((row, r) => `<row r="${r + 1}">${row.map((v, c) => cell(v, r, c)).join('')}</row>`);
    const ranges = (sheet.merged ?? []).map((range) => `<mergeCell ref="${range}"/>`).join('');
    const merged = ranges && `<mergeCells>${ranges}</mergeCells>`;
    files[`xl/${part}`] =
      `${XML}<worksheet xmlns="${SHEET}"><sheetData>${rows.join('')}</sheetData>${merged}</worksheet>`;
    types[`/xl/${part}`] = 'application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml';
    links.push([`${OFFICE}/relationships/worksheet`, part]);
    return `<sheet name="${escapeXml(sheet.name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`;
  });
  links.push([`${OFFICE}/relationships/styles`, 'styles.xml']);
  return zip({
    '[Content_Types].xml': contentTypes(types),
    '_rels/.rels': relationships([[`${OFFICE}/relationships/officeDocument`, 'xl/workbook.xml']]),
    'xl/_rels/workbook.xml.rels': relationships(links),
    'xl/workbook.xml': `${XML}<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}/relationships"><sheets>${entries.join('')}</sheets></workbook>`,
    ...files,
  });
}

/** Returns a PDF 1.4 file in Helvetica with a cross-reference table (no cross-reference stream). */
export function makePdf(options: PdfOptions): Uint8Array {
  const objects: string[] = [];
  const add = (body: string) => objects.push(body);
  const firstPage = 6;
  const kids = options.pages.map((_, index) => `${firstPage + index * 2} 0 R`);
  const fields = (options.fields ?? []).map((_, index) => `${firstPage + options.pages.length * 2 + index} 0 R`);
  const form = fields.length === 0 ? '' : ` /AcroForm << /Fields [${fields.join(' ')}] >>`;
  const attachments = options.attachments ?? [];
  const firstFile = firstPage + options.pages.length * 2 + fields.length;
  const files = attachments.map(({ name }, index) => {
    const spec = `<< /Type /Filespec /F ${pdfString(name)} /EF << /F ${firstFile + index} 0 R >> >>`;
    return `${pdfString(name)} ${spec}`;
  });
  const names = files.length === 0 ? '' : ` /Names << /EmbeddedFiles << /Names [${files.join(' ')}] >> >>`;
  add(`<< /Type /Catalog /Pages 2 0 R${form}${names} >>`);
  add(`<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`);
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>');
  add(
    `<< /Title ${pdfString(options.title ?? '')} /Author ${pdfString(options.author ?? '')} /CreationDate (D:20240102030405Z) >>`,
  );
  for (const [index, lines] of options.pages.entries()) {
    const stream = `${pdfLines(lines)}\n${index === 0 ? (options.drawing ?? '') : ''}`.trim();
    const own = index === 0 ? [...(options.annotations ?? []), ...fields] : [];
    const annotations = own.length === 0 ? '' : `/Annots [${own.join(' ')}] `;
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] ${annotations}/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents ${firstPage + index * 2 + 1} 0 R >>`,
    );
    add(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
  }
  for (const body of options.fields ?? []) add(body);
  for (const { content } of attachments)
    add(`<< /Type /EmbeddedFile /Length ${content.length} >>\nstream\n${content}\nendstream`);
  return pdfOf(objects, '/Info 5 0 R');
}

/** Returns a PDF 1.4 file with these objects. Objects are numbered from 1, and the first object is the catalog. */
export function pdfOf(objects: readonly string[], trailer = ''): Uint8Array {
  let out = '%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n';
  const offsets = objects.map((body, index) => {
    const offset = out.length;
    out += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const xref = out.length;
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  out += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  out += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${xref}\n%%EOF\n`;
  return Uint8Array.from(out, (char) => char.charCodeAt(0));
}

function docxBlock(block: DocxBlock): string {
  if ('heading' in block) return paragraph(block.heading, `<w:pStyle w:val="Heading${block.level ?? 1}"/>`);
  if ('paragraph' in block) return paragraph(block.paragraph, '');
  if ('list' in block) {
    const properties = `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="${block.ordered ? 2 : 1}"/></w:numPr>`;
    return block.list.map((item) => paragraph(item, properties)).join('');
  }
  const rows = block.table.map(
    (row) => `<w:tr>${row.map((text) => `<w:tc>${paragraph(text, '')}</w:tc>`).join('')}</w:tr>`,
  );
  return `<w:tbl>${rows.join('')}</w:tbl>`;
}

function paragraph(text: string, properties: string): string {
  return `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r></w:p>`;
}

function cell(value: XlsxValue, row: number, column: number): string {
  if (value === null) return '';
  const ref = `${columnName(column)}${row + 1}`;
  if (typeof value === 'number') return `<c r="${ref}"><v>${value}</v></c>`;
  if (typeof value === 'boolean') return `<c r="${ref}" t="b"><v>${value ? 1 : 0}</v></c>`;
  if (value instanceof Date) {
    const style = value.getTime() % 86_400_000 === 0 ? 1 : 3;
    return `<c r="${ref}" s="${style}"><v>${value.getTime() / 86_400_000 + 25_569}</v></c>`;
  }
  if (typeof value === 'object') return `<c r="${ref}" s="2"><v>${value.percent / 100}</v></c>`;
  return `<c r="${ref}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(value)}</t></is></c>`;
}

export function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

function pdfLines(lines: readonly string[]): string {
  let out = 'BT 72 770 Td 16 TL\n';
  for (const line of lines) {
    const heading = line.startsWith('# ');
    out += `${heading ? '/F2 18 Tf' : '/F1 11 Tf'} ${pdfString(heading ? line.slice(2) : line)} Tj T*\n`;
  }
  return `${out}ET`;
}

function pdfString(text: string): string {
  const bytes = [...text].map((char) => (char === '–' ? '\u0096' : char === '’' ? '\u0092' : char)).join('');
  return `(${bytes.replace(/[\\()]/g, '\\$&')})`;
}

function contentTypes(parts: Record<string, string>): string {
  const overrides = Object.entries(parts).map(([part, type]) => `<Override PartName="${part}" ContentType="${type}"/>`);
  return `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}</Types>`;
}

function relationships(links: readonly (readonly [type: string, target: string])[]): string {
  const items = links.map(([type, target], i) => `<Relationship Id="rId${i + 1}" Type="${type}" Target="${target}"/>`);
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${items.join('')}</Relationships>`;
}

function coreProperties(title = '', author = ''): string {
  return `${XML}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>${escapeXml(title)}</dc:title><dc:creator>${escapeXml(author)}</dc:creator><dcterms:created xsi:type="dcterms:W3CDTF">2024-01-02T03:04:05Z</dcterms:created></cp:coreProperties>`;
}

function zip(files: Record<string, string>): Uint8Array {
  const bytes = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]));
  return zipSync(bytes, { mtime: ZIP_TIME });
}

export function escapeXml(text: string): string {
  return text.replace(/[<>&"]/g, (char) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' })[char]!);
}
