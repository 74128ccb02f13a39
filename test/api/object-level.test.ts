/**
 * Whose object is it? Every id slot of every route, with ids of another tenant, deleted, unknown, of a wrong kind, malformed.
 * The slots come from the route table: a new one without a row here fails.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { apiRoutes, describedRoutes } from '../../src/app.ts';
import { sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestApp, type TestAnswer, type TestApp, type TestTenant } from '../support/app.ts';
import { idSlots, MALFORMED } from '../support/id-slots.ts';
import { SECRET_CANARY } from '../support/passages/canary.ts';
import { ONE_FILE_FORM, ONE_FILE_HEADERS } from '../support/upload.ts';
import { SOURCE_FORMS, scriptedConnectors } from '../support/worlds/connector-sources.ts';
import { type Kind, makeObjects, type Objects, question } from '../support/worlds/objects.ts';
import { tenantSnapshot } from '../support/worlds/tenant-snapshot.ts';

const newKey = { name: 'k', scopes: ['knowledge:read'] };

/**
 * What a foreign id must do: `object` 404 with one body; `filter` selects nothing; `position` is a harmless cursor;
 * `text` is no id of ours.
 */
type Row =
  | { expect: 'object'; kind: Kind; body?: (id: string) => unknown; outlives?: true }
  | { expect: 'filter'; kind: Kind; body?: (id: string) => unknown; selected: (answer: TestAnswer) => number }
  | { expect: 'position' }
  | { expect: 'text' };

const object = (kind: Kind, body?: (id: string) => unknown): Row => ({ expect: 'object', kind, ...(body && { body }) });
/** An item of a batch fails by itself, with the text of the 404, and changes nothing. */
const item = (kind: Kind, ids: (id: string) => object): Row => ({
  expect: 'filter',
  kind,
  body: (id) => ({ items: [{ ...ids(id), ...theirs }] }),
  selected({ body }) {
    const [result] = body.results;
    assert.equal(
      result.error,
      result.success
        ? ''
        : 'Nothing of this kind has this id or name, or it may not be seen with this key and principal.',
    );
    return body.success_count;
  },
});
const theirs = { metadata: { records: [{ key: 'owner', val: 'somebody else' }] } };
const listFilter = (kind: Kind, key: string): Row => ({
  expect: 'filter',
  kind,
  selected: ({ body }) => body[key].length,
});
const searchFilter = (kind: Kind, name: string): Row => ({
  ...{ expect: 'filter', kind },
  body: (id) => ({ query: 'heron', [name]: [id] }),
  selected: ({ body }) => body.results.length,
});
const completionFilter = (kind: Kind, name: string): Row => ({
  ...{ expect: 'filter', kind },
  body: (id) => ({ ...question, [name]: [id] }),
  selected: ({ body }) => body.choices[0].citations.length,
});
const position: Row = { expect: 'position' };
const text: Row = { expect: 'text' };

const CONNECTOR_ROWS = SOURCE_FORMS.flatMap(({ kind, path, settingPath, origin, credential }): [string, Row][] => [
  ...(credential
    ? [
        [`POST ${path} body.secret_id`, object('secret', (id) => ({ name: 'n', ...origin, secret_id: id }))] satisfies [
          string,
          Row,
        ],
      ]
    : []),
  [`GET ${path} query.after_id`, position],
  [`GET ${path}/{id} path.id`, object(`${kind} source`)],
  [`DELETE ${path}/{id} path.id`, object(`${kind} source`)],
  [`GET ${settingPath} query.after_id`, position],
  [`GET ${settingPath}/{id} path.id`, object(`${kind} setting`)],
  [`PUT ${settingPath}/{id} path.id`, object(`${kind} setting`, () => ({ name: 'renamed', rrule: '' }))],
  [`DELETE ${settingPath}/{id} path.id`, object(`${kind} setting`)],
]);

