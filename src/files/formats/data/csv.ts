/** Parses CSV and similar formats. The delimiter is detected, and the first row is the header. */
import { parse } from 'csv-parse/sync';
import type { ChunkMetadataKey } from '../../../corpus/values.ts';
import { KeyPicker } from '../../metadata-values.ts';
import type { ParsedFile } from '../../parsed.ts';
import { TextBuilder } from '../text-builder.ts';
import { type RecordWriter, recordWriter, SINGLE_RECORDS_MAX } from './records.ts';

/** Matches the first line in which Excel names the delimiter. */
const NAMED_DELIMITER = /^sep=([,;\t|])\n/i;
/** Maximum number of title lines above the header. */
const TITLE_LINES_MAX = 5;
const DELIMITERS = [',', ';', '\t', '|'] as const;
/** The delimiter is detected from this many UTF-16 units and lines. */
const SAMPLE_UNITS = 64 * 1024;
const SAMPLE_LINES = 50;
/** UTF-16 units that are parsed at once, so that not all rows are in memory together. */
const PIECE_UNITS = 4 * 1024 * 1024;

/**
 * Parses rows as records. More than SINGLE_RECORDS_MAX rows share blocks, unless `keys` name metadata for each record.
 *
 * @throws FileError if the text exceeds its limit.
 */
export function parseCsv(source: string, fileType: 'csv' | 'tsv', keys: readonly ChunkMetadataKey[]): ParsedFile {
  const named = NAMED_DELIMITER.exec(source);
  const text = named ? source.slice(named[0].length) : source;
  const builder = new TextBuilder();
  const picker = new KeyPicker(keys);
  const single = picker.active || countLines(text, SINGLE_RECORDS_MAX + 1) <= SINGLE_RECORDS_MAX;
  const delimiter = named?.[1] ?? findDelimiter(text, fileType === 'tsv' ? '\t' : ',');
  const warnings: string[] = [];
  let writer: RecordWriter | undefined;
  let waiting: string[][] = [];
  const begin = ([header, ...rows]: string[][]) => {
    writer = header && recordWriter(builder, header, picker, single);
    for (const row of rows) writer?.row(row);
  };
  for (const row of readRows(text, delimiter, warnings)) {
    const filled = row.filter((cell) => cell.trim() !== '');
    if (writer) writer.row(row);
    else if (filled.length > 1) {
      for (const title of waiting) builder.add({ kind: 'paragraph' }, title.join(' '));
      begin([row]);
    } else if (filled.length === 1 && waiting.push(row) > TITLE_LINES_MAX) begin(waiting);
    if (writer) waiting = [];
  }
  if (!writer) begin(waiting);
  writer?.end();
  if (builder.blocks.length === 1 && builder.blocks[0]!.kind === 'table')
    warnings.push('The table has a header and no rows.');
  return {
    fileType,
    text: builder.text(),
    blocks: builder.blocks,
    metadata: {},
    warnings: [...warnings, ...picker.warnings()],
  };
}

/**
 * Returns the character before a quote within quotes: some programs write `\"` instead of `""`. A cell that ends with a backslash proves
 * nothing.
 */
function findEscape(text: string): '"' | '\\' {
  return /[^\\]\\"(?:[^,;\t|\n"]|"(?:[,;\t|\n]|$))/.test(text) && !/[^,;\t|\n"]""[^,;\t|\n"]/.test(text) ? '\\' : '"';
}

/** Yields rows. The text is parsed in pieces that end with a line outside of quotes. */
function* readRows(text: string, delimiter: string, warnings: string[]): Generator<string[]> {
  let quoted = true;
  const escapeSign = findEscape(text);
  for (let from = 0; from < text.length; ) {
    const cut = quoted ? cutOutsideQuotes(text, from, escapeSign) : text.length;
    if (cut === -1) {
      // The quote is never closed: quotes in the rest are ordinary characters.
      quoted = false;
      warnings.push('A quote is never closed; the rows after it were read without quoting.');
      continue;
    }
    const piece = text.slice(from, cut);
    yield* parsePiece(piece, delimiter, quoted ? '"' : null, escapeSign);
    from = cut;
  }
}

function parsePiece(piece: string, delimiter: string, quote: '"' | null, escapeSign: string): string[][] {
  return parse(piece, {
    delimiter,
    quote,
    escape: escapeSign,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    record_delimiter: '\n',
  }) as string[][];
}

/** Returns the end of the piece that starts at `from`, after a line feed outside quotes; -1 if the rest has an open quote. */
function cutOutsideQuotes(text: string, from: number, escapeSign: string): number {
  let inside = false;
  let last = -1;
  for (let i = from; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === 0x5c && escapeSign === '\\') i += 1;
    else if (unit === 0x22) inside = !inside;
    else if (unit === 0x0a && !inside) {
      last = i + 1;
      if (last - from >= PIECE_UNITS) return last;
    }
  }
  if (!inside) return text.length;
  return last > from ? last : -1;
}

/** Returns the delimiter that cuts the sample's lines into the most columns, most evenly. */
function findDelimiter(text: string, usual: string): string {
  const lines = text
    .slice(0, SAMPLE_UNITS)
    .split('\n', SAMPLE_LINES)
    .filter((line) => line.trim() !== '')
    .map(withoutQuoted);
  let best = usual;
  let bestScore = 0;
  for (const delimiter of DELIMITERS) {
    const counts = lines.map((line) => line.split(delimiter).length - 1);
    const common = mode(counts);
    const even = counts.filter((count) => count === common).length / Math.max(1, counts.length);
    const score = common === 0 ? 0 : even * Math.min(common, 20) * (delimiter === usual ? 1.2 : 1);
    if (score > bestScore) {
      best = delimiter;
      bestScore = score;
    }
  }
  return best;
}

function withoutQuoted(line: string): string {
  return line.replace(/"[^"]*"/g, '');
}

function mode(counts: readonly number[]): number {
  const frequency = new Map<number, number>();
  for (const count of counts) frequency.set(count, (frequency.get(count) ?? 0) + 1);
  return [...frequency].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0]?.[0] ?? 0;
}

function countLines(text: string, enough: number): number {
  let lines = 1;
  for (let i = text.indexOf('\n'); i !== -1 && lines < enough; i = text.indexOf('\n', i + 1)) lines += 1;
  return lines;
}
