/** Uploads one small file to a service, for measurements of the steps after retrieval. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../../test/support/service-process.ts';
import { multipartBody } from '../../test/support/upload.ts';

/** Resolves when the file is searchable. */
export async function ingestText(service: ServiceProcess, name: string, content: string): Promise<void> {
  const { headers, body } = multipartBody([{ name, content }]);
  const answer = await service.fetch('/local-file-groups', { method: 'POST', headers, body: new Uint8Array(body) });
  const { source_group_id: group } = (await answer.json()) as { source_group_id: string };
  for (;;) {
    const { status } = (await (await service.fetch(`/local-file-groups/${group}`)).json()) as { status: string };
    if (status === 'success') return;
    if (status === 'failure') throw new Error('the file could not be ingested');
    await sleep(50);
  }
}
