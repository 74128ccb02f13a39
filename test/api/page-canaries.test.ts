/**
 * A page never shows what policies and redaction hide. Each PDF is made twice, with two secrets of the same width. Where the secret is
 * hidden, the pictures of both must be the same to the byte, and so must all that is said about their text: then nothing of the secret
 * is left, wherever it was. `npm run check:page-canaries` takes all PDFs, with those of other programs.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/db/sql.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { makeForeign } from '../support/page-canaries/foreign.ts';
import { SECRET_PATTERN, SECRET_TERMS, SECRETS, SPECIMENS, type Specimen } from '../support/page-canaries/specimens.ts';
import { ingest } from '../support/upload.ts';

const IS_LONG = process.env['PINAKES_TEST_PAGES'] === 'all';
/** What a quick run looks at. */
const QUICK = new Set(['plain text', 'outlines']);

/** A busy machine refuses a picture for a moment. */
const [BUSY, RETRY_MS] = [503, 200];

interface Twin {
  specimen: Specimen;
  /** Ids of the sources with the first and the second secret. */
  ids: [string, string];
}

interface Viewer {
  query: string;
  key: string;
  sees: boolean;
}

let t: TestApp;
let specimens: readonly Specimen[];
let twins: Twin[];
let viewers: Record<string, Viewer>;

before(async () => {
  t = await openTestApp({ runsJobs: true, env: { PINAKES_AUTHORIZATION: 'on' } });
  specimens = IS_LONG ? [...SPECIMENS, ...(await makeForeign())] : SPECIMENS.filter(({ name }) => QUICK.has(name));
  await put('/authz/policies/default', {
    filters: [{ target: 'group_metadata', key: 'department', operator: 'eq', value: { subject: 'department' } }],
  });
  await put('/authz/policies/all', { filters: [{ target: 'group_metadata', key: 'department', operator: 'exists' }] });
  await put('/authz/policies/some', {
    filters: [{ target: 'chunk_metadata', key: 'level', operator: 'not_exists', trust_content: true }],
  });
  for (const [name, department] of Object.entries({ lawyer: 'legal', seller: 'sales' }))
    await put(`/authz/subjects/${name}/attributes`, { attributes: { department } });
  const elsewhere = await t.issueKey(['knowledge:read'], { sourceGroupIds: ['0199a3c0-0000-7000-8000-000000000001'] });
  const viewer = (query: string, sees: boolean, key = t.key): Viewer => ({ query, sees, key });
  viewers = {
    lawyer: viewer('principal_id=lawyer', true),
    'nobody under a policy that shows all': viewer('authz_policy=all', true),
    seller: viewer('principal_id=seller', false),
    'a principal without attributes': viewer('principal_id=guest', false),
    'no principal': viewer('', false),
    'a lawyer who may see a part': viewer('principal_id=lawyer&authz_policy=some', false),
    'a lawyer with a key for another group': viewer('principal_id=lawyer', false, elsewhere),
    'another tenant': viewer('principal_id=lawyer', false, (await t.secondTenant()).key),
    'a key that may not read': viewer('principal_id=lawyer', false, await t.issueKey(['inference:run'])),
  };
  twins = await ingestTwins();
});
after(() => t.close());

async function put(path: string, body: object): Promise<void> {
  const { status, text } = await t.put(path, body);
  assert.equal(status, 200, `${path}: ${text}`);
}

async function ingestTwins(): Promise<Twin[]> {
  const idsOf: Map<string, string>[] = [];
  for (const secret of SECRETS) {
    const files = specimens.map(({ name, make }) => ({ name: `${name}.pdf`, content: make(secret) }));
    const group = await ingest(t, files);
    const records = [{ key: 'department', val: 'legal' }];
    assert.equal((await t.put(`/source-groups/${group}/metadata`, { metadata: { records } })).status, 200);
    const ids = new Map<string, string>();
    let from = '';
    do {
      const { body } = await t.get(`/source-groups/${group}/sources?limit=100${from}`);
      for (const { id, name } of body.sources) ids.set(name.replace(/\.pdf$/, ''), id);
      from = body.pagination.has_more ? `&after_id=${body.sources.at(-1).id}` : '';
    } while (from !== '');
    idsOf.push(ids);
  }
  // One chunk of each source is for few: whoever sees only the others must see no page.
  await t.deps.db.query(
    t.tenantId,
    sql`update chunk set metadata = '{"level": {"val": "high", "type": "string"}}' where tenant_id = ${t.tenantId} and ordinal = 0`,
  );
  return specimens.map((specimen) => {
    const [first, second] = idsOf.map((ids) => ids.get(specimen.name));
    assert.ok(first && second, `${specimen.name} was not read`);
    return { specimen, ids: [first, second] };
  });
}

interface Answer {
  status: number;
  body: Buffer;
}

async function ask(path: string, { query, key }: Viewer, more = ''): Promise<Answer> {
  const all = [query, more].filter((part) => part !== '').join('&');
  const url = `/api/v1${path}${all === '' ? '' : `?${all}`}`;
  for (;;) {
    const { statusCode, rawPayload } = await t.app.inject({ url, headers: { 'x-api-key': key } });
    if (statusCode !== BUSY) return { status: statusCode, body: rawPayload };
    await sleep(RETRY_MS);
  }
}

const PATHS = ['/text', '/chunks', '/blocks', '/original', '/pages', '/pages/1/image', '/pages/1/boxes'];

/** Runs `use` with each item, some at a time. */
async function each<T>(items: readonly T[], use: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const run = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await use(item);
  };
  await Promise.all(Array.from({ length: 4 }, run));
}

