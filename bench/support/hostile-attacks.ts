/**
 * The attacks of bench/hostile-tenant.ts, and the worker thread that sends them: what an attacker computes must not hold up the client
 * whose answers are timed.
 */
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

/** What the worker gets: which attack to send, and with which key. A message ends the attack. */
export interface Attack {
  url: string;
  key: string;
  name: string;
}

/** Requests of the hostile tenant that run at the same time: as many as its key may. */
const AT_ONCE = 64;
/** A client that is refused at once would otherwise only measure how fast it sends. */
const REFUSED_PAUSE_MS = 20;

export const list = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));
export const words = (count: number, suffix = ''): string =>
  list(count, (i) => `word${(i * 7919) % 5000}${suffix}`).join(' ');

interface Request {
  method: string;
  path: string;
  body?: string | FormData;
  headers?: Record<string, string>;
}

const json = (path: string, body: object): Request => ({
  method: 'POST',
  path: `/api/v1${path}`,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});
const search = (body: object): Request => json('/search', { query: 'word1 ab', ...body });
const any = (filters: object[]) => ({ chunk_metadata: { operator: 'or', filters } });
const contains = (length: number) => (i: number) => ({
  key: 'note',
  operator: 'contains',
  value: `${i}c${'ab '.repeat(length / 3)}`,
});
const files = (): FormData => {
  const form = new FormData();
  for (let i = 0; i < 50; i++) form.append('files', new Blob([`<a>`.repeat(20_000)]), `${i}.html`);
  return form;
};
const filters: Request[] = [
  search(any(list(10, contains(900)))),
  search(any(list(1, contains(9)))),
  search(any(list(63, (i) => ({ key: 'note', operator: 'eq', value: `q${i}` })))),
  search(any(list(60, (j) => ({ key: 'note', operator: 'in', value: list(500, (i) => `v${j}-${i}`) })))),
];
const ATTACKS: Record<string, Request[]> = {
  filters,
  'deep searches': [
    search({ limit: 100, offset: 5_000, query: words(400).slice(0, 4_000), context: { before: 5, after: 5 } }),
  ],
  'long claims': [json('/completions', { messages: [{ role: 'user', content: 'word1 word2 word3?' }] })],
  '/docs': [{ method: 'GET', path: '/docs/scalar.js', headers: { 'accept-encoding': 'identity' } }],
  'large bodies': [{ ...search({}), body: `{${list(60_000, (i) => `"\\u0061${i}":1`).join(',')}}` }],
  files: [{ method: 'POST', path: '/api/v1/local-file-groups', body: files() }],
};
export const ATTACK_NAMES = [...Object.keys(ATTACKS), 'all together'];
ATTACKS['all together'] = Object.values(ATTACKS).flat();

/** Sends the attack again and again. Returns how often each status came; 0 is a lost connection. */
async function attack({ url, key, name }: Attack): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  const requests = ATTACKS[name]!;
  let isOver = false;
  parentPort?.once('message', () => {
    isOver = true;
  });
  const attacker = async (i: number): Promise<void> => {
    const { path, ...init } = requests[i % requests.length]!;
    while (!isOver) {
      const status = await fetch(url + path, { ...init, headers: { 'x-api-key': key, ...init.headers } })
        .then(async (answer) => {
          await answer.arrayBuffer();
          return answer.status;
        })
        .catch(() => 0);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === 429) await new Promise((resolve) => setTimeout(resolve, REFUSED_PAUSE_MS));
    }
  };
  await Promise.all(list(AT_ONCE, attacker));
  return statuses;
}

/**
 * Gives this thread the lowest priority: the attacker's own processor time is not what the service does to others. An attacker has a
 * machine of its own; here it shares the processors with the service. Linux gives each thread a priority; elsewhere it stays as it is.
 */
function yieldToTheService(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), constants.priority.PRIORITY_LOW);
  } catch {
    // The system has no such threads.
  }
}

if (parentPort) {
  yieldToTheService();
  parentPort.postMessage(await attack(workerData as Attack));
}