const ROWS: Record<string, Row> = {
  ...Object.fromEntries(CONNECTOR_ROWS),
  'POST /page-sources body.page_id': text, // an id of the workspace
  'POST /connectors/check body.secret_id': object('secret', (id) => ({
    kind: 'repo',
    repository: 'acme/manual',
    secret_id: id,
  })),
  'POST /connectors/check body.page_id': text,
  'POST /search body.tag_ids': searchFilter('tag', 'tag_ids'),
  'POST /search body.source_group_ids': searchFilter('group', 'source_group_ids'),
  'POST /search body.principal_id': text,
  'POST /tables/query body.principal_id': text,
  'POST /completions body.tag_ids': completionFilter('tag', 'tag_ids'),
  'POST /completions body.source_group_ids': completionFilter('group', 'source_group_ids'),
  'POST /completions body.principal_id': text,
  'POST /completions body.conversation_id': object('conversation', (id) => ({ ...question, conversation_id: id })),
  'POST /completions body.parent_message_id': object('message', (id) => ({
    ...question,
    conversation_id: own.conversation,
    parent_message_id: id,
  })),
  'POST /completions body.threadId': text, // an unknown name starts a conversation of its own
  'POST /completions body.runId': text,
  'POST /agents/runs body.conversation_id': object('conversation', (id) => ({ input: 'Where?', conversation_id: id })),
  'POST /agents/runs body.source_group_ids': text, // as tag_ids
  'POST /agents/runs body.tag_ids': text, // a run needs a chat model: test/agents/rights.test.ts has its filters
  'POST /agents/runs body.principal_id': text,
  'POST /agents/runs body.threadId': text,
  'POST /agents/runs body.runId': text,
  'GET /agents/runs query.after_id': position,
  'GET /agents/runs query.principal_id': text,
  'GET /agents/runs/{id} path.id': object('agent run'),
  'GET /agents/runs/{id} query.principal_id': text,
  'GET /agents/runs/{id}/events path.id': object('agent run'),
  'GET /agents/runs/{id}/events query.principal_id': text,
  'POST /agents/runs/{id}/cancel path.id': object('agent run'),
  'POST /agents/runs/{id}/cancel query.principal_id': text,
  'GET /conversations query.after_id': position,
  'GET /conversations query.principal_id': text,
  'GET /conversations/{id} path.id': object('conversation'),
  'GET /conversations/{id} query.principal_id': text,
  'PUT /conversations/{id} path.id': object('conversation', () => ({ title: 'renamed' })),
  'PUT /conversations/{id} body.active_message_id': object('message', (id) => ({ active_message_id: id })),
  'PUT /conversations/{id} body.principal_id': text,
  'DELETE /conversations/{id} path.id': object('conversation'),
  'DELETE /conversations/{id} query.principal_id': text,
  'GET /contents/{id} path.id': object('chunk'),
  'GET /contents/{id} query.principal_id': text,
  'GET /sources/{id}/chunks path.id': object('source'),
  'GET /sources/{id}/chunks query.after_id': position,
  'GET /sources/{id}/chunks query.principal_id': text,
  'GET /sources/{id}/text path.id': object('source'),
  'GET /sources/{id}/text query.principal_id': text,
  'GET /sources/{id}/blocks path.id': object('source'),
  'GET /sources/{id}/blocks query.principal_id': text,
  'GET /sources/{id}/pages path.id': object('source'),
  'GET /sources/{id}/pages query.principal_id': text,
  'GET /sources/{id}/pages/{number}/image path.id': object('source'),
  'GET /sources/{id}/pages/{number}/image path.number': text,
  'GET /sources/{id}/pages/{number}/image query.principal_id': text,
  'GET /sources/{id}/pages/{number}/boxes path.id': object('source'),
  'GET /sources/{id}/pages/{number}/boxes path.number': text,
  'GET /sources/{id}/pages/{number}/boxes query.principal_id': text,
  'GET /sources query.after_id': position,
  'GET /source-list query.source_group_id': listFilter('group', 'sources'),
  'GET /source-list query.tag_id': listFilter('tag', 'sources'),
  'GET /source-list query.parent_source_id': listFilter('archive', 'sources'),
  'GET /sources/{id} path.id': object('source'),
  'DELETE /sources/{id} path.id': object('source'),
  'GET /sources/{id}/original path.id': object('source'),
  'GET /sources/{id}/original query.principal_id': text,
  'GET /sources/{source_id}/raw path.source_id': object('source'),
  'GET /sources/{source_id}/raw query.principal_id': text,
  'PUT /sources/{source_id}/metadata path.source_id': object('source', () => theirs),
  'DELETE /sources/{source_id}/metadata path.source_id': object('source'),
  'POST /sources/metadata/batch body.items[].source_id': item('source', (id) => ({ source_id: id })),
  'POST /sources/metadata/batch body.items[].source_group_id': item('group', (id) => ({
    source_id: own.source,
    source_group_id: id,
  })),
  'GET /local-file-groups query.after_id': position,
  'GET /local-file-groups/{id} path.id': object('group'),
  'DELETE /local-file-groups/{id} path.id': object('group'),
  'PUT /local-file-groups/{id}/files path.id': object('group', () => ONE_FILE_FORM),
  'DELETE /local-file-groups/{id}/files path.id': object('group', () => ({ paths: ['heron.md'] })),
  'GET /source-groups query.after_id': position,
  'GET /source-groups query.tag_id': listFilter('tag', 'source_groups'),
  'GET /source-groups/{id} path.id': object('group'),
  'PUT /source-groups/{id} path.id': object('group', () => ({ name: 'renamed' })),
  'PUT /source-groups/{id}/metadata path.id': object('group', () => theirs),
  'DELETE /source-groups/{id} path.id': object('group'),
  'GET /source-groups/{id}/sources path.id': object('group'),
  'GET /source-groups/{id}/sources query.after_id': position,
  'GET /source-groups/{id}/runs path.id': object('group'),
  'GET /source-groups/{id}/runs query.after_id': position,
  'POST /source-groups/{id}/runs path.id': object('group'),
  'POST /source-groups/{id}/runs body.source_ids': object('source', (id) => ({ source_ids: [id] })),
  'GET /runs query.after_id': position,
  'GET /runs query.source_group_id': listFilter('group', 'runs'),
  'GET /runs/{id} path.id': object('run'),
  'GET /runs/{id}/errors path.id': object('run'),
  'GET /runs/{id}/errors query.after_id': position,
  'GET /runs/{id}/files path.id': object('run'),
  'GET /runs/{id}/files query.after_id': position,
  'POST /runs/{id}/cancel path.id': object('run'),
  'GET /tables query.principal_id': text,
  'GET /tables/{id} query.principal_id': text,
  'GET /tables/{id}/rows query.principal_id': text,
  'GET /sources/{id}/tables query.principal_id': text,
  'GET /tables query.after_id': position,
  'GET /tables query.source_id': listFilter('source', 'tables'),
  'GET /tables query.source_group_id': listFilter('group', 'tables'),
  'GET /tables/{id} path.id': object('table'),
  'GET /tables/{id}/rows path.id': object('table'),
  'GET /sources/{id}/tables path.id': object('source'),
  'POST /tables body.source.source_id': object('source', (id) => ({ source: { source_id: id } })),
  'PUT /tables/{id} path.id': object('table', () => ({ description: 'theirs' })),
  'DELETE /tables/{id} path.id': object('table'),
  'POST /tables/{id}/runs path.id': object('table'),
  'GET /tags/{id} path.id': object('tag'),
  'PUT /tags/{id} path.id': object('tag', () => ({ name: 'renamed' })),
  'DELETE /tags/{id} path.id': object('tag'),
  'POST /tag-source-groups body.tag_id': object('tag', (id) => ({ tag_id: id, source_group_id: own.group })),
  'POST /tag-source-groups body.source_group_id': object('group', (id) => ({ tag_id: own.tag, source_group_id: id })),
  'DELETE /tag-source-groups body.tag_id': object('tag', (id) => ({ tag_id: id, source_group_id: own.group })),
  'DELETE /tag-source-groups body.source_group_id': object('group', (id) => ({
    tag_id: own.tag,
    source_group_id: id,
  })),
  'GET /tag-source-groups query.tag_id': listFilter('tag', 'tag_source_groups'),
  'GET /tag-source-groups query.source_group_id': listFilter('group', 'tag_source_groups'),
  'GET /tag-source-groups query.after_id': position,
  'GET /metadata-columns query.after_id': position,
  'DELETE /metadata-columns/{key} path.key': text, // a name, looked up within the tenant
  'GET /metadata-columns/{key}/values path.key': text,
  'GET /metadata-columns/{key}/values query.principal_id': text,
  'GET /authz/subjects query.after_id': position,
  'POST /authz/subjects/attributes/batch body.items[].principal_id': text, // a name of the tenant's own: sets it
  'GET /authz/subjects/{principal_id}/attributes path.principal_id': object('subject'),
  'PUT /authz/subjects/{principal_id}/attributes path.principal_id': text,
  'PATCH /authz/subjects/{principal_id}/attributes path.principal_id': object('subject', () => ({ attributes: {} })),
  'DELETE /authz/subjects/{principal_id}/attributes path.principal_id': object('subject'),
  'GET /authz/policies query.after_id': position,
  'GET /authz/policies/{name} path.name': object('policy'),
  'PUT /authz/policies/{name} path.name': text,
  'DELETE /authz/policies/{name} path.name': object('policy'),
  'POST /authz/explain body.principal_id': text,
  'POST /authz/preview body.principal_id': text,
  'POST /authz/explain body.source_id': object('source', (id) => ({ source_id: id })),
  'POST /authz/explain body.chunk_id': object('chunk', (id) => ({ chunk_id: id })),
  'POST /api-keys body.source_group_ids': object('group', (id) => ({ ...newKey, source_group_ids: [id] })),
  'POST /api-keys body.tag_ids': object('tag', (id) => ({ ...newKey, tag_ids: [id] })),
  'GET /api-keys query.after_id': position,
  'DELETE /api-keys/{id} path.id': object('key'),
  'POST /api-keys/{id}/rotate path.id': object('key'),
  'GET /api-keys/{id}/usage path.id': { expect: 'object', kind: 'key', outlives: true }, // kept when the key is revoked
  'GET /secrets query.after_id': position,
  'GET /secrets/{secret_id} path.secret_id': object('secret'),
  'PUT /secrets/{secret_id} path.secret_id': object('secret', () => ({ name: 'n', secret: `${SECRET_CANARY}mine` })),
  'DELETE /secrets/{secret_id} path.secret_id': object('secret'),
  'GET /evaluation-sets query.after_id': position,
  'GET /evaluation-sets/{id} path.id': object('evaluation set'),
  'PATCH /evaluation-sets/{id} path.id': object('evaluation set', () => ({ name: 'renamed' })),
  'DELETE /evaluation-sets/{id} path.id': object('evaluation set'),
  'POST /evaluation-sets/{id}/questions path.id': object('evaluation set', () => ({ query: 'heron' })),
  'DELETE /evaluation-questions/{id} path.id': object('evaluation question'),
  'PUT /evaluation-questions/{id}/judgements path.id': object('evaluation question', () => ({
    chunk_id: own.chunk,
    relevant: true,
  })),
  'PUT /evaluation-questions/{id}/judgements body.chunk_id': object('chunk', (id) => ({
    chunk_id: id,
    relevant: true,
  })),
  'POST /evaluation-sets/{id}/runs path.id': object('evaluation set', () => ({})),
  'POST /evaluation-sets/{id}/runs body.principal_id': text,
  'GET /evaluation-sets/{id}/runs path.id': object('evaluation set'),
  'GET /evaluation-sets/{id}/runs query.after_id': position,
  'GET /evaluation-runs/{id} path.id': object('evaluation run'),
  'GET /audit-events query.after_id': position,
  'GET /audit-events query.object_id': text, // each tenant's log is its own, and tells of what is gone
  'GET /audit-events query.api_key_id': text,
};

