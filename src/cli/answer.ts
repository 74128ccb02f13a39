/** Formats answers and search results for a terminal. */
import type { CitedContent, Content } from '../client/api.ts';
import { withoutMarkdownMarks } from '../client/markdown-marks.ts';
import { oneLine as flat, shortened } from '../util/code-points.ts';
import { printable } from './shared/printable.ts';

/** Explanation that is printed once below citations with the word `verified`. */
const VERIFIED_MEANS =
  'verified: the cited passage states what the sentence states; this does not mean that the sentence answers the question.';

/** Returns `[2] quoted from guide.pdf, pages 4–5, Prices › Groups` or `[2] guide.pdf, …  verified`, with the quote on the next line. */
function formatCitation(content: CitedContent, where: string): string {
  const { number, quote } = content.citation;
  return `  [${number}] ${printable(`${origin(content)}${where}${mark(content)}`)}\n      "${proseLine(quote, content.file_type)}"\n`;
}

/** Returns the citations in the order of the answer. The meaning of `verified` follows if a citation uses the word. */
export function formatCitations(citations: readonly CitedContent[]): string {
  const numbered = citations.map(atQuote).toSorted((a, b) => a.citation.number - b.citation.number);
  const explanation = numbered.some((one) => mark(one) !== '') ? `  (${VERIFIED_MEANS})\n` : '';
  const places = placesOf(numbered);
  return numbered.map((one, i) => formatCitation(one, places[i]!)).join('') + explanation;
}

/** Returns `quoted from ` for word-for-word quotations. Older services do not send `quoted`. */
function origin({ citation }: CitedContent): string {
  return citation.quoted === true ? 'quoted from ' : '';
}

function mark({ citation: { verified, quoted, reason } }: CitedContent): string {
  if (verified) return quoted === true ? '' : '  verified';
  return `  not verified${typeof reason === 'string' ? `: ${reason}` : ''}`;
}

/** Returns the places of chunks. They begin with the name of the source group if the chunks are from several groups. */
export function placesOf(contents: readonly Content[]): string[] {
  const areOfOneGroup = new Set(contents.map((one) => one.source_group_id)).size <= 1;
  return contents.map((one) => {
    const { source_group_name: group } = one;
    return areOfOneGroup || !group || group === fileOf(one) ? place(one) : `${group}: ${place(one)}`;
  });
}

/** Returns path or name, lines, pages and headings of a chunk. Terminals and editors open `path:line`. */
export function place(content: Pick<Content, 'name' | 'path' | 'url' | 'pages' | 'heading_path'> & Lines): string {
  const { url, pages, heading_path } = content;
  const file = `${fileOf(content)}${linesOf(content)}`;
  const parts = [url === null ? file : `${file} (${url})`];
  if (pages !== null && pages.length > 0) parts.push(formatPages(pages));
  if (heading_path.length > 0) parts.push(heading_path.join(' › '));
  return parts.join(', ');
}

/** Returns the path; the name of a source without one. Older services do not send `path`. */
function fileOf({ name, path }: Pick<Content, 'name' | 'path'>): string {
  return path ?? name;
}

/** The lines of a chunk; older services do not send them. */
type Lines = Partial<Pick<Content, 'start_line' | 'end_line'>>;

function linesOf({ start_line: start, end_line: end }: Lines): string {
  if (typeof start !== 'number') return '';
  return start === end ? `:${start}` : `:${start}-${end}`;
}

/** Returns the citation with the lines of its quote alone, if each line of its chunk is a line of the file. */
function atQuote(content: CitedContent): CitedContent {
  const { content: text, citation, start_line: start, end_line: end } = content;
  const at = text.indexOf(citation.quote);
  const lineEnds = (part: string): number => part.split('\n').length - 1;
  if (typeof start !== 'number' || at === -1 || lineEnds(text) !== end! - start) return content;
  const first = start + lineEnds(text.slice(0, at));
  return { ...content, start_line: first, end_line: first + lineEnds(citation.quote) };
}

function formatPages(pages: readonly number[]): string {
  const first = pages[0];
  const last = pages.at(-1);
  return first === last ? `page ${first}` : `pages ${first}–${last}`;
}

/**
 * Returns the first lines of a program with its line breaks, without the blank lines at its ends and without the indentation that all
 * lines have in common. A line over `codePointsMax` is cut, and a line with an ellipsis stands for the rest.
 */
export function codeLines(text: string, linesMax: number, codePointsMax: number): string[] {
  const lines = printable(text)
    .replaceAll('\t', '    ')
    .split('\n')
    .map((line) => line.trimEnd());
  const start = lines.findIndex((line) => line !== '');
  if (start === -1) return [];
  const filled = lines.slice(start, lines.findLastIndex((line) => line !== '') + 1);
  const shown = filled.slice(0, linesMax);
  const indent = Math.min(...shown.filter((line) => line !== '').map((line) => line.search(/\S/)));
  const cut = shown.map((line) => shortened(line.slice(indent), codePointsMax));
  return filled.length > linesMax ? [...cut, '…'] : cut;
}

/** Returns a text in one line, without marks of Markdown. */
export function proseLine(text: string, fileType: string | undefined, codePointsMax?: number): string {
  return oneLine(withoutMarkdownMarks(text, fileType), codePointsMax);
}

/** Returns the text in one line: blanks and line breaks become one blank, and a text over `codePointsMax` is cut with an ellipsis. */
export function oneLine(text: string, codePointsMax = Number.POSITIVE_INFINITY): string {
  return shortened(flat(printable(text)), codePointsMax);
}
