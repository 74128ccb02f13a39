/** Reads the blocks of a page with all nested blocks. */
import { type PageApi, PageApiError, unexpectedResponse } from './api.ts';
import { hyphenated } from './id.ts';
import { type BlockContent, isTrashed, type PageBlock, parseBlock, type WireBlock } from './wire.ts';

const BLOCKS_PER_PAGE_MAX = 20_000;
const NESTING_MAX = 40;

const PARTS: readonly [member: 'summary_block_id' | 'notes_block_id' | 'transcript_block_id', title: string][] = [
  ['summary_block_id', 'Summary'],
  ['notes_block_id', 'Notes'],
  ['transcript_block_id', 'Transcript'],
];

interface PageBlocks {
  blocks: PageBlock[];
  /** Direct child pages and databases of this page, in order. */
  below: PageBlock[];
  /** The page and those of its blocks that contain child pages or databases. */
  holders: string[];
  /** All blocks, in the order of the text. */
  all: PageBlock[];
  /** Blocks in it are not shared with the integration. They may be shared without an edit of the page. */
  lacksShared: boolean;
}

/**
 * Reads the blocks of a page. @throws the same errors as `PageApi.get`; PageApiError when the page is not readable or over a
 * limit.
 */
export async function readPageBlocks(api: PageApi, pageId: string): Promise<PageBlocks> {
  const all: PageBlock[] = [];
  const below: PageBlock[] = [];
  const holders = new Set<string>();
  const seen = new Set([pageId]);
  let lacksShared = false;

  async function readChildren(holder: string, depth: number, isSynced: boolean): Promise<PageBlock[]> {
    const blocks: PageBlock[] = [];
    for await (const wire of childrenOf(api, holder)) {
      if (seen.has(wire.id)) continue;
      seen.add(wire.id);
      if (all.length >= BLOCKS_PER_PAGE_MAX) throw new PageApiError(413, 'too_many_blocks');
      const block: PageBlock = { ...wire, children: [], unreadable: false };
      all.push(block);
      blocks.push(block);
      if (isBelow(block)) {
        // A child page in a synced block has its real place elsewhere, in this tree or outside.
        if (!isSynced) {
          below.push(block);
          holders.add(holder);
        }
      } else await readNested(block, depth, isSynced || block.content.synced_from !== undefined);
    }
    return blocks;
  }

  async function readNested(block: PageBlock, depth: number, isSynced: boolean): Promise<void> {
    try {
      const parts = block.content.children;
      if (parts !== undefined) {
        for (const [member, title] of PARTS) {
          const id = hyphenated(parts[member] ?? '');
          if (id === undefined || seen.has(id)) continue;
          seen.add(id);
          const children = await readChildren(id, depth + 1, isSynced);
          if (children.length > 0) block.children.push(partTitle(id, title), ...children);
        }
      } else if (block.has_children === true) {
        if (depth >= NESTING_MAX) throw new PageApiError(400, 'nesting');
        block.children = await readChildren(block.id, depth + 1, isSynced);
      }
    } catch (error) {
      // The original of a synced block may not be shared, and the API does not return some blocks. The rest of the page is
      // readable.
      if (!(error instanceof PageApiError) || ![400, 403, 404].includes(error.status)) throw error;
      block.unreadable = true;
      lacksShared ||= error.status !== 400;
    }
  }

  const blocks = await readChildren(pageId, 0, false);
  return { blocks, below, holders: [...holders], all, lacksShared };
}

/** Returns the direct child pages and databases of `holder`. @throws the same errors as `PageApi.get`. */
export async function readBelow(api: PageApi, holder: string): Promise<WireBlock[]> {
  return (await Array.fromAsync(childrenOf(api, holder))).filter(isBelow);
}

async function* childrenOf(api: PageApi, holder: string): AsyncGenerator<WireBlock> {
  for await (const { results } of api.pages(`blocks/${holder}/children`))
    for (const result of results) {
      const block = wireBlock(result);
      if (!isTrashed(block)) yield block;
    }
}

function isBelow({ type }: WireBlock): boolean {
  return type === 'child_page' || type === 'child_database';
}

/** Parses a block. @throws OriginError when the value is not a block. */
export function wireBlock(value: unknown): WireBlock {
  const block = parseBlock(value);
  const id = block && hyphenated(block.id);
  if (id === undefined) throw unexpectedResponse();
  return { ...block, id } as WireBlock;
}

function partTitle(id: string, title: string): PageBlock {
  const content: BlockContent = { rich_text: [{ type: 'text', plain_text: title, annotations: { bold: true } }] };
  return { id, type: 'paragraph', content, children: [], unreadable: false };
}
