/**
 * Measures tables of PDFs: the share of neighbouring cells that are kept, and the number of tables that do not exist.
 * Chromium, LibreOffice and pdfTeX (where installed) print documents with known tables as PDF, and the parser reads them.
 *
 *   npm run bench:pdf-tables [-- --worst 5] [-- --show words-ruled] [-- --real folder]
 *
 * The folder holds PDFs and a `tables.json`: `{"a.pdf": [[["cell", …], …], …]}`, with an empty list where a PDF has no table.
 */
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse as parseCsv } from 'csv-parse/sync';
import markdownIt from 'markdown-it';
import { loadToolConfig } from '../src/config.ts';
import type { ProcessOutcome } from '../src/files/parsed.ts';
import type { FileProcessor } from '../src/files/sandbox/file-processor.ts';
import { openProcessPool } from '../src/files/sandbox/process-pool.ts';
import { openToolRunner } from '../src/files/sandbox/tool-runner.ts';
import { type Printer, type PrintOrder, printAll } from './support/printed-pdfs.ts';
import { gridsOf, htmlPage, pagesWithoutTables, tablePages } from './support/table-pages.ts';
import { countPairs, type Grid, gridOfMarkdown, type PairCount, pairF1 } from './support/table-score.ts';
import { pageFodt, pageHtml, pageTex } from './support/table-writers.ts';

interface Case {
  name: string;
  /** Why the table is hard, or its origin. */
  group: string;
  printer: string;
  pdf: string;
  truth: readonly Grid[];
}

interface Result extends Case {
  found: readonly string[];
  pairs: PairCount;
}

type Order = PrintOrder & Omit<Case, 'pdf'>;

const FILES = join(import.meta.dirname, '../../shared/data/files');
/** Maximum printed rows of a real CSV table. */
const CSV_ROWS_MAX = 60;
/** These pages hold no table: checked page by page. */
const REAL_WITHOUT_TABLES = [
  'docling/tests/data/pdf/sources/multi_page.pdf',
  'docling/tests/data/pdf/sources/picture_classification.pdf',
  'docling/tests/data/pdf/sources/right_to_left_02.pdf',
  'textract/tests/pdf/raw_text.pdf',
];

/** The tables on these pages, in Markdown. */
const MARKITDOWN = 'markitdown/packages/markitdown/tests/test_files';
const REAL_WITH_TABLES: Record<string, string> = {
  'docling/tests/data/pdf/sources/2305.03393v1-pg9.pdf': 'docling/tests/data/pdf/groundtruth/2305.03393v1-pg9.md',
  [`${MARKITDOWN}/REPAIR-2022-INV-001_multipage.pdf`]: `${MARKITDOWN}/expected_outputs/REPAIR-2022-INV-001_multipage.md`,
  [`${MARKITDOWN}/movie-theater-booking-2024.pdf`]: `${MARKITDOWN}/expected_outputs/movie-theater-booking-2024.md`,
};

const { values: args } = parseArgs({
  options: {
    worst: { type: 'string', default: '0' },
    show: { type: 'string' },
    real: { type: 'string' },
  },
});
const pool = openProcessPool({ children: 2, tools: openToolRunner(loadToolConfig(process.env)) });
const orders = [...pageOrders(), ...negativeOrders(), ...csvOrders(), ...(await fileOrders(pool))].filter(isWanted);
const pdfs = await printAll(orders);
const printed = orders.flatMap((order, at) => (pdfs[at] === undefined ? [] : [{ ...order, pdf: pdfs[at] }]));
const cases: Case[] = [...printed, ...(await realCases(pool))].filter(isWanted);
const results = await Promise.all(cases.map((one) => measure(pool, one)));
await pool.close();
printGroups(results);
if (args.show !== undefined) show(results);
const worst = results.toSorted((a, b) => pairF1(a.pairs) - pairF1(b.pairs)).slice(0, Number(args.worst));
for (const { name, printer, pdf, pairs } of worst)
  console.log(`${pairF1(pairs).toFixed(3)}  ${name} (${printer}) ${pdf}`);

function isWanted({ name }: { name: string }): boolean {
  return args.show === undefined || name.startsWith(args.show);
}

function pageOrders(): Order[] {
  return tablePages().flatMap((page) => {
    const { name, group } = page;
    const html = pageHtml(page);
    const tex = pageTex(page);
    const order = (printer: Printer, extension: string, content: string): Order => ({
      ...{ name, group, printer, extension, content },
      truth: gridsOf(page),
    });
    const fodt = pageFodt(page);
    return [
      order('chromium', 'html', html),
      order('chromium, tagged', 'html', html),
      order('writer', 'fodt', fodt),
      order('writer, untagged', 'fodt', fodt),
      ...(tex === undefined ? [] : [order('tex', 'tex', tex)]),
    ];
  });
}

function negativeOrders(): Order[] {
  return pagesWithoutTables().flatMap(({ name, html }) =>
    (['chromium', 'chromium, tagged'] as const).map((printer) => ({
      ...{ name: `no-table-${name}`, group: 'no tables', printer, extension: 'html', content: html, truth: [] },
    })),
  );
}

