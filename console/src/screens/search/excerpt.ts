/** The part of a chunk that a result shows. */
import { markdownMarks } from '../../../../src/client/markdown-marks.ts';
import { cutAt, type Span } from '../../spans/spans.ts';

const EXCERPT_POINTS = 420;
const BEFORE_POINTS = 120;

export interface ExcerptPiece {
  text: string;
  start: number;
  /** Part of the sentence with most words of the query. */
  marked: boolean;
  /** A word of the query. */
  word: boolean;
}

/** Returns the pieces of the part around the sentence, and whether text is left out before and after it. Marks of Markdown are left out. */
export function excerptOf(
  content: string,
  sentence: Span | null,
  words: readonly Span[],
  fileType?: string,
): { pieces: ExcerptPiece[]; before: boolean; after: boolean } {
  const points = [...content];
  const from =
    sentence && points.length > EXCERPT_POINTS ? wordStart(points, Math.max(0, sentence.start - BEFORE_POINTS)) : 0;
  const until = Math.min(points.length, Math.max(from + EXCERPT_POINTS, sentence?.end ?? 0));
  const shift = ({ start, end }: Span): Span => ({ start: start - from, end: end - from });
  const shown = points.slice(from, until).join('');
  const marks = marksOf(content, fileType);
  const spans = [...(sentence ? [shift(sentence)] : [{ start: 0, end: 0 }]), ...[...words, ...marks].map(shift)];
  const pieces = cutAt(shown, spans)
    .filter(({ spans: covering }) => !covering.some((at) => at > words.length))
    .map(({ text, start, spans: covering }) => ({
      text,
      start,
      marked: covering.includes(0),
      word: covering.some((at) => at > 0),
    }));
  return { pieces, before: from > 0, after: until < points.length };
}

/** Returns where the marks of Markdown are, in code points. */
function marksOf(text: string, fileType: string | undefined): Span[] {
  let [units, points] = [0, 0];
  const pointsUntil = (until: number): number => {
    points += [...text.slice(units, until)].length;
    units = until;
    return points;
  };
  return markdownMarks(text, fileType).map(({ start, end }) => ({ start: pointsUntil(start), end: pointsUntil(end) }));
}

/** Returns the offset of the next word, so that an excerpt does not begin within one. Texts without spaces have no words to keep. */
function wordStart(points: readonly string[], at: number): number {
  if (at === 0) return 0;
  const space = points.slice(at, at + 30).findIndex((point) => /\s/.test(point));
  return space < 0 ? at : at + space + 1;
}
