/** The order in which transactions get the one session of the embedded engine. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Engine, openEngine } from '../../src/db/embedded/engine.ts';
import { createSession, JOBS } from '../../src/db/embedded/session.ts';
import { simpleQuery } from '../../src/db/embedded/wire.ts';
import { copyTemplate } from '../support/database.ts';

let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinakes-test-'));
});

after(() => rmSync(folder, { recursive: true, force: true }));

test('background work lets others go first, also the next statement of a caller that just received an answer', async () => {
  await copyTemplate(join(folder, 'turns'));
  const engine = await openEngine(join(folder, 'turns', 'database'));
  const session = createSession(engine, { quietMs: 500, heldBackQuietMs: 500, waitMs: 600_000, betweenMs: 0 });
  const order: string[] = [];
  const holder = await session.lease();
  const background = session.lease({ background: true }).then(async (lease) => {
    order.push('background');
    await lease.end(simpleQuery(''));
  });
  const search = (async () => {
    for (const step of ['first', 'second', 'third']) {
      await session.single(simpleQuery('select 1'));
      order.push(step);
    }
  })();
  await holder.end(simpleQuery(''));
  await Promise.all([background, search, session.idle()]);
  assert.deepEqual(order, ['first', 'second', 'third', 'background']);
  await engine.close();
});

test('a tenant that used the session most lets others go first, and its background work does not count', async (t) => {
  await copyTemplate(join(folder, 'shares'));
  const engine = await openEngine(join(folder, 'shares', 'database'));
  t.after(() => engine.close());
  const counted: string[] = [];
  const shares = { add: (owner: string) => void counted.push(owner), isBusy: (owner: string) => owner === 'busy' };
  const session = createSession(engine, { quietMs: 500, heldBackQuietMs: 500, waitMs: 600_000, betweenMs: 0 }, shares);
  const order: string[] = [];
  const use = async (owner: string, isBackground = false): Promise<void> => {
    const lease = await session.lease({ background: isBackground, owner });
    order.push(owner);
    await lease.end(simpleQuery(''));
  };
  const holder = await session.lease();
  const all = [use('busy'), use('reader').then(() => use('reader')), use('ingesting', true)];
  await holder.end(simpleQuery(''));
  await Promise.all(all);
  assert.deepEqual(order.slice(0, 2), ['reader', 'reader']);
  assert.deepEqual(counted.toSorted(), ['busy', 'reader', 'reader']);
});

test('a tenant that is held back waits for the next statement of a caller that just received an answer', async (t) => {
  await copyTemplate(join(folder, 'held-back'));
  const engine = await openEngine(join(folder, 'held-back', 'database'));
  t.after(() => engine.close());
  const shares = { add: () => {}, isBusy: (owner: string) => owner === 'busy' };
  const limits = { quietMs: 0, heldBackQuietMs: 500, waitMs: 600_000, betweenMs: 0 };
  const session = createSession(engine, limits, shares);
  const order: string[] = [];
  const holder = await session.lease();
  const busy = session.lease({ owner: 'busy' }).then(async (lease) => {
    order.push('busy');
    await lease.end(simpleQuery(''));
  });
  const search = (async () => {
    for (const step of ['key', 'search']) {
      await session.single(simpleQuery('select 1'));
      order.push(step);
    }
  })();
  await holder.end(simpleQuery(''));
  await Promise.all([busy, search]);
  assert.deepEqual(order, ['key', 'search', 'busy']);
});

test('after a transaction of a busy tenant, whoever waits goes before its next one, however long that has waited', async (t) => {
  await copyTemplate(join(folder, 'twice'));
  const engine = await openEngine(join(folder, 'twice', 'database'));
  t.after(() => engine.close());
  const used = new Set<string>();
  const shares = { add: (owner: string) => void used.add(owner), isBusy: (owner: string) => used.has(owner) };
  const limits = { quietMs: 0, heldBackQuietMs: 100, waitMs: 0, betweenMs: 600_000 };
  const session = createSession(engine, limits, shares);
  const order: string[] = [];
  const first = await session.lease({ owner: 'busy' });
  const second = session.lease({ owner: 'busy' }).then(async (lease) => {
    order.push('busy');
    await lease.end(simpleQuery(''));
  });
  const key = session.single(simpleQuery('select 1')).then(() => order.push('key'));
  await first.end(simpleQuery(''));
  await Promise.all([second, key]);
  assert.deepEqual(order, ['key', 'busy']);
});

test('whoever waits goes before a transaction that is held back if the same tenant had the last turn', async (t) => {
  await copyTemplate(join(folder, 'goes-on'));
  const engine = await openEngine(join(folder, 'goes-on', 'database'));
  t.after(() => engine.close());
  let isBusy = true;
  const limits = { quietMs: 0, heldBackQuietMs: 600_000, waitMs: 20, betweenMs: 100 };
  const session = createSession(engine, limits, { add: () => {}, isBusy: (owner) => isBusy && owner === 'busy' });
  const order: string[] = [];
  const before = await session.lease();
  await before.end(simpleQuery(''));
  const heldBack = session.lease({ owner: 'busy' }).then(async (lease) => {
    order.push('held back');
    await lease.end(simpleQuery(''));
  });
  isBusy = false;
  const turn = await session.lease({ owner: 'busy' });
  await delay(40);
  const other = session.lease({ owner: 'other' }).then(async (lease) => {
    order.push('other');
    await lease.end(simpleQuery(''));
  });
  await turn.end(simpleQuery(''));
  await Promise.all([heldBack, other]);
  assert.deepEqual(order, ['other', 'held back']);
});

test('look-ups of keys wait for the transaction that runs and start together, before the next transaction of its tenant', async (t) => {
  await copyTemplate(join(folder, 'look-ups'));
  const engine = await openEngine(join(folder, 'look-ups', 'database'));
  t.after(() => engine.close());
  const sent: string[] = [];
  const run: Engine['run'] = (bytes) => {
    sent.push(/look_up|busy/.exec(Buffer.from(bytes).toString())?.[0] ?? '');
    return engine.run(bytes);
  };
  const session = createSession({ ...engine, run });
  const use = async (): Promise<void> => {
    const lease = await session.lease({ owner: 'tenant' });
    await lease.end(simpleQuery('select 1 as busy'));
  };
  const holder = await session.lease({ owner: 'tenant' });
  const transactions = [use(), use()];
  const lookUps = [1, 2, 3].map(() => session.single(simpleQuery('select 1 as look_up')));
  await holder.end(simpleQuery(''));
  await Promise.all([...transactions, ...lookUps]);
  assert.deepEqual(sent, ['', 'look_up', 'look_up', 'look_up', 'busy', 'busy']);
});

test('a transaction uses the time in which the engine ran its statements, not the time in which its caller was slow', async (t) => {
  await copyTemplate(join(folder, 'worked'));
  const engine = await openEngine(join(folder, 'worked', 'database'));
  t.after(() => engine.close());
  const used: number[] = [];
  const shares = { add: (_owner: string, ms: number) => void used.push(ms), isBusy: () => false };
  const run: Engine['run'] = async (bytes) => ({ ...(await engine.run(bytes)), ms: 7 });
  const session = createSession({ ...engine, run }, undefined, shares);
  const lease = await session.lease({ owner: 'tenant' });
  await lease.run(simpleQuery(''));
  await lease.end(simpleQuery(''));
  const next = await session.lease({ owner: 'tenant' });
  await next.end(simpleQuery(''));
  assert.deepEqual(used, [14, 7]);
});

test('background work that has waited for long goes first', async () => {
  await copyTemplate(join(folder, 'overdue'));
  const engine = await openEngine(join(folder, 'overdue', 'database'));
  const session = createSession(engine, { quietMs: 600_000, heldBackQuietMs: 600_000, waitMs: 20, betweenMs: 0 });
  let isDone = false;
  await session.single(simpleQuery('select 1'));
  const background = session.lease({ background: true }).then(async (lease) => {
    await lease.end(simpleQuery(''));
    isDone = true;
  });
  while (!isDone) await session.single(simpleQuery('select 1'));
  await background;
  await engine.close();
});

test('of several background transactions that have waited for long, only one at a time goes first', async () => {
  await copyTemplate(join(folder, 'one'));
  const engine = await openEngine(join(folder, 'one', 'database'));
  const session = createSession(engine, { quietMs: 1, heldBackQuietMs: 1, waitMs: 20, betweenMs: 60_000 });
  const order: string[] = [];
  const holder = await session.lease();
  const runs = ['first run', 'second run'].map(async (name) => {
    const lease = await session.lease({ background: true });
    order.push(name);
    await lease.end(simpleQuery(''));
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const search = session.single(simpleQuery('select 1')).then(() => order.push('search'));
  await holder.end(simpleQuery(''));
  await Promise.all([...runs, search, session.idle()]);
  assert.deepEqual(order, ['first run', 'search', 'second run']);
  await engine.close();
});

test('within a tenant, its keys take turns, and the look-up of a key does not wait for all polls of the job queue', async (t) => {
  await copyTemplate(join(folder, 'parts'));
  const engine = await openEngine(join(folder, 'parts', 'database'));
  t.after(() => engine.close());
  const session = createSession(engine);
  const order: string[] = [];
  const use = async (owner: string, part: string): Promise<void> => {
    const lease = await session.lease({ owner, part });
    order.push(`${owner} ${part}`);
    await lease.end(simpleQuery(''));
  };
  const holder = await session.lease();
  const all = ['busy', 'busy', 'busy', 'other'].map((key) => use('tenant', key));
  all.push(...Array.from({ length: 9 }, () => use(JOBS, '')));
  const look = session.single(simpleQuery('select 1')).then(() => order.push('look-up'));
  await holder.end(simpleQuery(''));
  await Promise.all([...all, look]);
  assert.ok(order.indexOf('tenant other') < order.indexOf('tenant busy', order.indexOf('tenant busy') + 1), `${order}`);
  const before = order.slice(0, order.indexOf('look-up'));
  assert.ok(before.filter((name) => name.startsWith(JOBS)).length <= 2, `${order}`);
});

test('an engine that stops in the middle of an answer is started again: it would answer no more', async () => {
  const reasons: string[] = [];
  const engine: Engine = {
    run: async () => ({ bytes: new Uint8Array(0), ms: 0 }),
    generation: 1,
    processorMs: () => 0,
    restart: (reason) => void reasons.push(reason.message),
    interrupt() {},
    onRestart() {},
    close: async () => {},
  };
  await assert.rejects(createSession(engine).single(simpleQuery('checkpoint')), { code: 'overloaded' });
  assert.deepEqual(reasons, ['the answer of the embedded engine ends early']);
});

test('batches of others that run before an aborted search are no time of its statement', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  let interrupts = 0;
  const ready = Buffer.from('Z\0\0\0\x05I', 'latin1');
  const ends: (() => void)[] = [];
  const engine: Engine = {
    run: () => new Promise((resolve) => ends.push(() => resolve({ bytes: ready, ms: 0 }))),
    generation: 1,
    processorMs: () => now,
    restart() {},
    interrupt() {
      interrupts += 1;
    },
    onRestart() {},
    close: async () => {},
  };
  const pass = (ms: number): void => {
    now += ms;
    t.mock.timers.tick(50);
  };
  const session = createSession(engine);
  const batch = session.single(simpleQuery('checkpoint'));
  const lease = await session.lease();
  const statement = lease.run(simpleQuery('select 1'));
  lease.abort(new Error('the caller left'), true);
  pass(10_000);
  ends.shift()!();
  await batch;
  pass(1_900);
  assert.equal(interrupts, 0);
  pass(200);
  assert.equal(interrupts, 1);
  for (const end of ends) end();
  await assert.rejects(statement, /the caller left/);
});
