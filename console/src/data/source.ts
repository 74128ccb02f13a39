/** One source: what it is, its text, its chunks and its pages. */
import type { Content, Operations, SourceText } from '../../../src/client/api.ts';
import type { Span } from '../spans/spans.ts';
import { PinakesError, pinakes } from './api.ts';

const CHUNKS_PER_REQUEST = 100;

/** For whom content is read. Both absent: for the key alone. Ignored by the service while authorization is off. */
export interface Viewer {
  principal_id?: string;
  authz_policy?: string;
}

/** A chunk whose place in the text is known. */
export interface Chunk extends Pick<Content, 'id' | 'content' | 'heading_path' | 'pages'> {
  chunk_index: number;
  start_offset: number;
  end_offset: number;
}
/** A chunk whose place a policy may hide, because it hides something of the source. */
export type AnyChunk = Pick<Content, 'id' | 'content' | 'heading_path' | 'pages'>;
export type Source = Operations['getSource']['response'];
export type { SourceText };

export type PageBoxes = Operations['getPageBoxes']['response'];
export type Box = PageBoxes['boxes'][number];
export type Page = Operations['listPages']['response']['pages'][number];

export function readSource(id: string): Promise<Source> {
  return pinakes.getSource({ params: { id } });
}

export function readText(id: string, start: number, end: number, viewer: Viewer = {}): Promise<SourceText> {
  return pinakes.getSourceText({ params: { id }, query: { start_offset: start, end_offset: end, ...viewer } });
}

/** Returns a page of the chunks of a source, in reading order: all that the viewer sees, and those whose place is known. */
export async function readChunks(
  id: string,
  afterId: string | undefined,
  viewer: Viewer,
): Promise<{ seen: AnyChunk[]; chunks: Chunk[]; next: string | null; total: number }> {
  const query = { limit: CHUNKS_PER_REQUEST, ...(afterId !== undefined && { after_id: afterId }), ...viewer };
  const { chunks, pagination } = await pinakes.listSourceChunks({ params: { id }, query });
  return { seen: chunks, chunks: chunks.filter(isPlaced), next: pagination.next_id, total: pagination.total };
}

/** Whether the service says that there is no such thing for this viewer. */
export function isMissing(error: unknown): boolean {
  return error instanceof PinakesError && error.status === 404;
}

/** Returns the pages of a source; an empty list if its type has none, or the viewer may not see all of it. */
export async function readPages(id: string, viewer: Viewer): Promise<Page[]> {
  try {
    return (await pinakes.listPages({ params: { id }, query: { ...viewer } })).pages;
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Returns the boxes of a range of the text on a page, or those of its chunks. */
export function readBoxes(id: string, page: number, range: Span | null, viewer: Viewer): Promise<PageBoxes> {
  const query = range ? { start_offset: range.start, end_offset: range.end } : {};
  return pinakes.getPageBoxes({ params: { id, number: page }, query: { ...query, ...viewer } });
}

/** Returns the picture of a page. By its address alone, a page over http from another machine could not show it. @throws PinakesError */
export async function readPageImage(id: string, page: number, viewer: Viewer, signal: AbortSignal): Promise<Blob> {
  const query = { scale: 2, ...viewer } as const;
  const response = await pinakes.send('getPageImage', { params: { id, number: page }, query }, { signal });
  return response.blob();
}

/** Returns the file as it was uploaded or fetched. @throws PinakesError also while redaction rules apply */
export async function readOriginal(id: string, viewer: Viewer): Promise<Blob> {
  return (await pinakes.send('downloadOriginal', { params: { id }, query: { ...viewer } })).blob();
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
