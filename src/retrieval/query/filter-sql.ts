/**
 * Compiles filters to one SQL predicate over chunk `c`. Keys, operators and values are bound parameters, never text.
 *
 * Conditions on the source are a semi-join on source `s` and its group `g`. The semi-join always requires that both are not deleted
 * and that the source is ready, so nothing deleted or half-ingested can match.
 */

import { type Access, mayShowSource, showsSomething } from '../../access/access.ts';
import { withinLimits } from '../../access/limits.ts';
import type { ColumnRef } from '../../corpus/column-store.ts';
import { join, raw, type Sql, sql } from '../../db/sql.ts';
import { comparedKinds, conditionSql, readValue } from '../../filters/metadata-sql.ts';
import type { MetadataFilter, MetadataFilterGroup } from '../../filters/types.ts';
import { isId } from '../../util/ids.ts';
import type { Scope } from '../engine.ts';
import type { Filters } from '../types.ts';
import { matchesMissing, sourceValuesMatch, type Tested } from './value-sql.ts';

/** The tables of sources `s` with their groups `g`. */
export const SOURCE_TABLES = raw(
  'source s join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id',
);

const SOURCE_ALIVE = raw("s.deleted_at is null and s.status = 'ready'");
const GROUP_ALIVE = raw('g.deleted_at is null');

/** The condition that source `s` is ready and that neither `s` nor its group `g` is deleted. */
export const ALIVE = sql`${SOURCE_ALIVE} and ${GROUP_ALIVE}`;

/** Returns the condition that source `s`, in group `g`, is alive, within the limits of the key, and shows something under the policy. */
export function visibleSource(access: Access): Sql {
  return sql`${ALIVE} and ${withinLimits(access)} and ${mayShowSource(access)} and ${showsSomething(access)}`;
}

/** The condition that chunk `c` belongs to the served version of source `s`, not to one that is being read or was replaced. */
export const SERVED = raw('c.generation = s.generation');

/** Where the metadata of a kind are, and how the value of a key is read from them. */
interface MetadataOf {
  column: string;
  /** True if the values are stored in NFC. */
  isNfc: boolean;
  value(stored: Sql, key: string): Sql;
}

const OF_GROUP: MetadataOf = { column: 'g.metadata', isNfc: false, value: (own, key) => sql`${own} ->> ${key}::text` };
const OF_CHUNK: MetadataOf = {
  column: 'c.metadata',
  isNfc: true,
  value: (own, key) => sql`${own} -> ${key}::text ->> 'val'`,
};

/** Operators that read a value once. */
const READ_ONCE: ReadonlySet<string> = new Set(['contains', 'starts_with', 'exists', 'not_exists']);

/** Returns `from … where …` of the sources `s` that are alive, within the access, and match the filters on sources. */
export function matchingSources(scope: Scope): Sql {
  const conditions = [sql`s.tenant_id = ${scope.tenantId}`, ALIVE, ...narrowingConditions(scope, 'all')];
  return sql`from ${SOURCE_TABLES} where ${join(conditions, ' and ')}`;
}

/** Returns true if the access or the filters exclude some sources that are alive. */
export function narrows(scope: Scope): boolean {
  return narrowingConditions(scope).length > 0;
}

/**
 * Returns the conditions that chunk `c` is within the scope. The source is looked up for each candidate, laterally and by full keys: that
 * is fast even before the first ANALYZE. `coalesce` prevents a join, which would lose the order of the BM25 index.
 */
export function lookedUpPredicates(scope: Scope): Sql[] {
  const { tenantId } = scope;
  const ofSource = join([ALIVE, SERVED, ...narrowingConditions(scope)], ' and ');
  const source = sql`coalesce((select ${ofSource}
    from (select * from source where tenant_id = ${tenantId} and source_group_id = c.source_group_id and id = c.source_id offset 0) s,
         (select * from source_group where tenant_id = ${tenantId} and id = c.source_group_id offset 0) g), false)`;
  return [sql`c.tenant_id = ${tenantId}`, source, ...chunkConditions(scope)];
}

