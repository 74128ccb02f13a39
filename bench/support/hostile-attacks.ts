/**
 * The attacks of bench/hostile-tenant.ts, and the process that sends them: what an attacker computes must not hold up the client whose
 * answers are timed.
 */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

/** What the process gets: which attack to send, and with which key. A second message ends the attack. */
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
  body?: string | Buffer;
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
const files = async (): Promise<Request> => {
  const form = new FormData();
  for (let i = 0; i < 50; i++) form.append('files', new Blob([`<a>`.repeat(20_000)]), `${i}.html`);
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type')! };
  return { method: 'POST', path: '/api/v1/local-file-groups', body: Buffer.from(await encoded.arrayBuffer()), headers };
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
  files: [await files()],
};
export const ATTACK_NAMES = [...Object.keys(ATTACKS), 'all together'];
ATTACKS['all together'] = Object.values(ATTACKS).flat();

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

/** Returns the status. The answer is dropped as it arrives, so that the attacker uses little of the shared processors. */
async function send(url: string, key: string, { method, path, body, headers }: Request): Promise<number> {
  const message = request(url + path, { method, agent, headers: { 'x-api-key': key, ...headers } });
  message.end(body);
  const [answer] = (await once(message, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'close');
  return answer.statusCode!;
}

/** Sends the attack again and again until `isOver`. Returns how often each status came; 0 is a lost connection. */
async function attack({ url, key, name }: Attack, isOver: () => boolean): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  const requests = ATTACKS[name]!;
  const attacker = async (i: number): Promise<void> => {
    while (!isOver()) {
      const status = await send(url, key, requests[i % requests.length]!).catch(() => 0);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === 429) await new Promise((resolve) => setTimeout(resolve, REFUSED_PAUSE_MS));
    }
  };
  await Promise.all(list(AT_ONCE, attacker));
  return statuses;
}

if (import.meta.main) {
  process.once('message', (message) => {
    let isOver = false;
    process.once('message', () => {
      isOver = true;
    });
    void attack(message as Attack, () => isOver).then((statuses) =>
      process.send!(statuses, () => process.disconnect()),
    );
  });
}
