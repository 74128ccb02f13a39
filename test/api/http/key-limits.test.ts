/**
 * An API key that is limited to a source group or a tag cannot see or change anything outside its limits, on any route of the API. Every
 * route with an id in its path is tested with an object outside the limits. Routes that need more have a row below.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SCOPES } from '../../../src/access/caller.ts';
import { describedRoutes } from '../../../src/app.ts';
import type { OriginKind } from '../../../src/corpus/origin.ts';
import { sql } from '../../../src/db/sql.ts';
import type { Route } from '../../../src/http/route.ts';
import { newId } from '../../../src/util/ids.ts';
import { openTestApp, type TestAnswer, type TestApp } from '../../support/app.ts';
import { idSlots } from '../../support/id-slots.ts';
import { SECRET_CANARY } from '../../support/passages/canary.ts';
import { ingest, ONE_FILE_FORM, ONE_FILE_HEADERS, PARSE_FORM } from '../../support/upload.ts';
import { createSource, SOURCE_FORMS, scriptedConnectors } from '../../support/worlds/connector-sources.ts';
import { makeAgentRun, makeTable } from '../../support/worlds/objects.ts';

type Kind =
  | 'group'
  | 'source'
  | 'run'
  | 'chunk'
  | 'key'
  | 'tag'
  | 'conversation'
  | 'agent run'
  | 'secret'
  | 'table'
  | `${OriginKind} source`
  | `${OriginKind} setting`;
type Side = Record<Kind, string>;
type LimitedBy = 'group' | 'tag';

/** The kind of object that `{id}` names, by the first segment of the path. */
const KINDS: Record<string, Kind> = {
  ...Object.fromEntries(
    SOURCE_FORMS.flatMap(({ kind, path, settingPath }) => [
      [path.slice(1), `${kind} source`],
      [settingPath.slice(1), `${kind} setting`],
    ]),
  ),
  'source-groups': 'group',
  'local-file-groups': 'group',
  sources: 'source',
  contents: 'chunk',
  runs: 'run',
  tags: 'tag',
  conversations: 'conversation',
  agents: 'agent run',
  secrets: 'secret',
  tables: 'table',
  'api-keys': 'key',
  // Keys with limits are refused before the object is looked up.
  'evaluation-sets': 'group',
  'evaluation-questions': 'group',
  'evaluation-runs': 'group',
};

/** A question whose words are in the texts inside and outside the limits. The bird in the answer shows which text was read. */
const QUESTION = 'Where does the bird nest?';
/** A word that only the text outside the limits has. */
const OUTSIDE_WORD = 'osprey';
const metadata = { records: [{ key: 'k', val: 'v' }] };
const policy = { filters: [{ key: 'place', operator: 'exists' }] };
/** Values of path parameters that do not belong to a source group. */
const TENANT_WIDE: Record<string, string> = { key: 'place', principal_id: 'anna', name: 'default' };
const question = { messages: [{ role: 'user', content: QUESTION }] };

interface Row {
  /** A request that only the limits can refuse. */
  body?: () => unknown;
  /** Expected status for an object outside the limits (default: 404). A function gets the kind of the limit. */
  status?: number | ((by: LimitedBy) => number);
}