let t: TestApp;
let other: TestTenant;
let own: Objects;
let foreign: Objects;
let deleted: Partial<Objects>;

before(async () => {
  t = await openTestApp({ runsJobs: true, given: { connectors: scriptedConnectors().connectors } });
  other = await t.secondTenant();
  own = await makeObjects(t, t);
  foreign = await makeObjects(t, other);
  const gone = await makeObjects(t, t);
  assert.equal((await t.delete(`/local-file-groups/${gone.group}`)).status, 202);
  assert.equal((await t.delete(`/api-keys/${gone.key}`)).status, 200);
  assert.equal((await t.delete(`/secrets/${gone.secret}`)).status, 200);
  assert.equal((await t.delete(`/authz/subjects/${gone.subject}/attributes`)).status, 200);
  assert.equal((await t.delete(`/authz/policies/${gone.policy}`)).status, 200);
  for (const { kind, path } of SOURCE_FORMS) {
    assert.equal((await t.delete(`${path}/${gone[`${kind} source`]}`)).status, 202);
    await waitUntilGone(gone[`${kind} source`]);
  }
  assert.equal((await t.delete(`/conversations/${gone.conversation}`)).status, 200);
  assert.equal((await t.delete(`/evaluation-sets/${gone['evaluation set']}`)).status, 200);
  await t.deps.db.query(
    t.tenantId,
    sql`delete from agent_run where tenant_id = ${t.tenantId} and id = ${gone['agent run']}`,
  );
  await t.deps.db.query(t.tenantId, sql`delete from tag where tenant_id = ${t.tenantId} and id = ${gone.tag}`);
  await waitUntilGone(gone.group);
  deleted = gone;
});
after(() => t.close());

