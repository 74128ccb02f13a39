/** A source that a run has claimed, with the redaction rules for its processing. */
import type { PendingSource } from '../../corpus/values.ts';
import type { IngestRules } from '../../redaction/redactors.ts';

export interface ClaimedSource extends PendingSource {
  /** The rules of the redaction policy at the time of the claim. Null: no rule applies at ingestion. */
  ingestRules?: IngestRules | null;
}
