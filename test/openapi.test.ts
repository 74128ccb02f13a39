/** The OpenAPI description: committed, complete, and the same as what the service answers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { allDescribedRoutes } from '../src/app.ts';
import { openApiDocument, openApiText } from '../src/http/openapi/openapi.ts';
import { pathOf } from '../src/http/route.ts';
import { openTestApp } from './support/app.ts';

type Json = Record<string, unknown>;
const routes = allDescribedRoutes();
const document = openApiDocument(routes) as {
  openapi: string;
  paths: Record<string, Record<string, Json>>;
  components: Record<string, Json>;
};

/** Yields every object of the document with its JSON pointer. */
function* nodes(value: unknown, path = '#'): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Json];
  for (const [key, member] of Object.entries(value))
    yield* nodes(member, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

function lookUp(reference: string): unknown {
  const steps = reference
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown>((node, step) => (node as Json | undefined)?.[step], document);
}

test('openapi.json is up to date: npm run openapi writes it', () => {
  const committed = readFileSync(join(import.meta.dirname, '..', 'openapi.json'), 'utf8');
  assert.ok(committed === openApiText(routes), 'openapi.json differs from the routes: run npm run openapi');
});

test('files of multipart bodies are described as in OpenAPI 3.0 and as in 3.1, because generators support one or the other', () => {
  const bodies = [...nodes(document.paths)].filter(([path]) => path.endsWith('/multipart~1form-data/schema'));
  assert.ok(bodies.length > 0);
  for (const [path, schema] of bodies) {
    const { files, file } = schema['properties'] as Record<string, Json>;
    if (!file) assert.equal(files?.['type'], 'array', path);
    const { type, format, contentMediaType } = file ?? ((files as Json)['items'] as Json);
    assert.deepEqual(
      { type, format, contentMediaType },
      { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' },
      path,
    );
  }
});

test('the service serves the same OpenAPI description as openapi.json', async () => {
  const t = await openTestApp();
  try {
    assert.deepEqual((await t.get('//openapi.json', null)).body, JSON.parse(openApiText(routes)));
  } finally {
    await t.close();
  }
});

test('the description is OpenAPI 3.1 and has every route', () => {
  assert.equal(document.openapi, '3.1.0');
  for (const route of routes) {
    const operation = document.paths[pathOf(route)]?.[route.method.toLowerCase()] as Json;
    const name = `${route.method} ${route.path}`;
    assert.ok(operation, name);
    const responses = Object.keys(operation['responses'] as Json);
    for (const status of [String(route.response.status), '400', '401', '403', '429', '500', '503'])
      assert.ok(responses.includes(status), `${name} ${status}`);
    const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    const described = (operation['parameters'] as { name: string; in: string }[]).filter(
      (parameter) => parameter.in === 'path',
    );
    assert.deepEqual(
      described.map((parameter) => parameter.name),
      inPath,
      name,
    );
  }
});

test('every reference of the description has a target, and no internal keyword is left', () => {
  for (const [path, node] of nodes(document)) {
    if (typeof node['$ref'] === 'string') assert.ok(lookUp(node['$ref']), `${path}: ${node['$ref']}`);
    for (const leftover of ['wire', '$defs', '$schema', '~standard'])
      assert.ok(!(leftover in node) || path.endsWith('/properties'), `${path}/${leftover}`);
  }
});

test('integers have no limits but those that mean something', () => {
  for (const [path, { minimum, maximum }] of nodes(document))
    for (const limit of [minimum, maximum])
      assert.ok(limit === undefined || !(Math.abs(Number(limit)) >= Number.MAX_SAFE_INTEGER), path);
});

test('request bodies are described without additional members on every level', () => {
  for (const route of routes) {
    if (!route.body || route.body.meta()?.['open'] === true) continue;
    const operation = document.paths[pathOf(route)]?.[route.method.toLowerCase()];
    const seen = new Set<string>();
    const check = (root: unknown): void => {
      for (const [path, node] of nodes(root)) {
        if (node['type'] === 'object' && 'properties' in node) {
          assert.equal(node['additionalProperties'], false, `${route.method} ${route.path} ${path}`);
        }
        const reference = node['$ref'];
        if (typeof reference !== 'string' || seen.has(reference)) continue;
        seen.add(reference);
        check(lookUp(reference));
      }
    };
    check(operation?.['requestBody']);
  }
});

test('an id in a request has the same format as in an answer, so that a generated client takes back what it returned', () => {
  const isId = /\/properties\/(?!principal_id$|page_id$|previous_response_id$)(?:\w+_)?ids?$/; // not ours, or always refused
  const wrong: string[] = [];
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, { requestBody }] of Object.entries(operations))
      for (const [place, schema] of nodes(requestBody))
        if (isId.test(place) && !JSON.stringify(schema).includes('"format":"uuid"'))
          wrong.push(`${method} ${path} ${place}`);
  assert.deepEqual(wrong, []);
});

test('no type and no name is one that generators of clients fail for', () => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const names = new Set(Object.keys(document.components['schemas'] as Json));
  for (const [path, { type }] of nodes(document)) {
    // oapi-codegen knows one type and null.
    if (Array.isArray(type)) assert.ok(type.filter((one) => one !== 'null').length === 1, `${path} has several types`);
    // openapi-generator has no type for a member that is always null.
    if (type === 'null') assert.match(path, /\/anyOf\/\d+$/, `${path} is only null`);
  }
  // orval names the answers of its axios client so.
  for (const { operationId } of operations)
    assert.ok(
      !names.has(`${String(operationId)[0]!.toUpperCase()}${String(operationId).slice(1)}Result`),
      `${operationId}`,
    );
});
