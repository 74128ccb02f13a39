/** `pinakes ask`: streams an answer and prints its citations. */
import type { CitedContent, Operations, Warning } from '../client/api.ts';
import { PinakesError } from '../client/client.ts';
import type { StreamEvent } from '../client/events.ts';
import { formatCitations } from './answer.ts';
import { PRINCIPAL_OPTIONS, principalIn } from './operate/principal.ts';
import { formatResult } from './query.ts';
import { FILTER_OPTIONS, filtersIn, printResults } from './search.ts';
import type { Client, CompletionBody } from './shared/client.ts';
import { openConfiguredClient } from './shared/client-config.ts';
import { type Command, flagOption, integerOption, textOption } from './shared/command.ts';
import type { Io } from './shared/io.ts';
import { printable } from './shared/printable.ts';

type SearchBody = Operations['search']['request']['body'];

const ASK_LIMIT_MAX = 100;
/** Passages that are printed when there is no answer. */
const NEAREST_MAX = 3;
/** Rows of the result of a query that are printed below an answer. */
const RESULT_ROWS_MAX = 10;

export const askCommand: Command = {
  name: 'ask',
  summary: 'Ask a question and get an answer with checked citations.',
  synopsis: '<question>',
  argumentsMin: 1,
  options: {
    json: { text: 'print the completion result as one line of JSON' },
    limit: { value: '<n>', text: 'number of chunks the answer may use (1 to 100, default 10)' },
    conversation: { value: '<id>', text: 'continue this conversation' },
    tables: { text: 'let the chat model query tables, and show the statement and its result' },
    ...FILTER_OPTIONS,
    ...PRINCIPAL_OPTIONS,
  },
  details: `
  pinakes ask "When is the last admission?"
  pinakes ask "And on Mondays?" --conversation <id>
  pinakes ask "Which region sold most?" --tables
  pinakes ask "How many days of leave are there?" --tag policies
  pinakes ask "When is the last admission?" --json | jq -r '.choices[0].message.content'

When there is no answer, the nearest passages of a search are printed.

Without a chat model, the answer consists of passages, each "quoted from" its file. With a
chat model, a sentence is marked verified if the cited passage states what the sentence states.
This does not mean that the sentence answers the question.`,
  async run({ arguments: [question = ''], options, io }) {
    const limit = integerOption(options, 'limit', 1, ASK_LIMIT_MAX);
    const conversation = textOption(options, 'conversation');
    const client = await openConfiguredClient();
    const filters = { ...(await filtersIn(client, options)), ...principalIn(options) };
    const body: CompletionBody = {
      messages: [{ role: 'user', content: question }],
      limit,
      conversation_id: conversation,
      ...(flagOption(options, 'tables') && { tables: 'auto' as const }),
      ...filters,
    };
    if (flagOption(options, 'json')) {
      io.out(`${JSON.stringify(await client.createCompletion({ body }))}\n`);
      return 0;
    }
    const answer = await streamAnswer(client, body, io);
    if (answer.finishReason === 'no_answer')
      await printNearest(client, { ...filters, query: question, limit: NEAREST_MAX, highlights: true }, io);
    if (answer.conversationId !== null) io.err(`Conversation ${answer.conversationId}\n`);
    return 0;
  },
};

/** Prints the first results of a search, unless the key may only ask. */
async function printNearest(client: Client, body: SearchBody, io: Io): Promise<void> {
  const results = await client.search({ body }).then(
    (found) => found.results,
    (error: unknown) => {
      if (error instanceof PinakesError && error.status === 403) return [];
      throw error;
    },
  );
  if (results.length > 0) io.out('\nThe nearest passages:\n');
  printResults(results, io);
}

export interface StreamedAnswer {
  text: string;
  citations: CitedContent[];
  finishReason: string;
  conversationId: string | null;
}

/** Prints the answer as it arrives, then the citations and warnings. */
export async function streamAnswer(client: Client, body: CompletionBody, io: Io): Promise<StreamedAnswer> {
  const answer: StreamedAnswer = { text: '', citations: [], finishReason: 'error', conversationId: null };
  let warnings: Warning[] = [];
  let query: StreamEvent['value'];
  for await (const event of client.streamCompletion(body)) {
    if (event.type === 'TEXT_MESSAGE_CONTENT' && event.delta !== undefined) {
      answer.text += event.delta;
      io.out(printable(event.delta));
    } else if (event.type === 'CUSTOM' && event.name === 'table_query') {
      query = event.value;
    } else if (event.type === 'CUSTOM' && event.name === 'citations') {
      answer.citations = event.value?.citations ?? [];
    } else if (event.type === 'RUN_FINISHED' && event.result !== undefined) {
      answer.finishReason = event.result.finish_reason;
      answer.conversationId = event.result.conversation_id;
      warnings = event.result.warnings;
    }
  }
  io.out('\n');
  if (query?.sql !== undefined) {
    const { columns = [], rows = [] } = query;
    const shown = rows.slice(0, RESULT_ROWS_MAX);
    io.out(`\nComputed by: ${printable(query.sql)}\n\n${formatResult(columns, shown, io.outColumns)}`);
    if (shown.length < rows.length) io.out(`(the first ${shown.length} of ${rows.length} rows)\n`);
  }
  if (answer.citations.length > 0) io.out(`\n${formatCitations(answer.citations)}`);
  for (const warning of warnings) io.err(`Warning: ${warning.message}\n`);
  return answer;
}
