/** Searches the web for a question, and cites the pages. Web pages are kept apart from stored chunks. */
import type { FastifyBaseLogger } from 'fastify';
import { citedSpans, type Span, withoutSpans } from '../../answers/grounding/citations.ts';
import { claimOf } from '../../answers/grounding/claims.ts';
import type { Marker } from '../../answers/grounding/markers.ts';
import { evidenceOf, findSupport } from '../../answers/grounding/verify.ts';
import type { ChatModel, ContextChunk, OnUsage, WebResult } from '../../llm/models.ts';
import { redactText } from '../../redaction/apply-redaction.ts';
import type { ApplyAt, Redactor } from '../../redaction/redact.ts';
import type { Warning } from '../../retrieval/types.ts';
import { lazy } from '../../util/lazy.ts';

const SNIPPET_CODE_POINTS_MAX = 300;
const WEB_CITATIONS_MAX = 100;

/** A part of the answer that rests on a web page. Offsets are code points of the answer, half-open. */
export interface WebCitation extends Span {
  url: string;
  title: string;
  snippet: string;
}

/** A web page with its label in the request to the model. */
export type WebPage = WebResult & { number: number };

/**
 * Returns what the web search finds. The provider gets nothing but the question. A failed search is a warning: the answer is then made
 * from the stored chunks.
 *
 * @param question redacted for models.
 * @throws the signal's reason.
 */
export async function findOnWeb(
  { chatModel, log }: { chatModel: ChatModel; log: FastifyBaseLogger },
  question: string,
  onUsage: OnUsage,
  signal: AbortSignal,
): Promise<{ pages: WebResult[]; warnings: Warning[] }> {
  if (!chatModel.searchWeb) return { pages: [], warnings: [] };
  try {
    return { pages: await chatModel.searchWeb(question, onUsage, signal), warnings: [] };
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: (error as Error).cause ?? error }, 'a web search failed');
    const warning = {
      type: 'web_grounding_failed',
      message: 'The web could not be searched; the answer is made without it.',
    };
    return { pages: [], warnings: [warning] };
  }
}

/** Returns a page with its title and text redacted; undefined when a rule blocks the page or changes its address. */
export async function redactPage(
  redactor: Redactor | null,
  { url, title, text }: WebResult,
  steps: readonly ApplyAt[],
): Promise<WebResult | undefined> {
  const redactedTitle = await redactText(redactor, title, steps);
  const redactedText = await redactText(redactor, text, steps);
  if (redactedTitle === undefined || redactedText === undefined) return undefined;
  if ((await redactText(redactor, url, steps)) !== url) return undefined;
  return { url, title: redactedTitle, text: redactedText };
}

export function toChunk({ number, title, url, text }: WebPage): ContextChunk {
  const name = `${title} (${new URL(url).host})`;
  return { number, name, headingPath: [], context: null, content: text, score: 0, language: null, isWeb: true };
}

/** Returns the citations of web pages, and the unsupported sentences that no page supports either. */
export function citeWeb(
  answer: string,
  markers: readonly Marker[],
  pages: readonly WebPage[],
  unsupported: readonly Span[],
): { citations: WebCitation[]; unsupported: Span[] } {
  const supported: Span[] = [];
  const evidenceByPage = new Map(pages.map((page) => [page.number, lazy(() => evidenceOf(page.text, null))]));
  const citations = citedSpans(answer, markers).flatMap(({ number, span, text }) => {
    const page = pages.find((one) => one.number === number);
    if (page === undefined) return [];
    const { quote, verified } = findSupport([claimOf(text, null)], evidenceByPage.get(number)!());
    if (verified) supported.push(span);
    const snippet = [...(verified ? quote : page.text)].slice(0, SNIPPET_CODE_POINTS_MAX).join('');
    return [{ url: page.url, title: page.title, snippet, ...span }];
  });
  return { citations: citations.slice(0, WEB_CITATIONS_MAX), unsupported: withoutSpans(unsupported, supported) };
}
