/** Formats answers and search results for a terminal. */
import type { CitedContent, Content } from '../client/api.ts';
import { printable } from './shared/printable.ts';

/** Explanation that is printed once below citations with the word `verified`. */
const VERIFIED_MEANS =
  'verified: the cited passage states what the sentence states; this does not mean that the sentence answers the question.';

/** Returns `[2] quoted from guide.pdf, pages 4–5, Prices › Groups` or `[2] guide.pdf, …  verified`, with the quote on the next line. */
function formatCitation(content: CitedContent): string {
  const { number, quote } = content.citation;
  return `  [${number}] ${printable(`${origin(content)}${place(content)}${mark(content)}`)}\n      "${oneLine(quote)}"\n`;
}

/** Returns the citations in the order of the answer. The meaning of `verified` follows if a citation uses the word. */
export function formatCitations(citations: readonly CitedContent[]): string {
  const numbered = citations.toSorted((a, b) => a.citation.number - b.citation.number);
  const explanation = numbered.some((one) => mark(one) !== '') ? `  (${VERIFIED_MEANS})\n` : '';
  return numbered.map(formatCitation).join('') + explanation;
}

/** Returns `quoted from ` for word-for-word quotations. Older services do not send `quoted`. */
function origin({ citation }: CitedContent): string {
  return citation.quoted === true ? 'quoted from ' : '';
}

function mark({ citation: { verified, quoted, reason } }: CitedContent): string {
  if (verified) return quoted === true ? '' : '  verified';
  return `  not verified${typeof reason === 'string' ? `: ${reason}` : ''}`;
}

/** Returns name, pages and headings of a chunk. */
export function place({
  name,
  url,
  pages,
  heading_path,
}: Pick<Content, 'name' | 'url' | 'pages' | 'heading_path'>): string {
  const parts = [url === null ? name : `${name} (${url})`];
  if (pages !== null && pages.length > 0) parts.push(formatPages(pages));
  if (heading_path.length > 0) parts.push(heading_path.join(' › '));
  return parts.join(', ');
}

function formatPages(pages: readonly number[]): string {
  const first = pages[0];
  const last = pages.at(-1);
  return first === last ? `page ${first}` : `pages ${first}–${last}`;
}

/** Returns the text in one line: blanks and line breaks become one blank, and a text over `codePointsMax` is cut with an ellipsis. */
export function oneLine(text: string, codePointsMax = Number.POSITIVE_INFINITY): string {
  const flat = [...printable(text).replaceAll(/\s+/gu, ' ').trim()];
  return flat.length <= codePointsMax ? flat.join('') : `${flat.slice(0, codePointsMax - 1).join('')}…`;
}
