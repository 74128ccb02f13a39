/** Uploads files to a service, for measurements of the steps after ingestion. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../../test/support/service-process.ts';
import { multipartBody, type UploadFile } from '../../test/support/upload.ts';

/** Resolves when the file is searchable. */
export function ingestText(service: ServiceProcess, name: string, content: string): Promise<void> {
  return ingestFiles(service, [{ name, content }]);
}

/** Uploads the files as one group. Resolves when all are searchable. */
export async function ingestFiles(service: ServiceProcess, files: readonly UploadFile[]): Promise<void> {
  const { headers, body } = multipartBody(files);
  const answer = await service.fetch('/local-file-groups', { method: 'POST', headers, body: new Uint8Array(body) });
  const { source_group_id: group } = (await answer.json()) as { source_group_id: string };
  for (;;) {
    const { status } = (await (await service.fetch(`/local-file-groups/${group}`)).json()) as { status: string };
    if (status === 'success') return;
    if (status === 'failure') throw new Error('the files could not be ingested');
    await sleep(50);
  }
}
