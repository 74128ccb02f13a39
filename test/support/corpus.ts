/** A small corpus that has gone through the whole of ingestion. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestApp } from './app.ts';

/** Uploads files as one group and waits until they are searchable. The worker must run. */
export async function ingest(
  service: TestApp,
  files: readonly { name: string; content: string }[],
  key = service.key,
): Promise<string> {
  const form = new FormData();
  for (const { name, content } of files) {
    form.append('files', new Blob([content]), name);
    form.append('last_modified', '1760000000000');
  }
  const encoded = new Response(form);
  const response = await service.app.inject({
    method: 'POST',
    url: '/api/v1/local-file-groups',
    headers: { 'content-type': encoded.headers.get('content-type')!, 'x-api-key': key },
    payload: Buffer.from(await encoded.arrayBuffer()),
  });
  if (response.statusCode !== 201) throw new Error(`upload failed: ${response.body}`);
  const id: string = response.json().source_group_id;
  for (;;) {
    const { body } = await service.get(`/local-file-groups/${id}`, key);
    if (body.status === 'success') return id;
    if (!['queued', 'starting', 'started'].includes(body.status))
      throw new Error(`ingestion failed: ${JSON.stringify(body)}`);
    await sleep(20);
  }
}
