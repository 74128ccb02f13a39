/** Writes the pages of table-pages.ts as HTML, flat ODT and TeX. */
import { type Cell, htmlPage, type PageSpec, type Rules, type TableSpec } from './table-pages.ts';

const TITLE = 'Report of the regional offices';

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

export function pageHtml(page: PageSpec): string {
  const body = page.parts.map((part) => ('prose' in part ? `<p>${escapeXml(part.prose)}</p>` : tableHtml(part.table)));
  const style = `@page{size:A4 ${page.landscape ? 'landscape' : 'portrait'}}`;
  const columns = `<div style="columns:${page.columns}">${body.join('')}</div>`;
  return htmlPage(`<h1>${TITLE}</h1>${page.columns > 1 ? columns : body.join('')}`, style);
}

const CSS: Record<Rules, [table: string, head: string, cell: (row: number) => string]> = {
  ruled: ['', 'background:#eee;', () => 'border:1px solid #444;'],
  horizontal: ['border-top:2px solid;border-bottom:2px solid;', 'border-bottom:1px solid;', () => ''],
  banded: ['', 'background:#335;color:#fff;', (row) => (row % 2 ? 'background:#e4e8f0;' : '')],
  plain: ['', 'font-weight:bold;', () => ''],
};

function tableHtml({ rules, heads, rows, size = 10.5, rightToLeft }: TableSpec): string {
  const [table, head, cell] = CSS[rules];
  const line = (row: readonly Cell[], at: number) =>
    `<tr>${row
      .map(({ text, columns = 1, rows: height = 1 }) => {
        const name = at < heads ? 'th' : 'td';
        const style = `${cell(at)}${at < heads ? head : ''}padding:2px 8px;text-align:${align(text)}`;
        return `<${name} colspan="${columns}" rowspan="${height}" style="${style}">${escapeXml(text)}</${name}>`;
      })
      .join('')}</tr>`;
  const style = `border-collapse:collapse;break-inside:${rows.length > 30 ? 'auto' : 'avoid'};font-size:${size}pt;${table}`;
  const all = rows.map(line);
  return `<table ${rightToLeft ? 'dir="rtl"' : ''} style="${style}"><thead>${all.slice(0, heads).join('')}</thead><tbody>${all.slice(heads).join('')}</tbody></table>`;
}

function align(text: string): 'right' | 'left' | 'start' {
  if (/^[\d.,]+( %)?$/.test(text)) return 'right';
  return /[\u0600-\u06ff]/.test(text) ? 'start' : 'left';
}

