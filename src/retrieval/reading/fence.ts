/** The fence of content that was read: whether it is still there, in the same version, and within the access of the request. */
import { type Access, isUnrestricted, mayShowChunk, mayShowSource } from '../../access/access.ts';
import { withinLimits } from '../../access/limits.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { join, keepPlan, raw, type Sql, sql } from '../../db/sql.ts';
import { ALIVE, SOURCE_TABLES } from '../query/filter-sql.ts';
import type { Hit } from '../types.ts';
import { visibleChunks } from './hits.ts';

/** A chunk of one version of its source. */
export type ReadChunk = Pick<Hit, 'id' | 'sourceId' | 'sourceGroupId' | 'generation'>;

/** Chunks that a request has read, and what it may see. */
export interface ReadContent {
  tenantId: string;
  access: Access;
  chunks: readonly ReadChunk[];
}

/** The number of conditions in one statement, so that its text stays short. */
const CONDITIONS_MAX = 50;

/** Returns the positions of the contents of which a chunk is gone: deleted, replaced, or outside of the access. */
export async function findGone(db: Queryable, contents: readonly ReadContent[]): Promise<Set<number>> {
  const gone = new Set<number>();
  const numbered = contents.map((content, no) => ({ ...content, no }));
  const [open, bounded] = [
    numbered.filter(({ access }) => isUnrestricted(access)),
    numbered.filter(({ access }) => !isUnrestricted(access)),
  ];
  const conditions = bounded.map((content) => goneOf([content], content.access));
  // The contents of all keys without limits are looked up together, with a plan that is made once.
  const statements = open.length > 0 ? [keepPlan(goneOf(open, open[0]!.access))] : [];
  for (let i = 0; i < conditions.length; i += CONDITIONS_MAX) {
    statements.push(join(conditions.slice(i, i + CONDITIONS_MAX), ' union all '));
  }
  for (const statement of statements) for (const { no } of await db.query<{ no: number }>(statement)) gone.add(no);
  return gone;
}

/** Chunks of one version never change, so a chunk is there as long as its source serves that version. */
function goneOf(contents: readonly (ReadContent & { no: number })[], access: Access): Sql {
  const all = contents.flatMap(({ no, tenantId, chunks }) => chunks.map((chunk) => ({ no, tenantId, ...chunk })));
  const onChunk = access.policy?.chunk
    ? sql`and exists (select from chunk c where c.tenant_id = ${contents[0]!.tenantId} and c.id = u.id and ${mayShowChunk(access)})`
    : raw('');
  return sql`select distinct u.no from unnest(${all.map(({ no }) => no)}::int[], ${all.map(({ tenantId }) => tenantId)}::uuid[],
      ${all.map(({ id }) => id)}::uuid[], ${all.map(({ sourceId }) => sourceId)}::uuid[],
      ${all.map(({ generation }) => generation)}::int[]) as u(no, tenant_id, id, source_id, generation)
    where not exists (select from ${SOURCE_TABLES} where s.tenant_id = u.tenant_id and s.id = u.source_id
      and s.generation = u.generation and ${ALIVE} and ${withinLimits(access)} and ${mayShowSource(access)} ${onChunk})`;
}

/** Returns the chunks among `ids` that are there and within the access. */
export async function readPresent(tx: Tx, access: Access, ids: readonly string[]): Promise<ReadChunk[]> {
  if (ids.length === 0) return [];
  return tx.query<ReadChunk>(sql`
    select c.id, c.source_id, c.source_group_id, c.generation ${visibleChunks(tx.tenantId, access)} and c.id = any(${ids}::uuid[])`);
}
