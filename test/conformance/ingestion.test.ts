/** interface.md: local file groups, secrets, jobs and their states. */
import assert from 'node:assert/strict';
import { JOB_STATUSES } from '../../src/jobs/status.ts';
import { newId } from '../../src/util/ids.ts';
import { openSecret } from '../../src/vault/secret-store.ts';
import { SECRET_CANARY } from '../support/passages/canary.ts';
import { sendRaw } from '../support/raw-http.ts';
import { eventually, waitForGroup } from '../support/upload.ts';
import { conformance, hasMembers, listRows, statuses } from './world.ts';

const UPLOAD_BYTES_MAX = 500 * 1024 * 1024;
const names = (count: number) => Array.from({ length: count }, (_, i) => `${i}.txt`);

conformance('local file groups', [
  {
    says: 'POST /local-file-groups: response source_group_id (string, the created source group)',
    async holds(w) {
      const { status, body } = await w.upload(['a.txt'], { name: 'n' });
      assert.equal(status, 201);
      assert.deepEqual(Object.keys(body), ['source_group_id']);
      assert.equal((await w.http(`GET /source-groups/${body.source_group_id}`)).body.name, 'n');
    },
  },
  {
    says: 'POST /local-file-groups: name, string, max length 200',
    holds: (w) =>
      statuses(
        (name) => w.upload(['a.txt'], { name: String(name) }),
        [
          ['x'.repeat(200), 201],
          ['😀'.repeat(200), 201],
          ['x'.repeat(201), 400],
        ],
      ),
  },
  {
    says: 'POST /local-file-groups: files, 1 to 2000 elements',
    async holds(w) {
      await statuses(
        (count) => w.upload(names(Number(count))),
        [
          [0, 400],
          [2001, 400],
        ],
      );
      // The form above also has 2,001 times, which are refused first.
      const form = new FormData();
      for (const name of names(2001)) form.append('files', new Blob(['The bittern booms.']), name);
      const refused = await w.http('POST /local-file-groups', { body: form });
      assert.equal(refused.status, 400);
      assert.match(refused.text, /at most 2000 files/);
      const { status, body } = await w.upload(names(2000));
      assert.equal(status, 201);
      // The test does not wait for the ingestion of these files.
      assert.equal((await w.http(`DELETE /local-file-groups/${body.source_group_id}`)).status, 202);
    },
  },
  {
    says: 'last_modified: array of integer, Unix epoch milliseconds per file, same order and count as files',
    holds: (w) =>
      statuses(
        (value) => w.upload(['a.txt'], { last_modified: String(value) }),
        [
          [1760000000000, 201],
          ['x', 400],
          [1.5, 400],
        ],
      ).then(() =>
        statuses((value) => w.upload(['a.txt', 'b.txt'], { last_modified: String(value) }), [[1760000000000, 400]]),
      ),
  },
  {
    says: 'chunk_metadata_keys: JSON array of {key: string, type: one of string, integer, float, date, datetime}',
    holds: (w) =>
      statuses(
        (keys) => w.upload(['a.csv'], { chunk_metadata_keys: typeof keys === 'string' ? keys : JSON.stringify(keys) }),
        [
          [['string', 'integer', 'float', 'date', 'datetime'].map((type) => ({ key: type, type })), 201],
          [[{ key: 'a', type: 'bool' }], 400],
          [[{ type: 'string' }], 400],
          [{ key: 'a', type: 'string' }, 400],
          ['no JSON', 400],
        ],
      ),
  },
  {
    says: 'POST /local-file-groups: the total request body must not exceed 500 MB',
    async holds(w) {
      const head = (bytes: number) =>
        `POST /api/v1/local-file-groups HTTP/1.1\r\nHost: x\r\nx-api-key: ${w.t.key}\r\n` +
        `content-type: multipart/form-data; boundary=b\r\ncontent-length: ${bytes}\r\n\r\n`;
      const tooLarge = await sendRaw(w.url, head(UPLOAD_BYTES_MAX + 1));
      assert.equal(tooLarge.status, 413);
      assert.equal(tooLarge.body?.error?.type, 'request_too_large_error');
      // A body of the maximum length is not refused for its length. Its first bytes are read, and they are not a form.
      assert.equal((await sendRaw(w.url, head(UPLOAD_BYTES_MAX), '--b\r\nnonsense\r\n\r\n--b--')).status, 400);
    },
  },
  ...listRows('/local-file-groups', 'local_file_groups'),
  {
    says: 'GET /local-file-groups: limit default 20',
    async holds(w) {
      assert.equal((await w.http('GET /local-file-groups')).body.pagination.limit, 20);
    },
  },
  {
    says: 'Local file group: id, name, status, upload_time, creation_time, start_time, end_time, error, metadata, chunk_metadata_keys, chunk_metadatas_count',
    async holds(w) {
      const [group] = (await w.http('GET /local-file-groups?limit=1')).body.local_file_groups;
      hasMembers(group, {
        id: 'string',
        name: 'string',
        status: 'string',
        upload_time: 'integer',
        creation_time: 'integer',
        start_time: 'integer',
        end_time: 'integer',
        error: 'object?',
        metadata: 'object',
        chunk_metadata_keys: 'array',
        chunk_metadatas_count: 'integer',
      });
      hasMembers(group.metadata, { records: 'array' });
    },
  },
  {
    says: 'chunk_metadata_keys: array of {key, type}; chunk_metadatas_count counts chunks that carry one',
    async holds(w) {
      const form = new FormData();
      form.append('chunk_metadata_keys', '[{"key":"year","type":"integer"}]');
      form.append('files', new Blob(['name,year\nheron,2024\nbittern,2025\n']), 'birds.csv');
      form.append('last_modified', '1760000000000');
      const id = (await w.http('POST /local-file-groups', { body: form })).body.source_group_id;
      await waitForGroup(w.t, id);
      const group = (await w.http(`GET /local-file-groups/${id}`)).body;
      assert.deepEqual(
        [group.chunk_metadata_keys, group.chunk_metadatas_count],
        [[{ key: 'year', type: 'integer' }], 2],
      );
    },
  },
  {
    says: 'Job error: title (string), message (string)',
    async holds(w) {
      const form = new FormData();
      form.append('files', new Blob(['%PDF-1.7 broken']), 'broken.pdf');
      form.append('last_modified', '1760000000000');
      const id = (await w.http('POST /local-file-groups', { body: form })).body.source_group_id;
      assert.equal(await waitForGroup(w.t, id), 'failure');
      hasMembers((await w.http(`GET /local-file-groups/${id}`)).body.error, { title: 'string', message: 'string' });
    },
  },
  {
    says: 'DELETE /local-file-groups/{id}: starts asynchronous deletion; response source_group_id, the job is accepted',
    async holds(w) {
      const id = (await w.upload(['a.txt'])).body.source_group_id;
      const { status, body } = await w.http(`DELETE /local-file-groups/${id}`);
      assert.deepEqual([status, body], [202, { source_group_id: id }]);
      await eventually(async () => (await w.http(`GET /local-file-groups/${id}`)).status === 404);
      assert.equal((await w.http(`DELETE /local-file-groups/${newId()}`)).status, 404);
    },
  },
  {
    says: 'Job status takes one of: unknown, queued, not_started, managed, starting, started, success, failure, canceling, canceled, deleting, delete_job_failure',
    holds() {
      assert.deepEqual([...JOB_STATUSES].sort(), [
        'canceled',
        'canceling',
        'delete_job_failure',
        'deleting',
        'failure',
        'managed',
        'not_started',
        'queued',
        'started',
        'starting',
        'success',
        'unknown',
      ]);
    },
  },
  {
    says: 'Timestamps named *_time are integers (int64) in Unix seconds',
    async holds(w) {
      const [group] = (await w.http('GET /local-file-groups?limit=1')).body.local_file_groups;
      for (const name of ['upload_time', 'creation_time', 'start_time', 'end_time'])
        assert.ok(Math.abs(group[name] - Date.now() / 1000) < 3600, name);
    },
  },
]);

