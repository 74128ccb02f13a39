/** Answers from tables: the result of a query becomes a source of the answer, and its rows become citations. */

import { isUnrestricted } from '../../access/access.ts';
import { type Citation, citedSpans, type Span, withoutSpans } from '../../answers/grounding/citations.ts';
import type { Marker } from '../../answers/grounding/markers.ts';
import { openResultCheck, type ResultSupport } from '../../answers/grounding/results.ts';
import { QUOTE_CODE_POINTS_MAX } from '../../answers/grounding/verify.ts';
import { ServiceError } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { withoutStatistics } from '../../http/records/content-record.ts';
import type { ContextChunk, OnUsage } from '../../llm/models.ts';
import { redactText } from '../../redaction/apply-redaction.ts';
import { queryTables, TABLES_PER_QUERY_MAX, type TableAnswer } from '../../retrieval/tables/query-tables.ts';
import { askTables } from '../../retrieval/tables/question.ts';
import { findFitting } from '../../retrieval/tables/shortlist.ts';
import type { Hit, Warning } from '../../retrieval/types.ts';
import type { Asked } from './conversation.ts';

/** Rows of a result that an answer is made from. */
const ROWS_MAX = 50;
const TIMEOUT_MS = 5_000;
const CELL_UNITS_MAX = 200;
/** Rows that an answer cites. */
const CITED_ROWS_MAX = 10;

/** A cited chunk. `row` says which row of a table is cited. */
export type CitedHit = Hit & { number: number; row?: { tableId: string; row: number | null } };

/** The result of a query as readers see it, with its label in the request to the model. */
export interface TableResult extends TableAnswer {
  number: number;
  /** The question that the query answers. */
  question: string;
  sql: string;
  /** The result as text, redacted for models. */
  forModel: string;
}

/** A sentence of the answer that cites the result. */
export interface ResultSpan extends Span {
  verified: boolean;
  reason: string | null;
}

/**
 * Returns the result of a query that a model writes, if a table fits the question. The tables are those of the retrieved chunks, so that
 * the filters of the request apply to them. A failure is a warning: the answer is then made from the passages alone.
 *
 * @param question stands alone, as it was asked.
 * @throws the signal's reason.
 */
export async function queryForAnswer(
  deps: Deps,
  asked: Asked,
  question: string,
  hits: readonly Hit[],
  cites: boolean,
  signal: AbortSignal,
): Promise<{ result: TableResult | null; warnings: Warning[] }> {
  const { caller, filters } = asked;
  // These filters choose among the rows of a table, and a statement would see the other rows too.
  const choosesRows = filters.chunkMetadata !== undefined || filters.metadataFilter !== undefined;
  if (!deps.chatModel.ask) return notQueried('a question about tables needs a chat model (PINAKES_CHAT_MODEL)');
  if (!deps.tableEngine) return notQueried('the table engine is not installed or switched off (PINAKES_TABLES)');
  if (choosesRows) return notQueried('a filter on chunk metadata chooses single rows');
  const asking = { ...caller, principal: asked.principal };
  try {
    const tables = await findFitting(deps, asking, question, hits, TABLES_PER_QUERY_MAX, signal);
    if (tables.length === 0) return { result: null, warnings: [] };
    const onUsage: OnUsage = (usage) => deps.usage.add(caller, usage);
    // The rules with which the answer began stay those that it is held to.
    const onRules = (): void => {};
    const options = { tables, rowLimit: ROWS_MAX, timeoutMs: TIMEOUT_MS, cites, onUsage, onRules };
    const { sql, answer, reason, suggestions } = await askTables(deps, asking, { ...options, question }, signal);
    if (suggestions.length > 0) {
      return notQueried(`the question has several meanings for them. Ask one of these: ${suggestions.join(' · ')}`);
    }
    // Without a statement, the tables do not hold the answer.
    if (answer === null) return { result: null, warnings: sql === '' ? [] : [failed(reason ?? '')] };
    return await resultOf(asked, question, sql, answer, signal);
  } catch (error) {
    signal.throwIfAborted();
    deps.log.warn({ err: (error as Error).cause ?? error }, 'a query of tables for an answer failed');
    return { result: null, warnings: [failed(error instanceof ServiceError ? error.message : '')] };
  }
}

/** A statement of an agent run, and the time that it may take now. */
export interface Statement {
  sql: string;
  tables?: readonly string[];
  timeoutMs: number;
}

