/** Tags, and the source groups that have them. */
import type { Operations } from '../../../src/client/api.ts';
import { pinakes } from './api.ts';
import { ROWS_PER_REQUEST } from './pages.ts';

export type Tag = Operations['getTag']['response'];
export const TAGS = 'tags';

/** Returns the ids of the groups that have the tag. */
export async function readLinks(tagId: string): Promise<Set<string>> {
  const ids = new Set<string>();
  let after: string | undefined;
  do {
    const query = { tag_id: tagId, limit: ROWS_PER_REQUEST, after_id: after };
    const { tag_source_groups: links, pagination } = await pinakes.listTagLinks({ query });
    for (const link of links) ids.add(link.source_group_id);
    after = pagination.next_id ?? undefined;
  } while (after !== undefined);
  return ids;
}

export async function setLink(tagId: string, groupId: string, linked: boolean): Promise<void> {
  const body = { tag_id: tagId, source_group_id: groupId };
  await (linked ? pinakes.linkTag({ body }) : pinakes.unlinkTag({ body }));
}

export function listGroups(q: string, afterId: string | undefined, signal: AbortSignal) {
  const query = { limit: ROWS_PER_REQUEST, order: 'desc' as const, after_id: afterId, ...(q !== '' && { q }) };
  return pinakes.listSourceGroups({ query }, { signal });
}
