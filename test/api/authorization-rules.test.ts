/** Subjects, policies and explanations over HTTP: what is stored, refused, told, and written to the audit log. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { seed } from '../retrieval/corpus.ts';
import { openTestApp, type TestAnswer, type TestApp } from '../support/app.ts';
import { eventually } from '../support/upload.ts';

let t: TestApp;
let now = new Date();
before(async () => {
  t = await openTestApp({ given: { clock: { now: () => now } } });
});
after(() => t.close());

const subjectPath = (id: string): string => `/authz/subjects/${encodeURIComponent(id)}/attributes`;
const patch = (path: string, body: unknown) => t.request({ method: 'PATCH', path, body });

test('attributes are set, merged, read and deleted; each change is audited', async () => {
  const path = subjectPath('ada@example.com/ö %');
  const attributes = { department: 'sales', projects: ['apollo', 7, true], __proto__x: 'x', clearance: 2 };
  const set = await t.put(path, { attributes });
  assert.equal(set.status, 200, set.text);
  assert.deepEqual(
    { ...set.body, creation_time: 0, last_update_time: 0 },
    { principal_id: 'ada@example.com/ö %', attributes, expires_time: null, creation_time: 0, last_update_time: 0 },
  );
  const expires = Math.floor(now.getTime() / 1000) + 60;
  const changed = await patch(path, { attributes: { department: null, city: 'Bonn' }, expires_time: expires });
  assert.deepEqual(changed.body.attributes, {
    projects: ['apollo', 7, true],
    __proto__x: 'x',
    clearance: 2,
    city: 'Bonn',
  });
  assert.equal(changed.body.expires_time, expires);
  assert.equal((await patch(path, { attributes: { city: 'Köln' } })).body.expires_time, expires);
  assert.equal((await patch(path, { expires_time: null })).body.expires_time, null);
  assert.deepEqual((await t.get(path)).body.attributes.city, 'Köln');
  assert.deepEqual((await t.put(path, { attributes: {} })).body.attributes, {});
  assert.equal((await t.delete(path)).status, 200);
  for (const answer of [await t.get(path), await t.delete(path), await patch(path, {})])
    assert.equal(answer.status, 404);
  const { body } = await t.get('/audit-events?object_kind=subject&limit=100');
  const events = body.audit_events.filter((event: { object_id: string }) => event.object_id === 'ada@example.com/ö %');
  assert.deepEqual(
    events.map(({ action }: { action: string }) => action),
    ['create', 'change', 'change', 'change', 'change', 'delete'],
  );
  assert.deepEqual(events[0].details.attributes, ['__proto__x', 'clearance', 'department', 'projects']);
});

test('a property name of JavaScript objects is a valid attribute name, except the one that every request refuses', async () => {
  const path = subjectPath('proto');
  const put = (body: string) => t.request({ method: 'PUT', path, body });
  assert.equal((await put('{"attributes":{"__proto__":"a"}}')).status, 400);
  assert.equal((await put('{"attributes":{"constructor":"b"}}')).status, 200);
  assert.match((await t.get(path)).text, /"constructor":"b"/);
});

test('wrong attributes are refused with a pointer', async () => {
  const long = 'x'.repeat(4097);
  for (const [attributes, place] of [
    [{ a: long }, '/attributes/a'],
    [{ a: [] }, '/attributes/a'],
    [{ a: [['b']] }, '/attributes/a'],
    [{ a: { b: 1 } }, '/attributes/a'],
    [{ a: null }, '/attributes/a'],
    [{ a: 2 ** 53 }, '/attributes/a'],
    [{ a: ['b', long] }, '/attributes/a'],
    [{ '': 'b' }, '/attributes/'],
    [[], '/attributes'],
    [Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`a${i}`, 1])), '/attributes'],
  ] as const) {
    const answer = await t.put(subjectPath('x'), { attributes });
    assert.equal(answer.status, 400, JSON.stringify(attributes).slice(0, 80));
    assert.ok(answer.body.error.message.startsWith(`${place}: `), answer.body.error.message);
  }
  const past = await t.put(subjectPath('x'), { attributes: {}, expires_time: 1 });
  assert.equal(past.body.error.message, '/expires_time: must be in the future.');
  assert.equal((await t.put(subjectPath('x'), { attributes: {}, other: 1 })).status, 400);
  assert.equal((await t.get(subjectPath('x'))).status, 404, 'nothing was stored');
});

test('a batch sets the attributes of many subjects, and an invalid item fails alone', async () => {
  const items = [
    { principal_id: 'b1', attributes: { a: 1 } },
    { principal_id: 'b2', attributes: { a: 1 }, expires_time: 1 },
    { principal_id: 'b3', attributes: { a: ['x'] } },
  ];
  const { status, body } = await t.post('/authz/subjects/attributes/batch', { items });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    success_count: 2,
    results: [
      { id: 'b1', success: true, error: '' },
      { id: 'b2', success: false, error: '/expires_time: must be in the future.' },
      { id: 'b3', success: true, error: '' },
    ],
  });
  assert.equal((await t.get(subjectPath('b2'))).status, 404);
  const many = Array.from({ length: 51 }, (_, i) => ({ principal_id: `m${i}`, attributes: {} }));
  assert.equal((await t.post('/authz/subjects/attributes/batch', { items: many })).status, 400);
  const first = await t.get('/authz/subjects?limit=1');
  const second = await t.get(`/authz/subjects?limit=100&after_id=${first.body.pagination.next_id}`);
  assert.equal(first.body.subjects.length + second.body.subjects.length, first.body.pagination.total);
  assert.ok(second.body.subjects.some((one: { principal_id: string }) => one.principal_id === 'b3'));
  const newest = await t.get('/authz/subjects?order=desc&limit=2');
  const older = await t.get(`/authz/subjects?order=desc&limit=100&after_id=${newest.body.pagination.next_id}`);
  assert.deepEqual(
    [...newest.body.subjects, ...older.body.subjects],
    [...first.body.subjects, ...second.body.subjects].toReversed(),
  );
});

test('policies are validated, versioned, listed and deleted; each change is audited', async () => {
  const filters = [
    { target: 'tag', operator: 'eq', value: 'public' },
    {
      operator: 'and',
      filters: [{ key: 'd', operator: 'in', value: { subject: 'departments' }, trust_content: true }],
    },
    { target: 'tag', key: 'open', operator: 'exists' },
    { target: 'source_group', operator: 'in', value: ['x'] },
  ];
  const made = await t.put('/authz/policies/readers', { operator: 'or', filters });
  assert.equal(made.status, 200, made.text);
  assert.equal(made.body.version, 1);
  assert.equal((await t.put('/authz/policies/readers', { filters: [filters[0]] })).body.version, 2);
  const { body } = await t.get('/authz/policies/readers');
  assert.equal(body.operator, 'and');
  assert.deepEqual(body.filters, [{ target: 'tag', key: 'name', operator: 'eq', value: 'public' }]);
  const list = (await t.get('/authz/policies')).body;
  assert.deepEqual([list.policies.map(({ name }: { name: string }) => name), list.pagination.total], [['readers'], 1]);
  assert.equal((await t.delete('/authz/policies/readers')).body.version, 2);
  assert.equal((await t.get('/authz/policies/readers')).status, 404);
  assert.equal((await t.put('/authz/policies/readers', { filters: [filters[0]] })).body.version, 3);
  assert.equal((await t.delete('/authz/policies/readers')).status, 200);
  const events = (await t.get('/audit-events?object_kind=authz_policy')).body.audit_events;
  assert.deepEqual(
    events.map(({ action, details }: { action: string; details: { version: number } }) => [action, details.version]),
    [
      ['create', 1],
      ['change', 2],
      ['delete', 2],
      ['create', 3],
      ['delete', 3],
    ],
  );
});

test('a policy is changed and deleted only in the version that the caller names, if it names one', async () => {
  const path = '/authz/policies/shared';
  const send = (method: 'PUT' | 'DELETE', headers: Record<string, string>, value = 'public') => {
    const body = { filters: [{ target: 'tag', operator: 'eq', value }] };
    return t.request({ method, path, headers, ...(method === 'PUT' && { body }) });
  };
  assert.equal((await send('PUT', { 'if-match': '"1"' })).status, 412, 'there is none');
  const made = await send('PUT', { 'if-none-match': '*' });
  assert.deepEqual([made.status, made.headers.etag, made.body.version], [200, '"1"', 1]);
  assert.equal((await t.get(path)).headers.etag, '"1"');
  const again = await send('PUT', { 'if-none-match': '*' });
  assert.deepEqual([again.status, again.body.error.type], [412, 'conflict_error']);
  const answers = await Promise.all(['one', 'two', 'three'].map((value) => send('PUT', { 'if-match': '"1"' }, value)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 412, 412], 'one of three at once');
  const refused = answers.find(({ status }) => status === 412)!;
  assert.equal(refused.headers.etag, undefined);
  assert.match(refused.body.error.message, /Version 2 is stored/);
  assert.equal((await t.get(path)).body.version, 2);
  assert.equal((await send('PUT', { 'if-match': '2' })).status, 400);
  assert.equal((await send('DELETE', { 'if-match': '"1"' })).status, 412);
  assert.equal((await t.get(path)).status, 200);
  assert.equal((await send('DELETE', { 'if-match': '"2"' })).status, 200);
  assert.equal((await send('PUT', { 'if-match': '*' })).status, 412);
});

test('a policy is not deleted while a change of the version that its writer saw is stored', async (context) => {
  const { system, kind } = t.deps.db;
  if (kind === 'embedded') return context.skip('for a server: here transactions run one after the other');
  const path = '/authz/policies/contended';
  const body = { filters: [{ target: 'tag', operator: 'eq', value: 'public' }] };
  assert.equal((await t.put(path, body)).body.version, 1);
  const waits = async (count: number): Promise<boolean> =>
    (
      await system.query(
        sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length >= count;
  let change: Promise<TestAnswer> | undefined;
  let deletion: Promise<TestAnswer> | undefined;
  await system.transaction(async (tx) => {
    // The change has read the policy when it waits for the tags.
    await tx.execute('lock table tag in access exclusive mode');
    change = t.request({ method: 'PUT', path, headers: { 'if-match': '"1"' }, body });
    await eventually(() => waits(1));
    let isDeleted = false;
    deletion = t.delete(path).finally(() => {
      isDeleted = true;
    });
    await eventually(async () => isDeleted || (await waits(2)));
  });
  assert.equal((await change)?.body.version, 2);
  assert.equal((await deletion)?.body.version, 2, 'the deletion comes after the change');
});

test('an invalid policy is refused with a pointer to the invalid part', async () => {
  const deep = (levels: number): unknown =>
    levels === 0 ? { key: 'k', operator: 'exists' } : { filters: [deep(levels - 1)] };
  const good = { key: 'k', operator: 'exists' };
  for (const [body, place] of [
    [{ filters: [] }, '/filters'],
    [{ operator: 'not', filters: [good] }, '/operator'],
    [{ filters: [good], name: 'n' }, '/name'],
    [{ filters: [{ ...good, operator: 'like' }] }, '/filters/0/operator'],
    [{ filters: [{ ...good, target: 'chunk' }] }, '/filters/0/target'],
    [{ filters: [{ ...good, value: 1 }] }, '/filters/0/value'],
    [{ filters: [good, { key: 'k', operator: 'eq' }] }, '/filters/1/value'],
    [{ filters: [{ key: 'k', operator: 'eq', value: ['a'] }] }, '/filters/0/value'],
    [{ filters: [{ key: 'k', operator: 'in', value: 'a' }] }, '/filters/0/value'],
    [{ filters: [{ key: 'k', operator: 'eq', value: { subject: '' } }] }, '/filters/0/value/subject'],
    [{ filters: [{ key: 'k', operator: 'eq', value: { subject: 'a', b: 1 } }] }, '/filters/0/value/b'],
    [{ filters: [{ key: 'k', operator: 'exists', value: { subject: 'a' } }] }, '/filters/0/value'],
    [{ filters: [{ key: 'k', operator: 'exists', trust_content: 'yes' }] }, '/filters/0/trust_content'],
    [{ filters: [{ target: 'tag', operator: 'exists', trust_content: true }] }, '/filters/0/trust_content'],
    [{ filters: [{ target: 'tag', key: 'public', operator: 'eq', value: 'x' }] }, '/filters/0/key'],
    [{ filters: [{ target: 'source_group', key: 'k', operator: 'exists' }] }, '/filters/0/key'],
    [{ filters: [{ operator: 'exists' }] }, '/filters/0/key'],
    [deep(6), `${'/filters/0'.repeat(5)}`],
    [{ filters: Array.from({ length: 65 }, () => good) }, '/filters'],
  ] as const) {
    const answer = await t.put('/authz/policies/wrong', body);
    assert.equal(answer.status, 400, JSON.stringify(body).slice(0, 100));
    assert.ok(answer.body.error.message.startsWith(`${place}: `), `${answer.body.error.message} for ${place}`);
  }
  const wide = { filters: Array.from({ length: 4 }, () => ({ filters: Array.from({ length: 60 }, () => good) })) };
  assert.match((await t.put('/authz/policies/wrong', wide)).body.error.message, /200th node/);
  assert.equal((await t.get('/authz/policies/wrong')).status, 404, 'nothing was stored');
  for (const name of ['Big', '1a', 'a b', `a${'b'.repeat(64)}`])
    assert.equal((await t.put(`/authz/policies/${encodeURIComponent(name)}`, { filters: [good] })).status, 404, name);
});

test('a tag is not deleted while a policy begins to deny by it', async () => {
  for (let i = 0; i < 10; i += 1) {
    const { id } = (await t.post('/tags', { name: 'closed' })).body;
    const filters = [{ target: 'tag', operator: 'ne', value: 'closed' }];
    const both = await Promise.all([t.put('/authz/policies/by-closed', { filters }), t.delete(`/tags/${id}`)]);
    assert.equal(both.filter(({ status }) => status < 300).length, 1, both.map(({ status }) => status).join());
    await t.delete('/authz/policies/by-closed');
    await t.delete(`/tags/${id}`);
  }
});

test('a policy cannot deny by a tag that does not exist, and such a tag stays as it is', async () => {
  const policy = (condition: object) => t.put('/authz/policies/by-tag', { filters: [{ target: 'tag', ...condition }] });
  for (const condition of [
    { key: 'hidden', operator: 'not_exists' },
    { operator: 'ne', value: 'hidden' },
    { key: 'id', operator: 'nin', value: ['hidden'] },
  ]) {
    const { status, body } = await policy(condition);
    assert.deepEqual([status, body.error.pointer.slice(0, 11)], [400, '/filters/0/'], JSON.stringify(condition));
    assert.match(body.error.message, /no tag has the name or id "hidden"/);
  }
  assert.equal((await policy({ operator: 'eq', value: 'hidden' })).status, 200, 'this shows nothing');
  const { id } = (await t.post('/tags', { name: 'hidden' })).body;
  assert.equal((await policy({ key: 'hidden', operator: 'not_exists' })).status, 200);
  const renamed = await t.put(`/tags/${id}`, { name: 'Hidden' });
  assert.deepEqual([renamed.status, (await t.delete(`/tags/${id}`)).status], [409, 409]);
  assert.match(renamed.body.error.message, /The policy "by-tag" hides content by this tag/);
  assert.equal((await t.put(`/tags/${id}`, { name: 'hidden', description: 'new' })).status, 200);
  assert.equal((await policy({ key: id, operator: 'not_exists' })).status, 200);
  assert.equal((await t.put(`/tags/${id}`, { name: 'Hidden' })).status, 200);
  assert.equal((await t.delete(`/tags/${id}`)).status, 409);
  assert.equal((await t.delete('/authz/policies/by-tag')).status, 200);
  assert.equal((await t.delete(`/tags/${id}`)).status, 200);
});

test('a key with limits explains only sources that it may read', async () => {
  const [source, chunk] = [newId(), newId()];
  const [group] = await seed(t.deps.db, t.tenantId, [
    { sources: [{ id: source, chunks: [{ id: chunk, content: 'text' }] }] },
  ]);
  const own = await t.issueKey(['authz:grant'], { sourceGroupIds: [group!] });
  const other = await t.issueKey(['authz:grant'], { sourceGroupIds: [newId()] });
  for (const body of [{ source_id: source }, { chunk_id: chunk }]) {
    assert.deepEqual((await t.post('/authz/explain', body, own)).body, { allowed: false, matched_rule: null });
    assert.equal((await t.post('/authz/explain', body, other)).status, 404);
  }
});

test('an explanation names the condition that decided', async () => {
  const [mail, memo, secret, open, empty] = [newId(), newId(), newId(), newId(), newId()];
  await seed(t.deps.db, t.tenantId, [
    {
      metadata: { area: 'north' },
      tags: ['internal'],
      sources: [
        { id: mail, metadata: { department: 'sales' }, chunks: ['one'] },
        { id: memo, originMetadata: { department: { val: 'legal', type: 'string', trusted: true } }, chunks: ['two'] },
        {
          id: secret,
          originMetadata: { department: { val: 'sales', type: 'string' } },
          chunks: [
            { content: 'three', metadata: { level: { val: '9', type: 'integer' } } },
            { id: open, content: 'four', metadata: { level: { val: '1', type: 'integer' } } },
          ],
        },
        { id: empty, chunks: [] },
      ],
    },
  ]);
  await t.put('/authz/policies/mixed', {
    operator: 'or',
    filters: [
      { key: 'department', operator: 'eq', value: { subject: 'department' } },
      {
        filters: [
          { target: 'group_metadata', key: 'area', operator: 'eq', value: 'north' },
          {
            target: 'chunk_metadata',
            key: 'level',
            operator: 'lte',
            value: { subject: 'clearance' },
            trust_content: true,
          },
        ],
      },
    ],
  });
  await t.put(subjectPath('seller'), { attributes: { department: 'sales' } });
  await t.put(subjectPath('guard'), {
    attributes: { clearance: 3 },
    expires_time: Math.floor(now.getTime() / 1000) + 60,
  });
  const explain = async (principal: string | undefined, object: object) => {
    const body = { ...(principal && { principal_id: principal }), authz_policy: 'mixed', ...object };
    const answer = await t.post('/authz/explain', body);
    assert.equal(answer.status, 200, answer.text);
    return [answer.body.allowed, answer.body.matched_rule];
  };
  assert.deepEqual(await explain('seller', { source_id: mail }), [true, '/filters/0']);
  assert.deepEqual(await explain('seller', { source_id: memo }), [false, '']);
  assert.deepEqual(
    await explain('seller', { source_id: secret }),
    [false, ''],
    'what a document says of itself does not count',
  );
  assert.deepEqual(await explain('guard', { source_id: secret }), [true, '/filters/1']);
  assert.deepEqual(await explain('guard', { chunk_id: open }), [true, '/filters/1']);
  assert.deepEqual(await explain('guard', { source_id: empty }), [false, '']);
  assert.deepEqual(await explain(undefined, { source_id: mail }), [false, '']);
  assert.deepEqual(await explain('nobody', { source_id: mail }), [false, '']);
  now = new Date(now.getTime() + 61_000);
  assert.deepEqual(await explain('guard', { chunk_id: open }), [false, ''], 'its attributes have expired');
  await t.put('/authz/policies/narrow', {
    filters: [
      { target: 'tag', operator: 'eq', value: 'internal' },
      { key: 'department', operator: 'exists' },
    ],
  });
  const narrow = async (id: string) => (await t.post('/authz/explain', { authz_policy: 'narrow', source_id: id })).body;
  assert.deepEqual(await narrow(memo), { allowed: true, matched_rule: '' });
  assert.deepEqual(await narrow(secret), { allowed: false, matched_rule: '/filters/1' });
  for (const body of [{}, { source_id: mail, chunk_id: open }])
    assert.equal((await t.post('/authz/explain', body)).status, 400);
});