/** Returns flat OpenDocument text that LibreOffice reads. */
export function pageFodt(page: PageSpec): string {
  const tables = page.parts.flatMap((part) => ('table' in part ? [part.table] : []));
  const names = ['office', 'style', 'text', 'table']
    .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
    .join(' ');
  const size = page.landscape ? ['29.7cm', '21cm'] : ['21cm', '29.7cm'];
  const body = page.parts.map((part) =>
    'prose' in part
      ? `<text:p text:style-name="prose">${escapeXml(part.prose)}</text:p>`
      : tableFodt(part.table, tables.indexOf(part.table)),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${names} xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
<office:automatic-styles>
<style:page-layout style:name="paper"><style:page-layout-properties fo:page-width="${size[0]}" fo:page-height="${size[1]}" fo:margin="2cm"/></style:page-layout>
<style:style style:name="prose" style:family="paragraph"><style:paragraph-properties fo:text-align="justify" fo:margin-bottom="0.2cm"/><style:text-properties fo:font-size="10.5pt"/></style:style>
<style:style style:name="columns" style:family="section"><style:section-properties><style:columns fo:column-count="${page.columns}" fo:column-gap="0.6cm"/></style:section-properties></style:style>
${tables.map(stylesFodt).join('\n')}
</office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="paper"/></office:master-styles>
<office:body><office:text><text:h text:outline-level="1">${TITLE}</text:h>
<text:section text:style-name="columns" text:name="text">${body.join('\n')}</text:section></office:text></office:body></office:document>`;
}

const LINE = '0.5pt solid #444444';
const BOLD_LINE = '1.5pt solid #000000';

function stylesFodt({ size = 10.5, rightToLeft, ...table }: TableSpec, at: number): string {
  const cell = (name: string, properties: string) =>
    `<style:style style:name="${name}${at}" style:family="table-cell"><style:table-cell-properties fo:padding="0.08cm" ${properties}/></style:style>`;
  const direction = rightToLeft ? 'style:writing-mode="rl-tb"' : '';
  const text = (name: string, side: string, more = '') =>
    `<style:style style:name="${name}${at}" style:family="paragraph"><style:paragraph-properties ${direction} fo:text-align="${side}"/><style:text-properties fo:font-size="${size}pt" style:font-size-asian="${size}pt" style:font-size-complex="${size}pt" ${more}/></style:style>`;
  const rules: Record<Rules, [head: string, odd: string, even: string, last: string]> = {
    ruled: [`fo:border="${LINE}"`, `fo:border="${LINE}"`, `fo:border="${LINE}"`, `fo:border="${LINE}"`],
    horizontal: [`fo:border-top="${BOLD_LINE}" fo:border-bottom="${LINE}"`, '', '', `fo:border-bottom="${BOLD_LINE}"`],
    banded: ['fo:background-color="#ccccee"', 'fo:background-color="#eeeeff"', '', ''],
    plain: ['', '', '', ''],
  };
  const [head, odd, even, last] = rules[table.rules];
  return [
    `<style:style style:name="table${at}" style:family="table"><style:table-properties table:align="margins" ${direction}/></style:style>`,
    ...[cell('head', head), cell('odd', odd), cell('even', even), cell('last', last)],
    ...[text('start', 'start'), text('end', 'end'), text('bold', 'start', 'fo:font-weight="bold"')],
  ].join('\n');
}

function tableFodt({ heads, rows }: TableSpec, table: number): string {
  const width = rows.reduce(
    (most, row) =>
      Math.max(
        most,
        row.reduce((sum, cell) => sum + (cell.columns ?? 1), 0),
      ),
    0,
  );
  const covered = rows.map(() => new Set<number>());
  const lines = rows.map((row, at) => {
    const kind = at < heads ? 'head' : at === rows.length - 1 ? 'last' : at % 2 ? 'odd' : 'even';
    const waiting = [...row];
    let line = '';
    for (let column = 0; column < width; column += 1) {
      if (covered[at]!.has(column)) {
        line += '<table:covered-table-cell/>';
        continue;
      }
      const { text, columns = 1, rows: height = 1 } = waiting.shift() ?? { text: '' };
      for (let down = 0; down < height; down += 1)
        for (let right = 0; right < columns; right += 1) covered[at + down]!.add(column + right);
      const style = at < heads ? 'bold' : align(text) === 'right' ? 'end' : 'start';
      line += `<table:table-cell table:style-name="${kind}${table}" table:number-columns-spanned="${columns}" table:number-rows-spanned="${height}"><text:p text:style-name="${style}${table}">${escapeXml(text)}</text:p></table:table-cell>`;
    }
    return `<table:table-row>${line}</table:table-row>`;
  });
  const head = heads > 0 ? `<table:table-header-rows>${lines.slice(0, heads).join('')}</table:table-header-rows>` : '';
  return `<table:table table:name="t${table}" table:style-name="table${table}"><table:table-column table:number-columns-repeated="${width}"/>${head}${lines.slice(heads).join('\n')}</table:table>`;
}

const escapeTex = (text: string): string => text.replace(/[%&#$_{}]/g, '\\$&');

/** Returns LaTeX that needs no packages beyond a small installation; undefined for scripts that it cannot print. */
export function pageTex(page: PageSpec): string | undefined {
  const tables = page.parts.flatMap((part) => ('table' in part ? [part.table] : []));
  const isLong = tables.some(({ rows }) => rows.length > 30);
  if (!page.latin || isLong || tables.some(({ rules }) => rules === 'banded')) return undefined;
  const body = page.parts.map((part) => ('prose' in part ? `${escapeTex(part.prose)}\n\n` : tableTex(part.table)));
  const options = `a4paper${page.columns > 1 ? ',twocolumn' : ''}${page.landscape ? ',landscape' : ''}`;
  return `\\documentclass[${options}]{article}
\\usepackage[margin=2cm,${options.includes('landscape') ? 'landscape' : 'portrait'}]{geometry}\\usepackage[T1]{fontenc}
\\begin{document}\\section{${TITLE}}
${body.join('\n')}\\end{document}`;
}

function tableTex({ rules, heads, rows, size = 10.5 }: TableSpec): string {
  const width = rows.at(-1)!.length;
  const bar = rules === 'ruled' ? '|' : '';
  const form = (column: number): string => {
    const texts = rows.slice(heads).map((row) => row[column]?.text ?? '');
    if (texts.some((text) => text.length > 60)) return 'p{6cm}';
    if (texts.some((text) => text.length > 30)) return 'p{3cm}';
    return texts.every((text) => align(text) === 'right') ? 'r' : 'l';
  };
  const columns = `${bar}${Array.from({ length: width }, (_, at) => form(at) + bar).join('')}`;
  let taken: number[] = [];
  const line = (row: readonly Cell[], at: number): string => {
    const waiting = [...row];
    const below: number[] = [];
    const parts: string[] = [];
    for (let column = 0; column < width; ) {
      if (taken.includes(column)) {
        parts.push('');
        column += 1;
        continue;
      }
      const { text, columns: span = 1, rows: height = 1 } = waiting.shift() ?? { text: '' };
      if (height > 1) below.push(column);
      parts.push(span > 1 ? `\\multicolumn{${span}}{${bar}c${bar}}{${escapeTex(text)}}` : escapeTex(text));
      column += span;
    }
    taken = below;
    const rule = rules === 'ruled' || (rules === 'horizontal' && (at === heads - 1 || at === rows.length - 1));
    return `${parts.join(' & ')} \\\\${rule ? '\\hline' : ''}`;
  };
  const top = rules === 'plain' ? '' : '\\hline';
  return `\\begin{center}${size < 10 ? '\\scriptsize' : '\\normalsize'}\\begin{tabular}{${columns}}${top}
${rows.map(line).join('\n')}
\\end{tabular}\\end{center}\n`;
}
