/** Rules for tags and their links to source groups. */

import type { Caller } from '../../access/caller.ts';
import { type AuditAction, appendAudit } from '../../corpus/audit-store.ts';
import {
  countTagsLocked,
  deleteLink,
  deleteTag,
  insertLink,
  insertTag,
  type Tag,
  type TagLink,
  updateTag,
} from '../../corpus/tag-store.ts';
import type { Tx } from '../../db/database.ts';
import { isUniqueViolation } from '../../db/pg-errors.ts';
import { notFound, ServiceError } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { isId, newId } from '../../util/ids.ts';

export const TAGS_MAX = 1_000;

type Uses = Pick<Deps, 'db' | 'clock'>;
type TagFields = { name: string; description?: string | undefined };
type Ends = Omit<TagLink, 'id'>;

/** Tags decide what a tag-limited key sees, so such a key must not change them. */
export function refuseTagLimited({ tagIds }: Caller): void {
  if (tagIds !== null)
    throw new ServiceError('forbidden', 'A key that is limited to tags cannot change tags or their links.');
}

/** A tag belongs to the whole tenant: changing it reaches beyond the groups of a limited key. */
export function refuseLimited(caller: Caller): void {
  refuseTagLimited(caller);
  if (caller.sourceGroupIds !== null)
    throw new ServiceError('forbidden', 'A key that is limited to source groups cannot change or delete tags.');
}

/**
 * @param commitWith more to write in the same transaction.
 * @throws ServiceError conflict when the name is taken or the tenant has TAGS_MAX tags.
 */
export async function createTag(
  { db, clock }: Uses,
  caller: Caller,
  fields: TagFields,
  commitWith: (tx: Tx, tag: Tag) => Promise<void>,
): Promise<Tag> {
  const now = clock.now();
  const tag: Tag = { id: newId(now.getTime()), name: fields.name, description: fields.description ?? '' };
  await namesAreUnique(
    db.transaction(caller.tenantId, async (tx) => {
      if ((await countTagsLocked(tx, caller.tenantId)) >= TAGS_MAX) {
        throw new ServiceError('conflict', `There are ${TAGS_MAX} tags already: delete one first.`);
      }
      await insertTag(tx, caller.tenantId, tag, now);
      await commitWith(tx, tag);
      await record(tx, caller, 'create', tag.id, { name: tag.name });
    }),
  );
  return tag;
}

/** @throws ServiceError not_found; conflict when the name is taken. */
export async function changeTag({ db }: Uses, caller: Caller, id: string, fields: TagFields): Promise<Tag> {
  return namesAreUnique(
    db.transaction(caller.tenantId, async (tx) => {
      const tag = await updateTag(tx, caller.tenantId, id, fields);
      if (!tag) throw notFound();
      await record(tx, caller, 'change', id, { name: tag.name });
      return tag;
    }),
  );
}

/** Its links go with it. @throws ServiceError not_found */
export async function removeTag({ db }: Uses, caller: Caller, id: string): Promise<Tag> {
  return db.transaction(caller.tenantId, async (tx) => {
    const tag = await deleteTag(tx, caller.tenantId, id);
    if (!tag) throw notFound();
    await record(tx, caller, 'delete', id, { name: tag.name });
    return tag;
  });
}

/** Linking what is linked changes nothing. @throws ServiceError not_found for the tag or the group. */
export async function linkTag({ db, clock }: Uses, caller: Caller, ends: Ends): Promise<Ends> {
  checkEnds(ends);
  const link = { ...ends, id: newId(clock.now().getTime()) };
  await db.transaction(caller.tenantId, async (tx) => {
    if (!(await insertLink(tx, caller.tenantId, link, caller))) throw notFound();
    await record(tx, caller, 'change', ends.tagId, { linked: ends.sourceGroupId });
  });
  return ends;
}

/** @throws ServiceError not_found when they are not linked. */
export async function unlinkTag({ db }: Uses, caller: Caller, ends: Ends): Promise<Ends> {
  checkEnds(ends);
  await db.transaction(caller.tenantId, async (tx) => {
    if (!(await deleteLink(tx, caller.tenantId, ends, caller))) throw notFound();
    await record(tx, caller, 'change', ends.tagId, { unlinked: ends.sourceGroupId });
  });
  return ends;
}

/** Who sees what may hang on tags: keys are limited to them, and policies ask for them. */
function record(tx: Tx, caller: Caller, action: AuditAction, objectId: string, details: object): Promise<void> {
  const { tenantId, apiKeyId: actor } = caller;
  return appendAudit(tx, { tenantId, actor, action, objectKind: 'tag', objectId, details: { ...details } });
}

function checkEnds({ tagId, sourceGroupId }: Ends): void {
  if (!isId(tagId) || !isId(sourceGroupId)) throw notFound();
}

async function namesAreUnique<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (isUniqueViolation(error)) throw new ServiceError('conflict', 'Another tag has this name.');
    throw error;
  }
}
