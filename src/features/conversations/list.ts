/** Pages of conversations. `q` searches the redacted titles, so a search does not reveal words that redaction hides. */

import { type Conversation, listConversations, type Owner } from '../../corpus/conversation-store.ts';
import type { Database } from '../../db/database.ts';
import type { Listed, PageRequest } from '../../db/page-sql.ts';
import { ServiceError } from '../../errors.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { collect } from '../../util/collect.ts';
import { redactConversation, STORED_ANSWER_STEPS } from './redaction.ts';

/** Maximum stored titles with the text `q` that one request redacts in order to search them. */
const REDACTED_TITLES_MAX = 500;

/**
 * Returns the redacted rows of one page, with one row more when there is a next page, and the number of all matching conversations.
 *
 * @throws ServiceError invalid_request when redaction rules apply and `q` occurs in too many stored titles.
 */
export async function pageOfConversations(
  db: Database,
  tenantId: string,
  owner: Owner,
  redactor: Redactor | null,
  q: string | undefined,
  page: PageRequest,
): Promise<Listed<Conversation>> {
  const isRedacted = STORED_ANSWER_STEPS.some((step) => redactor?.appliesAt(step));
  const read = (request: PageRequest) => db.transaction(tenantId, (tx) => listConversations(tx, owner, q, request));
  if (q === undefined || !isRedacted) {
    const { rows, total } = await read(page);
    return { rows: await collect(rows, (row) => redactConversation(redactor, row)), total };
  }
  const { rows, total } = await read({ limit: REDACTED_TITLES_MAX, order: page.order });
  if (total > REDACTED_TITLES_MAX) {
    const message = `/q occurs in more than ${REDACTED_TITLES_MAX} titles: give more of the title.`;
    throw new ServiceError('invalid_request', message);
  }
  const redacted = await collect(rows, (row) => redactConversation(redactor, row));
  const found = redacted.filter(({ title }) => title.toLowerCase().includes(q.toLowerCase()));
  return { rows: found.filter(({ id }) => isAfter(id, page)).slice(0, page.limit + 1), total: found.length };
}

/** Ids are spelled in lower case, so they sort as text. */
function isAfter(id: string, { afterId, order }: PageRequest): boolean {
  if (afterId === undefined) return true;
  return order === 'desc' ? id < afterId : id > afterId;
}
