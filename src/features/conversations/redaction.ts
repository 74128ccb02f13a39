/** Redacts stored turns for the reader, under the current rules. */

import type { Conversation, StoredCitation, TreeMessage } from '../../corpus/conversation-store.ts';
import { redactText, redactWithOffsets } from '../../redaction/apply-redaction.ts';
import type { ApplyAt, Redactor } from '../../redaction/redact.ts';
import { collect } from '../../util/collect.ts';

/** Stands in place of a text that the caller may not see. */
const REMOVED = '[removed]';

/** Steps whose rules apply to a stored answer: it was made from ingested and retrieved text, and was sent out. */
export const STORED_ANSWER_STEPS: readonly ApplyAt[] = ['ingest', 'retrieval', 'output'];

/** Returns a conversation with its title redacted. A title is the caller's own text, so it is masked, not hashed. */
export async function redactConversation(redactor: Redactor | null, row: Conversation): Promise<Conversation> {
  return { ...row, title: (await redactText(masking(redactor), row.title, STORED_ANSWER_STEPS)) ?? REMOVED };
}

function masking(redactor: Redactor | null): Redactor | null {
  return redactor?.withoutHashes ?? null;
}

/**
 * Returns a message with its text and citations redacted. Citations that a rule blocks are left out. Only quotes of stored content have
 * hashes: an answer may repeat what the caller wrote.
 */
export async function redactMessage(redactor: Redactor | null, message: TreeMessage): Promise<TreeMessage> {
  const redacted = message.seen
    ? await redactWithOffsets(masking(redactor), message.content, STORED_ANSWER_STEPS)
    : undefined;
  if (!redacted)
    return { ...message, content: REMOVED, citations: [], webCitations: [], tableQuery: null, unsupported: [] };
  const { text, offsetOf } = redacted;
  const citations = await collect(message.citations, (citation) =>
    redactCitation(redactor, citation, offsetOf, text !== message.content),
  );
  const webCitations = await collect(message.webCitations, async ({ start, end, ...page }) => {
    const [url, title, snippet] = await Promise.all(
      [page.url, page.title, page.snippet].map((one) => redactText(masking(redactor), one, STORED_ANSWER_STEPS)),
    );
    if (url === undefined || title === undefined || snippet === undefined) return undefined;
    return { url, title, snippet, start: offsetOf(start), end: offsetOf(end) };
  });
  const { tableQuery } = message;
  const statement = tableQuery && (await redactText(masking(redactor), tableQuery.sql, STORED_ANSWER_STEPS));
  const shownQuery = tableQuery && { ...tableQuery, sql: statement ?? '' };
  const unsupported = message.unsupported.map(({ start, end }) => ({ start: offsetOf(start), end: offsetOf(end) }));
  return { ...message, content: text, citations, webCitations, tableQuery: shownQuery, unsupported };
}

async function redactCitation(
  redactor: Redactor | null,
  { name, url, citation, ...ids }: StoredCitation,
  offsetOf: (at: number) => number,
  isChanged: boolean,
): Promise<StoredCitation | undefined> {
  const redactedName = await redactText(masking(redactor), name, STORED_ANSWER_STEPS);
  const quote = await redactText(redactor, citation.quote, STORED_ANSWER_STEPS);
  if (redactedName === undefined || quote === undefined) return undefined;
  const spans = citation.spans.map(({ start, end }) => ({ start: offsetOf(start), end: offsetOf(end) }));
  const redactedUrl = url === null ? null : ((await redactText(masking(redactor), url, STORED_ANSWER_STEPS)) ?? null);
  // The reason contains words and numbers of the answer, in which rules do not find a value that they find in the answer.
  const stored = isChanged ? '' : (citation.reason ?? '');
  const reason = (await redactText(masking(redactor), stored, STORED_ANSWER_STEPS)) || null;
  return { ...ids, name: redactedName, url: redactedUrl, citation: { ...citation, spans, quote, reason } };
}