/** Rows for routes that need a body, and for routes that answer limited keys differently. */
const ROWS: Record<string, Row> = {
  'POST /search': { body: () => ({ query: QUESTION, limit: 100 }), status: 200 },
  'POST /completions': { body: () => question, status: 200 },
  // test/tables/query.test.ts has tables outside the limits.
  'POST /tables/query': { body: () => ({ sql: 'select 1' }), status: 200 },
  // A run needs a chat model: test/agents/rights.test.ts has runs of limited keys.
  'POST /agents/runs': { body: () => ({ input: QUESTION }), status: 400 },
  // A run does not belong to a group, like a conversation.
  'GET /agents/runs/{id}': { status: 200 },
  'GET /agents/runs/{id}/events': { status: 200 },
  'POST /agents/runs/{id}/cancel': { status: 409 },
  // A conversation does not belong to a group. Its text about objects outside the limits becomes [removed].
  'GET /conversations/{id}': { status: 200 },
  'PUT /conversations/{id}': { body: () => ({ title: 'renamed' }), status: 200 },
  'DELETE /conversations/{id}': { status: 403 },
  // The new group would be outside the limits.
  'POST /local-file-groups': { status: 403 },
  'PUT /local-file-groups/{id}/files': { body: () => ONE_FILE_FORM },
  'DELETE /local-file-groups/{id}/files': { body: () => ({ paths: ['bird.md'] }) },
  ...Object.fromEntries(
    SOURCE_FORMS.flatMap(({ path, settingPath, origin }): [string, Row][] => [
      [`POST ${path}`, { body: () => ({ name: 'n', ...origin }), status: 403 }],
      [`PUT ${settingPath}/{id}`, { body: () => ({ name: 'mine', rrule: 'FREQ=DAILY' }) }],
    ]),
  ),
  'POST /parse': { body: () => PARSE_FORM, status: 200 },
  'POST /connectors/check': { body: () => ({ kind: 'repo', repository: 'acme/manual' }), status: 403 },
  'POST /schedules/preview': { body: () => ({ rrule: 'FREQ=DAILY' }), status: 200 },
  'PUT /source-groups/{id}': { body: () => ({ name: 'mine' }) },
  'PUT /source-groups/{id}/metadata': { body: () => ({ metadata }) },
  'POST /source-groups/{id}/runs': { body: () => ({}) },
  'PUT /sources/{source_id}/metadata': { body: () => ({ metadata }) },
  'POST /sources/metadata/batch': { body: () => ({ items: [{ source_id: outside.source, metadata }] }), status: 200 },
  // A key that is limited to tags sees no other tags. For other keys, names of tags are not content of a group.
  'POST /tables': { body: () => ({ source: { source_id: outside.source } }), status: 404 },
  'PUT /tables/{id}': { body: () => ({ description: 'mine' }) },
  'GET /tags/{id}': { status: (by) => (by === 'tag' ? 404 : 200) },
  'POST /tags': { body: () => ({ name: `new ${newId()}` }), status: (by) => (by === 'tag' ? 403 : 201) },
  'PUT /tags/{id}': { body: () => ({ name: 'mine' }), status: 403 },
  'DELETE /tags/{id}': { status: 403 },
  'POST /tag-source-groups': {
    body: () => ({ tag_id: inside.tag, source_group_id: outside.group }),
    status: (by) => (by === 'tag' ? 403 : 404),
  },
  'DELETE /tag-source-groups': {
    body: () => ({ tag_id: outside.tag, source_group_id: outside.group }),
    status: (by) => (by === 'tag' ? 403 : 404),
  },
  'POST /metadata-columns': { body: () => ({ key: 'place', type: 'string' }), status: 403 },
  'DELETE /metadata-columns/{key}': { status: 403 },
  'GET /metadata-columns/{key}/values': { status: 200 },
  'POST /secrets': { body: () => ({ name: 'n', type: 'repo', secret: 's' }), status: 403 },
  'GET /secrets': { status: 403 },
  'GET /secrets/{secret_id}': { status: 403 },
  'PUT /secrets/{secret_id}': { body: () => ({ name: 'n' }), status: 403 },
  'DELETE /secrets/{secret_id}': { status: 403 },
  'POST /api-keys': {
    body: () => ({ name: 'wide', scopes: ['knowledge:read'], source_group_ids: [outside.group] }),
    status: 403,
  },
  'GET /redaction-policy': { status: 403 },
  'PUT /redaction-policy': { body: () => ({ enabled: true, rules: [] }), status: 403 },
  'DELETE /redaction-policy': { status: 403 },
  'POST /redaction-policy/test': { body: () => ({ text: 'x' }), status: 403 },
  // Subjects and policies are not content of a group, but they apply to all groups.
  'GET /authz/subjects/{principal_id}/attributes': { status: 200 },
  'PUT /authz/subjects/{principal_id}/attributes': { body: () => ({ attributes: {} }), status: 403 },
  'PATCH /authz/subjects/{principal_id}/attributes': { body: () => ({ attributes: {} }), status: 403 },
  'DELETE /authz/subjects/{principal_id}/attributes': { status: 403 },
  'POST /authz/subjects/attributes/batch': { body: () => ({ items: [] }), status: 403 },
  'GET /authz/policies/{name}': { status: 200 },
  'PUT /authz/policies/{name}': { body: () => policy, status: 403 },
  'DELETE /authz/policies/{name}': { status: 403 },
  'POST /authz/explain': { body: () => ({ source_id: outside.source }), status: 404 },
  'POST /authz/preview': { body: () => ({ policy }), status: 200 },
  'GET /audit-events': { status: 403 },
  'GET /evaluation-sets': { status: 403 },
  'POST /evaluation-sets': { body: () => ({ name: 'n' }), status: 403 },
  'GET /evaluation-sets/{id}': { status: 403 },
  'PATCH /evaluation-sets/{id}': { body: () => ({ name: 'n' }), status: 403 },
  'DELETE /evaluation-sets/{id}': { status: 403 },
  'POST /evaluation-sets/{id}/questions': { body: () => ({ query: 'q' }), status: 403 },
  'DELETE /evaluation-questions/{id}': { status: 403 },
  'PUT /evaluation-questions/{id}/judgements': {
    body: () => ({ chunk_id: outside.chunk, relevant: true }),
    status: 403,
  },
  'POST /evaluation-sets/{id}/runs': { body: () => ({}), status: 403 },
  'GET /evaluation-sets/{id}/runs': { status: 403 },
  'GET /evaluation-runs/{id}': { status: 403 },
  'GET /service/checks': { status: 403 },
  'DELETE /api-keys/{id}': { status: 403 },
  'POST /api-keys/{id}/rotate': { body: () => ({}), status: 403 },
};

