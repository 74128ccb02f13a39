/** A small corpus that has gone through the whole of ingestion. */
import type { TestApp } from './app.ts';
import { eventually, multipartBody, type UploadFile } from './upload.ts';

/** Uploads files as one group and waits until they are searchable. The worker must run. */
export async function ingest(service: TestApp, files: readonly UploadFile[], key = service.key): Promise<string> {
  const { headers, body } = multipartBody(files);
  const response = await service.app.inject({
    method: 'POST',
    url: '/api/v1/local-file-groups',
    headers: { ...headers, 'x-api-key': key },
    payload: body,
  });
  if (response.statusCode !== 201) throw new Error(`upload failed: ${response.body}`);
  const id: string = response.json().source_group_id;
  await eventually(async () => {
    const { body: group } = await service.get(`/local-file-groups/${id}`, key);
    if (group.status === 'failure') throw new Error(`ingestion failed: ${JSON.stringify(group)}`);
    return group.status === 'success';
  });
  return id;
}