test('every id slot of every route has an expectation', () => {
  const missing = idSlots(describedRoutes())
    .map((slot) => slot.name)
    .filter((name) => !(name in ROWS));
  assert.deepEqual(missing, []);
});

describe('ids that are not the caller’s', () => {
  for (const slot of idSlots(describedRoutes())) {
    const row = ROWS[slot.name];
    if (row) test(`${slot.name}: ${row.expect}`, () => check(slot.name, row));
  }
});

test('no request has changed the other tenant', async () => {
  const now = await tenantSnapshot(t.deps.db, other.tenantId);
  assert.deepEqual(now, before_);
});
let before_: unknown;

async function check(name: string, row: Row): Promise<void> {
  before_ ??= await tenantSnapshot(t.deps.db, other.tenantId);
  if (row.expect === 'text') return;
  const [method = '', path = '', place = ''] = name.split(' ');
  const ask = (id: string): Promise<TestAnswer> => {
    const [where, member = ''] = place.split(/\.(.*)/s);
    const own = where === 'path' ? path.replace(`{${member}}`, id) : path.replace(/\{id\}/, ownIdFor(method, path));
    const target = own.replace('{number}', '1');
    const query = where === 'query' ? `?${member}=${id}` : '';
    const body = 'body' in row && row.body ? row.body(id) : undefined;
    const headers = body === ONE_FILE_FORM ? ONE_FILE_HEADERS : {};
    return t.request({
      method: method as 'GET',
      path: target + query,
      headers,
      ...(body === undefined ? {} : { body }),
    });
  };
  if (row.expect === 'position') {
    for (const id of [foreign.source, foreign.tag]) assert.equal((await ask(id)).status, 200, id);
    for (const id of MALFORMED) assert.equal((await ask(id)).status, 400, id);
    return;
  }
  const isOfKind = (kind: string) =>
    kind === row.kind ||
    (row.kind === 'group' && kind.endsWith(' source')) ||
    (row.kind === 'source' && kind === 'archive');
  const idsOf = (objects: Objects, ofKind: boolean) =>
    Object.entries(objects)
      .filter(([kind]) => isOfKind(kind) === ofKind)
      .map(([, id]) => id);
  const gone = 'outlives' in row ? undefined : deleted[row.kind];
  const ids = [
    ...idsOf(foreign, true),
    ...(gone ? [gone] : []),
    newId(),
    ...idsOf(own, false),
    ...MALFORMED.map(place.startsWith('body') ? decode : (id) => id),
  ];
  const texts = new Set<string>();
  for (const id of ids) {
    const answer = await ask(id);
    if (row.expect === 'object') {
      assert.equal(answer.status, 404, `${id}: ${answer.text}`);
      texts.add(answer.text);
    } else if (id.includes('%00')) {
      assert.equal(answer.status, 400);
    } else if (answer.status !== 400 || !place.startsWith('query')) {
      assert.equal(answer.status, 200, `${id}: ${answer.text}`);
      assert.equal(row.selected(answer), 0, id);
    }
  }
  if (row.expect === 'object') assert.equal(texts.size, 1, [...texts].join('\n'));
  else assert.ok(row.selected(await ask(own[row.kind])) > 0, 'the own one selects something, so the test can fail');
}

/** U+0000 in a body is refused before anything is looked up. */
function decode(id: string): string {
  return id === '%00' || id === '%ff' ? 'no-id' : decodeURIComponent(id);
}

function ownIdFor(method: string, path: string): string {
  const row = ROWS[`${method} ${path} path.id`];
  return row?.expect === 'object' ? own[row.kind] : '';
}

async function waitUntilGone(group: string): Promise<void> {
  while ((await t.get(`/source-groups/${group}`)).status !== 404)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

test('the described routes are the served routes', () => {
  assert.deepEqual(
    apiRoutes(t.deps).map((route) => route.operation.id),
    describedRoutes().map((route) => route.operation.id),
  );
});
