/** The audit log over HTTP: every change it tells of, who may read it, what it never holds. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runAdminCommand } from '../../src/admin.ts';
import { findBrokenEvent } from '../../src/corpus/audit-store.ts';
import { sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestApp, type TestAnswer, type TestApp, type TestTenant } from '../support/app.ts';
import { SECRET_CANARY } from '../support/passages/canary.ts';
import { uploadFiles } from '../support/upload.ts';

const NIL = '00000000-0000-0000-0000-000000000000';

let t: TestApp;
let keyId: string;
before(async () => {
  t = await openTestApp();
  keyId = (await t.get('/api-keys')).body.api_keys[0].id;
});
after(() => t.close());

const events = async (query = '', key = t.key) => (await t.get(`/audit-events${query}`, key)).body.audit_events;
/** What was added to the log meanwhile. */
async function recordedBy(change: () => Promise<unknown>): Promise<{ action: string; details: object }[]> {
  const last = (await events('?limit=100')).at(-1)?.id ?? NIL;
  await change();
  const added = await events(`?limit=100&after_id=${last}`);
  for (const event of added) assert.equal(event.api_key_id, keyId);
  return added.map(({ action, object_kind: kind, object_id: id, details }: Record<string, unknown>) => ({
    what: `${action} ${kind} ${id}`,
    details,
  }));
}
const ok = async (answer: ReturnType<TestApp['get']>) => {
  const { status, body, text } = await answer;
  assert.ok(status < 300, text);
  return body;
};

test('an event keeps the name of the key that made the change when the key is revoked', async () => {
  const issued = await ok(
    t.post('/api-keys', { name: 'spring intern', scopes: ['knowledge:read', 'knowledge:write'] }),
  );
  const tag = await ok(t.post('/tags', { name: 'by the intern' }, issued.key));
  await ok(t.delete(`/api-keys/${issued.id}`));
  const [event] = await events(`?object_id=${tag.id}`);
  assert.deepEqual([event.api_key_id, event.api_key_name], [issued.id, 'spring intern']);
  const [first] = await events();
  assert.deepEqual([first.api_key_id, first.api_key_name], [null, null]);
});

