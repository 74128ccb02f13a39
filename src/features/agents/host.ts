/** What agent runs use of other features: the tools of `/mcp`, and the answer path of completions. The application connects them. */

import type { Access, Principal } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import type { TreeMessage } from '../../corpus/conversation-store.ts';
import type { Tx } from '../../db/database.ts';
import type { Deps } from '../../http/deps.ts';
import type { RequestRights } from '../../http/live-rights.ts';
import type { FilterFields } from '../../http/search-filters.ts';
import type { Tool } from '../../http/tools/tool.ts';
import type { ChatMessage, ChatModel } from '../../llm/models.ts';
import type { View } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import type { Warning } from '../../retrieval/types.ts';

export interface Question extends FilterFields {
  input: string;
  conversation_id?: string;
  threadId?: string;
  principal_id?: string;
  authz_policy?: string;
}

export interface TurnIds {
  conversationId: string;
  userMessageId: string;
  assistantMessageId: string;
}

/** A chunk that the answer may cite. A higher score is better. */
export interface Evidence {
  id: string;
  score: number;
}

type Span = { start: number; end: number };

export interface Answered {
  text: string;
  finishReason: string;
  /** On the wire. */
  citations: readonly object[];
  unsupported: Span[];
  warnings: Warning[];
  /** The conversation has the answer. */
  isStored: boolean;
}

/** A question with its conversation. */
export interface Asking {
  turn: TurnIds;
  principal: Principal | null;
  access: Access;
  redactor: Redactor | null;
  question: View<string>;
  history: readonly ChatMessage[];
  /** From now on, the request ends when one of these chunks is gone. */
  hold(chunkIds: readonly string[]): Promise<void>;
  answer(
    evidence: readonly Evidence[],
    options: {
      chatModel: ChatModel;
      /** A statement over tables whose result is evidence, too; it runs again. */
      statement?: { sql: string; tables?: readonly string[]; timeoutMs: number } | undefined;
      alongside(tx: Tx, answered: { finishReason: string; unsupported: Span[]; warnings: Warning[] }): Promise<void>;
    },
    signal: AbortSignal,
  ): AsyncGenerator<string, Answered>;
}

export interface Host {
  deps: Deps;
  tools: readonly Tool[];
  /** Begins a question, or continues one with the ids of its turn. @throws ServiceError */
  ask(question: Question, caller: Caller, rights: RequestRights, ids?: TurnIds): Promise<Asking>;
  /** Returns a stored message as a reader may see it now. */
  redactMessage(redactor: Redactor | null, message: TreeMessage): Promise<TreeMessage>;
}
