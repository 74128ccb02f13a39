/**
 * kill -9 at each boundary of the steps of a background run. After the restart the run must end in success, with every step once,
 * with numbers of events without gaps, and a stream that a client resumes must be the stream that was never interrupted.
 *
 *     npm run faults:agents -- [--kills 50]
 *
 * Exits 1 when a promise was broken.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { generateApiKey } from '../../src/access/api-key.ts';
import { isStep, scripted, search } from '../agents/world.ts';
import { type FakeOpenAi, openFakeOpenAi, type Script } from '../support/fakes/openai.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

const STEPS: readonly Script[] = [
  { tools: [search('trips abroad')] },
  { tools: [search('hotel cost'), { name: 'list_sources', args: {} }] },
  { tools: [search('vacation days'), { name: 'query_table', args: { sql: 'select town, euros from rates' } }] },
];
/** Every boundary: after the claim, around the commit of each step, and around the commit of the answer. */
const BOUNDARIES = [
  'agent.claimed',
  ...STEPS.flatMap((_, i) => [`agent.called:${i + 1}`, `agent.stepped:${i + 1}`]),
  'agent.answered',
  'agent.ended',
];
const FILE =
  'Trips abroad are approved by Alice Meyer.\n\nHotels may cost 140 euros per night.\n\nStaff get 25 vacation days.\n';
const TABLE = 'town,euros\nOslo,140\nRome,120\n';
const RUN_WAIT_MS = 60_000;
const POLL_MS = 50;

export interface AgentFaults {
  kills: number;
  /** Calls of the model for one run: the most that were made. */
  callsMax: number;
  problems: string[];
}

interface Event {
  id: string;
  text: string;
}

/**
 * With `continues`, the service that ends a run is armed for the next kill, which saves a start. The number of a boundary then also counts
 * how often the run before reaches it after its kill.
 */
export async function runAgentFaults(
  kills: number,
  boundaries = BOUNDARIES,
  { continues = false } = {},
): Promise<AgentFaults> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'pinakes-agent-kills-'));
  const fake = await openFakeOpenAi();
  const { key } = generateApiKey();
  const env = {
    NODE_ENV: 'test',
    PINAKES_PARSER_PROCESSES: '1',
    PINAKES_CHAT_MODEL: 'openai-compatible:test-model',
    PINAKES_CHAT_BASE_URL: fake.url,
  };
  const report: AgentFaults = { kills: 0, callsMax: 0, problems: [] };
  const start = (armed?: string): Promise<ServiceProcess> =>
    startServiceProcess({ dataDir, key, env: { ...env, ...(armed && { PINAKES_CRASH_AT: armed }) } });
  const boundaryOf = (kill: number): string => boundaries[kill % boundaries.length]!;
  let service = await start(continues ? boundaryOf(0) : undefined);
  try {
    await upload(service);
    for (let i = 0; i < kills; i++) {
      const boundary = boundaryOf(i);
      if (!continues) {
        await service.stop();
        service = await start(boundary);
      }
      const id = await begin(service, fake);
      const before = await readEvents(service, id, 0);
      await service.ended;
      report.kills++;
      service = await start(continues && i + 1 < kills ? boundaryOf(i + 1) : undefined);
      const problems = await check(service, id, before);
      report.callsMax = Math.max(report.callsMax, fake.calls.length);
      if (fake.calls.length > STEPS.length + 3) problems.push('more than one call of the model was repeated');
      report.problems.push(...problems.map((problem) => `kill ${i + 1} at ${boundary}: ${problem}`));
    }
    await service.stop();
  } finally {
    await service.kill();
    await fake.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
  return report;
}

async function upload(service: ServiceProcess): Promise<void> {
  const form = new FormData();
  form.set('name', 'handbook');
  form.append('files', new Blob([FILE]), 'handbook.txt');
  form.append('files', new Blob([TABLE]), 'rates.csv');
  const made = (await (await service.fetch('/local-file-groups', { method: 'POST', body: form })).json()) as {
    source_group_id: string;
  };
  if (made.source_group_id === undefined) throw new Error(JSON.stringify(made));
  await until(async () => {
    const group = await (await service.fetch(`/local-file-groups/${made.source_group_id}`)).json();
    return (group as { status: string }).status === 'success';
  });
  await until(async () => {
    const { tables } = (await (await service.fetch('/tables')).json()) as { tables: { status: string }[] };
    return tables[0]?.status === 'ready';
  });
}