/** Returns the result that a statement of an agent run has now. A failure is a warning. @throws the signal's reason. */
export async function runForAnswer(
  deps: Deps,
  asked: Asked,
  { sql, tables, timeoutMs }: Statement,
  signal: AbortSignal,
): Promise<{ result: TableResult | null; warnings: Warning[] }> {
  const asking = { ...asked.caller, principal: asked.principal };
  try {
    const answer = await queryTables(deps, asking, { sql, tables, rowLimit: ROWS_MAX, timeoutMs, cites: true }, signal);
    return await resultOf(asked, asked.question.forModel, sql, answer, signal);
  } catch (error) {
    signal.throwIfAborted();
    deps.log.warn({ err: (error as Error).cause ?? error }, 'a query of tables for the answer of an agent run failed');
    return { result: null, warnings: [failed(error instanceof ServiceError ? error.message : '')] };
  }
}

async function resultOf(
  { access, redactor }: Asked,
  question: string,
  sql: string,
  answer: TableAnswer,
  signal: AbortSignal,
): Promise<{ result: TableResult | null; warnings: Warning[] }> {
  const text = await redactText(redactor?.withoutHashes ?? null, textOf(sql, answer), ['llm_input'], signal);
  if (text === undefined) return { result: null, warnings: [] };
  const citations = answer.citations.map((cited, i) =>
    isUnrestricted(access) ? cited : { ...cited, hit: withoutStatistics(cited.hit, i + 1) },
  );
  return { result: { ...answer, citations, number: 1, question, sql, forModel: text }, warnings: answer.warnings };
}

function notQueried(reason: string): { result: null; warnings: Warning[] } {
  const message = `The tables were not queried: ${reason}. The answer is made from passages alone.`;
  return { result: null, warnings: [{ type: 'tables_not_queried', message }] };
}

function failed(reason: string): Warning {
  const message = `The tables could not be queried; the answer is made without them. ${reason}`.trim();
  return { type: 'table_query_failed', message };
}

/** Returns the statement with its result as a table of Markdown, in which rules read each cell below its header. */
function textOf(sql: string, { columns, rows, truncated, witnessCount }: TableAnswer): string {
  const cellText = (cell: unknown): string => {
    const text = typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : String(cell ?? 'null');
    return text
      .replace(/[\s|]+/g, ' ')
      .slice(0, CELL_UNITS_MAX)
      .toWellFormed();
  };
  const line = (cells: readonly unknown[]): string => `| ${cells.map(cellText).join(' | ')} |`;
  return [
    `Statement: ${sql}`,
    ...(witnessCount === null ? [] : [`Rows of the tables that were read: ${witnessCount}`]),
    rows.length === 0 ? 'The result has no rows:' : 'Result:',
    line(columns.map(({ name }) => name)),
    line(columns.map(() => '---')),
    ...rows.map(line),
    ...(truncated ? [`There are more rows than these ${rows.length}.`] : []),
  ].join('\n');
}

export function toResultChunk({ number, forModel }: TableResult): ContextChunk {
  const name = 'computed from whole tables';
  return { number, name, headingPath: [], context: null, content: forModel, score: 0, language: null, isResult: true };
}

export interface CitedResult {
  citations: Citation<CitedHit>[];
  spans: ResultSpan[];
  /** The unsupported sentences that the result does not support either. */
  unsupported: Span[];
}

/** Returns the sentences that cite the result, and the rows of the tables from which the result comes as their citations. */
export function citeResult(
  answer: string,
  markers: readonly Marker[],
  result: TableResult,
  unsupported: readonly Span[],
): CitedResult {
  const columns = result.columns.map(({ name }) => name);
  const check = openResultCheck({ sql: result.sql, columns, rows: result.rows }, result.question);
  const sentences = citedSpans(answer, markers)
    .filter(({ number }) => number === result.number)
    .map(({ span, text }) => ({ span, support: check(text) }));
  const spans = sentences.map(({ span, support: { verified, reason } }) => ({ ...span, verified, reason }));
  const supported = spans.filter(({ verified }) => verified);
  return {
    citations: citationsOf(result, sentences).slice(0, CITED_ROWS_MAX),
    spans,
    unsupported: withoutSpans(unsupported, supported),
  };
}

/** Returns a citation for each cited row and verdict. A sentence that names rows of the result cites their rows only. */
function citationsOf(
  { citations }: TableResult,
  sentences: readonly { span: Span; support: ResultSupport }[],
): Citation<CitedHit>[] {
  return citations.flatMap(({ hit, tableId, row, quote, results }) => {
    const about = sentences.filter(
      ({ support: { rows } }) => results === null || rows.length === 0 || rows.some((one) => results.includes(one)),
    );
    const ofVerdict = Map.groupBy(about, ({ support }) => support.verified);
    return [...ofVerdict].map(([verified, some]) => ({
      chunk: { ...hit, number: 0, row: { tableId, row } },
      number: 0,
      spans: some.map(({ span }) => span),
      quote: [...quote].slice(0, QUOTE_CODE_POINTS_MAX).join(''),
      verified,
      verifiedBy: 'query' as const,
      reason: some[0]!.support.reason,
      quoted: false,
    }));
  });
}
