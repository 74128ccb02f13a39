/** Answers a question about tables: a model writes a statement, which runs as the statement of the caller would. */
import { randomBytes } from 'node:crypto';
import { type Rules, readRules } from '../../access/standing.ts';
import { openOutputPolicy } from '../../answers/output-policy.ts';
import { invalidRequest, ServiceError } from '../../errors.ts';
import { answerTokens } from '../../llm/chat/prompt.ts';
import { tokensAtMost } from '../../llm/chat/tokens.ts';
import type { ChatModel, OnUsage } from '../../llm/models.ts';
import { redactText } from '../../redaction/apply-redaction.ts';
import { collect } from '../../util/collect.ts';
import {
  openTables,
  queryTables,
  requireEngine,
  TABLES_LOOKED_AT_MAX,
  TABLES_PER_QUERY_MAX,
  type TableAnswer,
  type TableCaller,
  type TableDeps,
  type TableQuery,
} from './query-tables.ts';
import { describeTables, instructions, readAnswer, repair, request } from './question-prompt.ts';
import { shortlist } from './shortlist.ts';

/** Maximum time of one call of the model. */
const MODEL_TIMEOUT_MS = 60_000;
const NO_TABLE = 'There is no table to ask.';
const NO_OBJECT = 'The reply was not one JSON object with sql, clarify or cannot.';

export interface QuestionDeps extends TableDeps {
  chatModel: ChatModel;
  config: { outputPolicy: boolean };
}

export interface TableQuestion extends Omit<TableQuery, 'sql'> {
  question: string;
  onUsage: OnUsage;
  /** Is told the rules under which the model reads. The request ends when they change. */
  onRules(rules: Rules): void;
}

export interface QuestionAnswer {
  /** The statement of the model; empty if it wrote none. */
  sql: string;
  /** Null if no statement ran to its end. */
  answer: TableAnswer | null;
  /** Questions that the caller may have meant. */
  suggestions: string[];
  /** Why there is no result; null otherwise. */
  reason: string | null;
}

/**
 * Returns the result of the statement that the model writes, or what the model says instead. A statement that fails is repaired once.
 *
 * @throws ServiceError `invalid_request` without a chat model or if a rule blocks the question; `upstream_failed`, `upstream_timeout` or
 *   `overloaded` for the model; otherwise as `queryTables` does.
 */
export async function askTables(
  deps: QuestionDeps,
  caller: TableCaller,
  asked: TableQuestion,
  signal: AbortSignal,
): Promise<QuestionAnswer> {
  requireEngine(deps);
  const { chatModel } = deps;
  if (!chatModel.ask) throw invalidRequest('A question needs a chat model: set PINAKES_CHAT_MODEL.');
  const wanted = { ids: asked.tables };
  const { redactor, tables, also } = await openTables(deps, caller, wanted, TABLES_LOOKED_AT_MAX, signal, (tx) =>
    readRules(tx, caller.principal),
  );
  asked.onRules(also!);
  const masking = redactor?.withoutHashes ?? null;
  const question = await redactText(masking, asked.question, ['llm_input'], signal);
  if (question === undefined)
    throw invalidRequest('The question contains text that a redaction rule blocks for models.');

  const nonce = randomBytes(9).toString('base64url');
  const system = instructions(nonce);
  const outputTokensMax = answerTokens(chatModel.contextTokens);
  // The repair repeats a reply and adds an error.
  const tokensMax = chatModel.contextTokens - 2 * outputTokensMax - tokensAtMost(system + question);
  const chosen = shortlist(question, tables, redactor === null, TABLES_PER_QUERY_MAX);
  const ddl = await describeTables(chosen, redactor, tokensMax, signal);
  if (ddl === '') return { sql: '', answer: null, suggestions: [], reason: NO_TABLE };
  const first = request(question, ddl, nonce);
  const ask = async (text: string): Promise<string> => {
    const limits = { outputTokensMax, timeoutMs: MODEL_TIMEOUT_MS, onUsage: asked.onUsage };
    const reply = await chatModel.ask!({ use: 'table', system, text, ...limits }, signal);
    signal.throwIfAborted();
    return reply;
  };
  const shown = async (text: string): Promise<string | undefined> => {
    const redacted = await redactText(masking, text, ['output'], signal);
    if (redacted === undefined || !deps.config.outputPolicy) return redacted;
    const policy = openOutputPolicy({ addresses: [], texts: [] });
    return policy.push(redacted) + policy.end();
  };

  let reply = await ask(first);
  for (let isRepaired = false; ; isRepaired = true) {
    const answer = readAnswer(reply);
    const said = { answer: null, suggestions: [], reason: null };
    if (answer && 'clarify' in answer) {
      return { ...said, sql: '', suggestions: await collect(answer.clarify, shown) };
    }
    if (answer && 'cannot' in answer) return { ...said, sql: '', reason: (await shown(answer.cannot)) ?? '' };
    const sql = answer && (await redactText(masking, answer.sql, ['output'], signal));
    let failure = NO_OBJECT;
    if (answer) {
      try {
        const { question: _question, onUsage: _onUsage, onRules: _onRules, ...query } = asked;
        return {
          ...said,
          sql: sql ?? '',
          answer: await queryTables(deps, caller, { ...query, sql: answer.sql }, signal),
        };
      } catch (error) {
        signal.throwIfAborted();
        if (!isOfStatement(error)) throw error;
        failure = error.message;
      }
    }
    if (isRepaired && !answer) {
      throw new ServiceError('upstream_failed', 'The chat model gave no answer that could be used.');
    }
    if (isRepaired) return { ...said, sql: sql ?? '', reason: `The statement of the model failed: ${failure}` };
    const forModel = (await redactText(masking, failure, ['llm_input'], signal)) ?? 'The statement failed.';
    reply = await ask(`${first}\n\n${repair(reply, forModel, nonce)}`);
  }
}

/** Returns whether another statement could succeed. */
function isOfStatement(error: unknown): error is ServiceError {
  return error instanceof ServiceError && (error.code === 'invalid_request' || error.code === 'too_large');
}
