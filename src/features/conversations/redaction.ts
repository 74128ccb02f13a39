/** Stored turns as they may be shown under the rules of today, whenever they were stored. */

import type { ConversationRow, StoredCitation, TreeMessage } from '../../corpus/conversation-store.ts';
import { redactText, redactWithOffsets } from '../../redaction/apply-redaction.ts';
import type { ApplyAt, Redactor } from '../../redaction/redact.ts';
import { collect } from '../../util/collect.ts';

/** What is read in place of an answer that the caller may not see. */
export const REMOVED = '[removed]';

/** An answer was made of what was retrieved, and put out. */
export const SHOWN: readonly ApplyAt[] = ['ingest', 'retrieval', 'output'];

export async function shownConversation(redactor: Redactor | null, row: ConversationRow): Promise<ConversationRow> {
  return { ...row, title: (await redactText(redactor, row.title, SHOWN)) ?? REMOVED };
}

export async function shownMessage(redactor: Redactor | null, message: TreeMessage): Promise<TreeMessage> {
  const shown = message.seen ? await redactWithOffsets(redactor, message.content, SHOWN) : undefined;
  if (!shown) return { ...message, content: REMOVED, citations: [], webCitations: [] };
  const { text, offsetOf } = shown;
  const citations = await collect(message.citations, (citation) => shownCitation(redactor, citation, offsetOf));
  const webCitations = await collect(message.webCitations, async ({ start, end, ...page }) => {
    const [url, title, snippet] = await Promise.all(
      [page.url, page.title, page.snippet].map((one) => redactText(redactor, one, SHOWN)),
    );
    if (url === undefined || title === undefined || snippet === undefined) return undefined;
    return { url, title, snippet, start: offsetOf(start), end: offsetOf(end) };
  });
  return { ...message, content: text, citations, webCitations };
}

async function shownCitation(
  redactor: Redactor | null,
  { name, url, citation, ...ids }: StoredCitation,
  offsetOf: (at: number) => number,
): Promise<StoredCitation | undefined> {
  const shownName = await redactText(redactor, name, SHOWN);
  const quote = await redactText(redactor, citation.quote, SHOWN);
  if (shownName === undefined || quote === undefined) return undefined;
  const spans = citation.spans.map(({ start, end }) => ({ start: offsetOf(start), end: offsetOf(end) }));
  const shownUrl = url === null ? null : ((await redactText(redactor, url, SHOWN)) ?? null);
  // The reason names words of the answer.
  const reason = (await redactText(redactor, citation.reason ?? '', SHOWN)) || null;
  return { ...ids, name: shownName, url: shownUrl, citation: { ...citation, spans, quote, reason } };
}
