/**
 * Compares the types of columns with those that a person gave them: `npm run bench:types`.
 *
 * The labels are in column-types.tsv. The Wikipedia tables are read from a folder (`--wikipedia`, default ../shared/data/tables/wikipedia);
 * the npm package vega-datasets is fetched, or read from a folder (`--vega`). Prints each column with another type. A column is typed
 * wrongly if its type loses or changes values: text instead of a narrower type keeps them, and so do decimals for whole numbers.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildTable } from '../../src/tables/build/build-table.ts';
import type { TableColumn } from '../../src/tables/table.ts';
import { readBytes } from '../../test/support/files/process-bytes.ts';
import { readOptions } from '../support/options.ts';

const RIGHT_SHARE_MIN = 0.95;
const WRONG_SHARE_MAX = 0.005;
const VEGA = 'vega-datasets@3.2.1';
/** Pairs of a label and a type that keep each other's values. */
const KEEPING = new Set(['integer decimal', 'integer double', 'decimal double']);

interface Label {
  file: string;
  column: number;
  header: string;
  type: string;
}

const work = mkdtempSync(path.join(tmpdir(), 'pinakes-types-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const { values } = readOptions(import.meta.filename, {
  options: { wikipedia: { type: 'string' }, vega: { type: 'string' }, labels: { type: 'string' } },
});
const wikipedia = values.wikipedia ?? path.resolve(import.meta.dirname, '../../../shared/data/tables/wikipedia');
const folders: Record<string, string | undefined> = {
  wikipedia: existsSync(wikipedia) ? wikipedia : undefined,
  'vega-datasets': values.vega ?? fetchVega(),
};

const labels = readFileSync(values.labels ?? path.join(import.meta.dirname, 'column-types.tsv'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('# '))
  .map((line): Label => {
    const [file = '', column, header = '', type = ''] = line.split('\t');
    return { file, column: Number(column), header, type };
  });
const built = new Map<string, TableColumn[]>();
let [known, right, wrong] = [0, 0, 0];
for (const label of labels) {
  const [set = '', name = ''] = label.file.split('/');
  const folder = folders[set];
  if (folder === undefined) continue;
  if (!built.has(label.file)) built.set(label.file, await columnsOf(path.join(folder, name)));
  // The order of the members of JSON records is no property of the file.
  const column = built
    .get(label.file)!
    .find(({ header }, at) => (name.endsWith('.json') ? header === label.header : at === label.column));
  const type = column?.type ?? 'none';
  known += 1;
  if (type === label.type) right += 1;
  else {
    const isWrong = type !== 'text' && !KEEPING.has(`${label.type} ${type}`);
    if (isWrong) wrong += 1;
    console.log(
      [isWrong ? 'WRONG' : 'wider', label.type, type, label.file, label.header, column?.header ?? ''].join('\t'),
    );
  }
}
console.log(`columns ${known} of ${labels.length}, right ${percent(right)}, typed wrongly ${percent(wrong)}`);
if (known === 0 || right < known * RIGHT_SHARE_MIN || wrong > known * WRONG_SHARE_MAX) process.exitCode = 1;

function percent(count: number): string {
  return `${count} (${((100 * count) / known).toFixed(1)} %)`;
}

/** Returns the columns of the first table that comes with the file. */
async function columnsOf(file: string): Promise<TableColumn[]> {
  const { text, tables, chunks, language } = await readBytes(path.basename(file), readFileSync(file));
  const place = tables?.find(({ automatic }) => automatic);
  if (!place) return [];
  const at = path.join(work, 'text');
  writeFileSync(at, [...text].slice(place.start, place.end).join(''));
  return buildTable({
    text: { path: at, start: place.start, form: place.form, exact: place.automatic },
    place,
    language,
    chunks: {
      ends: Int32Array.from(chunks, ({ endOffset }) => endOffset),
      ordinals: Int32Array.from(chunks, ({ ordinal }) => ordinal),
      pages: new Int32Array(chunks.length),
    },
    settings: {},
    out: path.join(work, 'table.parquet'),
  }).columns;
}

function fetchVega(): string {
  const archive = execFileSync('npm', ['pack', '--silent', VEGA, '--pack-destination', work], {
    encoding: 'utf8',
  }).trim();
  execFileSync('tar', ['-xzf', path.join(work, archive), '-C', work]);
  return path.join(work, 'package/data');
}
