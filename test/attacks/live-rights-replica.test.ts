/** Two processes on one PostgreSQL server: what ends the rights to an answer at one process ends the answer of the other. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/db/sql.ts';
import { type FakeOpenAi, openFakeOpenAi } from '../support/fakes/openai.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { ask, countStored, ENDS, errorOf, openVictim, openWorld, SECRET, type World } from './live-rights-world.ts';

const SERVER = process.env['PINAKES_TEST_DATABASE_URL'];
const TIMEOUT_MS = 120_000;
const DELTA_MS = 20;

describe('an endless answer of another process ends with', { skip: SERVER === undefined && 'for a server' }, () => {
  let world: World;
  let model: FakeOpenAi;
  let other: ServiceProcess;
  let dataDir: string;
  let isOver = false;

  before(async () => {
    const env = { PINAKES_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };
    world = await openWorld(env);
    model = await openFakeOpenAi();
    async function* forever(): AsyncGenerator<string> {
      for (let n = 1; !isOver; n++) {
        yield `The ${SECRET} says ${n}. `;
        await sleep(DELTA_MS);
      }
    }
    model.respond(() => ({ deltas: forever() }));
    dataDir = mkdtempSync(join(tmpdir(), 'pinakes-test-'));
    const [database] = await world.t.deps.db.system.query<{ name: string }>(sql`select current_database() as name`);
    const url = new URL(SERVER!);
    url.pathname = `/${database!.name}`;
    other = await startServiceProcess({
      dataDir,
      env: {
        ...env,
        PINAKES_DATABASE_URL: url.href,
        PINAKES_AUTHORIZATION: 'on',
        PINAKES_QUERY_REWRITING: 'off',
        PINAKES_CHAT_MODEL: 'openai-compatible:x',
        PINAKES_CHAT_BASE_URL: model.url,
      },
    });
  });
  after(async () => {
    isOver = true;
    await other?.stop();
    await model?.close();
    await world?.close();
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
  });

  for (const [name, { type, isAlone, end }] of Object.entries(ENDS)) {
    test(name, { timeout: TIMEOUT_MS }, async (t) => {
      const victim = await openVictim(world, isAlone);
      const received = ask(other.url, victim.key, victim.body, 'events');
      await Promise.race([received.begun, received.ended]);
      assert.match(received.text, new RegExp(SECRET), received.text.slice(-300));
      await end(world, victim);
      const acknowledgedAt = performance.now();
      await received.ended;
      const [last, ended] = [received.contentAt, performance.now()].map((at) => Math.max(0, at - acknowledgedAt));
      t.diagnostic(`last content ${last!.toFixed(0)} ms, end ${ended!.toFixed(0)} ms after the acknowledgement`);
      assert.equal(errorOf(received, 'events'), type, received.text.slice(-300));
      assert.equal(await countStored(world, victim), 0);
    });
  }
});
