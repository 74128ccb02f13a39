/** The route for the original file of a source. Whoever gets the bytes gets everything, so it is stricter than reading the text. */
import { z } from 'zod';
import { accessOf } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import { conflict, notFound } from '../../errors.ts';
import { type StoredFile, sendFile } from '../../http/body/download.ts';
import type { Deps } from '../../http/deps.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { idParams, principalShape } from '../../http/schemas.ts';
import { FACT_STEPS } from '../../redaction/apply-redaction.ts';
import { withRedactor } from '../../redaction/redactors.ts';
import { findOriginal } from './store.ts';

export function originalRoute(deps: Deps): Route {
  return routesOf('Sources')({
    method: 'GET',
    path: '/sources/{id}/original',
    scopes: ['knowledge:read'],
    operation: {
      id: 'downloadOriginal',
      summary: 'Download the original file of a source',
      description:
        'The bytes as they were uploaded or fetched, also of a file that could not be read. While authorization is on, they are ' +
        'available only if the principal may see the whole source, and the whole of each file inside it, and not of files that could ' +
        'not be read. 409 while a redaction rule of the steps `ingest` or `retrieval` is in force, because a rule cannot change the ' +
        'bytes. The content type is always `application/octet-stream`.',
    },
    params: idParams,
    query: z.strictObject(principalShape),
    response: { status: 200, schema: z.unknown() },
    download: { description: 'The whole file, as an attachment.' },
    errors: [409, 416],
    async handler({ caller, params, query, raw, reply, signal, rights }) {
      return sendFile(raw, reply, () => findFile(deps, caller, params.id, query), { signal, rights });
    },
  });
}

/** @throws ServiceError not_found; conflict while redaction rules apply. */
async function findFile(
  deps: Deps,
  caller: Caller,
  id: string,
  named: Parameters<typeof accessOf>[3],
): Promise<StoredFile> {
  const { tenantId } = caller;
  const { file, redactor } = await withRedactor(deps, tenantId, async (tx) => ({
    file: await findOriginal(tx, id, await accessOf(deps, tx, caller, named)),
  }));
  if (!file) throw notFound();
  if (FACT_STEPS.some((step) => redactor?.appliesAt(step)))
    throw conflict('The original file is not given out while redaction rules apply.');
  if (file.redactedBy !== null && file.redactedBy !== (redactor?.ingestMark ?? '')) {
    const message = 'The redaction rules have changed: the original is available when the file was read again.';
    throw conflict(message);
  }
  return { ...file, open: (range) => deps.blobs.read(tenantId, file.hash, range) };
}
