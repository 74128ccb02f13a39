/** The routes of conversations: list, read the whole tree, rename, choose the active message, delete. */

import { z } from 'zod';
import { principalOf } from '../../access/access.ts';
import { type Conversation, ownerOf, type TreeMessage } from '../../corpus/conversation-store.ts';
import type { Deps } from '../../http/deps.ts';
import { orderShape, pageAnswer, pageQueryShape, pageRequest, pageResponse, searchShape } from '../../http/page.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import {
  givenId,
  idParams,
  idSchema,
  nameSchema,
  principalShape,
  sourceGroupIdSchema,
  sourceIdSchema,
  spanShape,
  timeSchema,
} from '../../http/schemas.ts';
import { readRedactor } from '../../redaction/redactors.ts';
import { collect } from '../../util/collect.ts';
import { changeConversation, readConversation, removeConversation } from './conversations.ts';
import { pageOfConversations } from './list.ts';
import { redactConversation, redactMessage } from './redaction.ts';

const route = routesOf('Conversations');

const conversationSchema = z
  .object({
    id: idSchema.describe('Id of the conversation.'),
    title: z.string().describe('Title of the conversation.'),
    active_message_id: idSchema
      .nullable()
      .describe(
        'The message after which a turn without a parent continues: the latest answer, or the message that was chosen.',
      ),
    creation_time: timeSchema,
  })
  .meta({ id: 'Conversation' });

const citationSchema = z
  .object({
    id: idSchema.describe('The chunk. It may have been deleted since then.'),
    source_id: sourceIdSchema,
    source_group_id: sourceGroupIdSchema,
    name: z.string().describe('Name of the source.'),
    url: z.string().nullable().describe('Address of the source at its origin; null for uploaded files.'),
    citation: z
      .object({
        number: z.int().describe('Number of the citation, from 1.'),
        spans: z.array(z.object(spanShape)).describe('Half-open ranges of code points of the answer.'),
        quote: z.string().describe('At most 300 code points.'),
        verified: z
          .boolean()
          .describe(
            'True when the cited passage states what the cited sentence states. It does not say that the sentence answers the question.',
          ),
        verified_by: z
          .enum(['rules', 'model', 'query'])
          .describe(
            'What compared the sentence: rules or a model with the passage, or rules with the result of a query.',
          ),
        reason: z
          .string()
          .nullable()
          .describe(
            'Why the sentence is not verified. Null when it is verified, in answers that were stored before reasons existed, and where a ' +
              'redaction rule changes the answer.',
          ),
        quoted: z.boolean().describe('True when the cited text is copied from the passage word for word.'),
      })
      .describe('Where the answer rests on this chunk, and whether this was verified.'),
  })
  .meta({ id: 'StoredCitation' });

const messageSchema = z
  .object({
    id: idSchema.describe('Id of the message.'),
    parent_id: idSchema.nullable().describe('The message before. Null for the first message of a branch.'),
    role: z.enum(['user', 'assistant']).describe('Author of the message.'),
    content: z
      .string()
      .describe(
        '`[removed]` when the answer rests on something that the API key may not see, or that the principal may not see while ' +
          'authorization is on.',
      ),
    citations: z
      .array(citationSchema)
      .describe('The citations as they were when the answer was given, without the chunks.'),
    web_citations: z
      .array(
        z.object({
          url: z.string().describe('http or https.'),
          title: z.string().describe('The title of the page.'),
          snippet: z.string().describe('The text that was found on the page; at most 300 code points.'),
          ...spanShape,
        }),
      )
      .optional()
      .describe('Parts of the answer that rest on web pages. Absent when there are none.'),
    table_query: z
      .object({
        sql: z.string().describe('The statement that ran.'),
        row_count: z.int().describe('Number of rows of its result.'),
        witness_count: z.int().nullable().describe('Number of rows that its aggregates read; null without aggregates.'),
      })
      .optional()
      .describe('The query of tables from which the answer was made. Absent when there was none.'),
    unsupported_spans: z
      .array(z.object(spanShape))
      .optional()
      .describe(
        'Sentences that no verified citation supports, as half-open ranges of code points. Absent when there are none.',
      ),
    finish_reason: z.string().nullable().describe('Null for user messages.'),
    creation_time: timeSchema,
  })
  .meta({ id: 'ConversationMessage' });