/** Returns the conditions on source `s` in group `g`, apart from being alive. */
export function narrowingConditions(scope: Scope, tested: Tested = 'one'): Sql[] {
  const limited = scope.sourceGroupIds || scope.tagIds ? [withinLimits(scope)] : [];
  const allowed = scope.policy?.source ? [scope.policy.source] : [];
  return [...limited, ...allowed, ...sourceConditions(scope, tested)];
}

export function chunkConditions({ policy, filters }: Scope): Sql[] {
  const wanted = filters.chunkMetadata ? [chunkMatches(filters.chunkMetadata)] : [];
  return policy?.chunk ? [policy.chunk, ...wanted] : wanted;
}

function sourceConditions(scope: Scope, tested: Tested): Sql[] {
  const { tenantId, filters } = scope;
  const conditions: Sql[] = [];
  // An id that cannot exist matches nothing.
  if (filters.sourceGroupIds)
    conditions.push(sql`s.source_group_id = any(${filters.sourceGroupIds.filter(isId)}::uuid[])`);
  conditions.push(...tagConditions(filters, scope));
  if (filters.sourceTypes) conditions.push(sql`s.source_type = any(${filters.sourceTypes}::text[])`);
  if (filters.fileTypes) conditions.push(sql`s.file_type = any(${filters.fileTypes}::text[])`);
  if (filters.dateFrom !== undefined) conditions.push(sql`s.content_at >= to_timestamp(${filters.dateFrom}::float8)`);
  // Includes the whole last second: the wire has content times in whole seconds.
  if (filters.dateTo !== undefined) conditions.push(sql`s.content_at < to_timestamp(${filters.dateTo + 1}::float8)`);
  if (filters.domains) conditions.push(domains(filters.domains));
  if (filters.metadata) conditions.push(groupMatches(tenantId, filters.metadata, tested));
  if (filters.sourceMetadata) conditions.push(sourceValuesMatch(tenantId, filters.sourceMetadata, tested));
  if (filters.metadataFilter)
    conditions.push(sourceValuesMatch(tenantId, filters.metadataFilter, tested, (key) => columnOf(filters, key).type));
  return conditions;
}

/** Returns the declared column of a key; `readFilters` has refused all other keys. */
function columnOf(filters: Filters, key: string): ColumnRef {
  const column = filters.columns?.get(key);
  if (!column) throw new Error('a metadata filter names a column that was not resolved');
  return column;
}

/**
 * Returns the condition on the metadata of chunk `c`. Most chunks have none, and this is seen from the stored size: `{}` has 5 to 8
 * bytes, and an object with a key at least 13. That takes a tenth of the time of reading a key.
 */
function chunkMatches(group: MetadataFilterGroup): Sql {
  const ofEmpty = raw(String(matchesMissing(group)));
  return sql`case when pg_column_size(c.metadata) <= 8 then ${ofEmpty} else ${metadataSql(group, OF_CHUNK)} end`;
}

/** Returns the condition on group `g`. If all sources are tested, each group is tested once. */
function groupMatches(tenantId: string, group: MetadataFilterGroup, tested: Tested): Sql {
  const condition = metadataSql(group, OF_GROUP);
  if (tested === 'one') return condition;
  return sql`s.source_group_id in (select g.id from source_group g where g.tenant_id = ${tenantId} and ${condition})`;
}

/**
 * Returns the condition on the metadata of a row. Each key is read, normalized and converted once, however many conditions name it:
 * `offset 0` keeps the planner from computing a value again where it is used.
 */