let t: TestApp;
let inside: Side;
let outside: Side;
const keys = {} as Record<LimitedBy, string>;

before(async () => {
  t = await openTestApp({ runsJobs: true, given: { connectors: scriptedConnectors().connectors } });
  inside = await makeSide('heron', 'oak');
  outside = await makeSide(OUTSIDE_WORD, 'pylon');
  assert.equal((await t.post('/metadata-columns', { key: 'place', type: 'string' })).status, 201);
  assert.equal((await t.put('/authz/subjects/anna/attributes', { attributes: { place: 'oak' } })).status, 200);
  assert.equal((await t.put('/authz/policies/default', policy)).status, 200);
  const groups = [inside.group, ...SOURCE_FORMS.map(({ kind }) => inside[`${kind} source`])];
  keys.group = await t.issueKey(SCOPES, { sourceGroupIds: groups });
  keys.tag = await t.issueKey(SCOPES, { tagIds: [inside.tag] });
});
after(() => t.close());

const nameOf = (route: Route): string => `${route.method} ${route.path}`;

for (const by of ['group', 'tag'] as const) {
  describe(`a key that is limited by ${by}`, () => {
    for (const route of describedRoutes()) {
      test(`${nameOf(route)} shows and changes nothing outside the limits`, () => checkOutside(route, by));
    }
    for (const route of describedRoutes().filter(({ method }) => method === 'GET')) {
      test(`${nameOf(route)} still serves objects inside the limits`, () => checkInside(route, by));
    }
    test('no object outside the limits has changed', async () => assert.deepEqual(await snapshot(), unchanged));
  });
}
let unchanged: unknown;

