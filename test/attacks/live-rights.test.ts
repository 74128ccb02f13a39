/** An answer ends when the rights of its caller end, or when the content that it reads is deleted. Nothing of it is stored. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { holdStanding } from '../../src/access/standing.ts';
import { sql } from '../../src/db/sql.ts';
import {
  ask,
  countStored,
  ENDS,
  errorOf,
  FORMS,
  must,
  openVictim,
  openWorld,
  SECRET,
  type World,
} from './live-rights-world.ts';

const TIMEOUT_MS = 120_000;
let world: World;

before(async () => {
  world = await openWorld();
});
after(() => world.close());

for (const form of FORMS) {
  describe(`an endless answer as ${form} ends with`, () => {
    for (const [name, { type, isAlone, end }] of Object.entries(ENDS)) {
      test(name, { timeout: TIMEOUT_MS }, async () => {
        const victim = await openVictim(world, isAlone);
        const received = ask(world.url, victim.key, victim.body, form);
        await (form === 'json' ? victim.asked : received.begun);
        await end(world, victim);
        const isComplete = await received.ended;
        assert.equal(errorOf(received, form), form === 'text' ? undefined : type, received.text.slice(-300));
        if (form === 'text') assert.equal(isComplete, false, 'the end of a text looks like its normal end');
        assert.equal(await countStored(world, victim), 0);
      });
    }
  });
}

test('an endless answer to the console ends with the sign-out of its session', { timeout: TIMEOUT_MS }, async () => {
  const victim = await openVictim(world);
  const page = { 'x-pinakes-console': '1', 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  const body = JSON.stringify({ api_key: victim.key });
  const signedIn = await fetch(`${world.url}/console/session`, { method: 'POST', headers: page, body });
  const headers = { ...page, cookie: signedIn.headers.get('set-cookie')!.split(';')[0]!, accept: 'text/event-stream' };
  const answer = await fetch(`${world.url}/api/v1/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(victim.body),
  });
  assert.equal(answer.status, 200);
  const signedOut = await fetch(`${world.url}/console/session`, { method: 'DELETE', headers });
  assert.equal(signedOut.status, 204);
  assert.match(await answer.text(), /"type":"RUN_ERROR".*"authentication_error"/);
  assert.equal(await countStored(world, victim), 0);
});

describe('content that is deleted while the model thinks', () => {
  for (const form of FORMS) {
    test(`never leaves as ${form}, and the turn is not stored`, { timeout: TIMEOUT_MS }, async () => {
      const victim = await openVictim(world);
      world.script = async function* () {
        await must(world.t.delete(`/sources/${victim.sourceId}`));
        yield { type: 'text', delta: `The ${SECRET} stands in the water [1].` };
        yield { type: 'finish', reason: 'stop' };
      };
      const received = ask(world.url, victim.key, victim.body, form);
      await received.ended;
      // The first words of a text decide its status, so even this form has an error.
      assert.equal(errorOf(received, form === 'text' ? 'json' : form), 'conflict_error');
      assert.doesNotMatch(received.text, new RegExp(SECRET));
      assert.equal(await countStored(world, victim), 0);
    });
  }

  test('is not cited and not stored if the text was sent before', { timeout: TIMEOUT_MS }, async () => {
    const victim = await openVictim(world);
    const streamed = Promise.withResolvers<void>();
    world.script = async function* () {
      yield { type: 'text', delta: `The ${SECRET} stands in the water [1].` };
      await streamed.promise;
      await must(world.t.delete(`/sources/${victim.sourceId}`));
      yield { type: 'finish', reason: 'stop' };
    };
    const received = ask(world.url, victim.key, victim.body, 'events');
    await received.begun;
    streamed.resolve();
    await received.ended;
    assert.equal(errorOf(received, 'events'), 'conflict_error');
    assert.doesNotMatch(received.text, /"citations"/);
    assert.equal(await countStored(world, victim), 0);
  });
});

test('an answer is stored and cited while nothing changes', { timeout: TIMEOUT_MS }, async () => {
  const victim = await openVictim(world);
  world.script = async function* () {
    yield { type: 'text', delta: `The ${SECRET} stands in the water [1].` };
    yield { type: 'finish', reason: 'stop' };
  };
  const received = ask(world.url, victim.key, victim.body, 'json');
  await received.ended;
  const { choices, warnings } = JSON.parse(received.text);
  assert.deepEqual([choices[0].citations.length, warnings], [1, []]);
  assert.equal(await countStored(world, victim), 2);
});

test('revocation and deletion wait for a turn that is being stored', { timeout: TIMEOUT_MS }, async () => {
  const { t } = world;
  const victim = await openVictim(world);
  const caller = await t.deps.auth.authenticate(victim.key);
  const done: string[] = [];
  const later: Promise<unknown>[] = [];
  await t.deps.db.transaction(t.tenantId, async (tx) => {
    await holdStanding(tx, caller, [victim.groupId]);
    for (const path of [`/api-keys/${victim.keyId}`, `/sources/${victim.sourceId}`]) {
      const deleted = fetch(`${world.url}/api/v1${path}`, { method: 'DELETE', headers: { 'x-api-key': t.key } });
      later.push(deleted.then(({ status }) => done.push(`${status} ${path}`)));
    }
    for (let i = 0; i < 50; i++) await tx.query(sql`select 1`);
    done.push('stored');
  });
  await Promise.all(later);
  assert.equal(done[0], 'stored');
  assert.deepEqual(done.map((line) => line.split(' ')[0]).sort(), ['200', '202', 'stored']);
});
