/** GroupSource: the full wire record of a source. */

import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import type { Source } from '../corpus/source-store.ts';
import { apiRecords } from '../filters/metadata.ts';
import { FACT_STEPS, redactText } from '../redaction/apply-redaction.ts';
import type { Redactor } from '../redaction/redact.ts';
import { collect } from '../util/collect.ts';
import { unixSeconds } from '../util/time.ts';
import { idSchema, metadataSchema, timeSchema } from './schemas.ts';

export const SOURCE_TYPES = ['local_file', 'drive', 'page', 'repo', 'web'] as const;

export const sourceDetailsSchema = z
  .object({
    id: idSchema,
    source_group_id: idSchema,
    source_type: z.enum(SOURCE_TYPES),
    name: z.string(),
    path: z
      .string()
      .nullable()
      .describe(
        'Names an uploaded file within its group. Null for others, and where a redaction rule would change it.',
      ),
    file_type: z.string(),
    file_size: z.int().describe('Bytes.'),
    content_hash: z
      .string()
      .nullable()
      .describe(
        'SHA-256 of the newest bytes, in hex, also while they wait to be read. Null without the scope ingestion:manage.',
      ),
    metadata: metadataSchema,
    status: z.enum(['pending', 'ready', 'failed']),
    update_status: z
      .enum(['pending', 'failed'])
      .nullable()
      .describe(
        'Of a new version, while the one before it is served: it waits to be read, or it could not be read. Else null.',
      ),
    url: z.string().nullable(),
    parent_source_id: idSchema
      .nullable()
      .describe('The file that it was found in: an archive, a mailbox, a mail, a PDF or an Office file.'),
    language: z.string().nullable().describe('ISO 639-1, as detected.'),
    content_time: timeSchema,
    creation_time: timeSchema,
    text_length: z.int().describe('Code points of the extracted text.'),
    chunk_count: z.int(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'GroupSource' });

/** Records that were set through the API, as they may be shown: one that a rule withholds is missing. */
export function shownRecords(metadata: Source['metadata'], redactor: Redactor | null) {
  return collect(apiRecords(metadata), async (record) => {
    const key = await redactText(redactor, record.key, FACT_STEPS);
    const val = await redactText(redactor, record.val, FACT_STEPS);
    return key === undefined || val === undefined ? undefined : { ...record, key, val };
  });
}

/** As it may be shown: of a name or an address that a rule withholds nothing is left. */
export async function shownFacts({ name, url, metadata }: Source, redactor: Redactor | null) {
  const shown = (text: string): Promise<string | undefined> => redactText(redactor, text, FACT_STEPS);
  return {
    name: (await shown(name)) ?? '',
    url: url === null ? null : ((await shown(url)) ?? null),
    metadata: { records: await shownRecords(metadata, redactor) },
  };
}

export async function toSourceDetails(
  source: Source,
  redactor: Redactor | null,
  caller: Pick<Caller, 'scopes'>,
): Promise<z.input<typeof sourceDetailsSchema>> {
  const { name, url, metadata } = await shownFacts(source, redactor);
  const path = source.path === null ? null : await redactText(redactor, source.path, FACT_STEPS);
  return {
    id: source.id,
    source_group_id: source.sourceGroupId,
    source_type: source.sourceType as (typeof SOURCE_TYPES)[number],
    name,
    // A changed path would name no file.
    path: path === source.path ? path : null,
    file_type: source.fileType,
    file_size: source.fileSize,
    // A hash of bytes that a rule withholds would confirm a guess.
    content_hash: caller.scopes.includes('ingestion:manage') ? source.newestHash : null,
    metadata,
    status: source.status,
    update_status: source.updateStatus,
    url,
    parent_source_id: source.parentSourceId,
    language: source.language,
    content_time: unixSeconds(source.contentAt),
    creation_time: unixSeconds(source.createdAt),
    text_length: source.textLength,
    chunk_count: source.chunkCount,
    // They may quote the file.
    warnings: await collect(source.warnings, (warning) => redactText(redactor, warning, FACT_STEPS)),
  };
}
