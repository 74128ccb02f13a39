/** The routes of agent runs: begin, list, read, follow, cancel. */
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { principalOf } from '../../access/access.ts';
import { ownerOf } from '../../corpus/conversation-store.ts';
import { conflict, invalidRequest, notFound } from '../../errors.ts';
import { toServiceError } from '../../http/error-handler.ts';
import { orderShape, pageAnswer, pageQueryShape, pageRequest, pageResponse } from '../../http/page.ts';
import { openConcurrencyLimiter } from '../../http/rate-limit.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { idParams, principalShape, queryInteger } from '../../http/schemas.ts';
import { acceptsEvents, openEventStream } from '../../http/sse.ts';
import type { Exchange } from '../../http/tools/exchange.ts';
import { withRedactor } from '../../redaction/redactors.ts';
import type { NumberedEvent } from './events.ts';
import type { Host } from './host.ts';
import { followRun, type Reader, readRun } from './read.ts';
import { runSchema, runSummarySchema, toRun, toSummary } from './record.ts';
import { agentRunBody } from './request.ts';
import { execute } from './run.ts';
import { beginRun, RETRY_SECONDS, RUNS_PER_KEY_MAX, RUNS_PER_PROCESS_MAX } from './runs.ts';
import { findRun, listRuns, RUN_STATUSES, requestCancel } from './store.ts';

const route = routesOf('Agents');
const shared = { scopes: ['inference:run'], experimental: 'agents' } as const;
const EVENT_NUMBER_MAX = 1_000_000;

const DESCRIPTION = `A chat model calls tools until it has found what the question asks for. A further call without tools answers from
what was found, with checked citations. If that call fails, the answer quotes the best passages. The tools read with the key, the
principal, the policy and the filters of the request: nothing that a model writes changes them.

With \`stream\` the answer is a stream of ag-ui events (STEP_*, TOOL_CALL_*, TEXT_MESSAGE_*), and the run ends when the client leaves. With
\`background\` the answer is the queued run. Otherwise the answer is the run at its end. A key may have ${RUNS_PER_KEY_MAX} runs at once, a
process ${RUNS_PER_PROCESS_MAX} with a connection. Runs are kept for 30 days. Without a chat model: 400.`;

const listQuery = z.strictObject({
  ...pageQueryShape,
  ...orderShape,
  status: z.enum(RUN_STATUSES).optional().describe('Only runs with this status.'),
  ...principalShape,
});
const readQuery = z.strictObject(principalShape);
const eventsQuery = z.strictObject({
  after_seq: queryInteger(0, EVENT_NUMBER_MAX)
    .optional()
    .describe('Only events after this number. The header `Last-Event-ID` does the same.'),
  ...principalShape,
});

