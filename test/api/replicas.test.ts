/** Two processes on one PostgreSQL server: what one is told about who may see what, the other knows in its next request. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { seed } from '../retrieval/corpus.ts';
import { openTestApp } from '../support/app.ts';
import { startServiceProcess } from '../support/service-process.ts';

const SERVER = process.env['PINAKES_TEST_DATABASE_URL'];
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

test('a replica applies policies, attributes and redaction rules of another at once', async (t) => {
  if (SERVER === undefined) return t.skip('for a server');
  const env = { PINAKES_AUTHORIZATION: 'on', PINAKES_MASTER_KEY: MASTER_KEY };
  const one = await openTestApp({ env });
  const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-test-'));
  const [{ name }] = (await one.deps.db.system.query<{ name: string }>(sql`select current_database() as name`)) as [
    { name: string },
  ];
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  const other = await startServiceProcess({ dataDir, env: { ...env, PINAKES_DATABASE_URL: url.href } });
  const put = async (path: string, body: object): Promise<void> => {
    const answer = await one.put(path, body);
    assert.equal(answer.status, 200, answer.text);
  };
  const ask = (key = one.key): Promise<Response> =>
    fetch(`${other.url}/api/v1/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ query: 'heron', mode: 'lexical', principal_id: 'alice' }),
    });
  const seen = async (): Promise<string[]> => {
    const answer = await ask();
    assert.equal(answer.status, 200);
    const { results } = (await answer.json()) as { results: { content: string }[] };
    return results.map(({ content }) => content);
  };
  const attributes = (department: string): Promise<void> =>
    put('/authz/subjects/alice/attributes', { attributes: { department } });
  try {
    await seed(one.deps.db, one.tenantId, [
      {
        sources: ['sales', 'legal'].map((department) => ({
          name: department,
          metadata: { department },
          chunks: [`heron of ${department}`],
        })),
      },
    ]);
    assert.deepEqual(await seen(), [], 'no policy yet');
    const own = { key: 'department', operator: 'eq', value: { subject: 'department' } };
    await put('/authz/policies/default', { filters: [own] });
    await attributes('sales');
    assert.deepEqual(await seen(), ['heron of sales']);
    await attributes('legal');
    assert.deepEqual(await seen(), ['heron of legal']);
    const rule = { name: 'birds', kind: 'dictionary', terms: ['heron'], action: 'mask', apply_at: ['retrieval'] };
    await put('/redaction-policy', { enabled: true, rules: [rule] });
    assert.deepEqual(await seen(), ['[BIRDS] of legal']);
    await put('/authz/policies/default', { filters: [{ key: 'department', operator: 'eq', value: 'sales' }] });
    assert.deepEqual(await seen(), ['[BIRDS] of sales']);
    await one.delete('/authz/policies/default');
    assert.deepEqual(await seen(), []);
  } finally {
    await other.stop();
    rmSync(dataDir, { recursive: true, force: true });
    await one.close();
  }
});
