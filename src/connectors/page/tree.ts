/**
 * Walks a tree of pages: a page, its child pages and databases, their rows, what is below those.
 *
 * Every page is seen in every run, with the time of its last edit: child pages in the block list of the page above, rows in
 * the query of their data source. The blocks of a page are read only when that time is another than at the last run. Where
 * child pages stand in a page is remembered in its state, so that of an unchanged page only those places are asked.
 *
 * The workspace rounds the time of an edit down to the minute: of a page that was edited within the last two minutes the
 * revision is not named, so the next run reads it again and its bytes are compared. The same holds for a page that shows
 * synced blocks of another page, whose edits leave no mark on it.
 */
import { Buffer } from 'node:buffer';
import type { Opaque } from '../../corpus/origin.ts';
import { ServiceError } from '../../errors.ts';
import { type Change, type Content, type ListRequest, OriginError, type OriginItem } from '../connector.ts';
import { endless, explainOriginFailure, type PageApi, PageApiError, parseAs, senseless } from './api.ts';
import { readBelow, readPageBlocks } from './blocks.ts';
import { type FileRef, fileOfBlock, filesOfProperties } from './files.ts';
import { nameLinks } from './links.ts';
import { blocksToMarkdown } from './markdown.ts';
import {
  childNode,
  type DatabaseNode,
  filesOf,
  type Node,
  type PageNode,
  pageItem,
  pageNode,
  type RowsNode,
  revisionOf,
  uuidOf,
} from './nodes.ts';
import { isRow, rowHead } from './properties.ts';
import { recentParents } from './recent.ts';
import { readWholeProperties } from './rows.ts';
import { escapeText } from './text.ts';
import { Database, isTrashed, Page, type WireBlock, type WireList } from './wire.ts';

/** Of one origin. */
const PAGES_MAX = 50_000;
/** Faults one after the other that are no longer those of single pages. */
const FAULTS_IN_A_ROW_MAX = 3;
const CHECKPOINT_VISITS = 50;
const CHECKPOINT_BYTES_MAX = 32 * 1024;
const STATE_BYTES_MAX = 60 * 1024;

/** What is kept with a page. */
interface PageState {
  holders: string[];
  files: FileRef[];
}

interface WalkOptions {
  api: PageApi;
  request: ListRequest;
  /** Names of people by their ids. */
  authors(): Promise<ReadonlyMap<string, string>>;
}

/** @throws OriginError; what the API throws for the whole origin. */
export async function* walkPages(options: WalkOptions, start: () => Promise<Node>): AsyncGenerator<Change> {
  const { api, request } = options;
  const resumed = request.resume as Resume | null;
  const pending = resumed ? [...resumed.pending] : [await start()];
  const startedAt = resumed?.startedAt ?? api.now().toISOString();
  const since = new Date(String(request.cursor?.['startedAt']));
  const walk: Walk = {
    ...options,
    pending,
    seen: new Set(),
    grown: Number.isFinite(since.getTime()) ? await recentParents(api, since) : new Set(),
    full: resumed?.full ?? true,
    faults: 0,
  };
  let visits = 0;
  for (let node = walk.pending.pop(); node !== undefined; node = walk.pending.pop()) {
    if (node.kind !== 'rows') {
      if (walk.seen.has(node.id)) continue;
      if (walk.seen.size >= PAGES_MAX) throw tooMany();
      walk.seen.add(node.id);
    }
    yield* visit(walk, node);
    visits += 1;
    if (visits < CHECKPOINT_VISITS || walk.pending.length === 0) continue;
    const resume: Resume = { pending: walk.pending, full: walk.full, startedAt };
    if (Buffer.byteLength(JSON.stringify(resume)) > CHECKPOINT_BYTES_MAX) continue;
    visits = 0;
    yield { kind: 'checkpoint', resume: structuredClone({ ...resume }) };
  }
  // Every run walks the whole tree; the next one only has to know when this one began.
  yield { kind: 'end', full: walk.full, cursor: { startedAt } };
}

interface Resume {
  pending: Node[];
  full: boolean;
  startedAt: string;
}