test('every change of keys, secrets, tags, columns, names and metadata, and every deletion, is one audit event', async () => {
  const made: Record<string, string> = {};
  const expectRecorded = async (what: string, details: object, change: () => Promise<unknown>): Promise<void> => {
    const found = await recordedBy(change);
    const named = what.replace(/\$(\w+)/g, (_, name) => made[name] ?? name);
    assert.deepEqual(found, [{ what: named, details }]);
  };
  const make = async (name: string, answer: ReturnType<TestApp['get']>) => (made[name] = (await ok(answer)).id);

  await expectRecorded(
    'issue api_key $key',
    { name: 'reader', scopes: ['knowledge:read'], expires: null, source_group_ids: null, tag_ids: null },
    () => make('key', t.post('/api-keys', { name: 'reader', scopes: ['knowledge:read'] })),
  );
  const [rotated] = await recordedBy(() => make('next', t.post(`/api-keys/${made['key']}/rotate`, {})));
  const { name, replaced_by: successor } = rotated!.details as { name: string; replaced_by: string };
  assert.deepEqual([name, successor], ['reader', made['next']]);
  await expectRecorded('revoke api_key $next', { name: 'reader' }, () => ok(t.delete(`/api-keys/${made['next']}`)));

  const secret = { name: 'drive', type: 'drive', secret: `${SECRET_CANARY}one` };
  const named = { name: 'drive', type: 'drive' };
  await expectRecorded('create secret $secret', named, () => make('secret', t.post('/secrets', secret)));
  const path = `/secrets/${made['secret']}`;
  const changed = { name: 'other', secret: `${SECRET_CANARY}two` };
  await expectRecorded('change secret $secret', { name: 'other', type: 'drive', new_value: true }, () =>
    ok(t.put(path, changed)),
  );
  await expectRecorded('delete secret $secret', { name: 'other', type: 'drive' }, () => ok(t.delete(path)));

  await expectRecorded('create tag $tag', { name: 'a' }, () => make('tag', t.post('/tags', { name: 'a' })));
  await expectRecorded('change tag $tag', { name: 'b' }, () => ok(t.put(`/tags/${made['tag']}`, { name: 'b' })));
  made['group'] = await uploadFiles(t, { 'a.txt': 'text' });
  const link = { tag_id: made['tag'], source_group_id: made['group'] };
  await expectRecorded('change tag $tag', { linked: made['group'] }, () => ok(t.post('/tag-source-groups', link)));
  await expectRecorded('change tag $tag', { unlinked: made['group'] }, () =>
    ok(t.request({ method: 'DELETE', path: '/tag-source-groups', body: link })),
  );
  await expectRecorded('delete tag $tag', { name: 'b' }, () => ok(t.delete(`/tags/${made['tag']}`)));

  const column = { key: 'year', type: 'integer' };
  await expectRecorded('create metadata_column year', { type: 'integer' }, () =>
    ok(t.post('/metadata-columns', column)),
  );
  await expectRecorded('delete metadata_column year', { type: 'integer' }, () =>
    ok(t.delete('/metadata-columns/year')),
  );

  const group = `/source-groups/${made['group']}`;
  made['source'] = (await t.get(`${group}/sources`)).body.sources[0].id;
  const label = (key: string, val: string | null) => ({ metadata: { records: [{ key, val }] } });
  await expectRecorded('change source_group $group', { name: 'renamed' }, () => ok(t.put(group, { name: 'renamed' })));
  await expectRecorded('change source_group $group', { metadata_keys: ['team'] }, () =>
    ok(t.put(`${group}/metadata`, label('team', 'board'))),
  );
  const ofSource = `/sources/${made['source']}/metadata`;
  const twoKeys = { metadata: { records: [...label('b', '1').metadata.records, ...label('a', '2').metadata.records] } };
  await expectRecorded('change source $source', { metadata_keys: ['a', 'b'] }, () => ok(t.put(ofSource, twoKeys)));
  const items = [{ source_id: made['source'], ...label('b', null) }];
  await expectRecorded('change source $source', { metadata_keys: ['b'] }, () =>
    ok(t.post('/sources/metadata/batch', { items: [...items, { source_id: newId(), ...label('b', '1') }] })),
  );
  const unchanged = async () => {
    await ok(t.put(ofSource, label('a', '2')));
    await ok(t.put(`${group}/metadata`, label('team', 'board')));
    await ok(t.put(group, { name: 'renamed' }));
  };
  assert.deepEqual(await recordedBy(unchanged), [], 'the same values are no change');
  await expectRecorded('change source $source', { metadata_keys: ['a'] }, () => ok(t.delete(ofSource)));
  await expectRecorded('delete source $source', { source_group_id: made['group'], with_members: 0 }, () =>
    ok(t.delete(`/sources/${made['source']}`)),
  );
  const details = { name: (await t.get(group)).body.name, source_type: 'local_file' };
  await expectRecorded('delete source_group $group', details, () => ok(t.delete(group)));
  assert.deepEqual(await recordedBy(() => ok(t.delete(group))), [], 'asked again, nothing changes');

  const crawl = { name: 'help', urls: ['https://help.example.com/'], rrule: 'FREQ=DAILY' };
  const [started] = await recordedBy(() => make('crawl', t.post('/crawls', crawl)));
  const [setting] = (await t.get('/crawl-settings')).body.crawl_settings;
  const schedule = { name: 'help', source_group_id: made['crawl'], secret_id: null, rrule: 'FREQ=DAILY' };
  assert.deepEqual(started, { what: `create setting ${setting.id}`, details: schedule });
  const settingPath = `/crawl-settings/${setting.id}`;
  await expectRecorded(`change setting ${setting.id}`, { ...schedule, name: 'h', rrule: '' }, () =>
    ok(t.put(settingPath, { name: 'h', rrule: '' })),
  );
  await expectRecorded(`delete setting ${setting.id}`, { ...schedule, name: 'h', rrule: '' }, () =>
    ok(t.delete(settingPath)),
  );
  await expectRecorded('delete source_group $crawl', { name: 'h', source_type: 'web' }, () =>
    ok(t.delete(`/crawls/${made['crawl']}`)),
  );

  const missed = t.request({ method: 'DELETE', path: `/conversations/${newId()}` });
  assert.deepEqual(await recordedBy(() => missed), [], 'what fails is no change');
  const log = JSON.stringify(await events('?limit=100'));
  assert.ok(!log.includes(SECRET_CANARY));
  assert.equal(await t.deps.db.transaction(t.tenantId, (tx) => findBrokenEvent(tx)), undefined);
});

test('the deletion of a conversation is an audit event', async () => {
  const id = newId();
  await t.deps.db.query(
    t.tenantId,
    sql`insert into conversation (tenant_id, id, title, key_family_id) values (${t.tenantId}, ${id}, 'private', ${newId()})`,
  );
  const found = await recordedBy(() => ok(t.delete(`/conversations/${id}`)));
  assert.deepEqual(found, [{ what: `delete conversation ${id}`, details: { messages: 0 } }]);
});

