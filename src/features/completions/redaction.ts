/** What of a turn the model is told, and what the reader sees. */
import { redactChunk } from '../../policy/apply-redaction.ts';
import type { ApplyAt, Redactor } from '../../policy/redact.ts';
import type { Hit } from '../../retrieval/types.ts';

/** Earlier answers were made of what was retrieved under the rules of their time. */
export const PAST_FOR_MODEL: readonly ApplyAt[] = ['ingest', 'retrieval', 'llm_input'];

/** A retrieved chunk as the model is told it; undefined: a rule keeps it from the model. */
export function forModel(redactor: Redactor | null, hit: Hit): Promise<Hit | undefined> {
  return redactChunk(redactor, hit, ['llm_input']);
}

/** As it stands in citations, where it is put out with the answer: what is verified is what is seen. */
export function forReader(redactor: Redactor | null, hit: Hit): Promise<Hit | undefined> {
  return redactChunk(redactor, hit, ['output']);
}
