/** What of a turn the model is told, and what the reader sees. */

import type { WebResult } from '../../llm/models.ts';
import { redactChunk, redactText } from '../../redaction/apply-redaction.ts';
import type { ApplyAt, Redactor } from '../../redaction/redact.ts';
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

/** A web page for the model (`llm_input`) or the reader (`output`); undefined: a rule withholds it, or its address is no address any more. */
export async function pageAt(
  redactor: Redactor | null,
  { url, title, text }: WebResult,
  step: ApplyAt,
): Promise<WebResult | undefined> {
  const shown = { title: await redactText(redactor, title, [step]), text: await redactText(redactor, text, [step]) };
  if (shown.title === undefined || shown.text === undefined) return undefined;
  if ((await redactText(redactor, url, [step])) !== url) return undefined;
  return { url, title: shown.title, text: shown.text };
}
