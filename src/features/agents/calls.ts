/** Runs the calls of a step, and reads stored results again. No argument changes for whom a tool reads. */
import { createHash } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { toServiceError } from '../../http/error-handler.ts';
import { argumentsWithin, type Exchange } from '../../http/tools/exchange.ts';
import type { Json, Kept, Tool } from '../../http/tools/tool.ts';
import { validate } from '../../http/validate.ts';
import type { ToolCall } from '../../llm/models.ts';
import { FACT_STEPS, redactCell, redactText } from '../../redaction/apply-redaction.ts';
import type { ApplyAt, Redactor } from '../../redaction/redact.ts';
import { findHeaders } from '../../retrieval/reading/lookup.ts';
import type { Warning } from '../../retrieval/types.ts';
import { readerViewOfWarnings } from '../../retrieval/views.ts';
import { isId, newId } from '../../util/ids.ts';
import { isObject } from '../../util/is-object.ts';
import type { StoredCall } from './store.ts';

/** Calls of one step that run; a model that asks for more gets a notice. */
const CALLS_PER_STEP_MAX = 5;
/** Calls of one step that get a notice at all. */
const CALLS_NOTED_MAX = 20;
const TOOL_NAME_UNITS_MAX = 64;
const ARGUMENT_UNITS_MAX = 16_384;
/** Rules that apply to the arguments, which a model wrote: it may have copied them from sources. */
export const READER_STEPS: readonly ApplyAt[] = [...FACT_STEPS, 'output'];

const NOTICES = {
  repeated: 'This was already asked: use the earlier result, or ask something else.',
  many: `Only ${CALLS_PER_STEP_MAX} calls run at once: ask again if it is still needed.`,
  outside: 'Only ids of earlier results can be read.',
  gone: 'The result is no longer available.',
} as const;
const ERRORS = {
  cut: 'The arguments were cut off: they are too long.',
  json: 'The arguments are not a JSON object.',
  failed: 'The tool failed.',
  late: 'The tool took too long.',
} as const;

/** A call with what its tool returned; null when it did not run, failed, or cannot be read any more. */
export interface CallView {
  call: StoredCall;
  result: Json | null;
  /** What there is of the stored result now. */
  kept: Pick<Kept, 'chunkIds' | 'found'> | null;
  /** False when an earlier result cannot be read any more: then the arguments may tell of it. */
  showsArguments: boolean;
}

/** What earlier calls of a run have asked and found. */
export interface Seen {
  asked: Set<string>;
  ids: Set<string>;
}

/** Runs the calls that a model asked for, one after the other. */
export async function runCalls(
  { log }: Pick<Deps, 'log'>,
  tools: readonly Tool[],
  { calls, isCut }: { calls: readonly ToolCall[]; isCut: boolean },
  seen: Seen,
  exchange: Exchange,
): Promise<CallView[]> {
  const views: CallView[] = [];
  for (const [i, { name, input }] of calls.slice(0, CALLS_NOTED_MAX).entries()) {
    const isLong = JSON.stringify(input ?? null).length > ARGUMENT_UNITS_MAX;
    const args = isObject(input) && !isLong ? (storable(input) as Json) : null;
    // Some providers refuse a history with other characters in the name of a tool.
    const tool = name.replace(/[^\w-]/g, '_').slice(0, TOOL_NAME_UNITS_MAX) || '_';
    const call: StoredCall = { id: newId(), tool, args, kept: null, notice: null, error: null, elapsedMs: 0 };
    const view: CallView = { call, result: null, kept: null, showsArguments: true };
    views.push(view);
    const startedAt = performance.now();
    try {
      if (i >= CALLS_PER_STEP_MAX) call.notice = NOTICES.many;
      else if (args === null) call.error = isCut || isLong ? ERRORS.cut : ERRORS.json;
      else {
        view.result = await runCall(tools, call, seen, exchange);
        view.kept = call.kept;
      }
    } catch (error) {
      exchange.signal.throwIfAborted();
      call.error = errorText(error);
      if (call.error === ERRORS.failed) log.error({ err: error, tool }, 'a tool of an agent run failed');
    }
    call.elapsedMs = Math.round(performance.now() - startedAt);
  }
  return views;
}