interface Walk extends WalkOptions {
  /** Next last. */
  pending: Node[];
  /** Pages and databases, and places in the lists of rows. */
  seen: Set<string>;
  /** Pages that have a page below them which was edited lately. */
  grown: ReadonlySet<string>;
  /** False when something below a page that could not be read may have been missed: then nothing is taken for gone. */
  full: boolean;
  faults: number;
}

async function* visit(walk: Walk, node: Node): AsyncGenerator<Change> {
  try {
    if (node.kind === 'page') yield* visitPage(walk, node);
    else if (node.kind === 'database') await visitDatabase(walk, node);
    else await visitRows(walk, node);
    walk.faults = 0;
  } catch (error) {
    yield await failureOf(walk, node, error);
  }
}

async function* visitPage(walk: Walk, node: PageNode): AsyncGenerator<Change> {
  const known = await walk.request.known(node.id);
  const state = readState(known?.state ?? null);
  const revision = revisionOf(node, walk.api.now());
  const item = await itemOf(walk, node, revision);
  const hasGrown = walk.grown.has(node.id) && !state?.holders.includes(node.id);
  if (state !== undefined && revision !== null && known?.revision === revision && !hasGrown) {
    const below = await belowOf(walk, state);
    if (below !== undefined) {
      yield { kind: 'present', item };
      yield* filesOf(item, state.files);
      push(
        walk,
        below.map((block) => childNode(block, node)),
      );
      return;
    }
  }
  const page = await readPage(walk.api, node);
  yield { kind: 'present', item: { ...item, ...page.changes }, content: page.content };
  yield* filesOf(item, page.files);
  push(
    walk,
    page.below.map((block) => childNode(block, node)),
  );
}

/** What stands in the remembered places; undefined when one of them is no more, so that the page is not unchanged. */
async function belowOf(walk: Walk, state: PageState): Promise<WireBlock[] | undefined> {
  const below: WireBlock[] = [];
  for (const holder of state.holders) {
    try {
      below.push(...(await readBelow(walk.api, holder)));
    } catch (error) {
      if (!isMissing(error)) throw error;
      return undefined;
    }
  }
  return below;
}

async function visitDatabase(walk: Walk, node: DatabaseNode): Promise<void> {
  const database = parseAs(Database, await walk.api.get(`databases/${node.id}`));
  if (database.data_sources === undefined) throw senseless();
  const several = database.data_sources.length > 1;
  push(
    walk,
    database.data_sources.map(({ id, name = '' }) => {
      const path = several && name !== '' ? [...node.path, node.title, name] : [...node.path, node.title];
      return { kind: 'rows', id: uuidOf(id), title: node.title, path };
    }),
  );
}

/** One page of rows; what follows is put behind them. */
async function visitRows(walk: Walk, node: RowsNode): Promise<void> {
  const query = {
    sorts: [{ timestamp: 'created_time', direction: 'ascending' }],
    ...(node.since === undefined
      ? {}
      : { filter: { timestamp: 'created_time', created_time: { on_or_after: node.since } } }),
  };
  const { cursor: _, ...rest } = node;
  const list = await rowsFrom(walk.api, node, query);
  if (list === undefined) {
    push(walk, [{ ...rest, restarted: true }]);
    return;
  }
  const rows: Node[] = [];
  let last: string | undefined;
  for (const one of list.results) {
    const result = parseAs(Page, one);
    const id = uuidOf(result.id);
    if (isTrashed(result)) continue;
    // A wiki holds databases beside its pages.
    if (result.object === 'data_source') rows.push({ kind: 'rows', id, title: node.title, path: node.path });
    else rows.push(pageNode(result, node.path));
    last = result.created_time;
  }
  if (list.next_cursor !== null) {
    const place = `${node.id} ${node.since ?? ''} ${list.next_cursor}`;
    if (walk.seen.has(place)) throw endless();
    walk.seen.add(place);
    rows.push({ ...rest, cursor: list.next_cursor });
  } else if (list.request_status?.type === 'incomplete') {
    // A query ends after so many rows: another begins at the time of the last.
    if (last === undefined || last === node.since) throw new PageApiError(413, 'query_result_limit_reached');
    rows.push({ ...rest, since: last });
  }
  push(walk, rows);
}

