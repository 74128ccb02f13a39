/** Writes records: each record is a line of a Markdown table and a block of its own, with the header as context. */
import type { Link } from '../../../text/link-line.ts';
import { type HeaderSigns, withOneHeader } from '../../columns/header.ts';
import type { KeyPicker } from '../../metadata-values.ts';
import { repeatedHeader } from '../../repeated-header.ts';
import type { TextBuilder } from '../text-builder.ts';
import { headerText, rowText, startsOf } from './table-text.ts';

/** In a file with more records, the records share blocks, unless each record has metadata. */
export const SINGLE_RECORDS_MAX = 20_000;
/** Records in a shared block, which the chunker cuts between rows. */
const ROWS_PER_BLOCK = 1000;
/** Maximum length of a header that is repeated as context. Each name of a longer header is shortened. */
const HEADER_UNITS_MAX = 1500;

/** Writes rows under one header. */
export interface RecordWriter {
  row(cells: readonly string[], links?: readonly Link[]): void;
  end(): void;
}

/** Returns the rows with one header row. The first row stays the header if it has a declared key that the paths do not have. */
export function headedRows(rows: string[][], picker: KeyPicker, signs?: HeaderSigns): string[][] {
  const headed = withOneHeader(rows, signs);
  return picker.keysOf(rows[0] ?? []).length > picker.keysOf(headed[0] ?? []).length ? rows : headed;
}

/** Returns the line of a row; undefined for an empty row. */
export function recordLine(cells: readonly string[], width: number): string | undefined {
  if (cells.every((cell) => cell.trim() === '')) return undefined;
  return rowText([...cells, ...Array<string>(Math.max(0, width - cells.length)).fill('')]);
}

/**
 * Returns a writer for one table. Columns without a header have no names and give no metadata.
 *
 * If `single` is true, each row is a block. Otherwise many rows share a block. Rows without `header` have the cells of their own only.
 */
export function recordWriter(
  builder: TextBuilder,
  header: readonly string[] | undefined,
  picker: KeyPicker,
  single: boolean,
): RecordWriter {
  const columns = new Map(header?.map((name, index) => [name.trim(), index] as const).reverse());
  const tableHeader = header === undefined ? '' : repeatedHeader(rowText(header), HEADER_UNITS_MAX);
  let separator = '\n\n';
  let packed: string[] = [];
  let packedLinks: Link[] = [];
  let first = true;

  const write = (text: string, add: (text: string, separator: string) => void) => {
    add(text, separator);
    separator = '\n';
  };
  const startTable = () => {
    if (!first) return;
    first = false;
    if (header) write(headerText(header), (text, lead) => builder.addPlain(text, lead));
  };
  const flush = () => {
    if (packed.length === 0) return;
    const rowStarts = startsOf(packed, 1);
    const links = packedLinks;
    write(packed.join('\n'), (text, lead) =>
      builder.add({ kind: 'record', tableHeader, rowStarts, links }, text, lead),
    );
    packed = [];
    packedLinks = [];
  };

  return {
    row(cells, links = []) {
      const line = recordLine(cells, header?.length ?? 0);
      if (line === undefined) return;
      startTable();
      if (!single) {
        packed.push(line);
        packedLinks.push(...links);
        if (packed.length >= ROWS_PER_BLOCK) flush();
        return;
      }
      const metadata = picker.pick((key) => {
        const index = columns.get(key);
        return index === undefined ? undefined : cells[index];
      });
      write(line, (text, lead) => builder.add({ kind: 'record', tableHeader, metadata, links }, text, lead));
    },
    end() {
      // A table without rows consists of its header.
      if (first && header?.some((name) => name.trim() !== '')) builder.add({ kind: 'table' }, headerText(header));
      flush();
    },
  };
}
