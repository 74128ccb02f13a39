/** One source: what it is, its text, its chunks and its pages. */
import type { Content, Source, SourceText } from '../../../src/client/api.ts';
import { pinakes, sessionFetch } from './api.ts';
import { errorOf } from './sources.ts';

const CHUNKS_PER_REQUEST = 100;

export type Chunk = Pick<
  Content,
  'id' | 'content' | 'chunk_index' | 'start_offset' | 'end_offset' | 'heading_path' | 'pages'
>;
export type { Source, SourceText };

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Page {
  number: number;
  width: number;
  height: number;
  start_offset: number | null;
  end_offset: number | null;
}

export interface PageBoxes {
  boxes: Box[];
  chunks?: { chunk_id: string; boxes: Box[] }[];
}

export function readSource(id: string): Promise<Source> {
  return pinakes.getSource({ params: { id } });
}

export function readText(id: string, start: number, end: number): Promise<SourceText> {
  return pinakes.getSourceText({ params: { id }, query: { start_offset: start, end_offset: end } });
}

/** Returns a page of the chunks of a source, in reading order. */
export async function readChunks(
  id: string,
  afterId: string | undefined,
): Promise<{ chunks: Chunk[]; next: string | null }> {
  const { chunks, pagination } = await pinakes.listSourceChunks({
    params: { id },
    query: { limit: CHUNKS_PER_REQUEST, ...(afterId !== undefined && { after_id: afterId }) },
  });
  return { chunks, next: pagination.next_id };
}

/** Returns the pages of a source; an empty list if its type has none. */
export async function readPages(id: string): Promise<Page[]> {
  const response = await sessionFetch(`/api/v1/sources/${encodeURIComponent(id)}/pages`);
  if (response.status === 404) return [];
  if (!response.ok) throw await errorOf(response);
  return ((await response.json()) as { pages: Page[] }).pages;
}

export async function readBoxes(
  id: string,
  page: number,
  range: { start: number; end: number } | null,
): Promise<PageBoxes> {
  const query = range ? `?start_offset=${range.start}&end_offset=${range.end}` : '';
  const response = await sessionFetch(`/api/v1/sources/${encodeURIComponent(id)}/pages/${page}/boxes${query}`);
  if (!response.ok) throw await errorOf(response);
  return (await response.json()) as PageBoxes;
}

export function pageImage(id: string, page: number): string {
  return `/api/v1/sources/${encodeURIComponent(id)}/pages/${page}/image?scale=2`;
}
