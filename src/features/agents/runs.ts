/** Begins runs: checks what a caller may ask for, and stores the run. */
import type { Caller } from '../../access/caller.ts';
import { invalidAt, invalidRequest, ServiceError } from '../../errors.ts';
import type { RequestRights } from '../../http/live-rights.ts';
import { filtersOf } from '../../http/search-filters.ts';
import { type Tool, toolsFor } from '../../http/tools/tool.ts';
import { newId } from '../../util/ids.ts';
import type { Asking, Host } from './host.ts';
import type { AgentRunBody } from './request.ts';
import { countActiveRuns, insertRun, type NewRun } from './store.ts';

/** Runs of a key that wait or go on. */
export const RUNS_PER_KEY_MAX = 4;
/** Attached runs of a process. Runs in the background wait for a worker instead. */
export const RUNS_PER_PROCESS_MAX = 8;
export const RETRY_SECONDS = 10;

/** Returns the tools that agents can use: those whose results can be stored and read again. */
export function agentTools(tools: readonly Tool[]): Tool[] {
  return tools.filter(({ keep, restore }) => keep !== undefined && restore !== undefined);
}

/** Returns the names of the tools of a run. @throws ServiceError invalid_request, forbidden */
function toolNames(tools: readonly Tool[], caller: Caller, body: AgentRunBody): string[] {
  const hasFilters = Object.keys(filtersOf(body)).length > 0;
  const existing = agentTools(tools);
  const named = existing.filter(({ name }) => body.tools?.includes(name) ?? true);
  const unknown = body.tools?.find((name) => !existing.some((tool) => tool.name === name));
  if (unknown !== undefined)
    throw invalidAt(
      ['tools'],
      `${JSON.stringify(unknown)} is no tool. Tools: ${existing.map(({ name }) => name).join(', ')}.`,
    );
  const allowed = toolsFor(named, caller);
  if (allowed.length === 0)
    throw new ServiceError('forbidden', 'The API key may use none of the tools: it needs the scope knowledge:read.');
  if (body.tools && allowed.length < named.length)
    throw invalidAt(['tools'], 'the API key may not use one of the tools.');
  const filtered = allowed.filter(({ within }) => !hasFilters || within !== undefined);
  if (filtered.length === 0 || (body.tools && filtered.length < allowed.length))
    throw invalidAt(['tools'], 'one of the tools does not keep within filters: leave out the tool, or the filters.');
  return filtered.map(({ name }) => name);
}

/**
 * Stores a run that waits, with its job if it goes on in the background.
 *
 * @throws ServiceError
 */
export async function beginRun(
  { deps, tools, ask }: Host,
  caller: Caller,
  body: AgentRunBody,
  rights: RequestRights,
): Promise<{ id: string; asking: Asking }> {
  const { tenantId } = caller;
  if (body.background && body.stream === true)
    throw invalidAt(['stream'], 'a run in the background has no stream: read GET /agents/runs/{id}/events.');
  const filters = filtersOf(body);
  const question = { ...body, ...filters };
  const asking = await ask(question as Parameters<typeof ask>[0], caller, rights);
  if (deps.chatModel.step === undefined) throw invalidRequest('Agents need a chat model: set PINAKES_CHAT_MODEL.');
  const run: NewRun = {
    id: newId(),
    apiKeyId: caller.apiKeyId,
    keyFamilyId: caller.keyFamilyId,
    principalId: asking.principal?.id ?? null,
    input: asking.question.forModel,
    request: {
      tools: toolNames(tools, caller, body),
      maxSteps: body.max_steps,
      maxSeconds: body.max_seconds,
      maxTokens: body.max_tokens,
      filters,
      ...(body.principal_id === undefined ? {} : { principalId: body.principal_id }),
      ...(body.authz_policy === undefined ? {} : { authzPolicy: body.authz_policy }),
      ...(body.conversation_id === undefined ? {} : { continues: body.conversation_id }),
      ...(body.threadId === undefined ? {} : { threadId: body.threadId }),
      ...(body.runId === undefined ? {} : { runId: body.runId }),
    },
    background: body.background,
    conversationId: asking.turn.conversationId,
    userMessageId: asking.turn.userMessageId,
    assistantMessageId: asking.turn.assistantMessageId,
    createdAt: deps.clock.now(),
  };
  await deps.db.transaction(tenantId, async (tx) => {
    if ((await countActiveRuns(tx, caller.apiKeyId)) >= RUNS_PER_KEY_MAX) throw tooMany();
    await insertRun(tx, run);
    if (run.background) await deps.queue.enqueue(tx, 'agent-run', { tenantId, runId: run.id });
  });
  return { id: run.id, asking };
}

/** Returns the error for a caller who must wait until a run has ended. */
function tooMany(): ServiceError {
  const message = `This API key has ${RUNS_PER_KEY_MAX} agent runs already: try again when one has ended.`;
  return new ServiceError('overloaded', message, { retryAfterSeconds: RETRY_SECONDS });
}
