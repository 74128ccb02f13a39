/** The tool `read_source`: a range of the text of a source, or the chunks around a chunk. */
import { z } from 'zod';
import { accessOf } from '../../access/access.ts';
import { invalidRequest, notFound } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { contentShape } from '../../http/records/content-record.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import type { Route } from '../../http/route.ts';
import { callRoute, type Exchange } from '../../http/tools/exchange.ts';
import { type Tool, tool } from '../../http/tools/tool.ts';
import { withRedactor } from '../../redaction/redactors.ts';
import { addNeighbours, readNeighbours } from '../../retrieval/reading/hits.ts';
import { findChunk, findChunkIds, findPassageAt, readerViewOfChunks } from '../../retrieval/reading/lookup.ts';
import { isId } from '../../util/ids.ts';

const LENGTH_DEFAULT = 8_000;
const LENGTH_MAX = 50_000;
const NEIGHBOURS_DEFAULT = 2;
const NEIGHBOURS_MAX = 20;
/** Maximum chunks of a text that an answer may cite. */
const CITED_MAX = 20;

const input = z.strictObject({
  source_id: z.string().optional().describe('Reads the text of this source, from start_offset on.'),
  start_offset: z.int().min(0).default(0).describe('First code point of the text to read.'),
  start_line: z
    .int()
    .min(1)
    .optional()
    .describe('Instead of start_offset: reads from the passage on that has this line of the file.'),
  length: z.int().min(1).max(LENGTH_MAX).default(LENGTH_DEFAULT).describe('Maximum code points to read.'),
  chunk_id: z.string().optional().describe('Instead of source_id: reads the passages around this search result.'),
  before: z
    .int()
    .min(0)
    .max(NEIGHBOURS_MAX)
    .default(NEIGHBOURS_DEFAULT)
    .describe('With chunk_id: how many passages before it.'),
  after: z
    .int()
    .min(0)
    .max(NEIGHBOURS_MAX)
    .default(NEIGHBOURS_DEFAULT)
    .describe('With chunk_id: how many passages after it.'),
});

const { id, chunk_index, content, start_offset, end_offset, start_line, end_line } = contentShape;
const chunkSchema = z.object({ id, chunk_index, content, start_offset, end_offset, start_line, end_line });
const output = z.object({
  source_id: contentShape.source_id,
  text: z.string().optional().describe('With source_id: the text.'),
  start_line: z
    .int()
    .optional()
    .describe('With source_id and start_line: the line of the file on which the text begins.'),
  start_offset: z.int().optional().describe('With source_id: offset of the first code point of the text.'),
  end_offset: z.int().optional().describe('With source_id: offset behind the last code point of the text.'),
  text_length: z.int().optional().describe('With source_id: code points of the whole text.'),
  next_offset: z
    .int()
    .nullable()
    .optional()
    .describe('With source_id: the start_offset that reads on; null at the end.'),
  chunks: z.array(chunkSchema).optional().describe('With chunk_id: the passages in reading order.'),
});

export function readSourceTool(deps: Deps, textRoute: Route): Tool {
  const findLine = (sourceId: string, line: number, { caller, principal }: Exchange) =>
    deps.db.transaction(caller.tenantId, async (tx) =>
      findPassageAt(tx, sourceId, line, await accessOf(deps, tx, caller, principal)),
    );
  const run = async (
    { source_id: sourceId, chunk_id: chunkId, ...args }: z.output<typeof input>,
    exchange: Exchange,
  ): Promise<z.input<typeof output>> => {
    if (sourceId === undefined && chunkId === undefined) throw invalidRequest('Give source_id or chunk_id.');
    if (sourceId !== undefined && chunkId !== undefined)
      throw invalidRequest(
        'Give source_id or chunk_id, not both: source_id reads the text of a source, chunk_id reads around a search result.',
      );
    if (chunkId !== undefined) return readAround(deps, chunkId, args, exchange);
    if (!isId(sourceId!)) throw notFound();
    const { start_line: line, start_offset: offset, length } = args;
    if (line !== undefined && offset !== 0) throw invalidRequest('Give start_offset or start_line, not both.');
    const passage = line === undefined ? undefined : await findLine(sourceId!, line, exchange);
    const start = passage?.startOffset ?? offset;
    const query = { start_offset: String(start), end_offset: String(start + length) };
    // First of all, this answers whether the caller may see the source.
    const found = await callRoute(textRoute, { params: { id: sourceId }, query }, exchange);
    if (line !== undefined && !passage)
      throw invalidRequest('No lines of this source are known: read it by start_offset.');
    return { ...(found as z.input<typeof output>), ...(passage && { start_line: passage.startLine }) };
  };
  return tool({
    name: 'read_source',
    title: 'Read a source',
    description:
      'Reads the text of a source in pages (source_id, start_offset or start_line, length), or the passages around a search result ' +
      '(chunk_id, before, after). Ids come from search and list_sources. Where only a part of a source may be seen, only chunk_id works.',
    scopes: textRoute.scopes,
    input,
    output,
    within: 'ids',
    run,
    toText({ text, start_line: line, next_offset: next, chunks = [] }) {
      if (text === undefined)
        return chunks
          .map(({ chunk_index: index, start_line: start, end_line: end, content }) =>
            [`[${index ?? '?'}]`, start === null ? content : `lines ${start}-${end}\n${content}`].join(' '),
          )
          .join('\n\n');
      const read = line === undefined ? text : `[From line ${line} of the file.]\n\n${text}`;
      return next === null ? read : `${read}\n\n[More text follows: read on with start_offset ${next}.]`;
    },
    async keep(_args, { source_id: sourceId, text, chunks, ...range }, { caller, principal }) {
      if (text === undefined) {
        const ids = (chunks ?? []).map((chunk) => chunk.id);
        return { chunkIds: ids, found: ids.length, more: {} };
      }
      const { start_offset: start = 0, end_offset: end = 0 } = range;
      const chunkIds = await deps.db.transaction(caller.tenantId, async (tx) => {
        const access = await accessOf(deps, tx, caller, principal);
        return findChunkIds(tx, sourceId, { start, end, max: CITED_MAX }, access);
      });
      return { chunkIds, found: text === '' ? 0 : 1, more: {} };
    },
    restore: (args, _kept, exchange) => run(args, exchange),
  });
}

/** Returns a chunk with its visible neighbours. @throws ServiceError not_found */
async function readAround(
  deps: Deps,
  chunkId: string,
  around: { before: number; after: number },
  { caller, principal }: Exchange,
): Promise<z.input<typeof output>> {
  if (!isId(chunkId)) throw notFound();
  const { row, neighbours, redactor } = await withRedactor(deps, caller.tenantId, async (tx) => {
    const access = await accessOf(deps, tx, caller, principal);
    const row = await findChunk(tx, chunkId, access);
    return { row, neighbours: row ? await readNeighbours(tx, access, [row], around) : null };
  });
  const [hit] = await readerViewOfChunks(redactor, row ? [row] : []);
  if (!hit) throw notFound();
  await addNeighbours([hit], neighbours, redactor);
  const { before = [], after = [] } = hit.neighbours ?? {};
  return {
    source_id: hit.sourceId,
    chunks: [...before, hit, ...after].map((chunk) => toRecord(chunkSchema, chunk)),
  };
}
