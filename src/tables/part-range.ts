/** Reads which chunks of its source hold the rows of a table. */
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet';

/** Returns the first and the last ordinal of the chunks; undefined for a table without rows. */
export async function readPartRange(file: string): Promise<{ first: number; last: number } | undefined> {
  const { row_groups: groups } = await parquetMetadataAsync(await asyncBufferFromFile(file));
  const statistics = groups.flatMap(({ columns }) =>
    columns.flatMap(({ meta_data: column }) =>
      column?.path_in_schema[0] === '_part' ? (column.statistics ?? []) : [],
    ),
  );
  if (statistics.length === 0) return undefined;
  return {
    first: Math.min(...statistics.map(({ min_value: min }) => Number(min))),
    last: Math.max(...statistics.map(({ max_value: max }) => Number(max))),
  };
}