test('commands of the operator are audited: a new tenant, a new key, a new master key', async () => {
  const run = (method: string, path: string, body?: unknown) =>
    runAdminCommand(t.deps, method, path, body) as Promise<Record<string, string>>;
  const { id, key } = await run('POST', '/tenants', { name: 'acme' });
  await run('POST', '/keys', { tenant: 'acme', name: 'spare' });
  const { key_id: masterKey } = await run('POST', '/master-key/rotate');
  const found = await events('', key);
  assert.deepEqual(
    found.map((event: Record<string, unknown>) => [event['api_key_id'], event['action'], event['object_kind']]),
    [
      [null, 'create', 'tenant'],
      [null, 'issue', 'api_key'],
      [null, 'issue', 'api_key'],
      [null, 'rotate', 'master_key'],
    ],
  );
  assert.deepEqual([found[0].object_id, found[0].details], [id, { name: 'acme' }]);
  assert.equal(found[3].object_id, masterKey);
  assert.equal((await events('?object_kind=master_key'))[0].object_id, masterKey, 'in every tenant');
  await run('DELETE', '/tenants/acme');
  assert.ok(t.logs.some((line) => line['msg'] === 'the tenant was deleted' && line['tenantId'] === id));
});

test('audit events can be filtered and read page by page to the end', async () => {
  const { key, tenantId }: TestTenant = await t.secondTenant();
  const own = (await t.get('/api-keys', key)).body.api_keys[0].id;
  const tags: string[] = [];
  for (const name of ['a', 'b', 'c']) tags.push((await t.post('/tags', { name }, key)).body.id);
  await t.delete(`/tags/${tags[0]}`, key);
  const count = async (query: string) => (await events(query, key)).length;
  assert.equal(await count(''), 5, 'and the tenant itself');
  assert.equal(await count('?action=delete'), 1);
  assert.equal(await count('?object_kind=tag&action=create'), 3);
  assert.equal(await count(`?object_id=${tags[0]}`), 2);
  assert.equal(await count(`?api_key_id=${own}`), 4);
  assert.deepEqual(await events(`?object_id=${tags[0]}`), [], 'another tenant sees nothing of it');
  assert.deepEqual(await events(`?api_key_id=${own}`), []);
  assert.equal(await count(`?api_key_id=${newId()}`), 0);
  assert.equal(await count('?api_key_id=nobody'), 0);
  const [first] = await events('', key);
  const later = (by: number) => first.creation_time + by;
  assert.equal(await count(`?to_time=${later(-1)}`), 0);
  assert.equal(await count(`?from_time=${later(0)}&to_time=${later(1_000)}`), 5);
  assert.equal(await count(`?from_time=${later(1_000)}`), 0);
  await t.deps.db.system.query(
    sql`update audit_event set at = at + interval '900 s' where tenant_id = ${tenantId} and seq = 5`,
  );
  assert.equal(await count(`?from_time=${later(800)}`), 1);
  assert.equal(await count(`?to_time=${later(800)}`), 4);
  assert.equal(await count('?to_time=253402300799'), 5, 'the last second of the year 9999');
  const seen: number[] = [];
  for (let next: string | null = NIL; next !== null; ) {
    const { body }: TestAnswer = await t.get(`/audit-events?limit=2&after_id=${next}`, key);
    const { audit_events: page, pagination } = body;
    seen.push(...page.map(({ seq }: { seq: number }) => seq));
    assert.equal(pagination.total, 5);
    next = pagination.next_id;
  }
  assert.deepEqual(seen, [1, 2, 3, 4, 5]);
  for (const query of [
    '?action=x',
    '?object_kind=x',
    '?from_time=2&to_time=1',
    '?from=1',
    '?after_id=x',
    '?object_id=',
  ])
    assert.equal((await t.get(`/audit-events${query}`)).status, 400, query);
});

test('events are listed newest first on request, and a cursor continues in this order', async () => {
  const list = async (query: string) => (await t.get(`/audit-events?${query}`)).body;
  const oldest = (await list('limit=100')).audit_events;
  const newest = await list('order=desc&limit=2');
  const last = (await list('order=desc&limit=1')).audit_events[0].seq;
  assert.ok(last >= oldest.at(-1).seq);
  assert.deepEqual(
    newest.audit_events.map((event: { seq: number }) => event.seq),
    [last, last - 1],
  );
  const next = await list(`order=desc&limit=1&after_id=${newest.pagination.next_id}`);
  assert.equal(next.audit_events[0].seq, last - 2);
});
