/** Secrets over HTTP: the value goes in, is kept sealed, and never comes out. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { SECRETS_MAX } from '../../src/features/secrets/routes.ts';
import { newId } from '../../src/util/ids.ts';
import { openSecret } from '../../src/vault/secret-store.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { SECRET_CANARY } from '../support/passages/canary.ts';

const VALUE = `${SECRET_CANARY}4711-größe-😀`;

let t: TestApp;
let now = new Date('2026-03-01T12:00:00.700Z');
const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);
before(async () => {
  t = await openTestApp({ given: { clock: { now: () => now } } });
});
after(() => t.close());

const openedValue = async (id: string, tenantId = t.tenantId) => (await openSecret(t.deps, tenantId, id))?.value;

async function create(change: Record<string, unknown> = {}): Promise<string> {
  const made = await t.post('/secrets', { name: 'n', type: 'page', secret: VALUE, ...change });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

describe('POST /secrets', () => {
  test('answers 201 with the secret and without its value', async () => {
    for (const type of ['drive', 'repo', 'page']) {
      const made = await t.post('/secrets', { name: 'Größe 😀', type, secret: VALUE, description: 'what for' });
      assert.equal(made.status, 201, made.text);
      assert.deepEqual(made.body, {
        id: made.body.id,
        name: 'Größe 😀',
        type,
        last_update_time: seconds(now),
        creation_time: seconds(now),
        description: 'what for',
      });
      assert.equal(await openedValue(made.body.id), VALUE);
    }
  });
  test('a missing description is stored as empty text', async () => {
    assert.equal((await t.get(`/secrets/${await create()}`)).body.description, '');
  });
  test('lengths are counted in code points, and the longest allowed values are accepted', async () => {
    const id = await create({ name: '😀'.repeat(200), secret: '😀'.repeat(5000), description: '😀'.repeat(1000) });
    assert.equal(await openedValue(id), '😀'.repeat(5000));
    for (const change of [
      { name: '' },
      { name: 'x'.repeat(201) },
      { name: undefined },
      { secret: '' },
      { secret: 'x'.repeat(5001) },
      { secret: undefined },
      { secret: null },
      { secret: { type: 'service_account' } },
      { secret: 'a\u0000b' },
      { description: 'x'.repeat(1001) },
      { description: null },
      { type: 'web' },
      { type: undefined },
      { id: newId() },
      { tenant_id: newId() },
      { creation_time: 1 },
    ]) {
      const body = { name: 'n', type: 'page', secret: VALUE, ...change };
      const refused = await t.post('/secrets', body);
      assert.equal(refused.status, 400, JSON.stringify(change));
      assert.ok(!refused.text.includes('canary'));
    }
  });
  test('an idempotency key repeats the answer; its store holds neither the value nor a plain hash of the body', async () => {
    const request = {
      method: 'POST' as const,
      path: '/secrets',
      body: JSON.stringify({ name: 'n', type: 'repo', secret: VALUE }),
      headers: { 'idempotency-key': 'secret-1', 'content-type': 'application/json' },
    };
    const first = await t.request(request);
    const again = await t.request(request);
    assert.equal(first.status, 201);
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.equal((await t.request({ ...request, body: request.body.replace('4711', '4712') })).status, 409);
    const [row] = await t.deps.db.system.query<{ bodyHash: Buffer; responseBody: string }>(
      sql`select body_hash, response_body, body_hash = sha256(${Buffer.from(request.body)}) as plain
          from idempotency_key where key = 'secret-1'`,
    );
    assert.ok(!row!.responseBody.includes('canary'));
    assert.equal((row as unknown as { plain: boolean }).plain, false);
  });
});

describe('PUT /secrets/{secret_id}', () => {
  test('changes the value only if the request has the member `secret`', async () => {
    const id = await create({ description: 'd' });
    const created = seconds(now);
    now = new Date(now.getTime() + 5_000);
    const renamed = await t.put(`/secrets/${id}`, { name: 'new name' });
    assert.equal(renamed.status, 200, renamed.text);
    assert.deepEqual(renamed.body, {
      id,
      name: 'new name',
      type: 'page',
      last_update_time: created + 5,
      creation_time: created,
      description: 'd',
    });
    assert.equal(await openedValue(id), VALUE);
    const changed = await t.put(`/secrets/${id}`, {
      name: 'new name',
      secret: `${SECRET_CANARY}other`,
      description: '',
    });
    assert.equal(changed.status, 200);
    assert.equal(changed.body.description, '');
    assert.ok(!changed.text.includes(SECRET_CANARY));
    assert.equal(await openedValue(id), `${SECRET_CANARY}other`);
  });
  test('requires a name and cannot change the type', async () => {
    const id = await create();
    for (const body of [{}, { secret: 'x' }, { name: '' }, { name: 'n', type: 'drive' }, { name: 'n', secret: '' }]) {
      assert.equal((await t.put(`/secrets/${id}`, body)).status, 400, JSON.stringify(body));
    }
    assert.equal(await openedValue(id), VALUE);
    assert.equal((await t.put(`/secrets/${newId()}`, { name: 'n', secret: 'x' })).status, 404);
  });
});

test('DELETE /secrets/{secret_id} answers with the deleted secret; later requests get 404', async () => {
  const id = await create({ description: 'last words' });
  const shown = (await t.get(`/secrets/${id}`)).body;
  const deleted = await t.delete(`/secrets/${id}`);
  assert.equal(deleted.status, 200);
  assert.deepEqual(deleted.body, shown);
  assert.equal((await t.delete(`/secrets/${id}`)).status, 404);
  assert.equal((await t.get(`/secrets/${id}`)).status, 404);
  assert.equal(await openedValue(id), undefined);
});

test(`a tenant has at most ${SECRETS_MAX} secrets, even if requests create them at the same time`, async () => {
  const { key, tenantId } = await t.secondTenant();
  await t.deps.db.query(
    tenantId,
    sql`insert into secret (tenant_id, id, name, type, sealed, wrapped_key, key_id, created_at, updated_at)
        select ${tenantId}::uuid, gen_random_uuid(), 'n', 'repo', '', '', 'none', now(), now() from generate_series(1, ${SECRETS_MAX - 1})`,
  );
  const made = await Promise.all(
    ['a', 'b', 'c'].map((name) => t.post('/secrets', { name, type: 'repo', secret: 'x' }, key)),
  );
  assert.deepEqual(made.map(({ status }) => status).toSorted(), [201, 409, 409]);
  assert.equal((await t.get('/secrets', key)).body.pagination.total, SECRETS_MAX);
  await t.deps.db.query(tenantId, sql`delete from secret where tenant_id = ${tenantId}`);
});

test('a sealed value that is copied to another tenant or secret cannot be opened', async () => {
  const [a, b] = [await create(), await create({ secret: 'b' })];
  const second = await t.secondTenant();
  await t.deps.db.system.query(
    sql`update secret s set sealed = o.sealed, wrapped_key = o.wrapped_key from secret o where s.id = ${a} and o.id = ${b}`,
  );
  await assert.rejects(openedValue(a), /does not open/);
  await t.deps.db.system.query(sql`update secret set tenant_id = ${second.tenantId} where id = ${b}`);
  await assert.rejects(openedValue(b, second.tenantId), /does not open/);
  await t.deps.db.system.query(sql`delete from secret where id in (${a}, ${b})`);
});

test('neither the tables nor the log show a value', async () => {
  await create();
  const rows = await t.deps.db.system.query(sql`select s::text as row from secret s`);
  const bytes = Buffer.from(VALUE).toString('hex');
  assert.ok(rows.length > 0);
  for (const text of [JSON.stringify(rows), JSON.stringify(t.logs)]) {
    assert.ok(!text.includes('canary') && !text.includes(bytes));
  }
});
