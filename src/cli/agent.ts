/** `pinakes agent`: a chat model searches in steps, which are shown, and answers with citations. */
import type { CitedContent, Operations, Warning } from '../client/api.ts';
import { parseEvents, type StreamEvent } from '../client/events.ts';
import { countOf } from '../util/count-of.ts';
import { formatCitations, oneLine } from './answer.ts';
import { PRINCIPAL_OPTIONS, principalIn } from './operate/principal.ts';
import { openConfiguredClient } from './shared/client-config.ts';
import { type Command, flagOption, integerOption, textOption } from './shared/command.ts';
import { CliError, type Io } from './shared/io.ts';
import { printable } from './shared/printable.ts';

const STEPS_MAX = 20;
const SECONDS_MIN = 5;
const SECONDS_MAX = 600;
const ARGUMENTS_LENGTH_MAX = 120;

type RunBody = Operations['createAgentRun']['request']['body'];

/** An event of a run. Its members depend on `type`. */
type AgentEvent = StreamEvent & { toolCallId?: string; toolCallName?: string; content?: string };

export const agentCommand: Command = {
  name: 'agent',
  summary: 'Let a chat model search in steps, and get an answer with checked citations.',
  synopsis: '<question>',
  argumentsMin: 1,
  options: {
    json: { text: 'print the run as one line of JSON' },
    'max-steps': { value: '<n>', text: 'maximum steps (1 to 20, default 8)' },
    'max-seconds': { value: '<n>', text: 'maximum time (5 to 600, default 120)' },
    conversation: { value: '<id>', text: 'continue this conversation' },
    ...PRINCIPAL_OPTIONS,
  },
  details: `
  pinakes agent "Who approves trips abroad, and what may a hotel cost there?"

Prints each call of a tool, then the answer. Needs a chat model that can call tools. Experimental.`,
  async run({ arguments: [question = ''], options, io }) {
    const body: RunBody = {
      input: question,
      max_steps: integerOption(options, 'max-steps', 1, STEPS_MAX),
      max_seconds: integerOption(options, 'max-seconds', SECONDS_MIN, SECONDS_MAX),
      conversation_id: textOption(options, 'conversation'),
      ...principalIn(options),
    };
    const client = await openConfiguredClient();
    if (flagOption(options, 'json')) {
      io.out(`${JSON.stringify(await client.createAgentRun({ body }))}\n`);
      return 0;
    }
    const headers = { accept: 'text/event-stream' };
    const response = await client.send('createAgentRun', { body: { ...body, stream: true } }, { headers });
    if (response.body === null) throw new CliError('The service sent an empty answer.');
    await print(parseEvents(response.body), io);
    return 0;
  },
};

/** Prints the steps on stderr, and the answer with its citations on stdout. */
async function print(events: AsyncIterable<AgentEvent>, io: Io): Promise<void> {
  const names = new Map<string, string>();
  let citations: CitedContent[] = [];
  let warnings: Warning[] = [];
  let conversationId: string | null = null;
  for await (const event of events) {
    const name = names.get(event.toolCallId ?? '') ?? '';
    if (event.type === 'RUN_ERROR') throw new CliError(event.message ?? 'The run failed.');
    if (event.type === 'TOOL_CALL_START') names.set(event.toolCallId ?? '', event.toolCallName ?? '');
    else if (event.type === 'TOOL_CALL_ARGS')
      io.err(`${printable(name)} ${oneLine(event.delta ?? '', ARGUMENTS_LENGTH_MAX)}\n`);
    else if (event.type === 'TOOL_CALL_RESULT') io.err(`  → ${oneLine(found(event.content ?? ''))}\n`);
    else if (event.type === 'TEXT_MESSAGE_CONTENT') io.out(printable(event.delta ?? ''));
    else if (event.type === 'CUSTOM') citations = event.value?.citations ?? [];
    else if (event.type === 'RUN_FINISHED' && event.result !== undefined) {
      warnings = event.result.warnings;
      conversationId = event.result.conversation_id;
    }
  }
  io.out('\n');
  if (citations.length > 0) io.out(`\n${formatCitations(citations)}`);
  for (const warning of warnings) io.err(`Warning: ${warning.message}\n`);
  if (conversationId !== null) io.err(`Conversation ${conversationId}\n`);
}

/** Returns what a tool found, in a few words: names of sources, a number of characters, or why there is nothing. */
function found(content: string): string {
  const result = JSON.parse(content) as Record<string, unknown>;
  const listed = (result['results'] ?? result['sources']) as { name: string; path?: string | null }[] | undefined;
  const problem = result['error'] ?? result['notice'];
  if (problem !== undefined) return String(problem);
  if (listed !== undefined) {
    const names = [...new Set(listed.map(({ name, path }) => path ?? name))].join(', ');
    return listed.length === 0 ? 'nothing found' : `${listed.length} found: ${names}`;
  }
  return Array.isArray(result['chunks'])
    ? countOf(result['chunks'].length, 'passage')
    : countOf(String(result['text'] ?? '').length, 'character');
}
