import type { Answer } from '../../data/turns.ts';
import { say } from '../../words/words.ts';
import { answerPieces } from './answer-pieces.ts';

/** Returns an answer as text, with the numbers of its citations, and below it each source with the passage. */
export function answerText({ text, citations, unsupported }: Answer): string {
  const cited = answerPieces(text, citations, unsupported).map(
    (piece) => piece.text + piece.numbers.map((number) => ` [${number}]`).join(''),
  );
  const sources = citations.map((citation) => {
    const { number, quote, verified } = citation.citation;
    const page = 'pages' in citation ? citation.pages?.[0] : undefined;
    const place = page === undefined ? '' : `, ${say('search.page', { page })}`;
    return `[${number}] ${citation.name}${place}: “${quote}”${verified ? '' : ` ${say('ask.unverified')}`}`;
  });
  return [cited.join(''), ...(sources.length > 0 ? ['', ...sources] : [])].join('\n');
}
