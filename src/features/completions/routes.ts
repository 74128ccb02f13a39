/**
 * The route POST /completions. A completion has three steps, a file each: conversation.ts reads the conversation, context.ts finds the
 * context, answer.ts answers. The first two refuse what must be refused, before the first byte is sent.
 */

import { invalidRequest } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { setServerTiming } from '../../http/operations/server-timing.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { acceptsEvents } from '../../http/sse.ts';
import { newId } from '../../util/ids.ts';
import { unixSeconds } from '../../util/time.ts';
import { answer, answerOf } from './answer.ts';
import { findContext } from './context.ts';
import { readConversation } from './conversation.ts';
import { completionBody } from './request.ts';
import { completionResultSchema, toResult } from './result.ts';
import { sendEvents, sendText } from './streams.ts';

const DESCRIPTION = `Retrieves chunks for the last user message and answers from them. The text of the answer has no citation markers.
\`citations\` say which code points of the text rest on which part of which chunk, and \`verified\` says whether a check confirmed it.

With \`stream\` the answer comes as plain text with the header \`X-Conversation-Id\`. With \`Accept: text/event-stream\` it comes as ag-ui
events, and the body may be an ag-ui RunAgentInput. A turn is stored only when there is an answer. Otherwise the message ids are null.`;

export const completionsRoutes = (deps: Deps): Route[] => [
  routesOf('Completions')({
    method: 'POST',
    path: '/completions',
    scopes: ['inference:run'],
    check: (caller) => deps.usage.assertBudget(caller),
    operation: {
      id: 'createCompletion',
      summary: 'Answer a question with citations',
      description: DESCRIPTION,
    },
    body: completionBody,
    timing: true,
    response: { status: 200, schema: completionResultSchema, description: 'The answer.' },
    alternatives: {
      'text/plain': { description: 'With `stream`: the text of the answer.', schema: { type: 'string' } },
      'text/event-stream': {
        description: 'With `stream` and `Accept: text/event-stream`: ag-ui events.',
        schema: { type: 'string' },
      },
    },
    errors: [404, 409, 502, 504],
    example: { messages: [{ role: 'user', content: 'How many vacation days do staff get?' }] },
    async handler({ body, caller, signal, rights, raw, reply }) {
      const events = acceptsEvents(raw.headers.accept);
      if (!events && (body.threadId !== undefined || body.runId !== undefined)) {
        throw invalidRequest('/threadId and /runId belong to ag-ui: send Accept: text/event-stream.');
      }
      const created = unixSeconds(deps.clock.now());
      const asked = await readConversation(deps, caller, body, rights);
      const chatModel = deps.chatModel.of?.(caller.tenantId, caller.keyFamilyId) ?? deps.chatModel;
      const context = await findContext({ ...deps, chatModel }, asked, body, signal);
      setServerTiming(reply, context.stages);
      const stream = answer({ ...deps, chatModel }, asked, context, body, signal);
      if (!(body.stream ?? events)) return toResult(await answerOf(stream), created);
      if (events) return sendEvents(reply, asked, stream, body.runId ?? newId(), signal);
      return sendText(reply, asked.turn, stream, signal);
    },
  }),
];
