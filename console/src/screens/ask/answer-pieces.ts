/** An answer cut into what is drawn: text, shaded where nothing supports it, and the numbers of citations at the ends of their spans. */
import { cutAt, type Span } from '../../spans/spans.ts';

export interface AnswerPiece {
  text: string;
  start: number;
  /** No verified citation supports the text. */
  unsupported: boolean;
  /** Numbers of the citations whose span ends here. */
  numbers: number[];
}

interface Cited {
  citation: { number: number; spans: readonly Span[] };
}

export function answerPieces(text: string, citations: readonly Cited[], unsupported: readonly Span[]): AnswerPiece[] {
  const cited = citations.flatMap(({ citation }) =>
    citation.spans.map((span) => ({ ...span, number: citation.number })),
  );
  return cutAt(text, [...unsupported, ...cited]).map((piece) => {
    const end = piece.start + [...piece.text].length;
    const numbers = cited.filter((span) => span.end === end && span.start < end).map((span) => span.number);
    return {
      text: piece.text,
      start: piece.start,
      unsupported: piece.spans.some((at) => at < unsupported.length),
      numbers: [...new Set(numbers)].toSorted((a, b) => a - b),
    };
  });
}