async function runCall(tools: readonly Tool[], call: StoredCall, seen: Seen, exchange: Exchange): Promise<Json | null> {
  const tool = tools.find(({ name }) => name === call.tool);
  if (tool === undefined) {
    throw new ServiceError(
      'invalid_request',
      `There is no such tool. Tools: ${tools.map(({ name }) => name).join(', ')}.`,
    );
  }
  // A reader of the run sees the arguments that applied.
  if (tool.within === 'filters' && call.args !== null) call.args = argumentsWithin(call.args, exchange.filters);
  const args = validate(tool.input, call.args, 'arguments');
  const key = `${tool.name} ${normalised(args)}`;
  if (seen.asked.has(key)) call.notice = NOTICES.repeated;
  else if (exchange.filters && tool.within === 'ids' && !idsIn(args).every((id) => seen.ids.has(id)))
    call.notice = NOTICES.outside;
  if (call.notice !== null) return null;
  const { structured } = await tool.run(args, exchange);
  call.kept = await tool.keep!(args, structured, exchange);
  seen.asked.add(key);
  for (const id of idsIn(structured)) seen.ids.add(id);
  return structured;
}

/** Returns a JSON value that the database can store: without U+0000 and halves of surrogate pairs. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '');
  if (Array.isArray(value)) return value.map(storable);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [storable(name) as string, storable(member)]),
  );
}

function errorText(error: unknown): string {
  if ((error as Error | null)?.name === 'TimeoutError') return ERRORS.late;
  const failure = toServiceError(error);
  return failure.status < 500 ? failure.message : ERRORS.failed;
}

/** Reads the results of stored calls again, as the caller may see them now. Adds to `seen` what they asked and found. */
export async function restoreCalls(
  tools: readonly Tool[],
  calls: readonly StoredCall[],
  seen: Seen & { isWhole: boolean },
  exchange: Exchange,
): Promise<CallView[]> {
  const views: CallView[] = [];
  const showsArguments = seen.isWhole;
  for (const call of calls) {
    const view: CallView = { call, result: null, kept: null, showsArguments };
    views.push(view);
    const tool = tools.find(({ name }) => name === call.tool);
    if (call.kept === null || tool?.restore === undefined) continue;
    try {
      const args = validate(tool.input, call.args, 'arguments');
      view.result = await tool.restore(args, call.kept, exchange);
      seen.asked.add(`${tool.name} ${normalised(args)}`);
      const now = await tool.keep!(args, view.result, exchange);
      view.kept = now;
      if (now.found !== call.kept.found || now.chunkIds.join() !== call.kept.chunkIds.join()) seen.isWhole = false;
      for (const id of idsIn(view.result)) seen.ids.add(id);
    } catch (error) {
      exchange.signal.throwIfAborted();
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      seen.isWhole = false;
    }
  }
  return views;
}

/** Returns what a reader sees of a result: the record of the tool, or why there is none. */
export async function readerResult(view: CallView, redactor: Redactor | null): Promise<Json> {
  const { call, result } = view;
  const error = await readerError(view, redactor);
  if (call.error !== null) return error === null ? { notice: NOTICES.gone } : { error };
  if (call.notice !== null) return { notice: call.notice };
  return result ?? { notice: NOTICES.gone };
}

/** Returns the error as a reader sees it: it may have words of the arguments, and names that a later rule hides. */
export async function readerError(
  { call, showsArguments }: CallView,
  redactor: Redactor | null,
): Promise<string | null> {
  if (call.error === null || !showsArguments) return null;
  return (await redactText(redactor?.withoutHashes ?? null, call.error, READER_STEPS)) ?? '';
}

/** Returns the arguments as a reader sees them. */
export async function readerArguments(
  { call, showsArguments }: CallView,
  redactor: Redactor | null,
): Promise<Json | null> {
  if (call.args === null || !showsArguments) return null;
  const masking = redactor?.withoutHashes ?? null;
  const shown = await mapTexts(call.args, async (text) => (await redactText(masking, text, READER_STEPS)) ?? '');
  return shown as Json;
}

/** Types of warnings that may name a table or its columns, or count its rows. */
const OF_TABLES: ReadonlySet<string> = new Set(['total_rows_excluded', 'table_query_failed']);

/**
 * Returns the stored warnings as a reader sees them.
 *
 * @param isWhole whether the reader can still read all results of the run: only then the tables that warnings name are theirs to see.
 */
export function readerWarnings(
  redactor: Redactor | null,
  warnings: readonly Warning[],
  isWhole: boolean,
): Promise<Warning[]> {
  return readerViewOfWarnings(
    redactor,
    warnings.filter(({ type }) => isWhole || !OF_TABLES.has(type)),
  );
}

