/**
 * The routes of `/v1`: existing chat programs use the service as a model. An answer is made by the functions that answer POST
 * /completions, so scope, policies, redaction and limits are the same.
 */
import { z } from 'zod';
import type { Deps } from '../../../http/deps.ts';
import { type Route, routesOf } from '../../../http/route.ts';
import { unixSeconds } from '../../../util/time.ts';
import { answerOf } from '../answer.ts';
import { ask } from './ask.ts';
import { chatChunks } from './chat/chunks.ts';
import { chatBody } from './chat/request.ts';
import { chatCompletionSchema, endOf, newHead, toUsage } from './chat/result.ts';
import { factsOf } from './own-members.ts';
import { presetOf, readPresets } from './presets.ts';
import { responseEvents } from './responses/events.ts';
import { messagesOf, responseBody } from './responses/request.ts';
import { newMessageId, newResponse, responseSchema, toResponse, toText } from './responses/result.ts';
import { sendAnswer } from './stream.ts';

const route = routesOf('OpenAI-compatible');
/** The models do not change: any fixed time will do. */
const MODEL_CREATED = 1_767_225_600;

const modelSchema = z
  .object({
    id: z.string().describe('Name of the model.'),
    object: z.literal('model').describe('Always `model`.'),
    created: z.int().describe('Unix seconds; always the same.'),
    owned_by: z.string().describe('Always `pinakes`.'),
  })
  .meta({ id: 'Model' });

const toModel = (id: string): z.input<typeof modelSchema> => ({
  id,
  object: 'model',
  created: MODEL_CREATED,
  owned_by: 'pinakes',
});

/** Returns the routes. @throws ConfigError for a wrong preset. */
export function openAiRoutes(deps: Deps): Route[] {
  const presets = readPresets(deps.config?.doors.presets ?? {});
  return [
    route({
      method: 'POST',
      prefix: '/v1',
      path: '/chat/completions',
      scopes: ['inference:run'],
      check: (caller) => deps.usage.assertBudget(caller),
      operation: {
        id: 'createChatCompletion',
        summary: 'Answer in the shape of the OpenAI API',
        description:
          'Answers the last user message from the sources, as POST /completions does. The key is also accepted as `Authorization: ' +
          'Bearer`. The headers `x-principal-id` and `x-authz-policy` may name the principal and the policy. Errors have `param` and ' +
          '`code` too.',
      },
      body: chatBody,
      timing: true,
      response: { status: 200, schema: chatCompletionSchema, description: 'The answer.' },
      alternatives: {
        'text/event-stream': { description: 'With `stream`: chunks, and `[DONE]`.', schema: { type: 'string' } },
      },
      errors: [404, 409, 502, 504],
      example: { model: 'pinakes', messages: [{ role: 'user', content: 'How many vacation days do staff get?' }] },
      async handler({ body, ...request }) {
        const head = newHead(unixSeconds(deps.clock.now()), body.model);
        const asking = await ask(deps, presets, body, request);
        if (body.stream) {
          const form = chatChunks(head, body.stream_options?.include_usage === true ? asking.tokens : null);
          return sendAnswer(request.reply, asking, form, request.rights, request.signal);
        }
        const ended = await answerOf(asking.stream);
        const message = { role: 'assistant' as const, content: ended.text + asking.after(ended), refusal: null };
        return {
          ...head,
          object: 'chat.completion' as const,
          choices: [{ index: 0, message, ...endOf(ended) }],
          usage: toUsage(asking.tokens()),
          ...factsOf(ended),
        };
      },
    }),
    route({
      method: 'POST',
      prefix: '/v1',
      path: '/responses',
      scopes: ['inference:run'],
      check: (caller) => deps.usage.assertBudget(caller),
      operation: {
        id: 'createResponse',
        summary: 'Answer in the shape of the responses of the OpenAI API',
        description:
          'Answers as POST /v1/chat/completions does. Responses are not kept: the whole history is sent with each request, and members ' +
          'that need a stored response are refused.',
      },
      body: responseBody,
      timing: true,
      response: { status: 200, schema: responseSchema, description: 'The response.' },
      alternatives: {
        'text/event-stream': {
          description:
            'With `stream`: events, of which the last is `response.completed`, `response.incomplete` or `error`.',
          schema: { type: 'string' },
        },
      },
      errors: [404, 409, 502, 504],
      example: { model: 'pinakes', input: 'How many vacation days do staff get?' },
      async handler({ body, ...request }) {
        const begun = newResponse(unixSeconds(deps.clock.now()), body);
        const asking = await ask(deps, presets, { ...body, messages: messagesOf(body) }, request);
        if (body.stream) {
          const form = responseEvents(begun, asking.tokens);
          return sendAnswer(request.reply, asking, form, request.rights, request.signal);
        }
        const ended = await answerOf(asking.stream);
        return toResponse(begun, newMessageId(), ended, toText(ended, asking.after(ended)), asking.tokens());
      },
    }),
    route({
      method: 'GET',
      prefix: '/v1',
      path: '/models',
      scopes: ['inference:run'],
      operation: {
        id: 'listModels',
        summary: 'List the models of the OpenAI-compatible endpoint',
        description: '`pinakes`, and the presets of the operator.',
      },
      response: {
        status: 200,
        schema: z.object({
          object: z.literal('list').describe('Always `list`.'),
          data: z.array(modelSchema).describe('The models.'),
        }),
      },
      handler: async () => ({ object: 'list' as const, data: [...presets.keys()].map(toModel) }),
    }),
    route({
      method: 'GET',
      prefix: '/v1',
      path: '/models/{model}',
      scopes: ['inference:run'],
      operation: { id: 'getModel', summary: 'Get a model of the OpenAI-compatible endpoint' },
      params: z.strictObject({ model: z.string().describe('Name of the model.') }),
      response: { status: 200, schema: modelSchema },
      async handler({ params }) {
        presetOf(presets, params.model);
        return toModel(params.model);
      },
    }),
  ];
}