export function agentRoutes(host: Host): Route[] {
  const { deps } = host;
  return [
    createRoute(host),
    route({
      ...shared,
      method: 'GET',
      path: '/agents/runs',
      operation: {
        id: 'listAgentRuns',
        summary: 'List agent runs',
        description: 'The runs of the API key and the principal.',
      },
      query: listQuery,
      response: pageResponse('runs', runSummarySchema, 'The runs of this page.'),
      async handler({ query, caller }) {
        const owner = ownerOf(caller, principalOf(deps, query));
        const { redactor, ...listed } = await withRedactor(deps, caller.tenantId, (tx) =>
          listRuns(tx, owner, query.status, pageRequest(query)),
        );
        return pageAnswer('runs', query, listed, (run) => toSummary(run, redactor));
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/agents/runs/{id}',
      operation: {
        id: 'getAgentRun',
        summary: 'Get an agent run',
        description: 'Its steps and its answer, as the caller may see them now.',
      },
      params: idParams,
      query: readQuery,
      response: { status: 200, schema: runSchema },
      async handler(request) {
        return toRun(await readRun(host, readerOf(host, request, request.query), request.params.id));
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/agents/runs/{id}/events',
      operation: {
        id: 'streamAgentRun',
        summary: 'Follow an agent run',
        description:
          'The ag-ui events of the run from its begin, or after a number, until its end. Each event has its number as its id: 1, 2, 3 … ' +
          'without gaps. Results of tools are read again, under the rules of now.',
      },
      params: idParams,
      query: eventsQuery,
      response: { status: 200, schema: z.unknown() },
      stream: 'ag-ui events, each in one `data:` line.',
      async handler(request) {
        const { params, query, caller, rights, signal, raw, reply } = request;
        const reader = readerOf(host, request, query);
        const found = await deps.db.transaction(caller.tenantId, (tx) =>
          findRun(tx, params.id, ownerOf(caller, reader.principal)),
        );
        if (found === undefined) throw notFound();
        const lastId = String(raw.headers['last-event-id'] ?? '');
        if (lastId !== '' && !/^\d{1,7}$/.test(lastId))
          throw invalidRequest('Last-Event-ID must be the id of an event.');
        const after = query.after_seq ?? Number(lastId);
        return sendEvents(followRun(host, reader, params.id, after), reply, signal, () => rights.confirm());
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/agents/runs/{id}/cancel',
      operation: {
        id: 'cancelAgentRun',
        summary: 'Cancel an agent run',
        description: 'A run that goes on ends within a few seconds. A run at rest is a conflict.',
      },
      params: idParams,
      query: readQuery,
      response: { status: 202, schema: runSummarySchema, description: 'The run, which ends soon.' },
      errors: [409],
      async handler({ params, query, caller, reply }) {
        const owner = ownerOf(caller, principalOf(deps, query));
        const { run, redactor } = await deps.db.transaction(caller.tenantId, async (tx) => {
          if ((await findRun(tx, params.id, owner)) === undefined) throw notFound();
          if (!(await requestCancel(tx, params.id, deps.clock.now()))) throw conflict('The run has ended already.');
          const canceled = (await findRun(tx, params.id, owner))!;
          return { run: canceled, redactor: await deps.redactors.forTenant(tx) };
        });
        reply.code(202);
        return toSummary(run, redactor);
      },
    }),
  ];
}

function createRoute(host: Host): Route {
  const { deps } = host;
  const enter = openConcurrencyLimiter({
    // As with jobs, one place stays free for other tenants.
    max: RUNS_PER_PROCESS_MAX - 1,
    allMax: RUNS_PER_PROCESS_MAX,
    message: 'This process has no place for another agent run: try again when one has ended.',
    retryAfterSeconds: RETRY_SECONDS,
  });
  return route({
    ...shared,
    method: 'POST',
    path: '/agents/runs',
    check: (caller) => deps.usage.assertBudget(caller),
    operation: {
      id: 'createAgentRun',
      summary: 'Answer a question in several steps',
      description: DESCRIPTION,
    },
    body: agentRunBody,
    response: { status: 201, schema: runSchema, description: 'The run: at its end, or queued.' },
    alternatives: { 'text/event-stream': { description: 'With `stream`: ag-ui events.', schema: { type: 'string' } } },
    errors: [404, 409, 502, 504],
    example: { input: 'Which of our offices has the longer notice period, and who approves exceptions?', max_steps: 6 },
    async handler(request) {
      const { body, caller, rights, signal, raw, reply } = request;
      const streams = !body.background && (body.stream ?? acceptsEvents(raw.headers.accept));
      const leave = body.background ? () => {} : enter(caller.tenantId);
      try {
        const { id, asking } = await beginRun(host, caller, body, rights);
        if (!body.background) {
          const events = execute(host, id, { caller, rights, signal }, asking);
          if (streams) return await sendEvents(events, reply, signal);
          for await (const _event of events);
        }
        reply.code(201);
        return await toRun(await readRun(host, readerOf(host, request, body), id));
      } finally {
        leave();
      }
    },
  });
}

/** Returns who reads runs by a request. */
function readerOf(
  { deps }: Host,
  { caller, signal, rights, raw, reply }: Omit<Exchange, 'principal' | 'filters'>,
  named: z.output<typeof readQuery>,
): Reader {
  const { principal_id, authz_policy } = named;
  const principal = {
    ...(principal_id !== undefined && { principal_id }),
    ...(authz_policy !== undefined && { authz_policy }),
  };
  return { exchange: { caller, principal, signal, rights, raw, reply }, principal: principalOf(deps, named) };
}

/** Sends events until the run ends, or the client leaves. A failure becomes RUN_ERROR, so that a client always receives an end. */
async function sendEvents(
  events: AsyncGenerator<NumberedEvent>,
  reply: FastifyReply,
  signal: AbortSignal,
  confirm: () => Promise<void> = async () => {},
): Promise<FastifyReply> {
  // An event that is refused at once becomes an error response.
  let next = await events.next();
  const stream = openEventStream(reply, signal);
  let hasEnded = false;
  try {
    for (; !next.done; next = await events.next()) {
      const { number, event } = next.value;
      hasEnded = event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR';
      if (hasEnded && signal.aborted) {
        stream.end(event);
        continue;
      }
      await confirm();
      await stream.send(event, number === null ? undefined : String(number));
    }
    stream.end();
  } catch (error) {
    if (!signal.aborted) reply.log.warn({ err: error }, 'the events of an agent run ended early');
    // The run ends, unless it has. Its last event has nobody to read it.
    await events
      .throw(error)
      .then(() => events.return(undefined))
      .catch(() => {});
    const failure = toServiceError(signal.aborted ? signal.reason : error);
    if (hasEnded) stream.end();
    else stream.end({ type: 'RUN_ERROR', message: failure.message, code: failure.type });
  }
  return reply;
}