/** Returns the text of a result for the model. A record of rows lacks their header, which a rule may need. */
export async function modelResult(
  { db }: Pick<Deps, 'db'>,
  tenantId: string,
  tools: readonly Tool[],
  view: CallView,
  redactor: Redactor | null,
): Promise<string> {
  const tool = tools.find(({ name }) => name === view.call.tool);
  if (view.result === null || tool === undefined) return JSON.stringify(await readerResult(view, redactor));
  const masking = redactor?.withoutHashes ?? null;
  const ids = [...idsIn(view.result).filter(isId), ...(view.kept?.chunkIds ?? [])];
  const headers = redactor?.appliesAt('llm_input')
    ? await db.transaction(tenantId, (tx) => findHeaders(tx, ids), { readOnly: true })
    : new Map<string, string>();
  const redacted = await mapTexts(view.result, (text, name, { id }, column) => {
    const header = headers.get(String(name === 'text' ? view.kept?.chunkIds[0] : id));
    if (column !== undefined) return redactCell(masking, { header: column, text }, ['llm_input']);
    // The examples are of all rows, and a rule may need the rest of a row.
    if (name === 'examples' && redactor?.appliesAt('llm_input')) return Promise.resolve(undefined);
    return redactText(PASSAGES.has(name) ? redactor : masking, text, ['llm_input'], undefined, header);
  });
  return tool.toText(redacted as Json);
}

/** Members with text of sources. A rule may hash what it finds there; names and addresses are masked. */
const PASSAGES: ReadonlySet<string> = new Set(['content', 'context', 'text', 'heading_path']);

/**
 * Returns a JSON value with other texts. Ids stay. A record of a list is left out if `change` returns undefined for one of its texts;
 * elsewhere such a text becomes empty. A list in a list is a row of a table: its numbers count as texts, too.
 *
 * @param change gets the text with the name of its member, the record that has this member, and for a cell the name of its column.
 */
async function mapTexts(
  value: unknown,
  change: (text: string, name: string, record: Json, column?: string) => Promise<string | undefined>,
  name = '',
): Promise<unknown> {
  let isBlocked = false;
  let record: Json = {};
  /** @param cell the number of the column, or -1 for a row. */
  const walk = async (inner: unknown, member: string, cell?: number): Promise<unknown> => {
    const isCell = cell !== undefined;
    if (typeof inner === 'number' && isCell) {
      const changed = await walk(String(inner), '', cell);
      return changed === String(inner) ? inner : changed;
    }
    if (typeof inner === 'string') {
      if (isIdName(member) && !isCell) return inner;
      const changed = await change(inner, member, record, isCell ? columnName(record, cell) : undefined);
      if (changed === undefined) isBlocked = true;
      return changed ?? '';
    }
    if (Array.isArray(inner)) {
      const kept: unknown[] = [];
      for (const [i, one] of inner.entries()) {
        const outer = isBlocked;
        isBlocked = false;
        const changed = await walk(one, member, cell === -1 ? i : (cell ?? (Array.isArray(one) ? -1 : undefined)));
        if (isCell || !isBlocked) kept.push(changed);
        isBlocked = outer || (isCell && isBlocked);
      }
      return kept;
    }
    if (!isObject(inner)) return inner;
    const members: [string, unknown][] = [];
    const outer = record;
    for (const [key, one] of Object.entries(inner)) {
      if (!isCell) record = inner;
      members.push([key, await walk(one, key, cell)]);
    }
    record = outer;
    return Object.fromEntries(members);
  };
  return walk(value, name);
}

function columnName({ columns }: Json, cell: number): string {
  const column: unknown = Array.isArray(columns) ? columns[cell] : undefined;
  return isObject(column) ? String(column['name']) : '';
}

function isIdName(name: string): boolean {
  return name === 'id' || name.endsWith('_id');
}

/** Returns the values of all members that are ids. */
function idsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' ? (isIdName(name) ? [member] : []) : idsIn(member),
  );
}

/** Returns a text that is equal for arguments that ask the same. */
function normalised(args: unknown): string {
  const plain = (value: unknown): unknown => {
    if (typeof value === 'string') return value.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
    if (Array.isArray(value)) return value.map(plain);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.keys(value)
        .sort()
        .map((key) => [key, plain(value[key])]),
    );
  };
  return createHash('sha256')
    .update(JSON.stringify(plain(args)))
    .digest('base64');
}