describe('a key that is limited by tag', () => {
  const filters = idSlots(describedRoutes()).filter(
    ({ name, route }) => /^GET .* query\.(?!after_|principal_)/.test(name) && ROWS[nameOf(route)]?.status !== 403,
  );
  for (const { route, name } of filters) {
    test(`${name} answers the same for an existing id outside the limits and for an unknown id`, async () => {
      const tag = (await t.post('/tags', { name: `elsewhere ${newId()}` })).body.id;
      // The group that the key may see has this tag. Only the tag itself is outside the limits.
      assert.equal((await t.post('/tag-source-groups', { tag_id: tag, source_group_id: inside.group })).status, 201);
      const filter = name.split('query.')[1]!;
      const ask = (id: string) => t.get(`${route.path}?${filter}=${id}`, keys.tag);
      const unknown = await ask(newId());
      assert.equal(unknown.status, 200);
      assert.equal(totalOf(unknown), 0);
      const hidden = { tag_id: [tag, outside.tag], parent_source_id: [outside.source], source_id: [outside.source] }[
        filter
      ] ?? [outside.group];
      for (const id of hidden) assert.equal((await ask(id)).text, unknown.text);
      // No source of the two sides has others inside.
      if (filter === 'parent_source_id') return;
      const within = { tag_id: inside.tag, source_id: inside.source }[filter] ?? inside.group;
      assert.ok(totalOf(await ask(within)) > 0, 'what is inside is found');
    });
  }
  test('there are at least three filters by id to test', () => assert.ok(filters.length >= 3));
});

const totalOf = ({ body }: TestAnswer): number => body.pagination.total ?? body.counts.total;

