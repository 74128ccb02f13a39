/** The audit log: a chain for each tenant, to which the service can only append, and in which every change is detected. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { appendAudit, findBrokenEvent, listAuditEvents, type NewAuditEvent } from '../../src/corpus/audit-store.ts';
import { deleteTenant } from '../../src/corpus/tenant-store.ts';
import type { Tx } from '../../src/db/database.ts';
import { type Sql, sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

let test_: TestDatabase;
let tenantId: string;

before(async () => {
  test_ = await openTestDatabase();
});
after(() => test_.close());
beforeEach(async () => {
  tenantId = await bareTenant();
});

/** Makes a tenant without the event of its creation. */
async function bareTenant(): Promise<string> {
  const id = newId();
  await test_.db.system.query(sql`insert into tenant (id, name) values (${id}, ${id})`);
  return id;
}

const event = (objectId: string, of = tenantId): NewAuditEvent => ({
  tenantId: of,
  actor: null,
  action: 'change',
  objectKind: 'tag',
  objectId,
  details: { z: [1, { b: 'é', a: null }], a: 'x', left_out: undefined },
});
const inTenant = <T>(fn: (tx: Tx) => Promise<T>, id = tenantId) => test_.db.transaction(id, fn);
const append = (objectId: string, of = tenantId) => inTenant((tx) => appendAudit(tx, event(objectId, of)), of);
const broken = (of = tenantId) => inTenant((tx) => findBrokenEvent(tx), of);
const listed = (of = tenantId) => inTenant((tx) => listAuditEvents(tx, {}, { limit: 1_000, afterId: undefined }), of);
/** Runs a statement as an attacker with full access to the database. */
const tamper = (statement: Sql) => test_.db.system.query(statement);

test('concurrent transactions append events to one chain without gaps, in the order of their ids', async () => {
  assert.equal(await broken(), undefined);
  const other = await bareTenant();
  await Promise.all([...Array(20).keys()].map((i) => append(`${i}`, i % 4 === 0 ? other : tenantId)));
  const aborted = inTenant(async (tx) => {
    await appendAudit(tx, event('aborted'));
    throw new Error('the change failed');
  });
  await assert.rejects(aborted, /the change failed/);
  await append('last');
  const { rows, total } = await listed();
  assert.equal(total, 16);
  assert.deepEqual(
    rows.map(({ seq }) => seq),
    [...Array(16).keys()].map((i) => i + 1),
  );
  assert.equal(rows.at(-1)!.objectId, 'last');
  for (const [i, row] of rows.entries()) assert.equal(row.prevHash, rows[i - 1]?.hash ?? '0'.repeat(64));
  assert.equal((await listed(other)).total, 5);
  assert.deepEqual([await broken(), await broken(other)], [undefined, undefined]);
});

test('a command of the operator, which uses a system transaction, appends to the same chain', async () => {
  await append('one');
  await test_.db.system.transaction((tx) => appendAudit(tx, event('two')));
  assert.deepEqual([(await listed()).total, await broken()], [2, undefined]);
});

test('a changed, removed, added or cut off event is detected, and the first broken event is named', async () => {
  const changes: [string, (seq: number) => Sql][] = [
    ['altered', (seq) => sql`update audit_event set object_id = 'x' where tenant_id = ${tenantId} and seq = ${seq}`],
    [
      'altered',
      (seq) => sql`update audit_event set details = '{"a": "y"}' where tenant_id = ${tenantId} and seq = ${seq}`,
    ],
    [
      'altered',
      (seq) => sql`update audit_event set at = at + interval '1 ms' where tenant_id = ${tenantId} and seq = ${seq}`,
    ],
    [
      'altered',
      (seq) => sql`update audit_event set api_key_id = ${newId()} where tenant_id = ${tenantId} and seq = ${seq}`,
    ],
    [
      'altered',
      (seq) => sql`update audit_event set hash = ${'1'.repeat(64)} where tenant_id = ${tenantId} and seq = ${seq}`,
    ],
    [
      'does not follow',
      (seq) => sql`update audit_event set prev_hash = 'x' where tenant_id = ${tenantId} and seq = ${seq}`,
    ],
    ['is missing', (seq) => sql`delete from audit_event where tenant_id = ${tenantId} and seq = ${seq}`],
  ];
  for (const [what, change] of changes) {
    for (const seq of [1, 3, 5]) {
      tenantId = await bareTenant();
      for (let i = 1; i <= 5; i++) await append(`${i}`);
      assert.equal(await broken(), undefined);
      await tamper(change(seq));
      assert.match(
        (await broken()) ?? 'nothing',
        new RegExp(`^audit event ${seq} .*${what}|^audit event ${seq} ${what}`),
      );
    }
  }
});

test('a chain that lost all events, or all events and not its head, is detected', async () => {
  await append('1');
  await tamper(sql`delete from audit_event where tenant_id = ${tenantId}`);
  assert.equal(await broken(), 'audit event 1 is missing');
  await tamper(sql`delete from audit_head where tenant_id = ${tenantId}`);
  await append('2');
  await tamper(sql`update audit_head set hash = 'x' where tenant_id = ${tenantId}`);
  assert.equal(await broken(), 'audit event 1 is not the one that was written last');
});

test('the role of the service can neither change nor delete an event, and can add one only at the end', async () => {
  await append('1');
  await append('2');
  const refused = [
    sql`update audit_event set object_id = 'x' where tenant_id = ${tenantId}`,
    sql`delete from audit_event where tenant_id = ${tenantId}`,
    sql`update audit_head set seq = 1 where tenant_id = ${tenantId}`,
    sql`delete from audit_head where tenant_id = ${tenantId}`,
    sql`insert into audit_head (tenant_id, id, seq, hash) values (${tenantId}, ${newId()}, 7, 'x')`,
  ];
  for (const statement of refused)
    await assert.rejects(
      inTenant((tx) => tx.query(statement)),
      /permission denied/,
    );
  const forged = (seq: number, prevHash: string) =>
    inTenant((tx) =>
      tx.query(sql`insert into audit_event (tenant_id, id, seq, at, action, object_kind, object_id, details, prev_hash, hash)
        values (${tenantId}, ${newId()}, ${seq}, now(), 'change', 'tag', 'x', '{}', ${prevHash}, 'x')`),
    );
  const { rows } = await listed();
  await assert.rejects(forged(4, rows[1]!.hash), /is not the next one/);
  await assert.rejects(forged(3, rows[0]!.hash), /is not the next one/);
  await assert.rejects(forged(1, '0'.repeat(64)), /duplicate key/);
  assert.deepEqual([(await listed()).total, await broken()], [2, undefined]);
});

test('the chain is deleted with its tenant', async () => {
  await append('1');
  assert.equal(await deleteTenant(test_.db, tenantId), true);
  const left = await test_.db.system.query(sql`
    select tenant_id from audit_event where tenant_id = ${tenantId} union all select tenant_id from audit_head where tenant_id = ${tenantId}`);
  assert.deepEqual(left, []);
});
