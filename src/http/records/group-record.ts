/** The texts of a source group as a reader may see them. */

import type { SourceGroup } from '../../corpus/group-store.ts';
import { shownFact } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { redactRecords } from './source-record.ts';

/**
 * Returns the redacted name, error and metadata of a group. A name that a rule withholds becomes empty. Do not call this function within
 * a transaction: redaction may be slow.
 */
export async function redactGroup(
  group: Pick<SourceGroup, 'name' | 'errorTitle' | 'errorMessage' | 'metadata'>,
  redactor: Redactor | null,
) {
  const { name, errorTitle: title, errorMessage } = group;
  return {
    name: await shownFact(redactor, name),
    // A message may quote a file.
    error: title === null ? null : { title, message: await shownFact(redactor, errorMessage ?? '') },
    metadata: { records: await redactRecords(group.metadata, redactor) },
  };
}