async function checkOutside(route: Route, by: LimitedBy): Promise<void> {
  unchanged ??= await snapshot();
  const answer = await ask(route, by, outside);
  const { status } = ROWS[nameOf(route)] ?? {};
  const takesId = /\{/.test(route.path);
  const expected = typeof status === 'function' ? status(by) : (status ?? (takesId ? 404 : 200));
  assert.equal(answer.status, expected, answer.text);
  if (expected === 404) {
    const unknown = await ask(route, by, unknownSide());
    if (route.path.includes('{')) assert.equal(answer.text, unknown.text, 'it is told from one that does not exist');
  }
  assertNothingOutside(answer, by, outside);
}

/** Checks that the same request works for objects inside the limits, so that only the limits have refused the other request. */
async function checkInside(route: Route, by: LimitedBy): Promise<void> {
  // Skipped: uploaded files have no raw download, and the API key that is limited to the group is outside the limits of the tag.
  if (route.path.endsWith('/raw') || (by === 'tag' && route.path.startsWith('/api-keys/{'))) return;
  if (ROWS[nameOf(route)]?.status === 403) return;
  // Only PDFs have pages, and the files of the two sides are Markdown. test/api/pages.test.ts has a limited key.
  if (route.path.includes('/pages')) return;
  const answer = await ask(route, by, inside);
  assert.equal(answer.status, 200, answer.text);
  assertNothingOutside(answer, by, undefined);
}

function ask(route: Route, by: LimitedBy, side: Side): Promise<TestAnswer> {
  const kind = KINDS[route.path.split('/')[1] ?? ''];
  const path = route.path.replace(/\{(\w+)\}/, (_, name: string) => {
    if (TENANT_WIDE[name]) return TENANT_WIDE[name];
    assert.ok(kind, `${nameOf(route)}: say in KINDS what its {${name}} is`);
    return side[kind];
  });
  const body = ROWS[nameOf(route)]?.body?.();
  assert.ok(!route.body || body !== undefined, `${nameOf(route)}: say in ROWS what its body is`);
  return t.request({
    method: route.method,
    path,
    key: keys[by],
    ...(body === undefined ? {} : { body }),
    ...(route.multipart ? { headers: ONE_FILE_HEADERS } : {}),
  });
}

/** `asked`: ids that the caller sent may be in the answer. */
function assertNothingOutside({ text }: TestAnswer, by: LimitedBy, asked: Side | undefined): void {
  assert.ok(!text.includes(OUTSIDE_WORD), text);
  assert.ok(!text.includes('pylon'), text);
  const shown = Object.entries(outside).filter(([, id]) => text.includes(id));
  // Conversations belong to the tenant. So do names of tags, except for keys that are limited to tags.
  const allowed = ['conversation', 'agent run', ...(by === 'group' ? ['tag'] : []), ...(asked ? ['source'] : [])];
  assert.deepEqual(
    shown.filter(([kind]) => !allowed.includes(kind)),
    [],
  );
}

function unknownSide(): Side {
  return Object.fromEntries(Object.keys(outside).map((kind) => [kind, newId()])) as Side;
}

async function makeSide(bird: string, place: string): Promise<Side> {
  const file = {
    name: `${bird}.md`,
    content: `# Birds\n\nThe bird called ${bird} has its nest on the old ${place}.\n`,
  };
  const group = await ingest(t, [file]);
  const [source] = (await t.get(`/source-groups/${group}/sources`)).body.sources;
  const [run] = (await t.get(`/source-groups/${group}/runs`)).body.runs;
  const [chunk] = (await t.get(`/sources/${source.id}/chunks`)).body.chunks;
  await t.deps.db.query(
    t.tenantId,
    sql`update source set metadata = ${`{"place": "${place}"}`}::jsonb where tenant_id = ${t.tenantId} and id = ${source.id}`,
  );
  const tag = (await t.post('/tags', { name: `tag of ${place === 'pylon' ? 'the other side' : 'this side'}` })).body.id;
  assert.equal((await t.post('/tag-source-groups', { tag_id: tag, source_group_id: group })).status, 201);
  const turn = (await t.post('/completions', { ...question, tag_ids: [tag] })).body;
  assert.ok(turn.choices[0].message.content.includes(bird), 'the answer tells of this side');
  const secret = (await t.post('/secrets', { name: 'n', type: 'repo', secret: `${SECRET_CANARY}s` })).body.id;
  const connected = {} as Record<`${OriginKind} ${'source' | 'setting'}`, string>;
  for (const form of SOURCE_FORMS) {
    const made = await createSource(t, form, { name: `${form.kind} at the ${place}` });
    assert.equal((await t.post('/tag-source-groups', { tag_id: tag, source_group_id: made.id })).status, 201);
    connected[`${form.kind} source`] = made.id;
    connected[`${form.kind} setting`] = made.ingestion_setting_id;
  }
  const key = (await t.post('/api-keys', { name: 'k', scopes: ['knowledge:read'], source_group_ids: [group] })).body.id;
  return {
    ...connected,
    group,
    source: source.id,
    run: run.id,
    chunk: chunk.id,
    key,
    tag,
    conversation: turn.conversation_id,
    'agent run': await makeAgentRun(t, t.tenantId),
    secret,
    table: await makeTable(t, t.tenantId, source.id, group),
  };
}

/** Returns all rows outside the limits that a route could have changed. */
async function snapshot(): Promise<unknown> {
  const { tenantId } = t;
  return t.deps.db.query(
    tenantId,
    sql`select (select g::text from source_group g where tenant_id = ${tenantId} and id = ${outside.group}) as group,
      (select s::text from source s where tenant_id = ${tenantId} and id = ${outside.source}) as source,
      (select array_agg(r::text) from run r where tenant_id = ${tenantId} and source_group_id = ${outside.group}) as runs,
      (select array_agg(l::text) from tag_source_group l where tenant_id = ${tenantId} and source_group_id = ${outside.group}) as links,
      (select x::text from tag x where tenant_id = ${tenantId} and id = ${outside.tag}) as tag,
      (select k::text from api_key k where tenant_id = ${tenantId} and id = ${outside.key}) as key,
      (select x::text from source_table x where tenant_id = ${tenantId} and id = ${outside.table}) as table,
      (select s::text from secret s where tenant_id = ${tenantId} and id = ${outside.secret}) as secret,
      (select array_agg((id, rrule, deleted_at)::text order by id) from connector_setting where tenant_id = ${tenantId}) as settings,
      (select count(*) from message where tenant_id = ${tenantId} and conversation_id = ${outside.conversation}) as messages,
      (select count(*) from metadata_column where tenant_id = ${tenantId} and key = 'place') as columns`,
  );
}
