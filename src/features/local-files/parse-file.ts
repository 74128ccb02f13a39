/** Shows what the service would read from a file, before the file is uploaded. Stores nothing. */
import { invalidRequest } from '../../errors.ts';
import { type Inspection, inspectFile } from '../../files/sandbox/inspect-file.ts';
import { readParts } from '../../http/body/multipart.ts';
import type { Deps } from '../../http/deps.ts';
import { openConcurrencyLimiter } from '../../http/rate-limit.ts';
import { displayName } from './file-name.ts';

/** 50 MB, for the whole request body. */
export const PARSE_BYTES_MAX = 52_428_800;
/** A file that takes longer can still be uploaded: ingestion has limits of its own. */
const PARSE_MS_MAX = 60_000;
/** Previews of a process and of a tenant at the same time. They share the parser processes with ingestion and pages. */
const PARSES_MAX = 4;
const PARSES_PER_TENANT_MAX = 1;
/** Blocks of a preview. A file of short lines has a million. */
export const BLOCKS_MAX = 200;

export interface ParsePart {
  body: AsyncIterable<Buffer>;
  boundary: string;
  signal: AbortSignal;
}

export type Preview = { name: string; size: number; seen: Inspection };

/** Returns the preview, which counts those of this process. */
export function openPreviews(deps: Deps) {
  const message = 'Another file is being previewed. Try again when it is done.';
  const limit = { max: PARSES_PER_TENANT_MAX, allMax: PARSES_MAX, message, retryAfterSeconds: 2 };
  const enter = openConcurrencyLimiter(limit);
  return async (tenantId: string, part: ParsePart) => {
    const leave = enter(tenantId);
    try {
      return await preview(deps, tenantId, part);
    } finally {
      leave();
    }
  };
}

/** Receives the file into staging, reads it in a child process as ingestion does, and discards it. */
async function preview(deps: Deps, tenantId: string, { body, boundary, signal }: ParsePart): Promise<Preview> {
  const { blobs, processor, db, redactors } = deps;
  const received = [];
  try {
    let name: string | undefined;
    for await (const part of readParts(body, boundary)) {
      if (part.name !== 'file') throw invalidRequest(`Unknown field ${JSON.stringify(part.name.slice(0, 200))}.`);
      if (part.fileName === null) throw invalidRequest('The part "file" must be a file with a file name.');
      if (name !== undefined) throw invalidRequest('A preview takes one file.');
      name = displayName(part.fileName);
      received.push(await blobs.stage(tenantId, part.body, signal));
    }
    const [staged] = received;
    if (name === undefined || !staged) throw invalidRequest('The field "file" is missing.');
    const rules = await db.transaction(tenantId, (tx) => redactors.atIngest(tx));
    const request = { path: blobs.stagedPath(staged), name, size: staged.size, chunkMetadataKeys: [] };
    const timeout = AbortSignal.timeout(PARSE_MS_MAX);
    const within = AbortSignal.any([signal, timeout]);
    const seen = await inspectFile(processor, rules ? { ...request, redaction: rules } : request, BLOCKS_MAX, within, {
      owner: tenantId,
      part: 'previews',
    }).catch((error: unknown) => {
      if (signal.aborted || !timeout.aborted) throw error;
      return { ok: false as const, failure: TOO_SLOW };
    });
    return { name, size: staged.size, seen };
  } finally {
    await blobs.discard(received);
  }
}

const TOO_SLOW = {
  stage: 'parse' as const,
  title: 'The preview takes too long',
  message: `The file was not read within ${PARSE_MS_MAX / 1_000} seconds. An upload may take longer.`,
  retryable: true,
};
