/** Stored turns as they may be shown under the rules of today, whenever they were stored. Pure. */
import type { ConversationRow, StoredCitation, TreeMessage } from '../../corpus/conversation-store.ts';
import { redactText, redactWithPlaces } from '../../policy/apply-redaction.ts';
import type { ApplyAt, Redactor } from '../../policy/redact.ts';

/** What is read in place of an answer that the caller may not see. */
export const REMOVED = '[removed]';

/** An answer was made of what was retrieved, and put out. */
const SHOWN: readonly ApplyAt[] = ['ingest', 'retrieval', 'output'];

export function shownConversation(redactor: Redactor | null, row: ConversationRow): ConversationRow {
  return { ...row, title: redactText(redactor, row.title, SHOWN) ?? REMOVED };
}

export function shownMessage(redactor: Redactor | null, message: TreeMessage): TreeMessage {
  const shown = message.seen ? redactWithPlaces(redactor, message.content, SHOWN) : undefined;
  if (!shown) return { ...message, content: REMOVED, citations: [] };
  const { text, placeOf } = shown;
  const citations = message.citations.flatMap((citation) => shownCitation(redactor, citation, placeOf) ?? []);
  return { ...message, content: text, citations };
}

function shownCitation(
  redactor: Redactor | null,
  { name, url, citation, ...ids }: StoredCitation,
  placeOf: (at: number) => number,
): StoredCitation | undefined {
  const shownName = redactText(redactor, name, SHOWN);
  const quote = redactText(redactor, citation.quote, SHOWN);
  if (shownName === undefined || quote === undefined) return undefined;
  const spans = citation.spans.map(({ start, end }) => ({ start: placeOf(start), end: placeOf(end) }));
  const shownUrl = url === null ? null : (redactText(redactor, url, SHOWN) ?? null);
  return { ...ids, name: shownName, url: shownUrl, citation: { ...citation, spans, quote } };
}
