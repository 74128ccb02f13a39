/** interface.md: authentication, errors, versioning, and the list of endpoints. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SCOPES } from '../../src/access/caller.ts';
import { describedRoutes } from '../../src/app.ts';
import { newId } from '../../src/util/ids.ts';
import { conformance, hasMembers, type Row } from './world.ts';

/** The table of scopes under Authentication. */
const SCOPE_TABLE: Record<string, readonly string[]> = {
  'inference:run': ['POST /completions'],
  'knowledge:read': ['GET /tags', 'GET /sources', 'GET /sources/{source_id}/raw'],
  'knowledge:write': [
    'PUT /sources/{source_id}/metadata',
    'POST /sources/metadata/batch',
    'DELETE /sources/{source_id}/metadata',
    'DELETE /tag-source-groups',
  ],
  'ingestion:manage': [
    'POST /local-file-groups',
    'GET /local-file-groups',
    'DELETE /local-file-groups/{id}',
    'POST /drive-sources',
    'GET /drive-sources',
    'GET /drive-source-settings/{id}',
    'PUT /drive-source-settings/{id}',
    'PUT /repo-settings/{id}',
    'POST /page-sources',
    'GET /page-sources',
  ],
  'authz:grant': ['GET /authz/subjects', 'GET /authz/policies', 'POST /authz/explain', 'POST /authz/preview'],
  'policy:redaction:manage': [
    'GET /redaction-policy',
    'PUT /redaction-policy',
    'DELETE /redaction-policy',
    'POST /redaction-policy/test',
  ],
  'apikeys:issue': ['POST /api-keys'],
};

/** A request without its scope is answered with 403; a request with only its scope is never answered with 401 or 403. */
const scopeRows = Object.entries(SCOPE_TABLE).flatMap(([scope, lines]) =>
  lines.map(
    (line): Row => ({
      says: `Each endpoint requires a scope carried by the key: ${scope} for ${line}`,
      async holds(w) {
        const target = line.replace(/\{\w+\}/, newId());
        const others = await w.t.issueKey(SCOPES.filter((other) => other !== scope));
        const denied = await w.http(target, { key: others });
        assert.deepEqual([denied.status, denied.body.error.type], [403, 'permission_error']);
        const own = await w.http(target, { key: await w.t.issueKey([scope as (typeof SCOPES)[number]]) });
        assert.ok(![401, 403].includes(own.status), String(own.status));
      },
    }),
  ),
);

conformance('authentication and errors', [
  {
    says: 'Every endpoint requires an API key in the request header x-api-key',
    async holds(w) {
      for (const { method, path } of describedRoutes()) {
        const target = `${method} ${path.replaceAll(/\{\w+\}/g, newId())}`;
        for (const key of [null, 'wrong']) {
          const { status, body } = await w.http(target, { key });
          assert.deepEqual([status, body.error.type], [401, 'authentication_error'], target);
        }
      }
    },
  },
  ...scopeRows,
  {
    says: 'Error responses use the body {error: {message: string, type: string}}',
    async holds(w) {
      for (const line of ['GET /nothing', `GET /sources/${newId()}/raw`, 'POST /completions', 'GET /sources?limit=0']) {
        const { body } = await w.http(line);
        assert.deepEqual(Object.keys(body), ['error']);
        assert.deepEqual(Object.keys(body.error).sort(), ['message', 'type']);
        hasMembers(body.error, { message: 'string', type: 'string' });
      }
    },
  },
  {
    says: 'Every endpoint lists error responses with the Error body shape',
    async holds(w) {
      const { paths, components } = (await (await fetch(`${w.url}/openapi.json`)).json()) as {
        paths: Record<string, Record<string, { responses: Record<string, { $ref: string }> }>>;
        components: { responses: Record<string, unknown> };
      };
      for (const [path, operations] of Object.entries(paths).filter(([path]) => path.startsWith('/api/v1/'))) {
        for (const [method, { responses }] of Object.entries(operations)) {
          const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
          assert.ok(errors.length > 1, `${method} ${path}`);
          for (const [status, { $ref }] of errors) {
            const described = JSON.stringify(components.responses[$ref.split('/').at(-1)!]);
            assert.match(described, /"#\/components\/schemas\/Error"/, `${method} ${path} ${status}`);
          }
        }
      }
    },
  },
  {
    says: 'All bodies are JSON (application/json) except local file group creation (multipart) and raw download',
    async holds(w) {
      const headers = { 'content-type': 'text/plain' };
      for (const line of [
        'POST /completions',
        'POST /sources/metadata/batch',
        'DELETE /tag-source-groups',
        'POST /local-file-groups',
      ]) {
        assert.equal((await w.http(line, { headers, body: 'x' })).status, 415, line);
      }
    },
  },
  {
    says: 'The version is carried in the base path prefix /api/v1',
    async holds(w) {
      assert.equal((await fetch(`${w.url}/tags`, { headers: { 'x-api-key': w.t.key } })).status, 404);
      assert.equal((await w.http('GET /tags')).status, 200);
    },
  },
  {
    says: 'The interface description carries version 1.0.0',
    async holds(w) {
      const description = (await (await fetch(`${w.url}/openapi.json`)).json()) as { info: { version: string } };
      assert.equal(description.info.version, '1.0.0');
    },
  },
]);

/** Every endpoint with a heading in interface.md. */
const ENDPOINTS = [
  ...Object.values(SCOPE_TABLE)
    .flat()
    .filter((line) => line !== 'POST /api-keys'),
  'PUT /secrets/{secret_id}',
  'DELETE /secrets/{secret_id}',
];

test('every endpoint of the interface exists', () => {
  const routes = new Set(describedRoutes().map(({ method, path }) => `${method} ${path}`));
  for (const line of ENDPOINTS) assert.ok(routes.has(line), `${line} does not exist`);
});

test('every test file of the conformance folder runs a table of statements', () => {
  for (const name of ['completions', 'filters', 'knowledge', 'ingestion', 'connectors', 'general'])
    assert.match(readFileSync(join(import.meta.dirname, `${name}.test.ts`), 'utf8'), /conformance\('/);
});