/** Returns an answer without ids and other things that differ between equal files. */
function comparable(body: Buffer): string {
  return body
    .toString('latin1')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'id')
    .replace(/"[a-z_]*(?:time|hash|version)[a-z_]*":[^,}]*/g, '')
    .replace(/\[NUMBER\d:[0-9a-f]+\]/g, 'hash')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, 'time')
    .replace(/"url":"[^"]*"/g, '');
}

interface Found {
  shown: number;
  refused: string[];
  leaks: string[];
}

/** Returns each place where the two sources of a pair differ for a viewer, and how many pictures were shown and refused. */
async function findLeaks(under: readonly Twin[], viewer: Viewer, withText = true): Promise<Found> {
  const found: Found = { shown: 0, refused: [], leaks: [] };
  await each(under, async ({ specimen, ids }) => {
    const askBoth = (path: string, more = '') =>
      Promise.all(ids.map((id) => ask(`/sources/${id}${path}`, viewer, more))) as Promise<[Answer, Answer]>;
    const boxes: string[] = [];
    for (let page = 1; page <= specimen.pages; page += 1) {
      boxes.push(`/pages/${page}/boxes`);
      const [a, b] = await askBoth(`/pages/${page}/image`, 'scale=2');
      if (a.status !== b.status || !a.body.equals(b.body))
        found.leaks.push(`${specimen.name}, picture of page ${page}`);
      if (a.status === 200) found.shown += 1;
      else found.refused.push(`${specimen.name}: ${a.status}`);
    }
    for (const path of withText ? ['/text', '/chunks', '/blocks', '/pages', '/original', ...boxes] : []) {
      const [a, b] = await askBoth(path);
      const says = [a, b].some(({ body }, at) => body.includes(SECRETS[at]!));
      const differs = a.status !== b.status || comparable(a.body) !== comparable(b.body);
      if (says || (differs && specimen.isNamed)) found.leaks.push(`${specimen.name}, ${path}`);
    }
  });
  return found;
}

const BY_PATTERN = { kind: 'regex', pattern: SECRET_PATTERN };
const BY_TERMS = { kind: 'dictionary', terms: SECRET_TERMS };
const rules = (action: string, step = 'retrieval', kinds: readonly object[] = [BY_PATTERN, BY_TERMS]) => ({
  enabled: true,
  rules: kinds.map((kind, at) => ({ name: `number${at}`, action, apply_at: [step], ...kind })),
});

test('without rules, the secret of each PDF is seen', async () => {
  await each(twins, async ({ specimen, ids }) => {
    const [a, b] = [
      await ask(`/sources/${ids[0]}/pages/1/image`, viewers['lawyer']!, 'scale=2'),
      await ask(`/sources/${ids[1]}/pages/1/image`, viewers['lawyer']!, 'scale=2'),
    ];
    assert.deepEqual([a.status, b.status], [200, 200], specimen.name);
    assert.equal(!a.body.equals(b.body), specimen.isVisible, specimen.name);
  });
});

test('whoever may not see all of a source sees none of its pages', async () => {
  for (const [name, viewer] of Object.entries(viewers)) {
    if (viewer.sees) continue;
    const some = IS_LONG ? twins : twins.slice(0, 2);
    await each(some, async ({ specimen, ids }) => {
      for (const path of PATHS) {
        // A part of the text is not hidden from whoever may see it.
        if (name === 'a lawyer who may see a part' && !path.startsWith('/pages')) continue;
        const { status, body } = await ask(`/sources/${ids[0]}${path}`, viewer);
        assert.ok(status === 404 || status === 403, `${name}, ${specimen.name}, ${path}: ${status}`);
        assert.ok(!body.includes(SECRETS[0]), `${name}, ${specimen.name}, ${path}`);
      }
    });
  }
});

test('a picture and its text are the same whatever the hidden secret is', { timeout: 1_800_000 }, async () => {
  const variants: Record<string, object> = {
    mask: rules('mask'),
    ...(IS_LONG ? { 'drop by terms': rules('drop', 'retrieval', [BY_TERMS]), hash: rules('hash') } : {}),
  };
  for (const [name, policy] of Object.entries(variants)) {
    await put('/redaction-policy', policy);
    for (const viewer of ['lawyer', ...(IS_LONG && name === 'mask' ? ['nobody under a policy that shows all'] : [])]) {
      const { shown, refused, leaks } = await findLeaks(twins, viewers[viewer]!);
      assert.deepEqual(leaks, [], `${name}, ${viewer}`);
      assert.ok(shown > refused.length, 'pages are shown');
      if (IS_LONG) console.log(`${name}, ${viewer}: ${twins.length} pairs, ${shown} pictures, not shown:`, refused);
    }
  }
  await t.delete('/redaction-policy');
});

test('a rule that blocks a text leaves no picture of it', async () => {
  await put('/redaction-policy', rules('block'));
  const { ids } = twins.find(({ specimen }) => specimen.name === 'plain text')!;
  assert.equal((await ask(`/sources/${ids[0]}/pages/1/image`, viewers['lawyer']!)).status, 404);
  const { leaks } = IS_LONG ? await findLeaks(twins, viewers['lawyer']!, false) : { leaks: [] };
  assert.deepEqual(leaks, []);
  await t.delete('/redaction-policy');
});

test('rules that apply when files are read hide the same', { skip: !IS_LONG, timeout: 1_800_000 }, async () => {
  await put('/redaction-policy', rules('mask', 'ingest'));
  const [{ ids }] = twins as [Twin];
  assert.equal((await ask(`/sources/${ids[0]}/pages/1/image`, viewers['lawyer']!)).status, 409, 'not read again yet');
  const { leaks } = await findLeaks(await ingestTwins(), viewers['lawyer']!);
  assert.deepEqual(leaks, []);
  await t.delete('/redaction-policy');
});
