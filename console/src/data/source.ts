/** One source: what it is, its text, its chunks and its pages. */
import type { Content, Operations, Source, SourceText } from '../../../src/client/api.ts';
import type { Span } from '../spans/spans.ts';
import { PinakesError, pinakes } from './api.ts';

const CHUNKS_PER_REQUEST = 100;

/** A chunk whose place in the text is known. */
export interface Chunk extends Pick<Content, 'id' | 'content' | 'heading_path' | 'pages'> {
  chunk_index: number;
  start_offset: number;
  end_offset: number;
}
export type { Source, SourceText };

export type PageBoxes = Operations['getPageBoxes']['response'];
export type Box = PageBoxes['boxes'][number];
export type Page = Operations['listPages']['response']['pages'][number];

export function readSource(id: string): Promise<Source> {
  return pinakes.getSource({ params: { id } });
}

export function readText(id: string, start: number, end: number): Promise<SourceText> {
  return pinakes.getSourceText({ params: { id }, query: { start_offset: start, end_offset: end } });
}

/** Returns a page of the chunks of a source, in reading order, without those whose place a policy hides. */
export async function readChunks(
  id: string,
  afterId: string | undefined,
): Promise<{ chunks: Chunk[]; next: string | null }> {
  const { chunks, pagination } = await pinakes.listSourceChunks({
    params: { id },
    query: { limit: CHUNKS_PER_REQUEST, ...(afterId !== undefined && { after_id: afterId }) },
  });
  return { chunks: chunks.filter(isPlaced), next: pagination.next_id };
}

/** Returns the pages of a source; an empty list if its type has none. */
export async function readPages(id: string): Promise<Page[]> {
  try {
    return (await pinakes.listPages({ params: { id } })).pages;
  } catch (error) {
    if (error instanceof PinakesError && error.status === 404) return [];
    throw error;
  }
}

/** Returns the boxes of a range of the text on a page, or those of its chunks. */
export function readBoxes(id: string, page: number, range: Span | null): Promise<PageBoxes> {
  const query = range ? { start_offset: range.start, end_offset: range.end } : {};
  return pinakes.getPageBoxes({ params: { id, number: page }, query });
}

export function pageImage(id: string, page: number): string {
  return `/api/v1/sources/${encodeURIComponent(id)}/pages/${page}/image?scale=2`;
}

/** Whether chunks of the page have a part of the span. */
export function overlaps(span: Span, page: Page): boolean {
  return (
    page.start_offset !== null &&
    page.end_offset !== null &&
    span.start < page.end_offset &&
    span.end > page.start_offset
  );
}

function isPlaced<T extends Pick<Content, 'chunk_index' | 'start_offset' | 'end_offset'>>(
  chunk: T,
): chunk is T & Chunk {
  return chunk.chunk_index !== null && chunk.start_offset !== null && chunk.end_offset !== null;
}
