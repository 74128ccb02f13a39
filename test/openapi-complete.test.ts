/** The OpenAPI description has everything that a caller needs: descriptions, limits, defaults, errors, examples. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allDescribedRoutes } from '../src/app.ts';
import { openApiDocument } from '../src/http/openapi/openapi.ts';
import { pathOf } from '../src/http/route.ts';
import { validate } from '../src/http/validate.ts';

type Json = Record<string, unknown>;
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters: { name: string; in: string; description?: string; schema: Json }[];
  requestBody?: { content: Record<string, { schema: Json; example?: unknown }> };
  responses: Record<string, Json>;
}

const routes = allDescribedRoutes();
const document = openApiDocument(routes);
const paths = document['paths'] as Record<string, Record<string, Operation>>;
const operations = routes.map((route) => ({
  name: `${route.method} ${route.path}`,
  route,
  operation: paths[pathOf(route)]![route.method.toLowerCase()]!,
}));

test('every route has a unique operation id, one tag, a one-line summary, and its scopes in the description', () => {
  assert.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length);
  for (const { name, operation, route } of operations) {
    assert.match(operation.summary, /^[A-Z].{3,79}$/, name);
    assert.equal(operation.tags.length, 1, name);
    for (const scope of route.scopes) assert.ok(operation.description.includes(`\`${scope}\``), name);
  }
});

test('every member and parameter is described', () => {
  assert.deepEqual(undescribed({ paths, components: document['components'] }), []);
});

/** Returns the JSON pointers of members and parameters without a description. A member that is a `$ref` is described at its schema. */
function undescribed(node: unknown, at = '#'): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { properties, name, in: place } = node as { properties?: Record<string, Json>; name?: unknown; in?: unknown };
  const members = Object.entries(properties ?? {}).filter(([, member]) => !isDescribed(member));
  return [
    ...members.map(([member]) => `${at}/properties/${member}`),
    ...(typeof name === 'string' && typeof place === 'string' && !isDescribed(node as Json) ? [at] : []),
    ...Object.entries(node).flatMap(([key, value]) => (key === 'example' ? [] : undescribed(value, `${at}/${key}`))),
  ];
}

function isDescribed(member: Json): boolean {
  return '$ref' in member || (typeof member['description'] === 'string' && member['description'].length > 3);
}

test('every request body has a valid example', () => {
  for (const { name, operation, route } of operations) {
    const json = operation.requestBody?.content['application/json'];
    if (!json || !route.body) continue;
    assert.notEqual(json.example, undefined, `${name} has no example`);
    assert.doesNotThrow(() => validate(route.body!, structuredClone(json.example), 'body'), name);
  }
});

test('every route lists its errors, each with the Error body', () => {
  const responses = (document['components'] as { responses: Record<string, Json> }).responses;
  for (const { name, operation, route } of operations) {
    const listed = Object.keys(operation.responses);
    const wanted = [
      400,
      401,
      403,
      414,
      429,
      431,
      500,
      503,
      ...(route.params ? [404] : []),
      ...(route.body ? [408, 413, 415] : []),
      ...(route.idempotent ? [409] : []),
    ];
    for (const status of wanted) assert.ok(listed.includes(String(status)), `${name} ${status}`);
    const error = route.prefix === '/v1' ? 'OpenAiError' : 'Error';
    for (const status of listed.filter((one) => one >= '400'))
      assert.deepEqual(operation.responses[status], { $ref: `#/components/responses/${error}${status}` }, name);
  }
  for (const [name, response] of Object.entries(responses))
    assert.ok(JSON.stringify(response).includes(`"#/components/schemas/${name.replace(/\d+$/, '')}"`), name);
});

test('the description has the limits and defaults of the interface', () => {
  const parameter = (line: string, name: string): Json =>
    operations.find((one) => one.name === line)!.operation.parameters.find((one) => one.name === name)!.schema;
  for (const { name, operation } of operations) {
    if (!operation.parameters.some((one) => one.name === 'after_id')) continue;
    const { minimum, maximum, default: byDefault } = parameter(name, 'limit');
    assert.deepEqual([minimum, maximum, byDefault], [1, 100, 20], name);
  }
  const body = operations.find((one) => one.name === 'POST /completions')!.operation.requestBody!.content[
    'application/json'
  ]!;
  const members = body.schema['properties'] as Record<string, Json>;
  const expected: Record<string, Json> = {
    citation: { default: true },
    grounding: { default: false },
    use_postfilter: { default: false },
    limit: { minimum: 1, maximum: 100, default: 10 },
    authz_policy: { pattern: '^[a-z][a-z0-9_-]{0,63}$' },
    principal_id: { maxLength: 256 },
    date_from: { minimum: 1735639200 },
    date_to: { minimum: 1735639200 },
    regenerate: { default: false },
    truncation: { enum: ['auto', 'disabled'], default: 'auto' },
  };
  for (const [name, limits] of Object.entries(expected))
    for (const [word, value] of Object.entries(limits))
      assert.deepEqual(members[name]?.[word], value, `${name} ${word}`);
});

test('search and completions describe the header Server-Timing, and no other route does', () => {
  const timed = operations.filter(({ operation }) =>
    Object.values(operation.responses).some(({ headers }) => headers && 'server-timing' in (headers as Json)),
  );
  assert.deepEqual(
    timed.map(({ operation }) => operation.operationId),
    ['search', 'createCompletion', 'createChatCompletion', 'createResponse'],
  );
});
