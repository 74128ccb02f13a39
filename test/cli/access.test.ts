/** The commands for access, `pinakes keys` and `authz`, against a service in this process. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ApiKeyUsage } from '../../src/client/api.ts';
import { cliService } from '../support/cli-service.ts';

const { dataDir, url, start, close, pinakes, pinakesProcess, file } = cliService('access');

before(async () => {
  await start();
  const ropes = file('ropes.txt', 'Ropes were made of hemp until the works closed in 1958.\n');
  assert.equal((await pinakes(['ingest', '--wait', ropes])).code, 0);
});
after(close);

test('keys usage prints the chat model usage of each key', async () => {
  const all = await pinakesProcess(['keys', 'usage']);
  const [, id = ''] =
    /^ID +NAME +REQUESTS +TOKENS IN +TOKENS OUT\n([0-9a-f-]{36}) {2}.+ 0 +0 +0\n/.exec(all.stdout) ?? [];
  assert.match((await pinakes(['keys', 'usage', id, '--days', '7'])).stdout, /^DAY .*TOKENS OUT\ntotal +0 +0 +0\n$/);
  const one = JSON.parse((await pinakes(['keys', 'usage', id, '--json'])).stdout) as ApiKeyUsage;
  assert.deepEqual([one.api_key_id, one.days, one.tokens_per_day], [id, [], null]);
  assert.equal((await pinakes(['keys', 'usage', id, '--days', '401'])).code, 2);
});

test('keys issues a key that is limited to its scopes, and revokes it', async () => {
  const issued = await pinakes(['keys', 'issue', '--name', 'reader', '--scope', 'knowledge:read', '--json']);
  const { id, key } = JSON.parse(issued.stdout) as { id: string; key: string };
  const asReader = { PINAKES_API_KEY: key };
  assert.match(
    (await pinakes(['keys', 'list'])).stdout,
    new RegExp(`^${id} {2}reader +knowledge:read +- +never +never$`, 'm'),
  );
  assert.equal((await pinakes(['search', 'x'], asReader)).code, 0);
  const refused = await pinakes(['ingest', file('x.txt', 'x')], asReader);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^pinakes: .*\(HTTP 403\)$/m);
  const generated = await pinakes(['keys', 'generate', '--json']);
  assert.match(JSON.parse(generated.stdout).key, /^pk_/);
  const rotated = await pinakes(['keys', 'rotate', id, '--grace', '600', '--json']);
  const successor = JSON.parse(rotated.stdout) as { id: string; key: string };
  assert.equal((await pinakes(['search', 'x'], { PINAKES_API_KEY: successor.key })).code, 0);
  assert.equal((await pinakes(['search', 'x'], asReader)).code, 0, 'the old key has its grace time');
  assert.equal((await pinakes(['keys', 'rotate', id])).code, 1, 'rotated twice');
  assert.match((await pinakes(['keys', 'rotate', successor.id])).stdout, /^pk_\w{61}\n$/);
  assert.match((await pinakes(['search', 'x'], { PINAKES_API_KEY: successor.key })).stderr, /HTTP 401/);
  assert.equal(JSON.parse((await pinakes(['keys', 'revoke', id, '--json'])).stdout).id, id);
  assert.match((await pinakes(['search', 'x'], asReader)).stderr, /HTTP 401/);
});

test('authz lists policies and subjects and explains access, and search and ask accept a principal', async () => {
  const call = (method: string, path: string, body: object) =>
    fetch(`${url()}/api/v1${path}`, {
      method,
      headers: {
        'x-api-key': readFileSync(join(dataDir, 'admin.key'), 'utf8').trim(),
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  assert.equal((await pinakes(['authz', 'policies'])).stderr, 'There are no policies.\n');
  const filters = [{ key: 'team', operator: 'eq', value: { subject: 'team' } }];
  assert.equal((await call('PUT', '/authz/policies/teams', { operator: 'and', filters })).status, 200);
  const attributes = { attributes: { team: 'ropes' }, expires_time: 4102444800 };
  assert.equal((await call('PUT', '/authz/subjects/ada/attributes', attributes)).status, 200);
  assert.match(
    (await pinakesProcess(['authz', 'policies'])).stdout,
    /^teams {2}version 1 {2}\{"operator":"and","filters":\[.*"team"/,
  );
  assert.match((await pinakes(['authz', 'subjects'])).stdout, /^ada +\{"team":"ropes"\} +2100-01-01T00:00:00Z$/m);
  const found = await pinakes(['search', 'hemp ropes', '--principal', 'ada', '--policy', 'teams', '--json']);
  const [{ source_id: id, id: chunk } = { source_id: '', id: '' }] = JSON.parse(found.stdout).results;
  const explain = (more: string[]) => pinakes(['authz', 'explain', '--principal', 'ada', '--policy', 'teams', ...more]);
  const denied = await explain(['--source', id]);
  assert.deepEqual([denied.code, denied.stdout], [1, 'not allowed  decided by /filters/0\n']);
  const metadata = { metadata: { records: [{ key: 'team', val: 'ropes' }] } };
  assert.equal((await call('PUT', `/sources/${id}/metadata`, metadata)).status, 200);
  const allowed = await explain(['--chunk', chunk, '--json']);
  assert.deepEqual([allowed.code, JSON.parse(allowed.stdout).allowed], [0, true]);
  assert.equal((await explain(['--chunk', chunk, '--source', id])).code, 2);
  assert.equal((await pinakes(['ask', 'When did the ropes end?', '--principal', 'ada', '--policy', 'No!'])).code, 1);
});
