/** Cuts texts at offsets. The service counts code points, JavaScript counts UTF-16 units: all cutting is done here. */

export interface Span {
  start: number;
  end: number;
}

/** Returns the offset in code points of a quote in a text; undefined if it is not there exactly once. */
export function placeOf(text: string, quote: string): Span | undefined {
  if (quote === '') return undefined;
  const at = text.indexOf(quote);
  if (at < 0 || text.includes(quote, at + 1)) return undefined;
  const start = [...text.slice(0, at)].length;
  return { start, end: start + [...quote].length };
}

interface PlacedText {
  content: string;
  /** Null: a policy hides the place. */
  start_offset: number | null;
  end_offset: number | null;
}

/** Whether offsets of the content are those of the source: redaction may have made it shorter or longer. */
export function keepsOffsets({ content, start_offset: start, end_offset: end }: PlacedText): boolean {
  return start !== null && end !== null && [...content].length === end - start;
}

/** Returns the place of a quote of a chunk in the text of the source; undefined if it is not certain. */
export function placeOfQuote(chunk: PlacedText, quote: string): Span | undefined {
  const at = keepsOffsets(chunk) ? placeOf(chunk.content, quote) : undefined;
  return at && { start: chunk.start_offset! + at.start, end: chunk.start_offset! + at.end };
}

export interface Piece {
  text: string;
  start: number;
  /** The spans that cover the piece, by their positions in the list. */
  spans: number[];
}

/** Cuts a text at the borders of spans. The pieces joined are the text. Spans outside of the text are cut off. */
export function cutAt(text: string, spans: readonly Span[]): Piece[] {
  const points = [...text];
  const inside = spans.map(({ start, end }) => ({ start: Math.max(0, start), end: Math.min(points.length, end) }));
  const borders = new Set([0, points.length]);
  for (const { start, end } of inside) if (start < end) borders.add(start).add(end);
  const sorted = [...borders].toSorted((a, b) => a - b);
  return sorted.slice(0, -1).map((start, at) => {
    const end = sorted[at + 1]!;
    const covering = inside.flatMap((span, index) => (span.start <= start && end <= span.end ? [index] : []));
    return { text: points.slice(start, end).join(''), start, spans: covering };
  });
}

export interface Block {
  /** Position of the chunk in the source; null for text between chunks, and for redacted text, where borders are unknown. */
  chunk: number | null;
  redacted?: true;
  pieces: { text: string; start: number; marked: boolean }[];
}

interface ChunkRange {
  chunk_index: number;
  start_offset: number;
  end_offset: number;
}

/**
 * Cuts a part of the text of a source into the blocks of its chunks. Where chunks overlap, the text belongs to the one that began last.
 *
 * @param from offset of the part in the text of the source, in code points.
 */
export function blocksOf(text: string, from: number, chunks: readonly ChunkRange[], mark: Span | null): Block[] {
  const spans: Span[] = chunks.map((chunk) => ({ start: chunk.start_offset - from, end: chunk.end_offset - from }));
  const markAt = spans.length;
  if (mark) spans.push({ start: mark.start - from, end: mark.end - from });
  const blocks: Block[] = [];
  for (const piece of cutAt(text, spans)) {
    const covering = piece.spans.filter((at) => at !== markAt).map((at) => chunks[at]!.chunk_index);
    const chunk = covering.length === 0 ? null : Math.max(...covering);
    const part = { text: piece.text, start: from + piece.start, marked: piece.spans.includes(markAt) };
    const last = blocks.at(-1);
    if (last && last.chunk === chunk) last.pieces.push(part);
    else blocks.push({ chunk, pieces: [part] });
  }
  return blocks;
}

/** Returns the blocks of consecutive parts of the text. In a part whose length redaction has changed, no place is known. */
export function blocksOfParts(
  parts: readonly { text: string; start_offset: number; end_offset: number }[],
  chunks: readonly ChunkRange[],
  mark: Span | null,
): Block[] {
  const blocks: Block[] = [];
  let [joined, from] = ['', parts[0]?.start_offset ?? 0];
  const flush = (until: number): void => {
    blocks.push(...blocksOf(joined, from, chunks, mark));
    [joined, from] = ['', until];
  };
  for (const { text, start_offset: start, end_offset: end } of parts) {
    if (keepsOffsets({ content: text, start_offset: start, end_offset: end })) {
      joined += text;
      continue;
    }
    flush(end);
    blocks.push({ chunk: null, redacted: true, pieces: [{ text, start, marked: false }] });
  }
  flush(0);
  return blocks;
}
