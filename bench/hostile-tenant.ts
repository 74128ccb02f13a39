/**
 * What one hostile tenant does to another: latency of the other's searches and of /healthz, and the longest turn of the event loop in
 * processor time, quiet and under each attack at full tilt.
 *
 *   npm run bench:hostile [-- --seconds 10 --only 'filters,deep searches']
 *
 * An attack goes on until the other tenant has sent 100 searches, so that p99 is not the single worst, but at most four times as long.
 * Exits with 1 if a search of the other fails, its p99 is over 10 times the quiet p99 or 500 ms, the p99 of /healthz is over 100 ms,
 * or a turn is longer than 100 ms.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { openFakeOpenAi } from '../test/support/fakes/openai.ts';
import { openAttackWorld } from '../test/support/worlds/attack-world.ts';
import { ATTACK_NAMES, type Attack, list, words } from './support/hostile-attacks.ts';
import { readOptions } from './support/options.ts';

const { values } = readOptions(import.meta.filename, {
  options: { seconds: { type: 'string', default: '10' }, only: { type: 'string', default: ATTACK_NAMES.join() } },
});
const ATTACK_MS = Number(values.seconds) * 1000;
const ATTACK_MS_MAX = 4 * ATTACK_MS;
const SEARCHES_MIN = 100;
const PAUSE_MS = 20;
const LIMITS = { searchMs: 500, searchFactor: 10, healthMs: 100, turnMs: 100 };

const model = await openFakeOpenAi();
const world = await openAttackWorld({
  PINAKES_PARSER_PROCESSES: '2',
  PINAKES_CHAT_MODEL: 'openai-compatible:x',
  PINAKES_CHAT_BASE_URL: model.url,
});
const { hostile, quiet } = world;
const marks = list(12, (i) => `[${i + 1}]`).join('');
model.respond({ deltas: [`${words(6_000).slice(0, 60_000)} ${marks}.`] });
/** The answers to each attack by status. */
const statuses: Record<string, Record<string, number>> = {};
console.log('ingesting');
await quiet.ingest(
  list(200, (i) => ({ name: `${i}.md`, content: `# Page ${i}\n\nStaff get ${i} days of leave. ${words(200)}` })),
);
await hostile.ingest(
  [{ name: 'rows.csv', content: `id,note\n${list(3_000, (i) => `${i},${'ab '.repeat(1_300)}${i}\n`).join('')}` }],
  [['chunk_metadata_keys', '[{"key":"note","type":"string"}]']],
);
await hostile.ingest(list(20, (i) => ({ name: `${i}.txt`, content: words(20_000, `x${i}`) })));

interface Measured {
  search: number[];
  health: number[];
  turnMs: number;
  /** Answers to the other tenant that are no results. */
  refused: Record<string, number>;
}

async function measure(name?: string): Promise<Measured> {
  const measured: Measured = { search: [], health: [], turnMs: 0, refused: {} };
  const start = performance.now();
  const goesOn = (): boolean => {
    const ms = performance.now() - start;
    return ms < ATTACK_MS || (measured.search.length < SEARCHES_MIN && ms < ATTACK_MS_MAX);
  };
  const timed = async (times: number[], request: () => Promise<Response>): Promise<void> => {
    while (goesOn()) {
      const begun = performance.now();
      const answer = await request();
      await answer.arrayBuffer();
      times.push(performance.now() - begun);
      if (!answer.ok) measured.refused[answer.status] = (measured.refused[answer.status] ?? 0) + 1;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  measured.turnMs = await world.longestTurn(async () => {
    const leave = (i: number) => ({ query: `days of leave ${i}` });
    let n = 0;
    const others = Promise.all([
      timed(measured.search, () => quiet.send('POST', '/search', leave(n++))),
      timed(measured.health, () => fetch(`${world.service.url}/healthz`)),
    ]);
    await Promise.all([others, name === undefined ? undefined : attack(name, others)]);
  });
  return measured;
}

/**
 * Sends an attack from a process of its own, until `others` have ended. The process has the lowest priority: the attacker's own processor
 * time is not what the service does to others. An attacker has a machine of its own; here it shares the processors with the service.
 */
async function attack(name: string, others: Promise<unknown>): Promise<void> {
  const file = fileURLToPath(new URL('./support/hostile-attacks.ts', import.meta.url));
  // A priority that is set later would not hold for the threads that collect garbage.
  const child = spawn('nice', ['-n', String(constants.priority.PRIORITY_LOW), process.execPath, file], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const message: Attack = { url: world.service.url, key: hostile.key, name };
  child.send(message);
  void others.then(() => child.send('end'));
  [statuses[name]] = (await once(child, 'message')) as [Record<string, number>];
}

function at(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN);
}

console.log(
  'attack           searches  p50 ms  p99 ms  /healthz p99 ms  longest turn, CPU ms  answers to the hostile tenant',
);
await measure();
const calm = await measure();
let isBad = false;
for (const name of ['none', ...values.only.split(',')]) {
  const { search: times, health, turnMs, refused } = name === 'none' ? calm : await measure(name);
  const p99 = at(times, 0.99);
  const isOver =
    Object.keys(refused).length > 0 ||
    p99 > Math.min(LIMITS.searchMs, LIMITS.searchFactor * at(calm.search, 0.99)) ||
    at(health, 0.99) > LIMITS.healthMs ||
    turnMs > LIMITS.turnMs;
  isBad ||= isOver;
  const cells = [times.length, at(times, 0.5), p99, at(health, 0.99), turnMs].map((cell) => String(cell).padStart(8));
  console.log(
    `${name.padEnd(16)} ${cells.join('  ')}  ${JSON.stringify(statuses[name] ?? {})} refused to the other: ${JSON.stringify(refused)}${isOver ? '  OVER' : ''}`,
  );
}
console.error(world.service.errors().slice(0, 4_000));
await world.close();
await model.close();
process.exitCode = isBad ? 1 : 0;