const secret = { name: 'reader', type: 'drive', secret: `${SECRET_CANARY}value` };

conformance('secrets', [
  {
    says: 'Secret: id, name, type (drive, repo, page), last_update_time, creation_time, description; the secret value is never returned',
    async holds(w) {
      for (const type of ['drive', 'repo', 'page']) {
        const { status, body, text } = await w.http('POST /secrets', { body: { ...secret, type } });
        assert.equal(status, 201);
        hasMembers(body, {
          id: 'string',
          name: 'string',
          last_update_time: 'integer',
          creation_time: 'integer',
          description: 'string',
        });
        assert.equal(body.type, type);
        for (const time of [body.last_update_time, body.creation_time])
          assert.ok(Math.abs(time - Date.now() / 1000) < 3600, 'Unix seconds');
        const read = [text, (await w.http(`GET /secrets/${body.id}`)).text, (await w.http('GET /secrets')).text];
        assert.doesNotMatch(read.join(), /canary/);
      }
      assert.equal((await w.http('POST /secrets', { body: { ...secret, type: 'x' } })).status, 400);
    },
  },
  {
    says: 'PUT /secrets/{secret_id}: name (required, max length 200), secret (max length 5000; omit to keep), description (max length 1000)',
    async holds(w) {
      const { id } = (await w.http('POST /secrets', { body: secret })).body;
      await statuses(
        (body) => w.http(`PUT /secrets/${id}`, { body }),
        [
          [{ name: 'x'.repeat(200) }, 200],
          [{ name: 'x'.repeat(201) }, 400],
          [{ secret: 'x' }, 400],
          [{ name: 'n', secret: 'x'.repeat(5000) }, 200],
          [{ name: 'n', secret: 'x'.repeat(5001) }, 400],
          [{ name: 'n', description: 'x'.repeat(1000) }, 200],
          [{ name: 'n', description: 'x'.repeat(1001) }, 400],
        ],
      );
      const { body, text } = await w.http(`PUT /secrets/${id}`, {
        body: { name: 'n', secret: `${SECRET_CANARY}two`, description: 'd' },
      });
      assert.deepEqual([body.id, body.name, body.description, body.type], [id, 'n', 'd', 'drive']);
      assert.doesNotMatch(text, /canary/);
    },
  },
  {
    says: 'PUT /secrets/{secret_id}: omit secret to keep the current value',
    async holds(w) {
      const { id } = (await w.http('POST /secrets', { body: secret })).body;
      const value = async () => (await openSecret(w.t.deps, w.t.tenantId, id))?.value;
      await w.http(`PUT /secrets/${id}`, { body: { name: 'renamed' } });
      assert.equal(await value(), secret.secret);
      await w.http(`PUT /secrets/${id}`, { body: { name: 'renamed', secret: `${SECRET_CANARY}three` } });
      assert.equal(await value(), `${SECRET_CANARY}three`);
    },
  },
  {
    says: 'DELETE /secrets/{secret_id}: response the deleted Secret record',
    async holds(w) {
      const { id } = (await w.http('POST /secrets', { body: secret })).body;
      const { status, body, text } = await w.http(`DELETE /secrets/${id}`);
      assert.deepEqual([status, body.id, body.name], [200, id, 'reader']);
      assert.doesNotMatch(text, /canary/);
      assert.equal((await w.http(`DELETE /secrets/${id}`)).status, 404);
    },
  },
]);
