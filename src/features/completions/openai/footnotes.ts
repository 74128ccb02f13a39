/** Writes the citations of an answer below its text, for programs that show nothing but text. */
import { oneLine, shortened } from '../../../util/code-points.ts';
import type { Answer } from '../answer.ts';

/** Begins the footnotes. */
const START = '\n\n---\n\n1. ';
const QUOTATION_CODE_POINTS_MAX = 60;

type Cited = Pick<Answer, 'citations' | 'webCitations' | 'tableQuery'>;

/** Returns the text that follows the answer; empty when it cites nothing. The answer itself stays as it is, so offsets in it stay valid. */
export function footnotesOf({ citations, webCitations, tableQuery }: Cited): string {
  const ofChunks = citations.map(({ chunk, quote, quoted, verified }) => {
    const place = [chunk.name, ...chunk.headingPath].filter((part) => part !== '').join(' › ');
    const pages = chunk.pages?.length ? `, page ${chunk.pages.join(', ')}` : '';
    const url = chunk.url === null ? '' : ` (${chunk.url})`;
    // The text above already has the words of a quotation: its beginning shows which one it is.
    const words = quoted ? shortened(oneLine(quote), QUOTATION_CODE_POINTS_MAX) : oneLine(quote);
    const said = words === '' ? '' : `: “${words}”`;
    return `${inert(oneLine(place))}${pages}${url}${inert(said)}${verified ? '' : ' (not verified)'}`;
  });
  const ofPages = webCitations.map(({ title, url }) => `${inert(oneLine(title))} (${url})`);
  const ofQuery = tableQuery ? [`Query of tables: ${inert(oneLine(tableQuery.result.sql))}`] : [];
  const [first, ...others] = [...ofQuery, ...ofChunks, ...new Set(ofPages)];
  return first === undefined ? '' : START + [first, ...others.map((note, i) => `${i + 2}. ${note}`)].join('\n');
}

/** Returns an earlier answer without its footnotes: programs send back what they got, and a model would imitate it. */
export function withoutFootnotes(text: string): string {
  const start = text.lastIndexOf(START);
  return start === -1 ? text : text.slice(0, start);
}

/** Returns the text without effect in Markdown: a file must not put links, pictures or HTML into a chat window. */
function inert(text: string): string {
  return text.replace(/[\\`[\]<>]/g, '\\$&');
}
