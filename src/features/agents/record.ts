/** Agent runs on the wire. */
import { z } from 'zod';
import { toRecord } from '../../http/records/wire-record.ts';
import { idSchema, timeSchema, warningsSchema } from '../../http/schemas.ts';
import { redactText } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { READER_STEPS, readerArguments, readerError, readerWarnings } from './calls.ts';
import type { RunView } from './read.ts';
import { type AgentRun, FINISH_REASONS, RUN_STATUSES } from './store.ts';

const nullableTime = timeSchema.nullable();

const stepSchema = z
  .object({
    number: z.int().describe('1, 2, 3 … Calls of one step have the same number.'),
    tool: z.string().describe('The tool that the model called.'),
    input: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        'The arguments, without those that filters of the run replace. Null if they were no JSON object, and when a result before ' +
          'them cannot be read any more.',
      ),
    found: z
      .int()
      .describe(
        'How many passages, sources, tables or rows the tool found, without those that cannot be read any more.',
      ),
    ids: z.array(idSchema).describe('The chunks among them, which the answer may cite.'),
    notice: z.string().nullable().describe('Why the tool did not run; for example, the same was asked before.'),
    error: z.string().nullable().describe('Why the tool failed.'),
    elapsed_ms: z.int().describe('Milliseconds that the tool took.'),
  })
  .meta({ id: 'AgentStep' });

const spanSchema = z.object({
  start: z.int().describe('Offset of the first code point, from 0.'),
  end: z.int().describe('Offset behind the last code point.'),
});

const runShape = {
  id: idSchema.describe('Id of the run.'),
  status: z.enum(RUN_STATUSES).describe('`queued` and `running` go on; the others are at rest.'),
  planner: z.literal('model').describe('Always `model`: the chat model decides which tools are called.'),
  finish_reason: z
    .enum(FINISH_REASONS)
    .nullable()
    .describe(
      'Why the run ended. After a limit there is an answer, too: from what was found until then. Null before the end.',
    ),
  input: z.string().describe('The question.'),
  background: z.boolean().describe('Whether the run goes on without a connection.'),
  conversation_id: idSchema.nullable().describe('The conversation with the answer. Null while it does not have one.'),
  user_message_id: idSchema.nullable().describe('The stored question. Null without a stored answer.'),
  assistant_message_id: idSchema.nullable().describe('The stored answer. Null without one.'),
  usage: z
    .object({
      input_tokens: z.int().describe('Tokens of all requests to the model.'),
      output_tokens: z.int().describe('Tokens of all its answers.'),
    })
    .describe('Tokens that the run used. 0 before the end.'),
  warnings: warningsSchema,
  error: z
    .object({
      message: z.string().describe('What went wrong, in words for a person.'),
      type: z.string().describe('Kind of the error, as in error answers.'),
    })
    .nullable()
    .describe('Why the run failed. Null otherwise.'),
  creation_time: timeSchema,
  start_time: nullableTime.describe('When a worker began with the run; null while it waits.'),
  end_time: nullableTime.describe('When the run ended; null before.'),
};

export const runSummarySchema = z.object(runShape).meta({ id: 'AgentRunSummary' });

const citationSchema = z.looseObject({}).meta({
  description:
    'A citation as in a stored message of a conversation (StoredCitation): ids of chunk and source, name, and `citation`.',
});

export const runSchema = z
  .object({
    ...runShape,
    steps: z.array(stepSchema).describe('The calls of tools, in their order.'),
    answer: z
      .object({
        content: z
          .string()
          .describe(
            'Text of the answer, as `GET /conversations/{id}` shows it. Untrusted text: never show it as HTML.',
          ),
        citations: z.array(citationSchema).describe('The citations of the answer.'),
        unsupported_spans: z.array(spanSchema).optional().describe('Sentences that no verified citation supports.'),
      })
      .nullable()
      .describe('Null before the end, for a run without an answer, and when the conversation was deleted.'),
  })
  .meta({ id: 'AgentRun' });

/**
 * Returns a run without its steps. The question is redacted as a reader of the conversation sees it.
 *
 * @param isWhole whether the reader can read all results of the run. A list does not look.
 */
export async function toSummary(
  run: AgentRun,
  redactor: Redactor | null,
  isWhole = false,
): Promise<z.input<typeof runSummarySchema>> {
  const { usage, warnings, error } = run.outcome ?? {};
  return toRecord(runSummarySchema, run, {
    planner: 'model',
    input: (await redactText(redactor?.withoutHashes ?? null, run.input, READER_STEPS)) ?? '',
    ...(!run.isStored && { conversation_id: null, user_message_id: null, assistant_message_id: null }),
    usage: { input_tokens: usage?.inputTokens ?? 0, output_tokens: usage?.outputTokens ?? 0 },
    warnings: await readerWarnings(redactor, warnings ?? [], isWhole),
    error: error ?? null,
  });
}

export async function toRun({ run, steps, answer, redactor, isWhole }: RunView): Promise<z.input<typeof runSchema>> {
  const records: z.input<typeof stepSchema>[] = [];
  for (const { step, views } of steps) {
    for (const view of views) {
      const { tool, notice, elapsedMs } = view.call;
      records.push({
        number: step.number,
        tool,
        input: await readerArguments(view, redactor),
        found: view.kept?.found ?? 0,
        ids: view.kept?.chunkIds ?? [],
        notice,
        error: await readerError(view, redactor),
        elapsed_ms: elapsedMs,
      });
    }
  }
  const unsupported = run.outcome?.unsupported;
  return {
    ...(await toSummary(run, redactor, isWhole)),
    steps: records,
    answer: answer && {
      content: answer.text,
      citations: answer.citations.map((citation) => ({ ...citation })),
      ...(unsupported && answer.citations.length > 0 ? { unsupported_spans: unsupported } : {}),
    },
  };
}
