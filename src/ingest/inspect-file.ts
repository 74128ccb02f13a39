/** What the service sees in a file, for people: the same detection, parser and chunker as in ingestion. */
import { readFile } from 'node:fs/promises';
import { type ChunkCut, chunkFile, codePointOffsets } from './chunker.ts';
import { detectFileType } from './file-types.ts';
import type { Block, FileFailure, ParsedFile, ProcessRequest } from './parsed.ts';
import { parseFile } from './parsers/parse-file.ts';
import { failureOf, languageOf } from './process-file.ts';

/** A block with its text; offsets are code points, as in chunks. */
export interface InspectedBlock {
  kind: Block['kind'];
  level?: number;
  startOffset: number;
  endOffset: number;
  pages: number[] | null;
  content: string;
}

export type Inspection =
  | { ok: true; parsed: ParsedFile; language: string | null; blocks: InspectedBlock[]; chunks: ChunkCut[] }
  | { ok: false; failure: FileFailure };

/** Runs in the calling process. Never rejects for a bad file. */
export async function inspectFile(request: ProcessRequest): Promise<Inspection> {
  try {
    const bytes = await readFile(request.path);
    const parsed = await parseFile(await detectFileType(bytes, request.name), bytes, request);
    return {
      ok: true,
      parsed,
      language: languageOf(parsed),
      blocks: inspectedBlocks(parsed),
      chunks: chunkFile(parsed),
    };
  } catch (error) {
    return { ok: false, failure: failureOf(error, 'parse') };
  }
}

function inspectedBlocks({ text, blocks }: ParsedFile): InspectedBlock[] {
  const starts = codePointOffsets(
    text,
    blocks.map((block) => block.start),
  );
  const ends = codePointOffsets(
    text,
    blocks.map((block) => block.end),
  );
  return blocks.map(({ kind, level, start, end, pages }, index) => ({
    kind,
    ...(level === undefined ? {} : { level }),
    startOffset: starts[index]!,
    endOffset: ends[index]!,
    pages: pages ? Array.from({ length: pages[1] - pages[0] + 1 }, (_, i) => pages[0] + i) : null,
    content: text.slice(start, end),
  }));
}