const treeSchema = conversationSchema
  .extend({ messages: z.array(messageSchema).describe('All messages, oldest first: parents before their children.') })
  .meta({ id: 'ConversationTree' });

const changeBody = z.strictObject({
  title: nameSchema.optional().describe('Absent: unchanged.'),
  active_message_id: givenId
    .optional()
    .describe('Any message of the conversation. The next turn without a parent continues below it. Absent: unchanged.'),
  ...principalShape,
});

const principalQuery = z.strictObject(principalShape);
const ofOne = { path: '/conversations/{id}', scopes: ['inference:run'], params: idParams } as const;

export const conversationRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/conversations',
    scopes: ['inference:run'],
    operation: {
      id: 'listConversations',
      summary: 'List conversations',
      description:
        'Oldest first, unless `order` says otherwise. Only conversations that began with this API key, or with a key from which it was ' +
        'rotated, are listed; with the scope `conversations:all`, those of all keys. While authorization is on, only the ' +
        'conversations of the principal are listed.',
    },
    query: z.strictObject({ ...pageQueryShape, ...orderShape, ...searchShape('the title'), ...principalShape }),
    response: pageResponse('conversations', conversationSchema, 'Conversations of this page.'),
    async handler({ query, caller }) {
      const redactor = await readRedactor(deps, caller.tenantId);
      const page = pageRequest(query);
      const owner = ownerOf(caller, principalOf(deps, query));
      const listed = await pageOfConversations(deps.db, caller.tenantId, owner, redactor, query.q, page);
      return pageAnswer('conversations', query, listed, toWire);
    },
  }),
  route({
    ...ofOne,
    method: 'GET',
    operation: {
      id: 'getConversation',
      summary: 'Read a conversation with all its branches',
      description:
        'Returns a tree: `parent_id` of a message is the message before it. Siblings are branches and regenerated answers.',
    },
    query: principalQuery,
    response: { status: 200, schema: treeSchema },
    async handler({ params, query, caller }) {
      const principal = principalOf(deps, query);
      const { messages, ...conversation } = await readConversation(deps.db, caller, principal, params.id);
      const redactor = await readRedactor(deps, caller.tenantId);
      return {
        ...toWire(await redactConversation(redactor, conversation)),
        messages: await collect(messages, async (message) => toWireMessage(await redactMessage(redactor, message))),
      };
    },
  }),
  route({
    ...ofOne,
    method: 'PUT',
    operation: { id: 'updateConversation', summary: 'Rename a conversation or choose its active message' },
    body: changeBody,
    response: { status: 200, schema: conversationSchema },
    example: { title: 'Travel rules' },
    async handler({ params, body, caller }) {
      const changed = await changeConversation(deps.db, caller, principalOf(deps, body), params.id, {
        title: body.title,
        activeMessageId: body.active_message_id,
      });
      return toWire(await redactConversation(await readRedactor(deps, caller.tenantId), changed));
    },
  }),
  route({
    ...ofOne,
    method: 'DELETE',
    operation: {
      id: 'deleteConversation',
      summary: 'Delete a conversation',
      description:
        'Deletes the conversation with all its messages at once, and returns it. A turn in flight is not stored.',
    },
    query: principalQuery,
    response: { status: 200, schema: conversationSchema },
    async handler({ params, query, caller }) {
      const removed = await removeConversation(deps.db, caller, principalOf(deps, query), params.id);
      return toWire(await redactConversation(await readRedactor(deps, caller.tenantId), removed));
    },
  }),
];

function toWire(row: Conversation): z.input<typeof conversationSchema> {
  return toRecord(conversationSchema, row);
}

/** Defaults for answers that were stored before these members existed. */
const CITATION_DEFAULTS = { verified_by: 'rules', reason: null, quoted: false } as const;

function ifAny<T>(items: readonly T[]): T[] | undefined {
  return items.length > 0 ? [...items] : undefined;
}

function toWireMessage(message: TreeMessage): z.input<typeof messageSchema> {
  return toRecord(messageSchema, message, {
    citations: message.citations.map(({ citation, ...chunk }) => ({
      ...chunk,
      citation: { ...CITATION_DEFAULTS, ...citation },
    })),
    web_citations: ifAny(message.webCitations),
    table_query: message.tableQuery ?? undefined,
    unsupported_spans: ifAny(message.unsupported),
  });
}
