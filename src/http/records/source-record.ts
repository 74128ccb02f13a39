/** GroupSource: the complete wire record of a source. */

import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import type { Source } from '../../corpus/source-store.ts';
import type { TypedMetadata } from '../../corpus/values.ts';
import { apiRecords } from '../../filters/metadata.ts';
import { FACT_STEPS, redactFact, redactMetadata, shownFact, wholePath } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { collect } from '../../util/collect.ts';
import {
  fileTypeSchema,
  idSchema,
  jobErrorSchema,
  metadataSchema,
  type SOURCE_TYPES,
  sourceGroupIdSchema,
  sourceTypeSchema,
  timeSchema,
} from '../schemas.ts';
import { toRecord } from './wire-record.ts';

export const sourceDetailsSchema = z
  .object({
    id: idSchema.describe('Id of the source.'),
    source_group_id: sourceGroupIdSchema,
    source_type: sourceTypeSchema,
    name: z.string().describe('Name of the source. Empty where a redaction rule withholds it.'),
    path: z
      .string()
      .nullable()
      .describe(
        'Path of an uploaded file, unique within its group, or of a file within its repository. For a source with `parent_source_id`: ' +
          'the path of that source, or its name if it has none, ` › `, and the own name; such a path cannot be sent, moved or ' +
          'deleted. Null for other sources, and where a redaction rule would change it.',
      ),
    file_type: fileTypeSchema,
    file_size: z.int().describe('Bytes.'),
    content_hash: z
      .string()
      .nullable()
      .describe(
        'SHA-256 of the newest bytes, in hex, even if they still wait to be read. Null without the scope ingestion:manage.',
      ),
    metadata: metadataSchema.describe('Records set through the API.'),
    origin_metadata: metadataSchema
      .nullable()
      .describe(
        'What the file or its origin says, such as title, author and created; read-only. Filters and search results have both kinds of ' +
          'records, merged. Null without the scope knowledge:read, and while authorization is on: policies decide who sees it in ' +
          'search results.',
      ),
    status: z
      .enum(['pending', 'ready', 'failed'])
      .describe('`pending`: waits to be read. `ready`: searchable. `failed`: could not be read.'),
    update_status: z
      .enum(['pending', 'failed'])
      .nullable()
      .describe(
        'Status of a new version while the version before it is served: `pending` or `failed`. Null when there is no such version.',
      ),
    error: jobErrorSchema
      .extend({
        stage: z.string().describe('Where the file failed: list, fetch, detect, parse, chunk or store.'),
        retryable: z.boolean().describe('Whether the same file may succeed in another run.'),
      })
      .meta({ id: 'SourceError' })
      .nullable()
      .describe('Why the newest version could not be read. Null when it was read, and while it waits.'),
    url: z.string().nullable().describe('Address of the source at its origin; null for uploaded files.'),
    parent_source_id: idSchema
      .nullable()
      .describe('Id of the source that contained this file: an archive, a mailbox, a mail, a PDF or an Office file.'),
    language: z.string().nullable().describe('Detected language of the text, as an ISO 639-1 code.'),
    content_time: timeSchema,
    creation_time: timeSchema,
    text_length: z.int().describe('Code points of the extracted text.'),
    chunk_count: z.int().describe('Number of chunks of the source.'),
    warnings: z.array(z.string()).describe('Problems that did not stop the ingestion of the file.'),
  })
  .meta({ id: 'GroupSource' });

/** Returns the redacted records that were set through the API, without those that a rule withholds. */
export function redactRecords(metadata: Source['metadata'], redactor: Redactor | null) {
  return collect(apiRecords(metadata), async (record) => {
    const key = await redactFact(redactor, record.key);
    const val = await redactFact(redactor, record.val, undefined, record.key);
    return key === undefined || val === undefined ? undefined : { ...record, key, val };
  });
}

/** Returns the records, sorted by key. */
export function toRecords(metadata: TypedMetadata): z.input<typeof metadataSchema> {
  const records = Object.entries(metadata).map(([key, { val, type }]) => ({ key, val, type }));
  return { records: records.sort((a, b) => (a.key < b.key ? -1 : 1)) };
}

/** Returns the redacted name, address and metadata. A withheld name becomes empty, a withheld address null. */
export async function redactFacts({ name, url, metadata }: Source, redactor: Redactor | null) {
  return {
    name: await shownFact(redactor, name),
    url: url === null ? null : ((await redactFact(redactor, url)) ?? null),
    metadata: { records: await redactRecords(metadata, redactor) },
  };
}

/** Returns the wire record of a source, redacted, with the members that this caller may see. */
export async function toSourceDetails(
  source: Source,
  redactor: Redactor | null,
  caller: Pick<Caller, 'scopes'>,
  { authorization }: { authorization: boolean },
): Promise<z.input<typeof sourceDetailsSchema>> {
  const { name, url, metadata } = await redactFacts(source, redactor);
  return toRecord(sourceDetailsSchema, source, {
    source_type: source.sourceType as (typeof SOURCE_TYPES)[number],
    name,
    path: await wholePath(redactor, source.path),
    // The hash would let a reader confirm a guess about content that a redaction rule withholds.
    content_hash: caller.scopes.includes('ingestion:manage') ? source.newestHash : null,
    metadata,
    // What a file says is part of its content.
    origin_metadata:
      authorization || !caller.scopes.includes('knowledge:read')
        ? null
        : toRecords(await redactMetadata(redactor?.withoutHashes ?? null, source.originMetadata, FACT_STEPS)),
    error: source.error && { ...source.error, message: await shownFact(redactor, source.error.message) },
    url,
    // Warnings and errors may quote the file.
    warnings: await collect(source.warnings, (warning) => redactFact(redactor, warning)),
  });
}
