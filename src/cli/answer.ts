/** How answers and search results read on a terminal. */
import type { CitedContent, Content } from '../client/api.ts';

/** `[2] guide.pdf, pages 4–5, Prices › Groups   verified`, and the quote below it. */
export function formatCitation(content: CitedContent): string {
  const { citation } = content;
  const mark = citation.verified ? 'verified' : 'not verified';
  return `  [${citation.number}] ${place(content)}  ${mark}\n      "${oneLine(citation.quote)}"\n`;
}

/** Name, pages and headings. */
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

/** Blanks and line breaks become one blank; a longer text is cut to `codePointsMax` with an ellipsis. */
export function oneLine(text: string, codePointsMax = Number.POSITIVE_INFINITY): string {
  const flat = [...text.replaceAll(/\s+/gu, ' ').trim()];
  return flat.length <= codePointsMax ? flat.join('') : `${flat.slice(0, codePointsMax - 1).join('')}…`;
}
