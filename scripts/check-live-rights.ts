/**
 * Ends answers in the middle, many times and in every way, and measures for how long content still arrives.
 *
 *     npm run check:live-rights -- [--count 1000] [--at-once 8] [--seed 1] [--hostile]
 *
 * With `--hostile` another tenant sends costly filters all the time. Prints a table. Exit code 1 if content arrived later than a second after the change was acknowledged, if an answer did not end, or if
 * something of it was stored. PINAKES_TEST_DATABASE_URL chooses a PostgreSQL server.
 */
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { type Attack, list } from '../bench/support/hostile-attacks.ts';
import { sql } from '../src/db/sql.ts';
import {
  ask,
  countStored,
  ENDS,
  FORMS,
  type Form,
  openVictim,
  openWorld,
  type World,
} from '../test/attacks/live-rights-world.ts';
import { seed } from '../test/retrieval/corpus.ts';
import { openRandom } from '../test/support/random.ts';

const LIMIT_MS = 1_000;
/** An answer that has not ended after this time is left. */
const LEFT_AFTER_MS = 15_000;
/** Longest time between the first words of an answer and the change. */
const HEAD_START_MS_MAX = 400;
const HOSTILE_CHUNKS = 3_000;

interface Result {
  name: string;
  form: Form;
  /** Time from the acknowledgement to the last content; 0 if none came later. */
  lateMs: number;
  /** Time from the acknowledgement to the end of the connection. */
  endMs: number;
  stored: number;
}

async function attack(world: World, name: string, form: Form, headStartMs: number): Promise<Result> {
  const { isAlone, end } = ENDS[name]!;
  const victim = await openVictim(world, isAlone);
  const received = ask(world.url, victim.key, victim.body, form);
  await Promise.race([form === 'json' ? victim.asked : received.begun, received.ended]);
  await new Promise((resolve) => setTimeout(resolve, headStartMs));
  await end(world, victim);
  const acknowledgedAt = performance.now();
  // An answer that does not end is reported, and left.
  const guard = setTimeout(received.leave, LEFT_AFTER_MS);
  await received.ended;
  clearTimeout(guard);
  const endMs = performance.now() - acknowledgedAt;
  const lateMs = Math.max(0, received.contentAt - acknowledgedAt);
  return { name, form, lateMs, endMs, stored: await countStored(world, victim) };
}

/** On a busy machine the end may come later than the last content: content waits while the database has not answered. */
function isFailure({ lateMs, endMs, stored }: Result): boolean {
  return lateMs > LIMIT_MS || endMs >= LEFT_AFTER_MS || stored > 0;
}

/** Sends costly filters of another tenant from a thread of its own, until the returned function is called. */
async function startHostileTenant({ t, url }: World): Promise<() => Promise<unknown>> {
  const { tenantId, key } = await t.secondTenant();
  const note = 'ab '.repeat(1_300);
  const chunks = list(HOSTILE_CHUNKS, (i) => ({
    content: `word1 ab ${i}`,
    metadata: { note: { type: 'string' as const, val: note + i } },
  }));
  await seed(t.deps.db, tenantId, [{ sources: [{ chunks }] }]);
  await t.deps.db.system.query(sql`
    update source s set chunk_metadata_bytes = (select sum(octet_length(c.metadata::text)) from chunk c
      where c.tenant_id = s.tenant_id and c.source_id = s.id) where s.tenant_id = ${tenantId}`);
  const workerData: Attack = { url, key, name: 'filters' };
  const worker = new Worker(new URL('../bench/support/hostile-attacks.ts', import.meta.url), { workerData });
  return () => worker.terminate();
}

const {
  values: { hostile, ...values },
} = parseArgs({
  options: {
    hostile: { type: 'boolean', default: false },
    count: { type: 'string', default: '1000' },
    'at-once': { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
  },
});
for (const [name, value] of Object.entries(values))
  if (!/^[1-9]\d{0,6}$/.test(value)) throw new Error(`--${name} must be a whole number, not ${value}`);

const world = await openWorld({ PINAKES_LOG_LEVEL: 'error' });
const stopHostile = hostile ? await startHostileTenant(world) : undefined;
const random = openRandom(Number(values.seed));
const names = Object.keys(ENDS);
const results: Result[] = [];
let next = 0;
async function work(): Promise<void> {
  for (let n = next++; n < Number(values.count); n = next++) {
    const name = names[n % names.length]!;
    const form = FORMS[Math.floor(n / names.length) % FORMS.length]!;
    const result = await attack(world, name, form, random.next() * HEAD_START_MS_MAX);
    results.push(result);
    if (isFailure(result)) console.error(`${n}: ${JSON.stringify(result)}`);
  }
}
await Promise.all(Array.from({ length: Number(values['at-once']) }, work));
await stopHostile?.();
await world.close();

const most = (of: readonly number[]): string => Math.max(0, ...of).toFixed(0);
console.log(`seed ${values.seed}, ${world.t.deps.db.kind} database, ${hostile ? 'a' : 'no'} hostile tenant`);
console.log('| ended by | answers | last content after ms, at most | end after ms, at most | stored |');
console.log('|---|---:|---:|---:|---:|');
for (const name of names) {
  const of = results.filter((result) => result.name === name);
  const [late, ends] = [of.map(({ lateMs }) => lateMs), of.map(({ endMs }) => endMs)];
  const stored = of.reduce((sum, result) => sum + result.stored, 0);
  console.log(`| ${name} | ${of.length} | ${most(late)} | ${most(ends)} | ${stored} |`);
}
const failed = results.filter(isFailure);
const lateEnds = results.filter(({ endMs }) => endMs > LIMIT_MS).length;
console.log(`${results.length} answers, ${failed.length} failed, ${lateEnds} ended later than ${LIMIT_MS} ms`);
process.exitCode = failed.length > 0 ? 1 : 0;
