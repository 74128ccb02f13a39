/** Routes of sources with an origin and of their settings, for every kind of origin. No run starts in these tests. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../src/db/sql.ts';
import { newId } from '../../../src/util/ids.ts';
import { openOneTimeCredential } from '../../../src/vault/secret-store.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { ONE_FILE_FORM, ONE_FILE_HEADERS } from '../../support/upload.ts';
import {
  bodyFor,
  createSource,
  credentialFor,
  SOURCE_FORMS,
  type SourceForm,
  storeSecret,
} from '../../support/worlds/connector-sources.ts';

const NOT_FOUND =
  '{"error":{"message":"Nothing of this kind has this id or name, or it may not be seen with this key and principal.","type":"not_found_error"}}';
const DAILY = 'FREQ=DAILY;BYHOUR=5;BYMINUTE=0;BYSECOND=0';

let t: TestApp;
before(async () => {
  t = await openTestApp();
});
after(() => t.close());

const listKey = (path: string) => path.slice(1).replaceAll('-', '_');
const without = (body: Record<string, unknown>, member: string) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== member));

for (const form of SOURCE_FORMS) {
  describe(form.path, () => {
    test('a source is created with its setting, and both can be read', async () => {
      const metadata = { records: [{ key: 'team', val: 'support' }] };
      const body = await bodyFor(t, form, { rrule: DAILY, metadata });
      const { status, body: source } = await t.post(form.path, body);
      assert.equal(status, 201);
      assert.deepEqual(source, {
        id: source.id,
        name: `a ${form.kind} source`,
        ...form.origin,
        status: 'queued',
        ingestion_setting_id: source.ingestion_setting_id,
        creation_time: source.creation_time,
        start_time: null,
        end_time: null,
        error: null,
        metadata: { records: [{ key: 'team', val: 'support', type: 'string' }] },
      });
      assert.deepEqual((await t.get(`${form.path}/${source.id}`)).body, source);
      const listed = (await t.get(`${form.path}?limit=100`)).body;
      assert.deepEqual(listed[listKey(form.path)].at(-1), source);
      assert.equal((await t.get(`/source-groups/${source.id}`)).body.source_type, form.kind);
      assert.equal((await t.get(`/source-groups/${source.id}/runs`)).body.runs[0].status, 'queued');

      const setting = (await t.get(`${form.settingPath}/${source.ingestion_setting_id}`)).body;
      const { next_run_times: next } = setting;
      assert.deepEqual(setting, {
        id: source.ingestion_setting_id,
        name: source.name,
        ...form.origin,
        rrule: DAILY,
        ...(form.credential ? { secret_id: body['secret_id'] ?? '' } : {}),
        source_group_id: source.id,
        creation_time: source.creation_time,
        next_run_times: next,
        failing_since_time: null,
      });
      assert.equal(next.length, 5);
      assert.ok(next[0] > source.creation_time && next[0] % 86_400 === 5 * 3_600, String(next));
      const settings = (await t.get(`${form.settingPath}?limit=100`)).body;
      assert.deepEqual(settings[listKey(form.settingPath)].at(-1), setting);
    });

    test('sources and settings are listed in pages', async () => {
      await createSource(t, form);
      for (const path of [form.path, form.settingPath]) {
        const all = (await t.get(`${path}?limit=100`)).body;
        const first = (await t.get(`${path}?limit=1`)).body;
        assert.deepEqual(first[listKey(path)], all[listKey(path)].slice(0, 1));
        assert.deepEqual(first.pagination, {
          limit: 1,
          has_more: true,
          total: all[listKey(path)].length,
          next_id: first[listKey(path)][0].id,
        });
        const second = (await t.get(`${path}?limit=1&after_id=${first.pagination.next_id}`)).body;
        assert.deepEqual(second[listKey(path)], all[listKey(path)].slice(1, 2));
      }
    });

    test('a change of the setting changes name and schedule of the source; an empty rrule ends the schedule', async () => {
      const source = await createSource(t, form);
      const path = `${form.settingPath}/${source.ingestion_setting_id}`;
      assert.deepEqual((await t.get(path)).body.next_run_times, []);
      const set = (await t.put(path, { name: 'new name', rrule: 'FREQ=HOURLY' })).body;
      assert.deepEqual([set.name, set.rrule, set.next_run_times.length], ['new name', 'FREQ=HOURLY', 5]);
      // The schedule starts at the creation of the setting.
      assert.ok(set.next_run_times.every((time: number) => (time - source.creation_time) % 3_600 === 0));
      const kept = (await t.put(path, { name: 'newer name' })).body;
      assert.deepEqual([kept.name, kept.rrule, kept.next_run_times], ['newer name', 'FREQ=HOURLY', set.next_run_times]);
      assert.equal((await t.get(`${form.path}/${source.id}`)).body.name, 'newer name');
      const cleared = (await t.put(path, { name: 'newer name', rrule: '' })).body;
      assert.deepEqual([cleared.rrule, cleared.next_run_times], ['', []]);
      assert.equal((await t.put(path, { rrule: 'FREQ=DAILY' })).status, 400);
      assert.equal((await t.put(path, { name: 'n', rrule: 'FREQ=SECONDLY' })).status, 400);
      assert.equal((await t.put(path, { name: 'n', rrule: null })).status, 400);
      assert.equal((await t.put(path, { name: 'n', ...form.origin })).status, 400, 'what is read does not change');
    });

    test('the deletion of the setting ends the schedule, and the source stays', async () => {
      const source = await createSource(t, form, { rrule: DAILY });
      const path = `${form.settingPath}/${source.ingestion_setting_id}`;
      const deleted = await t.delete(path);
      assert.deepEqual(
        [deleted.status, deleted.body.id, deleted.body.rrule],
        [200, source.ingestion_setting_id, DAILY],
      );
      assert.deepEqual((await t.get(`${form.path}/${source.id}`)).body, { ...source, ingestion_setting_id: '' });
      for (const answer of [await t.get(path), await t.put(path, { name: 'n' }), await t.delete(path)])
        assert.equal(answer.text, NOT_FOUND);
      assert.equal(await nextAt(source.id), null);
    });

    test('the deletion of the source hides it and deletes its setting', async () => {
      const source = await createSource(t, form, { rrule: DAILY });
      for (let i = 0; i < 2; i++) {
        const answer = await t.delete(`${form.path}/${source.id}`);
        assert.deepEqual([answer.status, answer.body], [202, { source_group_id: source.id }]);
      }
      assert.equal((await t.get(`${form.path}/${source.id}`)).body.status, 'deleting');
      assert.equal((await t.get(`${form.settingPath}/${source.ingestion_setting_id}`)).text, NOT_FOUND);
      assert.equal(await nextAt(source.id), null);
      const run = await t.post(`/source-groups/${source.id}/runs`, {});
      assert.equal(run.text, NOT_FOUND);
    });

    test('a source is no local file group', async () => {
      const source = await createSource(t, form);
      assert.equal((await t.delete(`/local-file-groups/${source.id}`)).text, NOT_FOUND);
      const files = { path: `/local-file-groups/${source.id}/files` };
      const change = { ...files, method: 'PUT', headers: ONE_FILE_HEADERS, body: ONE_FILE_FORM } as const;
      assert.equal((await t.request(change)).text, NOT_FOUND);
      assert.equal((await t.request({ ...files, method: 'DELETE', body: { paths: ['a'] } })).text, NOT_FOUND);
      assert.equal((await t.get(`${form.path}/${source.id}`)).status, 200);
    });

    test('a repeated request with an Idempotency-Key creates one source', async () => {
      const body = await bodyFor(t, form);
      const headers = { 'idempotency-key': newId() };
      const send = (sent: object) => t.request({ method: 'POST', path: form.path, body: sent, headers });
      const first = await send(body);
      const again = await send(body);
      assert.deepEqual([again.status, again.headers['idempotent-replayed'], again.text], [201, 'true', first.text]);
      assert.equal((await send({ ...body, name: 'another' })).status, 409);
    });

    test('members that are missing, unknown or too long are 400', async () => {
      const body = await bodyFor(t, form);
      const [first = ''] = Object.keys(form.origin);
      for (const wrong of [
        without(body, 'name'),
        { ...body, name: '' },
        { ...body, name: 'x'.repeat(201) },
        without(body, first),
        { ...body, status: 'success' },
        { ...body, metadata: {} },
        { ...body, metadata: { records: [{ key: 'k', val: 1 }] } },
        { ...body, rrule: 'x'.repeat(501) },
        { ...body, rrule: 'FREQ=DAILY;INTERVAL=-1' },
        { ...body, rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' },
      ]) {
        const answer = await t.post(form.path, wrong);
        assert.deepEqual(
          [answer.status, answer.body.error.type],
          [400, 'invalid_request_error'],
          JSON.stringify(wrong),
        );
      }
      assert.equal((await t.post(form.path, { ...body, name: '😀'.repeat(200) })).status, 201);
    });
  });
}

for (const form of SOURCE_FORMS.filter(({ credential }) => credential))
  describe(`credentials of ${form.path}`, () => credentials(form));

function credentials(form: SourceForm): void {
  const { member, required } = form.credential!;
  const secretless = { name: 'n', ...form.origin };

  test(`${member} and secret_id exclude each other; none is ${required ? '400' : 'a public origin'}`, async () => {
    const secret = await storeSecret(t, form);
    const both = await t.post(form.path, { ...secretless, secret_id: secret, [member]: credentialFor(form) });
    assert.equal(both.status, 400);
    assert.match(both.body.error.message, new RegExp(`${member} or secret_id, not both`));
    assert.equal((await t.post(form.path, secretless)).status, required ? 400 : 201);
    assert.equal((await t.post(form.path, { ...secretless, [member]: '' })).status, 400);
    assert.equal((await t.post(form.path, { ...secretless, [member]: 'x'.repeat(5_001) })).status, 400);
  });

  test('a secret of another type is 404', async () => {
    for (const other of SOURCE_FORMS.filter((one) => one.credential && one !== form)) {
      const id = await storeSecret(t, other);
      assert.equal((await t.post(form.path, { ...secretless, secret_id: id })).text, NOT_FOUND, id);
    }
    // Errors in the body are reported first.
    assert.equal((await t.post(form.path, { ...secretless, secret_id: newId(), rrule: 'FREQ=SECONDLY' })).status, 400);
  });

  test(`a schedule needs a stored secret, not a ${member}`, async () => {
    const once = { ...secretless, [member]: credentialFor(form) };
    const refused = await t.post(form.path, { ...once, rrule: DAILY });
    assert.deepEqual([refused.status, refused.body.error.type], [400, 'invalid_request_error']);
    const source = (await t.post(form.path, { ...once, rrule: '' })).body;
    const path = `${form.settingPath}/${source.ingestion_setting_id}`;
    assert.equal((await t.put(path, { name: 'n', rrule: DAILY })).status, 400);
    assert.equal((await t.put(path, { name: 'n', rrule: '' })).status, 200);
  });

  test(`${member} is encrypted, never returned, not listed as a secret, and erased with the source`, async () => {
    const value = credentialFor(form);
    const before = (await t.get('/secrets')).body.pagination.total;
    const answer = await t.post(form.path, { ...secretless, [member]: value });
    const { id, ingestion_setting_id: settingId } = answer.body;
    const setting = await t.get(`${form.settingPath}/${settingId}`);
    assert.equal(setting.body.secret_id, '');
    for (const text of [answer.text, setting.text, (await t.get('/secrets?limit=100')).text])
      assert.doesNotMatch(text, /canary/);
    assert.equal((await t.get('/secrets')).body.pagination.total, before);
    assert.equal(await openOneTimeCredential(t.deps, t.tenantId, id), value);
    const [row] = await t.deps.db.query<{ id: string }>(
      t.tenantId,
      sql`select id from secret where tenant_id = ${t.tenantId} and source_group_id = ${id}`,
    );
    assert.equal((await t.get(`/secrets/${row!.id}`)).text, NOT_FOUND);
    assert.equal((await t.put(`/secrets/${row!.id}`, { name: 'n' })).text, NOT_FOUND);
    assert.equal((await t.delete(`/secrets/${row!.id}`)).text, NOT_FOUND);
    assert.equal((await t.post(form.path, { ...secretless, secret_id: row!.id })).text, NOT_FOUND);
    await t.delete(`${form.path}/${id}`);
    assert.equal(await openOneTimeCredential(t.deps, t.tenantId, id), undefined);
  });
}

test('a public repository needs no secret for a schedule', async () => {
  const repo = SOURCE_FORMS.find(({ kind }) => kind === 'repo')!;
  const source = await createSource(t, repo, { rrule: DAILY });
  assert.ok(await nextAt(source.id));
});

test('a tenant has a limited number of sources with an origin', async () => {
  const { tenantId, key } = await t.secondTenant();
  await t.deps.db.query(
    tenantId,
    sql`with made as (
        insert into source_group (tenant_id, id, source_type, name, status, created_at)
        select ${tenantId}::uuid, gen_random_uuid(), 'web', 'w', 'success', now() from generate_series(1, 999) returning id)
      insert into connector_setting (tenant_id, id, source_group_id, kind, origin, needs_credential, created_at)
      select ${tenantId}::uuid, gen_random_uuid(), id, 'web', '{}', false, now() from made`,
  );
  const web = SOURCE_FORMS.find(({ kind }) => kind === 'web')!;
  await createSource(t, web, {}, key);
  assert.equal((await t.post(web.path, await bodyFor(t, web), key)).status, 409);
});

async function nextAt(groupId: string): Promise<Date | null | undefined> {
  const [row] = await t.deps.db.query<{ at: Date | null }>(
    t.tenantId,
    sql`select next_at as at from connector_setting where tenant_id = ${t.tenantId} and source_group_id = ${groupId}`,
  );
  return row?.at;
}
