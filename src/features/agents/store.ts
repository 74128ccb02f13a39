/** SQL of the tables agent_run and agent_step. */
import { belongsTo, type Owner } from '../../corpus/conversation-store.ts';
import { json, type Queryable, type Tx } from '../../db/database.ts';
import { countRows, type Listed, type PageRequest, readPage } from '../../db/page-sql.ts';
import { raw, type Sql, sql } from '../../db/sql.ts';
import type { FilterFields } from '../../http/search-filters.ts';
import type { Kept } from '../../http/tools/tool.ts';
import type { Usage } from '../../llm/models.ts';
import type { Warning } from '../../retrieval/types.ts';

export const RUN_STATUSES = ['queued', 'running', 'success', 'failure', 'canceled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const FINISH_REASONS = [
  'stop',
  'max_steps',
  'max_seconds',
  'max_tokens',
  'no_answer',
  'error',
  'canceled',
] as const;
export type RunFinish = (typeof FINISH_REASONS)[number];

/** What a run may do. It never changes. */
export interface RunRequest {
  tools: string[];
  maxSteps: number;
  maxSeconds: number;
  maxTokens: number;
  filters: FilterFields;
  principalId?: string;
  authzPolicy?: string;
  /** The conversation that the run continues. */
  continues?: string;
  threadId?: string;
  /** The name that an ag-ui client gave the run. */
  runId?: string;
}

/** What came out, besides the answer itself. */
export interface RunOutcome {
  usage: Usage;
  warnings: Warning[];
  unsupported?: { start: number; end: number }[];
  /** The text that says that there is no answer. It is not stored in the conversation. */
  noAnswer?: string;
  error?: { message: string; type: string };
}

export interface NewRun {
  id: string;
  apiKeyId: string;
  keyFamilyId: string;
  principalId: string | null;
  input: string;
  request: RunRequest;
  background: boolean;
  conversationId: string;
  userMessageId: string;
  assistantMessageId: string;
  createdAt: Date;
}

export interface AgentRun extends Omit<NewRun, 'keyFamilyId' | 'principalId'> {
  status: RunStatus;
  attempt: number;
  isStored: boolean;
  /** Why the last step was the last; null while there may be further steps. */
  gatheredAs: RunFinish | null;
  finishReason: RunFinish | null;
  outcome: RunOutcome | null;
  startedAt: Date | null;
  endedAt: Date | null;
}

/** A call of a tool with what it found. Text of sources is not stored. */
export interface StoredCall {
  id: string;
  tool: string;
  /** Null if the arguments were not JSON. */
  args: Record<string, unknown> | null;
  /** Null if the tool did not run or failed. */
  kept: Kept | null;
  /** Why the tool did not run: for the model, and for readers. */
  notice: string | null;
  error: string | null;
  elapsedMs: number;
}

export interface Step {
  number: number;
  calls: StoredCall[];
  usage: Usage;
}

const COLUMNS = raw(`r.id, r.api_key_id, r.input, r.request, r.background, r.status, r.attempt,
  r.conversation_id, r.user_message_id, r.assistant_message_id, r.is_stored,
  r.gathered_as, r.finish_reason, r.outcome, r.created_at, r.started_at, r.ended_at`);

export async function insertRun(tx: Tx, run: NewRun): Promise<void> {
  await tx.query(sql`
    insert into agent_run (tenant_id, id, api_key_id, key_family_id, principal_id, input, request, background, status,
      conversation_id, user_message_id, assistant_message_id, created_at)
    values (${tx.tenantId}, ${run.id}, ${run.apiKeyId}, ${run.keyFamilyId}, ${run.principalId}, ${run.input}, ${json(run.request)},
      ${run.background}, 'queued', ${run.conversationId}, ${run.userMessageId}, ${run.assistantMessageId}, ${run.createdAt})`);
}

/** Counts the runs of a key that wait or are being worked on. */
export function countActiveRuns(tx: Tx, apiKeyId: string): Promise<number> {
  const active = sql`agent_run where tenant_id = ${tx.tenantId} and api_key_id = ${apiKeyId} and status in ('queued', 'running')`;
  return countRows(tx, active);
}

/** Returns the run; undefined if it does not exist or belongs to somebody else. */
export async function findRun(tx: Tx, id: string, owner: Owner): Promise<AgentRun | undefined> {
  const [row] = await tx.query<AgentRun>(
    sql`select ${COLUMNS} from agent_run r where r.tenant_id = ${tx.tenantId} and r.id = ${id} and ${belongsTo(owner)}`,
  );
  return row;
}

export function listRuns(
  tx: Tx,
  owner: Owner,
  status: RunStatus | undefined,
  page: PageRequest,
): Promise<Listed<AgentRun>> {
  const ofStatus = status === undefined ? raw('true') : sql`r.status = ${status}`;
  const matching = sql`agent_run r where r.tenant_id = ${tx.tenantId} and ${belongsTo(owner)} and ${ofStatus}`;
  return readPage<AgentRun>(tx, COLUMNS, matching, raw('r.id'), page);
}

