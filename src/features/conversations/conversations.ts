/** Reads, changes and deletes stored conversations. Completions add the turns. */

import { openAccess, type Principal } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import { recordChange } from '../../corpus/audit-store.ts';
import {
  type Conversation,
  deleteConversation,
  findConversation,
  findMessage,
  listMessages,
  lockConversation,
  ownerOf,
  renameConversation,
  setActiveLeaf,
  type TreeMessage,
} from '../../corpus/conversation-store.ts';
import type { Database } from '../../db/database.ts';
import { notFound, orNotFound, ServiceError } from '../../errors.ts';

export interface ConversationTree extends Conversation {
  messages: TreeMessage[];
}

export interface ConversationChange {
  title?: string | undefined;
  activeMessageId?: string | undefined;
}

/**
 * Returns a conversation with all its messages.
 *
 * @throws ServiceError not_found
 */
export function readConversation(
  db: Database,
  caller: Caller,
  principal: Principal | null,
  id: string,
): Promise<ConversationTree> {
  return db.transaction(caller.tenantId, async (tx) => {
    const conversation = orNotFound(await findConversation(tx, id, ownerOf(caller, principal)));
    const access = await openAccess(tx, caller, principal);
    return { ...conversation, messages: await listMessages(tx, id, access) };
  });
}

/**
 * Changes the title and the active message. Any message of the conversation may be active. The next turn without a parent continues
 * below the active message, as a sibling of the messages that already follow it.
 *
 * @throws ServiceError not_found for an unknown conversation, and for a message of another conversation.
 */
export function changeConversation(
  db: Database,
  caller: Caller,
  principal: Principal | null,
  id: string,
  change: ConversationChange,
): Promise<Conversation> {
  return db.transaction(caller.tenantId, async (tx) => {
    const owner = ownerOf(caller, principal);
    orNotFound(await lockConversation(tx, id, owner));
    if (change.activeMessageId !== undefined) {
      if (!(await findMessage(tx, id, change.activeMessageId))) throw notFound();
      await setActiveLeaf(tx, id, change.activeMessageId);
    }
    if (change.title !== undefined) await renameConversation(tx, id, change.title);
    return (await findConversation(tx, id, owner))!;
  });
}

/**
 * Deletes a conversation with its messages.
 *
 * @returns the deleted conversation.
 * @throws ServiceError not_found; forbidden when the limits of the API key hide a part of it. Answers that only a policy hides are
 *   deleted, because the conversation belongs to the principal.
 */
export function removeConversation(
  db: Database,
  caller: Caller,
  principal: Principal | null,
  id: string,
): Promise<Conversation> {
  return db.transaction(caller.tenantId, async (tx) => {
    const conversation = orNotFound(await lockConversation(tx, id, ownerOf(caller, principal)));
    const messages = await listMessages(tx, id, { ...caller, policy: null });
    if (messages.some(({ seen }) => !seen)) {
      throw new ServiceError('forbidden', 'The conversation holds answers outside the limits of the API key.');
    }
    await deleteConversation(tx, id);
    await recordChange(tx, caller, 'delete', 'conversation', id, { messages: messages.length });
    return conversation;
  });
}