function metadataSql(group: MetadataFilterGroup, { column: stored, isNfc, value }: MetadataOf): Sql {
  const filters = [...membersOf(group)];
  const only = filters.length === 1 && isNfc && READ_ONCE.has(filters[0]!.operator) ? filters[0] : undefined;
  if (only) return sql`(${conditionSql(only, readValue(value(raw(stored), only.key), isNfc))})`;
  const keys = [...new Set(filters.map(({ key }) => key))];
  const column = (kind: 'k' | 'n' | 't', key: string): Sql => raw(`${kind}${keys.indexOf(key)}`);
  const converted = keys.flatMap((key) => {
    const kinds = new Set(filters.filter((filter) => filter.key === key).flatMap(comparedKinds));
    const text = column('k', key);
    const { number, time } = readValue(text);
    return [
      // Text in ASCII is in NFC. Its two lengths are equal, which costs a tenth of normalizing it.
      isNfc
        ? text
        : sql`case when octet_length(${text}) = length(${text}) then ${text} else normalize(${text}) end as ${text}`,
      ...(kinds.has('number') ? [sql`${number} as ${column('n', key)}`] : []),
      ...(kinds.has('time') ? [sql`${time} as ${column('t', key)}`] : []),
    ];
  });
  const condition = groupSql(group, (filter) => {
    const text = column('k', filter.key);
    return conditionSql(filter, { value: text, text, number: column('n', filter.key), time: column('t', filter.key) });
  });
  // `|| '{}'` decompresses the metadata once for several keys.
  const own = raw(`${stored}${keys.length > 1 ? " || '{}'" : ''}`);
  const values = join(keys.map((key) => sql`${value(raw('own'), key)} as ${column('k', key)}`));
  return sql`(select ${condition} from (
    select ${join(converted)} from (select ${values} from (select ${own} as own offset 0) m offset 0) m offset 0) m)`;
}

/** Returns the conditions of the group and of the groups in it. */
function* membersOf(group: MetadataFilterGroup): Generator<MetadataFilter> {
  for (const member of group.filters) {
    if ('filters' in member) yield* membersOf(member);
    else yield member;
  }
}

function groupSql(group: MetadataFilterGroup, condition: (filter: MetadataFilter) => Sql): Sql {
  const members = group.filters.map((member: MetadataFilter | MetadataFilterGroup) =>
    'filters' in member ? groupSql(member, condition) : condition(member),
  );
  return sql`(${join(members, group.operator === 'and' ? ' and ' : ' or ')})`;
}

/** Returns the conditions on the tags of group `g`. */
export function tagConditions({ tags, tagIds, tagFilterLogic: logic = 'or' }: Filters, access: Access): Sql[] {
  const byName = tags ? [hasTags('name', tags, logic, access)] : [];
  return tagIds ? [...byName, hasTags('id', tagIds, logic, access)] : byName;
}

/** Returns the condition on tags of group `g`. A key that is limited to tags sees no others. An id that cannot exist matches nothing. */
function hasTags(by: 'name' | 'id', tags: readonly string[], logic: 'and' | 'or', { tagIds }: Access): Sql {
  const distinct = [...new Set(tags)];
  const wanted =
    by === 'name' ? sql`t.name = any(${distinct}::text[])` : sql`t.id = any(${distinct.filter(isId)}::uuid[])`;
  const found = sql`select count(*) from tag_source_group l join tag t on t.tenant_id = l.tenant_id and t.id = l.tag_id
    where l.tenant_id = g.tenant_id and l.source_group_id = g.id and ${wanted}
      and ${tagIds ? sql`t.id = any(${tagIds}::uuid[])` : raw('true')}`;
  return sql`(${found}) >= ${logic === 'and' ? distinct.length : 1}::int`;
}

/** The host of a source's URL: the text after `//` and an optional user, up to the port or the path. */
const HOST = raw(
  String.raw`lower(substring(s.url from '^[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#]*@)?(\[[^]]*\]|[^/:?#]*)'))`,
);

function domains(parts: readonly string[]): Sql {
  const lower = parts.map((part) => part.toLowerCase());
  return sql`exists (select from (select ${HOST} as host offset 0) h, unnest(${lower}::text[]) as part where strpos(h.host, part) > 0)`;
}
