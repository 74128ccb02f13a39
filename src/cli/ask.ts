/** `pinakes ask`: streams an answer and prints its citations. */
import type { CitedContent, Warning } from '../client/api.ts';
import { formatCitation } from './answer.ts';
import type { Client, CompletionBody } from './client.ts';
import { openConfiguredClient } from './client-config.ts';
import { type Command, flagOption, integerOption, textOption } from './command.ts';
import type { Io } from './io.ts';
import { PRINCIPAL_OPTIONS, principalIn } from './principal.ts';

export const ASK_LIMIT_MAX = 100;

export const askCommand: Command = {
  name: 'ask',
  summary: 'Ask a question and get an answer with checked citations.',
  synopsis: '<question>',
  argumentsMin: 1,
  argumentsMax: 1,
  options: {
    json: { type: 'boolean', text: 'print the completion result as one line of JSON' },
    limit: { type: 'string', value: '<n>', text: 'how many chunks the answer may draw on (1 to 100, default 10)' },
    conversation: { type: 'string', value: '<id>', text: 'continue this conversation' },
    ...PRINCIPAL_OPTIONS,
  },
  async run({ arguments: [question = ''], options, io }) {
    const limit = integerOption(options, 'limit', 1, ASK_LIMIT_MAX);
    const conversation = textOption(options, 'conversation');
    const body: CompletionBody = {
      messages: [{ role: 'user', content: question }],
      ...(limit !== undefined && { limit }),
      ...(conversation !== undefined && { conversation_id: conversation }),
      ...principalIn(options),
    };
    const client = await openConfiguredClient();
    if (flagOption(options, 'json')) {
      io.out(`${JSON.stringify(await client.createCompletion({ body }))}\n`);
      return 0;
    }
    const answer = await streamAnswer(client, body, io);
    if (answer.conversationId !== null) io.err(`Conversation ${answer.conversationId}\n`);
    return 0;
  },
};

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
  for await (const event of client.streamCompletion(body)) {
    if (event.type === 'TEXT_MESSAGE_CONTENT' && event.delta !== undefined) {
      answer.text += event.delta;
      io.out(event.delta);
    } else if (event.type === 'CUSTOM' && event.name === 'citations') {
      answer.citations = event.value?.citations ?? [];
    } else if (event.type === 'RUN_FINISHED' && event.result !== undefined) {
      answer.finishReason = event.result.finish_reason;
      answer.conversationId = event.result.conversation_id;
      warnings = event.result.warnings;
    }
  }
  io.out('\n');
  const numbered = answer.citations.toSorted((a, b) => a.citation.number - b.citation.number);
  if (numbered.length > 0) io.out(`\n${numbered.map(formatCitation).join('')}`);
  for (const warning of warnings) io.err(`Warning: ${warning.message}\n`);
  return answer;
}