/** Begins a run. Its model plays each step by what it has seen: a restart repeats the step that was lost. */
async function begin(service: ServiceProcess, fake: FakeOpenAi): Promise<string> {
  fake.calls.length = 0;
  const answer = scripted([]);
  fake.respond((call) => {
    if (!isStep(call)) return answer(call);
    const done = call.messages.filter(({ role }) => role === 'assistant').length;
    return STEPS[done] ?? { deltas: ['DONE'] };
  });
  const response = await service.fetch('/agents/runs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      input: 'Who approves trips, what may a hotel cost, and how many vacation days are there?',
      background: true,
    }),
  });
  if (response.status !== 201) throw new Error(`the run was refused: ${await response.text()}`);
  return ((await response.json()) as { id: string }).id;
}

async function check(service: ServiceProcess, id: string, before: readonly Event[]): Promise<string[]> {
  const problems: string[] = [];
  const run = await until(async () => {
    const read = (await (await service.fetch(`/agents/runs/${id}`)).json()) as {
      status: string;
      finish_reason: string;
      steps: { number: number; tool: string; ids: string[] }[];
      answer: { content: string; citations: unknown[] } | null;
      conversation_id: string;
    };
    return ['queued', 'running'].includes(read.status) ? undefined : read;
  });
  if (run.status !== 'success' || run.finish_reason !== 'stop')
    problems.push(`it ended ${run.status}, ${run.finish_reason}`);
  const steps = run.steps.map(({ number, tool }) => `${number} ${tool}`).join();
  if (steps !== '1 search,2 search,2 list_sources,3 search,3 query_table') problems.push(`its steps are ${steps}`);
  if (!run.answer?.content.includes('25 vacation days') || run.answer.citations.length === 0)
    problems.push('its answer is not whole');
  if (run.steps.at(-1)?.ids.length !== 2) problems.push('the rows of the table are not evidence');
  const conversation = (await (await service.fetch(`/conversations/${run.conversation_id}`)).json()) as {
    messages: unknown[];
  };
  if (conversation.messages.length !== 2) problems.push(`${conversation.messages.length} messages are stored`);
  const whole = await readEvents(service, id, 0);
  if (whole.some((event, i) => event.id !== String(i + 1))) problems.push('the numbers of the events have a gap');
  const types = whole.map(({ text }) => JSON.parse(text) as { type: string; stepName?: string });
  const started = types.filter(({ type }) => type === 'STEP_STARTED').map(({ stepName }) => stepName);
  if (started.join() !== 'step 1,step 2,step 3') problems.push(`the events tell of the steps ${started.join()}`);
  const rest = await readEvents(service, id, before.length);
  if (JSON.stringify([...before, ...rest]) !== JSON.stringify(whole))
    problems.push(`a stream that was resumed after ${before.length} events differs`);
  return problems;
}

/** Returns the events after a number, until the run ends or the service is gone. */
async function readEvents(service: ServiceProcess, id: string, after: number): Promise<Event[]> {
  let text = '';
  try {
    const response = await service.fetch(`/agents/runs/${id}/events?after_seq=${after}`);
    for await (const piece of response.body!) text += Buffer.from(piece).toString();
  } catch {
    // The service was killed: what came before counts, up to the last whole event.
  }
  const frames = text.split('\n\n').slice(0, -1);
  return frames
    .filter((frame) => frame.startsWith('id: '))
    .map((frame) => {
      const [, number = '', data = ''] = /^id: (\d+)\ndata: (.*)$/.exec(frame) ?? [];
      return { id: number, text: data };
    });
}

async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = performance.now() + RUN_WAIT_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > deadline) throw new Error('the state was not reached in time');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { kills: { type: 'string', default: '50' } } });
  const { kills, callsMax, problems } = await runAgentFaults(Number(values.kills));
  console.log(`${kills} kills at ${BOUNDARIES.length} boundaries, at most ${callsMax} calls of the model for one run`);
  for (const problem of problems) console.log(`BROKEN ${problem}`);
  console.log(problems.length === 0 ? 'every promise held' : `${problems.length} promises broken`);
  process.exit(problems.length === 0 ? 0 : 1);
}