/** Reads tables from real CSV files. */
function csvOrders(): Order[] {
  return globSync('**/*.csv', { cwd: FILES, exclude: ['hostile'] }).flatMap((path) => {
    const rows = parseCsv(readFileSync(join(FILES, path)), {
      relax_column_count: true,
      relax_quotes: true,
    }) as string[][];
    if (rows.length < 2 || rows.length > CSV_ROWS_MAX || rows.some((row) => row.length < 2)) return [];
    const line = (row: string[]) =>
      `<tr>${row.map((cell) => `<td>${cell.replaceAll('<', '&lt;')}</td>`).join('')}</tr>`;
    const table = `<p>Rows of a file.</p><table>${rows.map(line).join('')}</table>`;
    return ['', 'td{border:1px solid}'].map((style) => ({
      ...{ name: basename(path), group: 'real CSV', printer: 'chromium' as const, extension: 'html', truth: [rows] },
      content: htmlPage(table, `table{border-collapse:collapse}td{padding:1px 6px}${style}`),
    }));
  });
}

/** Real Office files, whose tables the parser of their own format reads. */
async function fileOrders(files: FileProcessor): Promise<Order[]> {
  const paths = globSync('**/*.{docx,odt,md,html}', { cwd: FILES }).filter((path) => !/readability|hostile/.test(path));
  const render = (text: string) => htmlPage(markdownIt({ html: true }).render(text), 'td,th{padding:1px 6px}');
  const orders = paths.toSorted().map(async (path): Promise<Order[]> => {
    const truth = tablesOf(await read(files, join(FILES, path))).map(gridOfMarkdown);
    if (truth.length === 0) return [];
    const bytes = readFileSync(join(FILES, path));
    const extension = path.split('.').at(-1)!;
    const made = { name: basename(path), group: `real ${extension}`, truth };
    if (extension === 'md') {
      const content = render(bytes.toString());
      return [{ ...made, printer: 'chromium' as const, extension: 'html', content }];
    }
    return [{ ...made, printer: extension === 'html' ? 'chromium' : 'writer', extension, content: bytes }];
  });
  return (await Promise.all(orders)).flat();
}

/** PDF files with known tables, read unchanged. */
async function realCases(files: FileProcessor): Promise<Case[]> {
  const made = { group: 'real PDF', printer: 'as it is' };
  const shared: Case[] = REAL_WITHOUT_TABLES.map((path) => ({
    ...{ ...made, group: 'no tables', name: basename(path), pdf: join(FILES, path), truth: [] },
  }));
  for (const [path, expected] of Object.entries(REAL_WITH_TABLES)) {
    const truth = tablesOf(await read(files, join(FILES, expected))).map(gridOfMarkdown);
    shared.push({ ...made, name: basename(path), pdf: join(FILES, path), truth });
  }
  if (args.real === undefined) return shared;
  const folder = args.real;
  const truths = JSON.parse(readFileSync(join(folder, 'tables.json'), 'utf8')) as Record<string, Grid[]>;
  const more = Object.entries(truths).map(([path, truth]) => ({
    ...{ ...made, group: truth.length === 0 ? 'no tables' : made.group, name: path, pdf: join(folder, path), truth },
  }));
  return [...shared, ...more];
}

async function measure(files: FileProcessor, one: Case): Promise<Result> {
  const found = tablesOf(await read(files, one.pdf));
  return { ...one, found, pairs: countPairs(one.truth, found.map(gridOfMarkdown)) };
}

function read(files: FileProcessor, path: string): Promise<ProcessOutcome> {
  const request = {
    path,
    name: basename(path),
    size: statSync(path).size,
    chunkMetadataKeys: [],
    inspect: Number.POSITIVE_INFINITY,
  };
  return files.process(request, new AbortController().signal);
}

function tablesOf(outcome: ProcessOutcome): string[] {
  if (!outcome.ok) return [];
  const { text, inspected } = outcome.file;
  return inspected!.blocks.filter(({ kind }) => kind === 'table').map(({ start, end }) => text.slice(start, end));
}

function printGroups(results: readonly Result[]): void {
  const width = 20;
  console.log(`${''.padEnd(width)} files  tables  found  precision  recall     F1`);
  const line = (name: string, group: readonly Result[]): void => {
    const pairs = { truth: 0, found: 0, both: 0 };
    for (const { pairs: more } of group) for (const key of ['truth', 'found', 'both'] as const) pairs[key] += more[key];
    const shares = [pairs.both / pairs.found, pairs.both / pairs.truth, pairF1(pairs)];
    console.log(
      [
        name.padEnd(width),
        String(group.length).padStart(5),
        String(group.reduce((sum, { truth }) => sum + truth.length, 0)).padStart(7),
        String(group.reduce((sum, { found }) => sum + found.length, 0)).padStart(6),
        ...shares.map((share, at) => (Number.isFinite(share) ? share.toFixed(3) : '–').padStart(at === 0 ? 10 : 7)),
      ].join(' '),
    );
  };
  const positive = results.filter(({ truth }) => truth.length > 0);
  for (const key of ['group', 'printer'] as const) {
    for (const [name, group] of Map.groupBy(positive, (result) => result[key])) line(name, group);
    console.log();
  }
  for (const rules of ['ruled', 'horizontal', 'banded', 'plain'])
    line(
      rules,
      positive.filter(({ name }) => name.endsWith(`-${rules}`)),
    );
  line('all with tables', positive);
  const negative = results.filter(({ truth }) => truth.length === 0);
  const wrong = negative.filter(({ found }) => found.length > 0);
  const tables = wrong.reduce((sum, { found }) => sum + found.length, 0);
  console.log(`\nfiles without tables: ${negative.length}; tables found in them: ${tables}, in ${wrong.length} files`);
  for (const { name, printer, found } of wrong) console.log(`  ${found.length} in ${name} (${printer})`);
}

function show(results: readonly Result[]): void {
  for (const { name, printer, pdf, pairs, found } of results) {
    console.log(`\n${name} (${printer}) ${pairF1(pairs).toFixed(3)} ${pdf}`);
    for (const table of found) console.log(`${table}\n`);
  }
}
