/** Runs the rows of the conformance tables against a complete service over real HTTP, with one object of every kind. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Scope } from '../../src/access/caller.ts';
import { newId } from '../../src/util/ids.ts';
import { buildWorker, type Worker } from '../../src/worker.ts';
import { openTestApp, type TestApp, type TestTenant } from '../support/app.ts';
import { ingest } from '../support/upload.ts';
import { scriptedConnectors } from '../support/worlds/connector-sources.ts';

export const QUESTION = 'Where does the heron nest?';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: rows look into answers whose shape they assert
  body: any;
}

export interface Ask {
  body?: unknown;
  key?: string | null;
  headers?: Record<string, string>;
}

export interface World {
  t: TestApp;
  url: string;
  stranger: TestTenant;
  /** A local file group with one source, ingested. */
  group: string;
  source: string;
  /** Sends a request such as `POST /completions`; the path is below /api/v1. */
  http(line: string, ask?: Ask): Promise<Answer>;
  complete(more?: object, ask?: Ask): Promise<Answer>;
  /** Returns a form with `files` and `last_modified` for each name. */
  upload(names: readonly string[], fields?: Record<string, string>): Promise<Answer>;
  keyWith(...scopes: Scope[]): Promise<string>;
}

/** One statement of the interface. `says` quotes the sentence, so that a reader can find it. */
export interface Row {
  says: string;
  holds(w: World): Promise<void> | void;
}

/** Number of sections of this file that have not ended. */
let sections = 0;
let running: Promise<{ w: World; worker: Worker }> | undefined;

async function start(): Promise<{ w: World; worker: Worker }> {
  const t = await openTestApp({ given: { connectors: scriptedConnectors().connectors } });
  const worker = buildWorker(t.deps);
  await worker.start();
  return { w: await openWorld(t), worker };
}

/** Registers a test for each row. The sections of a file share one service. */
export function conformance(section: string, rows: readonly Row[]): void {
  sections++;
  describe(section, () => {
    let w: World;
    before(async () => {
      running ??= start();
      ({ w } = await running);
    });
    after(async () => {
      if (--sections > 0 || running === undefined) return;
      const { worker } = await running;
      await worker.stop(1_000);
      await w.t.close();
    });
    for (const { says, holds } of rows) test(says, () => holds(w));
    test('no statement is listed twice', () => {
      assert.equal(new Set(rows.map(({ says }) => says)).size, rows.length);
    });
  });
}

async function openWorld(t: TestApp): Promise<World> {
  const url = await t.url();
  const http: World['http'] = async (line, { body, key = t.key, headers = {} } = {}) => {
    const [method = 'GET', path = '/'] = line.split(' ');
    const isForm = body instanceof FormData;
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { 'x-api-key': key }),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  };
  const group = await ingest(t, [
    { name: 'heron.md', content: '# Birds\n\nThe heron nests in the old oak by the river.\n' },
  ]);
  const { sources } = (await http(`GET /source-groups/${group}/sources`)).body;
  return {
    t,
    url,
    stranger: await t.secondTenant(),
    group,
    source: sources[0].id,
    http,
    complete: (more = {}, ask = {}) =>
      http('POST /completions', { body: { messages: [{ role: 'user', content: QUESTION }], ...more }, ...ask }),
    upload(names, fields = {}) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      for (const name of names) form.append('files', new Blob(['The bittern booms.']), name);
      if (fields['last_modified'] === undefined) for (const _ of names) form.append('last_modified', '1760000000000');
      return http('POST /local-file-groups', { body: form });
    },
    keyWith: (...scopes) => t.issueKey(scopes),
  };
}

type Kind = 'string' | 'integer' | 'array' | 'object' | 'boolean' | 'uuid' | 'number';

function isKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'integer':
      return Number.isSafeInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'uuid':
      return typeof value === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value);
    default:
      return typeof value === kind;
  }
}

/** Asserts the members of a value. A member of the kind `kind?` may be null. Other members may be present too. */
export function hasMembers(value: unknown, members: Record<string, Kind | `${Kind}?`>): void {
  assert.ok(isKind(value, 'object'), JSON.stringify(value));
  for (const [name, wanted] of Object.entries(members)) {
    const member = (value as Record<string, unknown>)[name];
    const kind = wanted.replace('?', '') as Kind;
    assert.ok(
      (wanted.endsWith('?') && member === null) || isKind(member, kind),
      `${name}: ${wanted} is ${JSON.stringify(member)}`,
    );
  }
}

/** Asserts a status for each body, and the shape of the error body unless the status is a success. */
export async function statuses(
  send: (value: unknown) => Promise<Answer>,
  cases: readonly (readonly [value: unknown, status: number])[],
): Promise<void> {
  for (const [value, status] of cases) {
    const answer = await send(value);
    assert.equal(answer.status, status, `${JSON.stringify(value)?.slice(0, 80)} → ${answer.text.slice(0, 200)}`);
    if (status >= 400) hasMembers(answer.body.error, { message: 'string', type: 'string' });
  }
}

/** Returns rows about a list with `limit` 1 to 100 and a cursor. The list must have several records when the rows run. */
export function listRows(path: string, key: string): Row[] {
  return [
    {
      says: `GET ${path}: next_id is where the next page begins, has_more says whether there is one, total counts all`,
      async holds(w) {
        const all = (await w.http(`GET ${path}?limit=100`)).body;
        const ids = all[key].map(({ id }: { id: string }) => id);
        assert.ok(ids.length >= 2, 'there is more than one page of one');
        const paged: string[] = [];
        for (let after = ''; ; ) {
          const { [key]: page, pagination } = (await w.http(`GET ${path}?limit=1${after}`)).body;
          paged.push(page[0].id);
          assert.deepEqual([pagination.limit, pagination.total], [1, ids.length]);
          assert.equal(pagination.has_more, pagination.next_id !== null);
          if (pagination.next_id === null) break;
          after = `&after_id=${pagination.next_id}`;
        }
        assert.deepEqual(paged, ids);
      },
    },
    {
      says: `GET ${path}: limit (integer 1..100)`,
      holds: (w) =>
        statuses(
          (limit) => w.http(`GET ${path}?limit=${limit}`),
          [
            [1, 200],
            [100, 200],
            [0, 400],
            [101, 400],
            ['x', 400],
            [1.5, 400],
          ],
        ),
    },
    {
      says: `GET ${path}: a cursor parameter that fetches records after a given id`,
      holds: (w) =>
        statuses(
          (id) => w.http(`GET ${path}?after_id=${id}`),
          [
            [newId(), 200],
            ['x', 400],
            ['', 400],
          ],
        ),
    },
    {
      says: `GET ${path}: response ${key} (array) and pagination (limit integer, has_more boolean, total integer, next_id string (uuid))`,
      async holds(w) {
        const { body } = await w.http(`GET ${path}`);
        hasMembers(body, { [key]: 'array', pagination: 'object' });
        hasMembers(body.pagination, { limit: 'integer', has_more: 'boolean', total: 'integer', next_id: 'uuid?' });
      },
    },
  ];
}
