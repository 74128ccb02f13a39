/** Says what the caller should know about a search that found nothing, or that some files could not be found by yet. */
import type { Access } from '../../access/access.ts';
import { withinLimits } from '../../access/limits.ts';
import { NOTHING } from '../../access/policy-sql.ts';
import { findSubject } from '../../access/subject-store.ts';
import type { Tx } from '../../db/database.ts';
import { join, raw, type Sql, sql } from '../../db/sql.ts';
import { ACTIVE_STATUSES } from '../../jobs/status.ts';
import { isId } from '../../util/ids.ts';
import type { RetrieveRequest, Warning } from '../types.ts';
import { tagConditions } from './filter-sql.ts';

const UNKNOWN_MAX = 3;
const NAME_LENGTH_MAX = 200;
const AS_WITHOUT_ATTRIBUTES = 'It sees what the policy shows to a principal without attributes.';

const FILES_NOT_READ: Warning = {
  type: 'files_not_read',
  message: 'Files are still being read. They are found when their run has ended.',
};

/** Returns a warning if a run reads files for the first time in the searched groups. With a policy, nothing is said: see `whyNothing`. */
export async function unreadFiles(tx: Tx, request: RetrieveRequest, access: Access): Promise<Warning[]> {
  if (access.policy !== null) return [];
  const groups = await tx.query<{ id: string }>(sql`select g.id from ${searchedWithRun(request, access)}`);
  if (groups.length === 0) return [];
  // Its own statement: a join would go through the waiting files of all groups.
  const [known] = await tx.query<{ isReading: boolean }>(sql`
    select exists (select from source s where s.tenant_id = ${request.tenantId} and s.deleted_at is null
      and s.source_group_id = any(${groups.map(({ id }) => id)}::uuid[]) and s.status = 'pending') as is_reading`);
  return known!.isReading ? [FILES_NOT_READ] : [];
}

/** Returns the searched groups that have a run, as group `g` and conditions. */
function searchedWithRun({ tenantId, filters }: RetrieveRequest, access: Access): Sql {
  const { sourceGroupIds } = filters;
  const wanted = sourceGroupIds ? [sql`g.id = any(${sourceGroupIds.filter(isId)}::uuid[])`] : [];
  const conditions = [withinLimits(access), ...wanted, ...tagConditions(filters, access)];
  return sql`source_group g where g.tenant_id = ${tenantId} and g.deleted_at is null
    and g.status = any(${ACTIVE_STATUSES}::text[]) and ${join(conditions, ' and ')}`;
}

/**
 * Returns the reasons that do not lie with the words of the query: who asks, what the filters name, and files that are not read yet.
 * With a policy, only who asks is said: the other reasons could tell of groups and tags that the policy hides.
 */
export async function whyNothing(tx: Tx, request: RetrieveRequest, access: Access): Promise<Warning[]> {
  if (access.policy !== null) return ofPrincipal(tx, request, access);
  const { tenantId, filters } = request;
  const { sourceGroupIds = [], tags = [], tagIds = [] } = filters;
  const seesTag = access.tagIds ? sql`t.id = any(${access.tagIds}::uuid[])` : raw('true');
  const ofGroups = sql`source_group g where g.tenant_id = ${tenantId} and g.deleted_at is null and ${withinLimits(access)}`;
  const ofTags = sql`tag t where t.tenant_id = ${tenantId} and ${seesTag}`;
  const [known] = await tx.query<{ groups: string[]; tags: string[]; tagIds: string[]; isReading: boolean }>(sql`
    select array(select g.id::text from ${ofGroups} and g.id = any(${sourceGroupIds.filter(isId)}::uuid[])) as groups,
      array(select t.name from ${ofTags} and t.name = any(${tags}::text[])) as tags,
      array(select t.id::text from ${ofTags} and t.id = any(${tagIds.filter(isId)}::uuid[])) as tag_ids,
      exists (select from ${searchedWithRun(request, access)}) as is_reading`);
  const { groups, tags: names, tagIds: ids, isReading } = known!;
  const unknown = [
    ...missing(sourceGroupIds, groups, (id) => `There is no source group with the id ${id}.`),
    ...missing(tags, names, (name) => `There is no tag ${name}.`),
    ...missing(tagIds, ids, (id) => `There is no tag with the id ${id}.`),
  ];
  return [...unknown, ...(isReading ? [FILES_NOT_READ] : [])];
}

function missing(given: readonly string[], known: readonly string[], words: (quoted: string) => string): Warning[] {
  const absent = given.filter((one) => !known.includes(one)).slice(0, UNKNOWN_MAX);
  return absent.map((one) => ({
    type: 'unknown_filter',
    message: words(JSON.stringify(one.slice(0, NAME_LENGTH_MAX))),
  }));
}

async function ofPrincipal(tx: Tx, { principal }: RetrieveRequest, { policy }: Access): Promise<Warning[]> {
  const { id, policy: name, at } = principal!;
  if (policy === NOTHING)
    return [{ type: 'no_policy', message: `There is no policy ${JSON.stringify(name)}, so nothing is visible.` }];
  if (id === null)
    return [{ type: 'no_principal', message: `The request names no principal. ${AS_WITHOUT_ATTRIBUTES}` }];
  const subject = await findSubject(tx, id);
  if (subject !== undefined && (subject.expiresAt === null || subject.expiresAt > at)) return [];
  // Whether somebody had attributes once is not said.
  const problem = `The principal ${JSON.stringify(id)} has no attributes, or they have expired.`;
  return [{ type: 'unknown_principal', message: `${problem} ${AS_WITHOUT_ATTRIBUTES}` }];
}
