/** The process ends while sources are processed again under changed ingest rules; the next start continues the same run. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { generateApiKey } from '../../src/access/api-key.ts';
import { openDiskBlobStore } from '../../src/blobs/disk.ts';
import { findViolations } from '../../src/corpus/invariants.ts';
import { openDatabase } from '../../src/db/open.ts';
import { sql } from '../../src/db/sql.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { eventually, multipartBody } from '../support/upload.ts';
import { listGroups, search } from './kill-model.ts';

let dataDir: string;
const { key } = generateApiKey();
/** One parser process starts faster than two. */
const fast = { PINAKES_PARSER_PROCESSES: '1' };
before(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'pinakes-reprocess-'));
});
after(() => rmSync(dataDir, { recursive: true, force: true }));

const small = Array.from({ length: 12 }, (_, i) => ({
  name: `${i}.txt`,
  content: `The heron ${i} of person${i}@example.com.`,
}));
const rows = Array.from({ length: 120 }, (_, i) => `${i},heron of person${i}@example.com`);
const files = [...small, { name: 'large.csv', content: `id,value\n${rows.join('\n')}\n` }];

async function setPolicy(service: ServiceProcess, pattern: string): Promise<void> {
  const rule = { name: 'person', kind: 'regex', pattern, action: 'mask', apply_at: ['ingest'] };
  const answer = await service.fetch('/redaction-policy', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ enabled: true, rules: [rule] }),
  });
  assert.equal(answer.status, 200);
}
const runsOf = async (service: ServiceProcess, id: string) =>
  ((await (await service.fetch(`/source-groups/${id}/runs`)).json()) as { runs: { id: string; status: string }[] })
    .runs;

test('reprocessing that is killed while it stores parts continues with the same run and shows no old words', async () => {
  const pattern = 'person\\d{1,3}@';
  // The upload stores parts of one file.
  const doomed = await startServiceProcess({
    dataDir,
    key,
    env: { ...fast, NODE_ENV: 'test', PINAKES_CRASH_AT: 'ingest.parts_stored:2' },
  });
  try {
    const upload = multipartBody(files, [['name', 'herons']]);
    await doomed.fetch('/local-file-groups', {
      method: 'POST',
      headers: upload.headers,
      body: new Uint8Array(upload.body),
    });
    await eventually(async () => (await listGroups(doomed))[0]?.status === 'success');
    await setPolicy(doomed, pattern);
    await doomed.ended; // hangs, and so fails, when the point is never reached
  } finally {
    await doomed.kill();
  }
  const service = await startServiceProcess({ dataDir, key, env: fast });
  try {
    const shown = new RegExp(pattern);
    // No part of the new version may be visible yet.
    assert.ok(!shown.test(JSON.stringify(await search(service, 'heron'))));
    const [{ id } = { id: '' }] = await listGroups(service);
    const runs = await eventually(async () => {
      const found = await runsOf(service, id);
      return found.every(({ status }) => status === 'success') && found;
    });
    assert.equal(runs.length, 2, 'the interrupted run continued, and there is no other run');
    assert.ok(!shown.test(JSON.stringify(await search(service, 'heron'))));
    assert.ok((await search(service, 'heron')).length > 0);
  } finally {
    assert.equal(await service.stop(), 0);
  }
  const db = await openDatabase({ dataDir });
  try {
    const left = await db.system.query(sql`
        select content from chunk where content ~ ${pattern} union all select content from source_text where content ~ ${pattern}`);
    assert.deepEqual(left, [], 'it is stored nowhere');
    const blobs = await openDiskBlobStore(path.join(dataDir, 'blobs'));
    assert.deepEqual(await findViolations(db, blobs, { now: new Date(), graceSeconds: 3_600 }), []);
  } finally {
    await db.close();
  }
});
