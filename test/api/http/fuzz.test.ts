/** Requests made from the OpenAPI description, with hostile values, get no 5xx and only described answers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describedRoutes } from '../../../src/app.ts';
import { openApiDocument } from '../../../src/http/openapi/openapi.ts';
import { newId } from '../../../src/util/ids.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { openRandom } from '../../support/random.ts';
import { ingest } from '../../support/upload.ts';

const REQUESTS_PER_ROUTE = Number(process.env['PINAKES_TEST_REQUESTS'] ?? 12);

type Json = Record<string, unknown>;
interface Operation {
  parameters: { name: string; in: string; schema: Json }[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, unknown>;
}
const document = openApiDocument(describedRoutes()) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
};

/** Another seed makes other requests: PINAKES_TEST_SEED=7 node --test test/api/http/fuzz.test.ts */
const random = openRandom();
const chance = (probability: number): boolean => random.next() < probability;
const { pick } = random;

const STRINGS = [
  '',
  ' ',
  'a',
  'x'.repeat(300),
  '\u0000',
  '\ud800',
  '😀',
  'é'.normalize('NFD'),
  '%',
  '_',
  '\\',
  '%_\\%',
  "'",
  '"',
  "'; drop table chunk; --",
  '$1',
  '{{x}}',
  '../../etc/passwd',
  'null',
  'true',
  '0',
  '-1',
  '1e999',
  'NaN',
  '__proto__',
  'constructor',
  'toString',
  '\r\nx: y',
  '<script>',
  '\u202e',
  '\ufeff',
  '((((((',
  '[a-',
  '*',
  ':',
  '& | ! <-> (',
  'to be or not to be',
];
const NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.5,
  100,
  101,
  1735639200,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e308,
  Number.MIN_VALUE,
  9_007_199_254_740_992,
];
const OTHERS = [null, true, false, [], {}, [null], [[]], { a: 1 }];

function hostile(): unknown {
  return pick([
    () => pick(STRINGS),
    () => pick(NUMBERS),
    () => pick(OTHERS),
    () => newId(),
    () => Array.from({ length: 120 }, () => pick(STRINGS)),
  ])();
}

function resolve(schema: Json): Json {
  const reference = schema['$ref'];
  return typeof reference === 'string' ? (document.components.schemas[reference.split('/').at(-1)!] ?? {}) : schema;
}

/** The shares of hostile values. Some requests must be valid enough to reach the handlers. */
let hostility = 0;

/** Returns a value that matches the schema, except for its hostile parts. */
function make(given: Json, depth: number): unknown {
  if (chance(hostility)) return hostile();
  const schema = resolve(given);
  const branches = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
  if (branches) return make(pick(branches), depth);
  if (schema['enum']) return pick(schema['enum'] as unknown[]);
  if ('const' in schema) return schema['const'];
  switch (schema['type']) {
    case 'object':
      return makeObject(schema, depth);
    case 'array':
      return depth <= 0
        ? []
        : Array.from({ length: random.integer(0, 2) + Number(schema['minItems'] ?? 0) }, () =>
            make((schema['items'] ?? {}) as Json, depth - 1),
          );
    case 'string':
      return makeString(schema);
    case 'integer':
    case 'number':
      return Math.max(Number(schema['minimum'] ?? 0), 0) + random.integer(0, 4);
    case 'boolean':
      return chance(0.5);
    default:
      return hostile();
  }
}

function makeString(schema: Json): string {
  if (schema['format'] === 'uuid') return chance(0.5) ? pick(ids) : newId();
  if (schema['pattern']) return 'default';
  const max = Number(schema['maxLength'] ?? 1000);
  const fitting = [...STRINGS, 'heron', 'where does the heron nest'].filter(
    (text) =>
      text.isWellFormed() &&
      !text.includes('\0') &&
      text.length <= max &&
      text.length >= Number(schema['minLength'] ?? 0),
  );
  return pick(fitting);
}

function makeObject(schema: Json, depth: number): Json {
  const required = (schema['required'] ?? []) as string[];
  const members = Object.entries((schema['properties'] ?? {}) as Record<string, Json>).filter(([name]) =>
    required.includes(name) ? !chance(hostility) : chance(0.12) && depth > 0,
  );
  const made: Json = Object.fromEntries(members.map(([name, member]) => [name, make(member, depth - 1)]));
  if (chance(hostility)) made[pick(['__proto__x', 'constructor', 'id', 'tenant_id', '', '\u0000'])] = hostile();
  return made;
}

let t: TestApp;
/** Returns ids of all objects of the tenant. */
let ids: string[] = [];
before(async () => {
  t = await openTestApp({ runsJobs: true });
  const group = await ingest(t, [
    { name: 'heron.md', content: '# Birds\n\nThe heron nests in the old oak by the river.\n' },
  ]);
  const [source] = (await t.get(`/source-groups/${group}/sources`)).body.sources;
  const [run] = (await t.get(`/source-groups/${group}/runs`)).body.runs;
  const [chunk] = (await t.get(`/sources/${source.id}/chunks`)).body.chunks;
  ids = [group, source.id, run.id, chunk.id];
});
after(() => t.close());

for (const [path, operations] of Object.entries(document.paths)) {
  for (const [method, operation] of Object.entries(operations)) {
    test(`${method.toUpperCase()} ${path}`, async () => {
      for (let i = 0; i < REQUESTS_PER_ROUTE; i++) await tryOne(method, path, operation);
    });
  }
}

async function tryOne(method: string, path: string, operation: Operation): Promise<void> {
  hostility = pick([0, 0, 0.02, 0.1]);
  const text = (value: unknown): string =>
    encodeURIComponent((typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed());
  let target = path.slice('/api/v1'.length);
  const query: string[] = [];
  for (const parameter of operation.parameters) {
    const value = make(parameter.schema, 1);
    // A deletion of the objects that the other requests use would make these requests useless.
    if (parameter.in === 'path' && method !== 'get' && ids.includes(String(value))) return;
    if (parameter.in === 'path') target = target.replace(`{${parameter.name}}`, text(value) || 'x');
    else if (parameter.in === 'query' && chance(0.4)) query.push(`${parameter.name}=${text(value)}`);
  }
  if (query.length > 0) target += `?${query.join('&')}`;
  const schema = operation.requestBody?.content['application/json']?.schema;
  const body = schema ? JSON.stringify(make(schema, 5)) : undefined;
  const answer = await t.request({
    method: method.toUpperCase() as 'GET',
    path: target,
    ...(body === undefined ? {} : { body }),
  });
  const request = `seed ${random.seed}: ${method} ${target} ${body}`;
  assert.ok(answer.status < 500, `${answer.status} ${answer.text} for ${request}\n${JSON.stringify(t.logs.at(-2))}`);
  // A hostile id can change the path, which may then be another route or no route.
  const described = [...Object.keys(operation.responses), '404', '405', '415'];
  assert.ok(described.includes(String(answer.status)), `${answer.status} is not described: ${request}`);
  if (answer.status >= 400) {
    const { pointer = '', ...others } = answer.body.error;
    assert.deepEqual([Object.keys(others), typeof pointer], [['message', 'type'], 'string'], request);
  }
}