/** Undefined when the place where a cut-off run left the query is not known any more. */
async function rowsFrom(api: PageApi, node: RowsNode, query: Record<string, unknown>): Promise<WireList | undefined> {
  try {
    return (await api.pages(`data_sources/${node.id}/query`, query, node.cursor).next()).value ?? undefined;
  } catch (error) {
    if (!isMissing(error) || node.cursor === undefined || node.restarted) throw error;
    return undefined;
  }
}

/** Gone, not shared, or nothing that the API shows. */
function isMissing(error: unknown): boolean {
  return error instanceof PageApiError && (error.status === 404 || error.status === 400);
}

async function failureOf(walk: Walk, node: Node, error: unknown): Promise<Change> {
  const problem = explainOriginFailure(error);
  if (problem === undefined || error instanceof OriginError || isOfTheWholeRun(error)) throw error;
  const known = await walk.request.known(node.id);
  const { id: originId, title: name } = node;
  if (node.kind !== 'page' && isMissing(error)) {
    const reason = 'A linked view of a database that stands elsewhere, or not shared with the integration.';
    return { kind: 'skipped', originId, name, reason };
  }
  if (error instanceof PageApiError && error.status === 404 && known !== undefined) return { kind: 'gone', originId };
  if (problem.retryable) walk.faults += 1;
  if (walk.faults >= FAULTS_IN_A_ROW_MAX) throw new OriginError(problem, { cause: error });
  // Of a page that was never read nothing below it is stored.
  if (node.kind !== 'page' || known !== undefined) walk.full = false;
  return { kind: 'failed', originId, name, problem };
}

function isOfTheWholeRun(error: unknown): boolean {
  return error instanceof PageApiError ? error.status === 403 : !(error instanceof ServiceError);
}

interface ReadPage {
  content: Content;
  changes: Pick<OriginItem, 'revision'>;
  files: FileRef[];
  below: WireBlock[];
}

/** Blocks of a page as Markdown. @throws as `readPageBlocks`. */
export async function readPage(api: PageApi, node: PageNode): Promise<ReadPage> {
  const revision = revisionOf(node, api.now());
  const properties = await readWholeProperties(api, node.id, node.properties);
  const read = await readPageBlocks(api, node.id);
  await nameLinks(api, read.all);
  const files = [...read.all.flatMap((block) => fileOfBlock(block) ?? []), ...filesOfProperties(node.id, properties)];
  const head = isRow(properties) ? rowHead(node.title, properties) : { front: '', list: '' };
  const title = `# ${escapeText(node.title)}`;
  const body = [title, head.list, blocksToMarkdown(read.blocks, node.id)].filter((part) => part !== '').join('\n\n');
  const state: PageState = { holders: read.holders, files };
  const fits = Buffer.byteLength(JSON.stringify(state)) <= STATE_BYTES_MAX;
  const shows = read.all.some(({ type, content }) => type === 'synced_block' && content.synced_from);
  return {
    content: {
      body: one(Buffer.from(`${head.front}${body}\n`)),
      ...(fits ? { state: state as unknown as Opaque } : {}),
    },
    changes: { revision: fits && !shows ? revision : null },
    files,
    below: read.below,
  };
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function itemOf(walk: Walk, node: PageNode, revision: string | null): Promise<OriginItem> {
  const author = node.authorId === null ? undefined : (await walk.authors()).get(node.authorId);
  return pageItem(node, author, revision);
}

/** In their order: the first is visited first, and what is below it before the second. */
function push(walk: Walk, nodes: readonly Node[]): void {
  walk.pending.push(...nodes.toReversed());
}

function readState(state: Opaque | null): PageState | undefined {
  const { holders, files } = (state ?? {}) as Partial<PageState>;
  return Array.isArray(holders) && Array.isArray(files) ? { holders, files } : undefined;
}

function tooMany(): OriginError {
  return new OriginError({
    title: 'The page tree is too large',
    message: `A source may have at most ${PAGES_MAX} pages. Choose pages further down and make a source of each.`,
    retryable: false,
  });
}
