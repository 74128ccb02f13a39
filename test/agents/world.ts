/** A service with a scripted chat model and a few files, for tests of agent runs. */
import { buildWorker, type Worker } from '../../src/worker.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { type ChatCall, type FakeOpenAi, openFakeOpenAi, type Script } from '../support/fakes/openai.ts';
import { ingest } from '../support/upload.ts';

export const QUESTION = 'Who approves trips abroad, and what may a hotel cost?';

export interface AgentWorld {
  t: TestApp;
  fake: FakeOpenAi;
  /** The source group of the files. */
  group: string;
  close(): Promise<void>;
}

export const FILES = [
  { name: 'travel.md', content: '# Travel\n\nTrips abroad are approved by Alice Meyer.\n' },
  { name: 'hotels.md', content: '# Hotels\n\nHotels may cost 140 euros per night.\n' },
];

export async function openAgentWorld(
  files: readonly { name: string; content: string }[] = FILES,
  env: Record<string, string> = {},
): Promise<AgentWorld> {
  const fake = await openFakeOpenAi();
  const t = await openTestApp({
    env: {
      PINAKES_CHAT_MODEL: 'openai-compatible:test-model',
      PINAKES_CHAT_BASE_URL: fake.url,
      PINAKES_CHAT_API_KEY: 'sk-secret-of-the-provider',
      ...env,
    },
  });
  const worker: Worker = buildWorker(t.deps);
  await worker.start();
  const group = files.length === 0 ? '' : await ingest(t, [...files]);
  return {
    t,
    fake,
    group,
    async close() {
      await worker.stop(1_000);
      await t.close();
      await fake.close();
    },
  };
}

/** True for a call that may call tools; the answer call has none. */
export function isStep({ body }: ChatCall): boolean {
  return body['tools'] !== undefined;
}

/** A model that plays the steps one after the other, then answers from the sources with these words. */
export function scripted(
  steps: readonly Script[],
  answer: (call: ChatCall) => Script = citing,
): (call: ChatCall) => Script {
  let played = 0;
  return (call) => (isStep(call) ? (steps[played++] ?? { deltas: ['DONE'] }) : answer(call));
}

/** Answers with the first sentence of every source, each cited. */
export function citing(call: ChatCall): Script {
  const prompt = call.messages.at(-1)!.content;
  const sources = [...prompt.matchAll(/^\[(\d+)\] file: .*\n<text-[^>]+>\n([\s\S]*?)\n<\/text/gm)];
  const sentences = sources.map(([, number, text]) => `${text!.split('\n').at(-1)} [${number}]`);
  return { deltas: sentences.length === 0 ? ['NO_ANSWER_IN_SOURCES'] : [sentences.join(' ')] };
}

export const search = (query: string, more: object = {}) => ({ name: 'search', args: { query, ...more } });