export async function findApiKeyOfRun(tx: Tx, id: string): Promise<string | undefined> {
  const [row] = await tx.query<{ apiKeyId: string }>(
    sql`select r.api_key_id from agent_run r where r.tenant_id = ${tx.tenantId} and r.id = ${id}`,
  );
  return row?.apiKeyId;
}

export function listSteps(tx: Tx, runId: string): Promise<Step[]> {
  return tx.query<Step>(sql`
    select number, calls, usage from agent_step where tenant_id = ${tx.tenantId} and run_id = ${runId} order by number`);
}

/** Makes the caller the worker of the run; undefined if the run has ended. */
export async function claimRun(tx: Tx, id: string, now: Date): Promise<AgentRun | undefined> {
  const [row] = await tx.query<AgentRun>(sql`
    update agent_run r set status = 'running', attempt = attempt + 1, heartbeat_at = ${now},
      started_at = coalesce(started_at, ${now})
    where r.tenant_id = ${tx.tenantId} and r.id = ${id} and r.status in ('queued', 'running') returning ${COLUMNS}`);
  return row;
}

/** The fence: true while this attempt works on the run. */
const mine = (tenantId: string, { id, attempt }: Pick<AgentRun, 'id' | 'attempt'>): Sql =>
  sql`r.tenant_id = ${tenantId} and r.id = ${id} and r.attempt = ${attempt} and r.status = 'running'`;

/** Says that a worker works on the run. Returns false if another worker does, or if the run has ended. */
export async function beatRun(tx: Tx, run: AgentRun, now: Date): Promise<boolean> {
  const rows = await tx.query(
    sql`update agent_run r set heartbeat_at = ${now} where ${mine(tx.tenantId, run)} returning r.id`,
  );
  return rows.length > 0;
}

/** Returns whether somebody asked to cancel the run; undefined if this attempt does not work on it any more. */
export async function findCancelRequest(tx: Tx, run: AgentRun): Promise<boolean | undefined> {
  const [row] = await tx.query<{ isRequested: boolean }>(
    sql`select r.cancel_requested_at is not null as is_requested from agent_run r where ${mine(tx.tenantId, run)}`,
  );
  return row?.isRequested;
}

/** Stores a step. Returns false if another attempt works on the run. */
export async function addStep(tx: Tx, run: AgentRun, step: Step, now: Date): Promise<boolean> {
  if (!(await beatRun(tx, run, now))) return false;
  await tx.query(sql`
    insert into agent_step (tenant_id, run_id, number, calls, usage)
    values (${tx.tenantId}, ${run.id}, ${step.number}, ${json(step.calls)}, ${json(step.usage)})`);
  return true;
}

/** Stores that there are no further steps. Returns false if another attempt works on the run. */
export async function endSteps(tx: Tx, run: AgentRun, why: RunFinish): Promise<boolean> {
  const rows = await tx.query(
    sql`update agent_run r set gathered_as = ${why} where ${mine(tx.tenantId, run)} returning r.id`,
  );
  return rows.length > 0;
}

export interface RunEnd {
  status: 'success' | 'failure' | 'canceled';
  finishReason: RunFinish;
  outcome: RunOutcome;
  isStored: boolean;
}

/** Ends the run. Returns false if another attempt works on it. */
export async function endRun(tx: Tx, run: AgentRun, end: RunEnd, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update agent_run r set status = ${end.status}, finish_reason = ${end.finishReason}, outcome = ${json(end.outcome)},
      is_stored = ${end.isStored}, ended_at = ${now}
    where ${mine(tx.tenantId, run)} returning r.id`);
  return rows.length > 0;
}

/** Asks the worker of a run to cancel it. A run that waits is canceled at once. Returns false if the run has ended. */
export async function requestCancel(tx: Tx, id: string, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update agent_run set cancel_requested_at = ${now},
      status = case status when 'queued' then 'canceled' else status end,
      finish_reason = case status when 'queued' then 'canceled' end,
      outcome = case status when 'queued' then '{"usage": {"inputTokens": 0, "outputTokens": 0}, "warnings": []}'::jsonb end,
      ended_at = case status when 'queued' then ${now}::timestamptz end
    where tenant_id = ${tx.tenantId} and id = ${id} and status in ('queued', 'running') returning id`);
  return rows.length > 0;
}

/** Ends the runs whose worker has sent no heartbeat since `before`. */
export async function failLostRuns(tx: Queryable, before: Date, now: Date, outcome: RunOutcome): Promise<void> {
  await tx.query(sql`
    update agent_run set status = 'failure', finish_reason = 'error', outcome = ${json(outcome)}, ended_at = ${now}
    where status = 'running' and heartbeat_at < ${before}`);
}

/** Deletes the runs that ended before a time, with their steps. */
export async function dropOldRuns(tx: Queryable, before: Date): Promise<void> {
  await tx.query(sql`delete from agent_run where ended_at < ${before}`);
}
