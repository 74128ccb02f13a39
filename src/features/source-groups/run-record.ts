/** Run: the wire record of a run. */
import { z } from 'zod';
import type { Run } from '../../corpus/run-store.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { idSchema, jobErrorSchema, jobStatusSchema, sourceGroupIdSchema, timeSchema } from '../../http/schemas.ts';
import { shownFact } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';

export const runSchema = z
  .object({
    id: idSchema.describe('Id of the run.'),
    source_group_id: sourceGroupIdSchema,
    status: jobStatusSchema.describe('Status of the run.'),
    stage: z
      .string()
      .nullable()
      .describe(
        'What the run does now: `list` while it lists the origin and reads the files that it found, then `parse`.',
      ),
    files_done: z.int().describe('Number of files that were processed, including those that failed.'),
    files_total: z
      .int()
      .describe('Number of files of the run. While the run lists its origin, the number of files found so far.'),
    chunks_done: z.int().describe('Number of chunks stored so far.'),
    statistics: z
      .object({
        scanned: z.int().describe('Files that were examined.'),
        added: z.int().describe('New files.'),
        updated: z.int().describe('Files with new content.'),
        unchanged: z.int().describe('Files that did not change.'),
        skipped: z.int().describe('Files that were not read.'),
        deleted: z.int().describe('Files that were deleted, for example because they no longer exist at the origin.'),
        failed: z.int().describe('Files that failed.'),
      })
      .describe('Numbers of files by the result of the run.'),
    creation_time: timeSchema,
    start_time: timeSchema.nullable().describe('Start of the run, Unix seconds; null before it starts.'),
    end_time: timeSchema.nullable().describe('End of the run, Unix seconds; null before it ends.'),
    error: jobErrorSchema.nullable().describe('Why the run failed; null when it did not fail.'),
  })
  .meta({ id: 'Run' });

/**
 * Returns the wire record of a run, whose error is redacted because it may quote a file. Do not call this function within a
 * transaction: redaction may be slow.
 */
export async function toRun(redactor: Redactor | null, run: Run): Promise<z.input<typeof runSchema>> {
  const { scanned, added, updated, unchanged, skipped, deleted, failed, errorTitle: title } = run;
  return toRecord(runSchema, run, {
    statistics: { scanned, added, updated, unchanged, skipped, deleted, failed },
    error: title === null ? null : { title, message: await shownFact(redactor, run.errorMessage ?? '') },
  });
}
