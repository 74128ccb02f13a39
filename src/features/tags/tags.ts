/** Rules for tags and their links to source groups. */

import type { Caller } from '../../access/caller.ts';
import { lockDeniedTags, refuseIfDenied } from '../../access/denied-tags.ts';
import { type AuditAction, recordChange } from '../../corpus/audit-store.ts';
import {
  countTagsLocked,
  deleteLink,
  deleteTag,
  findTag,
  insertLink,
  insertTag,
  type Tag,
  type TagLink,
  updateTag,
} from '../../corpus/tag-store.ts';
import type { Tx } from '../../db/database.ts';
import { isUniqueViolation } from '../../db/pg-errors.ts';
import { conflict, notFound, orNotFound, ServiceError } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { newId } from '../../util/ids.ts';

export const TAGS_MAX = 1_000;

type Uses = Pick<Deps, 'db' | 'clock'>;
type TagFields = { name: string; description?: string | undefined };
/** The tag and the source group of a link. */
type LinkIds = Omit<TagLink, 'id'>;

/** Refuses keys that are limited to tags: they could change what they may see. */
export function refuseTagLimited({ tagIds }: Caller): void {
  if (tagIds !== null)
    throw new ServiceError('forbidden', 'A key that is limited to tags cannot change tags or their links.');
}

/** Refuses limited keys. A tag belongs to the whole tenant, so its change affects groups that a limited key cannot see. */
export function refuseLimited(caller: Caller): void {
  refuseTagLimited(caller);
  if (caller.sourceGroupIds !== null)
    throw new ServiceError('forbidden', 'A key that is limited to source groups cannot change or delete tags.');
}

/**
 * Creates a tag and returns it.
 *
 * @param commitWith writes more rows in the same transaction.
 * @throws ServiceError conflict when another tag has the name, or when the tenant has TAGS_MAX tags.
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
      if ((await countTagsLocked(tx)) >= TAGS_MAX) {
        throw conflict(`There are ${TAGS_MAX} tags already: delete one first.`);
      }
      await insertTag(tx, tag, now);
      await commitWith(tx, tag);
      await record(tx, caller, 'create', tag.id, { name: tag.name });
    }),
  );
  return tag;
}

/**
 * Changes a tag and returns it.
 *
 * @throws ServiceError not_found; conflict when another tag has the name, or a policy hides content by the present name.
 */
export async function changeTag({ db }: Uses, caller: Caller, id: string, fields: TagFields): Promise<Tag> {
  return namesAreUnique(
    db.transaction(caller.tenantId, async (tx) => {
      const before = await findTag(tx, id, { tagIds: null });
      if (before && before.name !== fields.name) await refuseIfDenied(tx, [before.name]);
      const tag = orNotFound(await updateTag(tx, id, fields));
      await record(tx, caller, 'change', id, { name: tag.name });
      return tag;
    }),
  );
}

/** Deletes a tag and its links, and returns the tag. @throws ServiceError not_found; conflict when a policy hides content by the tag. */
export async function removeTag({ db }: Uses, caller: Caller, id: string): Promise<Tag> {
  return db.transaction(caller.tenantId, async (tx) => {
    // Taken in the same order as when a tag is created, so that the two do not wait for each other.
    await lockDeniedTags(tx);
    const tag = orNotFound(await deleteTag(tx, id));
    await refuseIfDenied(tx, [id, tag.name]);
    await record(tx, caller, 'delete', id, { name: tag.name });
    return tag;
  });
}

/** Links a tag to a group. Nothing changes if they are linked already. @throws ServiceError not_found for the tag or the group. */
export async function linkTag({ db, clock }: Uses, caller: Caller, ids: LinkIds): Promise<LinkIds> {
  const link = { ...ids, id: newId(clock.now().getTime()) };
  await db.transaction(caller.tenantId, async (tx) => {
    if (!(await insertLink(tx, link, caller))) throw notFound();
    await record(tx, caller, 'change', ids.tagId, { linked: ids.sourceGroupId });
  });
  return ids;
}

/** Removes a link and returns it. @throws ServiceError not_found when the two are not linked. */
export async function unlinkTag({ db }: Uses, caller: Caller, ids: LinkIds): Promise<LinkIds> {
  await db.transaction(caller.tenantId, async (tx) => {
    if (!(await deleteLink(tx, ids, caller))) throw notFound();
    await record(tx, caller, 'change', ids.tagId, { unlinked: ids.sourceGroupId });
  });
  return ids;
}

/** Writes an audit event. Changes of tags are audited because API keys are limited to tags, and policies ask for tags. */
function record(tx: Tx, caller: Caller, action: AuditAction, objectId: string, details: object): Promise<void> {
  return recordChange(tx, caller, action, 'tag', objectId, { ...details });
}

async function namesAreUnique<T>(change: Promise<T>): Promise<T> {
  return change.catch((error) => {
    throw isUniqueViolation(error) ? conflict('Another tag has this name.') : error;
  });
}
