/**
 * Parses SQLite databases: a section for each table, whose rows are records.
 *
 * The file is hostile until proven otherwise. It is opened in memory, without extensions. The authorizer permits reading alone: neither
 * `ATTACH` nor a view nor a virtual table runs. A loop in an expression of the file ends with the time limit of the process.
 */
import { constants, DatabaseSync } from 'node:sqlite';
import type { ChunkMetadataKey } from '../../../corpus/values.ts';
import { badFile, FileError, overLimit } from '../../failure.ts';
import { KeyPicker } from '../../metadata-values.ts';
import type { ParsedFile } from '../../parsed.ts';
import { TextBuilder } from '../text-builder.ts';
import { bytesText, CELL_UNITS_MAX, CellLimit } from './binary-text.ts';
import { TABLE_COLUMNS_MAX, TABLE_ROWS_MAX } from './parquet.ts';
import { recordWriter, SINGLE_RECORDS_MAX } from './records.ts';
import { cellText } from './table-text.ts';

/** The file is in memory twice, beside its text. */
const SQLITE_BYTES_MAX = 128 * 1024 * 1024;
const TABLES_MAX = 200;
/** Maximum length of a value that an expression of the file makes. */
const VALUE_BYTES_MAX = 64 * 1024 * 1024;
/** Bytes of the header that say whether the file has a journal of its own (2) or not (1). */
const JOURNAL_BYTES = [18, 19] as const;
const READING: ReadonlySet<number> = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
]);

interface Table {
  name: string;
  columns: string[];
  rows: number;
}

/** @throws FileError for a file over its limits, or one that the engine cannot read. */
export function parseSqlite(bytes: Uint8Array, keys: readonly ChunkMetadataKey[]): ParsedFile {
  if (bytes.length > SQLITE_BYTES_MAX)
    throw overLimit(`SQLite files are read up to ${SQLITE_BYTES_MAX / 1024 / 1024} MiB.`);
  const warnings: string[] = [];
  const db = openReadOnly(bytes, warnings);
  try {
    const tables = findTables(db, warnings);
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    const builder = new TextBuilder();
    const limit = new CellLimit();
    const picker = new KeyPicker(keys);
    const single = picker.active || rows <= SINGLE_RECORDS_MAX;
    for (const { name, columns } of tables) {
      builder.add({ kind: 'heading', level: 2, title: name }, `## ${cellText(name)}`);
      const writer = recordWriter(builder, columns, picker, single);
      for (const row of rowsOf(db, name, columns)) writer.row(row.map((cell) => limit.of(cell)));
      writer.end();
    }
    return builder.file('sqlite', {}, { warnings: [...warnings, ...limit.warnings(), ...picker.warnings()] });
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw badFile('parse', 'File cannot be read', `The SQLite file is damaged (${messageOf(error)}).`);
  } finally {
    db.close();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : 'unknown error';
}

function openReadOnly(bytes: Uint8Array, warnings: string[]): DatabaseSync {
  const db = new DatabaseSync(':memory:', {
    allowExtension: false,
    enableDoubleQuotedStringLiterals: false,
    limits: { attach: 0, length: VALUE_BYTES_MAX, triggerDepth: 1 },
  });
  if (typeof db.deserialize !== 'function' || typeof db.setAuthorizer !== 'function') {
    db.close();
    throw badFile(
      'parse',
      'Unsupported file type',
      'SQLite files cannot be read by this version of Node.js: use 24 or newer.',
    );
  }
  db.enableDefensive(true);
  db.deserialize(withoutJournal(bytes, warnings));
  db.exec('pragma trusted_schema = off; pragma cell_size_check = on; pragma query_only = on');
  db.setAuthorizer((action, pragma) => {
    const isListing = action === constants.SQLITE_PRAGMA && /^table_(?:list|xinfo)$/.test(pragma ?? '');
    return isListing || READING.has(action) ? constants.SQLITE_OK : constants.SQLITE_DENY;
  });
  return db;
}

/** Returns the file as one that no journal belongs to: the engine refuses to open it in memory otherwise. */
function withoutJournal(bytes: Uint8Array, warnings: string[]): Uint8Array {
  if (JOURNAL_BYTES.every((at) => bytes[at] !== 2)) return bytes;
  warnings.push('The database is in WAL mode: changes that are in its -wal file only were not read.');
  const copy = bytes.slice();
  for (const at of JOURNAL_BYTES) copy[at] = 1;
  return copy;
}

/** Returns the tables that hold rows of their own. Views and virtual tables are left out with a warning. */
function findTables(db: DatabaseSync, warnings: string[]): Table[] {
  const left = { view: 0, virtual: 0 };
  const tables: Table[] = [];
  let rowsLeft = TABLE_ROWS_MAX;
  for (const { schema, name, type } of db.prepare('pragma table_list').all()) {
    if (schema !== 'main' || typeof name !== 'string' || /^sqlite_/i.test(name)) continue;
    if (type === 'view' || type === 'virtual') left[type] += 1;
    if (type !== 'table') continue;
    if (tables.length === TABLES_MAX) throw overLimit(`SQLite files are read up to ${TABLES_MAX} tables.`);
    const rows = countRows(db, name);
    rowsLeft -= rows;
    if (rowsLeft < 0) throw overLimit(`SQLite files are read up to ${TABLE_ROWS_MAX} rows.`);
    tables.push({ name, columns: columnsOf(db, name), rows });
  }
  if (left.view > 0) warnings.push(`${left.view} ${left.view === 1 ? 'view was' : 'views were'} not read.`);
  if (left.virtual > 0)
    warnings.push(`${left.virtual} virtual ${left.virtual === 1 ? 'table was' : 'tables were'} not read.`);
  return tables.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function countRows(db: DatabaseSync, table: string): number {
  const row = db.prepare(`select count(*) as rows from ${quoted(table)}`).get();
  return Number(row?.['rows'] ?? 0);
}

function columnsOf(db: DatabaseSync, table: string): string[] {
  const columns = db.prepare(`pragma table_xinfo(${quoted(table)})`).all();
  if (columns.length > TABLE_COLUMNS_MAX) throw overLimit(`Tables are read up to ${TABLE_COLUMNS_MAX} columns.`);
  return columns.map(({ name }) => String(name));
}

/** Yields the texts of the rows. Long values do not leave the engine. */
function* rowsOf(db: DatabaseSync, table: string, columns: readonly string[]): Generator<string[]> {
  const cells = columns.map((name) => {
    const cell = quoted(name);
    return `case typeof(${cell}) when 'text' then substr(${cell}, 1, ${CELL_UNITS_MAX + 1})
      when 'blob' then iif(length(${cell}) <= ${CELL_UNITS_MAX}, ${cell}, '(' || length(${cell}) || ' bytes)')
      else ${cell} end`;
  });
  const statement = db.prepare(`select ${cells.join(', ')} from ${quoted(table)}`);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  for (const row of statement.iterate() as unknown as Iterable<unknown[]>) yield row.map(textOf);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return value instanceof Uint8Array ? bytesText(value) : String(value);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
