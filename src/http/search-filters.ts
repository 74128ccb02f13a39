/** The filters of completions and search: their wire schema, and their translation to `Filters`. */
import { z } from 'zod';
import { FILE_TYPES } from '../client/file-types.ts';
import { type ColumnRef, findColumnRefs } from '../corpus/column-store.ts';
import { type CamelCase, camelCase } from '../db/column-names.ts';
import type { Database } from '../db/database.ts';
import { invalidAt } from '../errors.ts';
import { metadataFilterGroupSchema } from '../filters/filter-group.ts';
import { comparedKinds } from '../filters/metadata-sql.ts';
import type { MetadataFilter, MetadataFilterGroup } from '../filters/types.ts';
import type { Filters } from '../retrieval/types.ts';
import { text } from '../util/text-schema.ts';
import { SOURCE_TYPES, sentId, TIME_MAX } from './schemas.ts';

const FILTER_ENTRIES_MAX = 100;
const TAG_LENGTH_MAX = 200;
const DOMAIN_LENGTH_MAX = 253;

/** Earliest `date_from` and `date_to` that the API accepts, in Unix seconds. */
const FILTER_TIME_MIN = 1_735_639_200;

const entries = <T extends z.ZodType>(item: T) => z.array(item).min(1).max(FILTER_ENTRIES_MAX);
const filterTime = z.int().min(FILTER_TIME_MIN).max(TIME_MAX);

/** Filter members of a request body, to spread into its `z.strictObject`. `toFilters` checks rules that concern several members. */
export const filterShape = {
  source_group_ids: entries(sentId).optional().describe('Only these source groups; unknown ids select nothing.'),
  tags: entries(text(1, TAG_LENGTH_MAX)).optional().describe('Names of tags of the source group.'),
  tag_ids: entries(sentId).optional().describe('Ids of tags of the source group; unknown ids select nothing.'),
  tag_filter_logic: z
    .enum(['and', 'or'])
    .optional()
    .describe(
      '`or` (default): any of the tags; `and`: all of them. It applies within `tags` and within `tag_ids`. If both are there, both must ' +
        'hold.',
    ),
  source_types: entries(z.enum(SOURCE_TYPES))
    .optional()
    .describe(`Only chunks of sources of these types. At most ${FILTER_ENTRIES_MAX}.`),
  file_types: entries(z.enum(FILE_TYPES))
    .optional()
    .describe(`Only chunks of files of these types. At most ${FILTER_ENTRIES_MAX}.`),
  date_from: filterTime.optional().describe('Content date (last modification at the origin), Unix seconds, inclusive.'),
  date_to: filterTime.optional().describe('Content date, Unix seconds, inclusive.'),
  domains: entries(text(1, DOMAIN_LENGTH_MAX))
    .optional()
    .describe('Only chunks of sources whose URL has one of these texts in its host. Upper and lower case are equal.'),
  metadata: metadataFilterGroupSchema.optional().describe('Conditions on metadata of the source group.'),
  source_metadata: metadataFilterGroupSchema.optional().describe('Conditions on metadata of the source.'),
  chunk_metadata: metadataFilterGroupSchema.optional().describe('Conditions on metadata of the chunk.'),
  metadata_filter: metadataFilterGroupSchema
    .optional()
    .describe(
      'Conditions on declared metadata columns. A key that is not declared is answered with 400, and so is a value that is no ' +
        'number for a column of type `integer`.',
    ),
};

export type FilterFields = z.output<z.ZodObject<typeof filterShape>>;

/** The filters of the wire by the names of the program. */
type NamedFilters = { [Name in keyof FilterFields as CamelCase<Name>]?: NonNullable<FilterFields[Name]> };

/** The metadata columns of the tenant that `metadata_filter` names, by their keys. */
type DeclaredColumns = ReadonlyMap<string, ColumnRef>;

/**
 * Returns the filters of a validated body.
 *
 * @throws ServiceError `invalid_request` when `date_from` is after `date_to` or `metadata_filter` names an undeclared column, or
 *   compares a column of integers with a value that is no number.
 */
export async function readFilters(db: Database, tenantId: string, fields: FilterFields): Promise<Filters> {
  const keys = [...new Set(fields.metadata_filter ? keysOf(fields.metadata_filter) : [])];
  const declared = keys.length === 0 ? [] : await db.transaction(tenantId, (tx) => findColumnRefs(tx, keys));
  return toFilters(fields, new Map(declared.map((column) => [column.key, column])));
}

function toFilters(fields: FilterFields, columns: DeclaredColumns): Filters {
  if (fields.date_from !== undefined && fields.date_to !== undefined && fields.date_from > fields.date_to) {
    throw invalidAt(['date_from'], 'must not be after date_to.');
  }
  if (fields.metadata_filter) checkColumns(fields.metadata_filter, ['metadata_filter'], columns);
  const named = Object.entries(filtersOf(fields)).map(([name, value]) => [camelCase(name), value]);
  const filters: NamedFilters = Object.fromEntries(named);
  return fields.metadata_filter ? { ...filters, columns } : filters;
}

/** Returns the filters among the members of a body. */
export function filtersOf(body: FilterFields): FilterFields {
  const named = Object.keys(filterShape) as (keyof FilterFields)[];
  return Object.fromEntries(named.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));
}

function checkColumns(group: MetadataFilterGroup, path: readonly PropertyKey[], columns: DeclaredColumns): void {
  group.filters.forEach((member, i) => {
    const at = [...path, 'filters', i];
    if ('filters' in member) checkColumns(member, at, columns);
    else checkCondition(member, at, columns);
  });
}

/** A value that is no number would match no value of a column of integers, and the caller would take that for an answer. */
function checkCondition(filter: MetadataFilter, at: readonly PropertyKey[], columns: DeclaredColumns): void {
  const column = columns.get(filter.key);
  const name = JSON.stringify(filter.key);
  if (!column) throw invalidAt([...at, 'key'], `${name} is not a declared metadata column.`);
  if (column.type !== 'integer') return;
  const wrong = comparedKinds(filter).findIndex((kind) => kind !== 'number');
  if (wrong === -1) return;
  const place = Array.isArray(filter.value) ? [...at, 'value', wrong] : [...at, 'value'];
  throw invalidAt(place, `must be a number, because the column ${name} is of type integer.`);
}

function* keysOf(group: MetadataFilterGroup): Generator<string> {
  for (const member of group.filters) {
    if ('filters' in member) yield* keysOf(member);
    else yield member.key;
  }
}
