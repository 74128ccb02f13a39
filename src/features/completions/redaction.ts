/** Applies redaction rules to a turn: one view for the model, another for the reader. */

import type { WebResult } from '../../llm/models.ts';
import { redactChunk, redactText } from '../../redaction/apply-redaction.ts';
import type { ApplyAt, Redactor } from '../../redaction/redact.ts';
import type { Hit } from '../../retrieval/types.ts';

/** Steps whose rules apply to earlier answers. Those answers contain text that was retrieved under the rules of that time. */
export const PAST_ANSWER_STEPS: readonly ApplyAt[] = ['ingest', 'retrieval', 'llm_input'];

/** Returns a retrieved chunk as the model may see it; undefined when a rule blocks it. */
export function forModel(redactor: Redactor | null, hit: Hit): Promise<Hit | undefined> {
  return redactChunk(redactor, hit, ['llm_input']);
}

/** Returns a retrieved chunk as the reader may see it in citations; undefined when a rule blocks it. Citations are verified against it. */
export function forReader(redactor: Redactor | null, hit: Hit): Promise<Hit | undefined> {
  return redactChunk(redactor, hit, ['output']);
}

/**
 * Returns a web page for the model (`llm_input`) or the reader (`output`); undefined when a rule blocks the page or changes its address.
 */
export async function redactPage(
  redactor: Redactor | null,
  { url, title, text }: WebResult,
  step: ApplyAt,
): Promise<WebResult | undefined> {
  const redactedTitle = await redactText(redactor, title, [step]);
  const redactedText = await redactText(redactor, text, [step]);
  if (redactedTitle === undefined || redactedText === undefined) return undefined;
  if ((await redactText(redactor, url, [step])) !== url) return undefined;
  return { url, title: redactedTitle, text: redactedText };
}
