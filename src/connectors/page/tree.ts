/**
 * Walks a tree of pages: a page, its child pages and databases, their rows, and everything below them.
 *
 * Every run sees every page with its edit time: child pages in the block list of their parent, rows in the query of their data
 * source. The blocks of a page are read only if the edit time changed since the last run. The state of a page records which
 * blocks contain child pages, so for an unchanged page only these blocks are listed.
 *
 * The workspace rounds the edit time down to the minute. A page edited within the last two minutes gets no revision, so the
 * next run reads it again and compares its bytes. A page with synced blocks of another page gets no revision either, because
 * edits of the other page do not change its edit time; nor does a page with blocks that are not shared.
 *
 * A walk that was cut off goes on at its last checkpoint: it lists only what is around this place, and leaves out what came before. At its
 * end it asks for each stored page that the run has not reported, so no page is lost that moved meanwhile.
 */
import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import type { Opaque } from '../../corpus/origin.ts';
import { type Change, type Content, type ListRequest, OriginError, type OriginItem } from '../connector.ts';
import {
  endlessList,
  explainOriginFailure,
  isMissing,
  isOfTheWholeRun,
  type PageApi,
  PageApiError,
  parseAs,
  unexpectedResponse,
} from './api.ts';
import { readBelow, readPageBlocks } from './blocks.ts';
import { type FileRef, fileOfBlock, filesOfProperties } from './files.ts';
import { nameLinks } from './links.ts';
import { blocksToMarkdown } from './markdown.ts';
import { findMoved, nodeToVisit } from './moved.ts';
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
import { Queue } from './queue.ts';
import { seenPages } from './recent.ts';
import { readWholeProperties } from './rows.ts';
import { escapeText } from './text.ts';
import { Database, isTrashed, Page, type WireBlock, type WireList } from './wire.ts';

/** Pages of one origin. */
const PAGES_MAX = 50_000;
/** Consecutive failures after which the whole listing counts as failed. */
const FAULTS_IN_A_ROW_MAX = 3;
const STATE_BYTES_MAX = 60 * 1024;
const CHECKPOINT_VISITS = 50;
/** A place has a cursor for each list of rows before it. */
const RESUME_CHARS_MAX = 256 * 1024;
/** Less than the caller names at most: a longer list may lack items. */
const FAILED_IN_CURSOR_MAX = 200;

/** The state that is stored with a page. */
interface PageState {
  holders: string[];
  files: FileRef[];
}

interface WalkOptions {
  api: PageApi;
  request: ListRequest;
  /** Returns the names of users by their ids. */
  authors(): Promise<ReadonlyMap<string, string>>;
}

/** Lists the tree. @throws OriginError; errors of the API that concern the whole origin. */
export async function* walkPages(options: WalkOptions, start: () => Promise<Node>): AsyncGenerator<Change> {
  const { api, request } = options;
  const resume = readResume(request.resume);
  const root = await start();
  const startedAt = resume?.startedAt ?? api.now().toISOString();
  const stored = (await request.listStored?.()) ?? [];
  const since = new Date(String(request.cursor?.['startedAt']));
  const seen = stored.length > 0 ? await seenPages(api, since, stored) : { ids: new Set<string>(), parents: [] };
  const walk: Walk = {
    ...options,
    queue: new Queue(resume?.place ?? []),
    seen: new Set(),
    places: new Map(),
    toReadAgain: new Set([...seen.parents, ...failedIn(request.cursor)]),
    shared: seen.ids,
    full: resume?.full ?? true,
    faults: 0,
  };
  walk.queue.add([root]);
  yield* visitQueue(walk, startedAt);
  if (walk.full) yield* visitMoved(walk, (await request.listUnreported?.()) ?? []);
  // Every run walks the whole tree. The next run only needs the start time of this one.
  yield { kind: 'end', full: walk.full, cursor: { startedAt } };
}

/** @param startedAt the start of the run, for checkpoints; null: there are none. */
async function* visitQueue(walk: Walk, startedAt: string | null): AsyncGenerator<Change> {
  let visits = 0;
  for (let node = walk.queue.next(); node !== undefined; node = walk.queue.next()) {
    if (node.kind !== 'rows') {
      if (walk.seen.has(node.id)) continue;
      if (walk.seen.size >= PAGES_MAX) throw tooMany();
      walk.seen.add(node.id);
    }
    yield* visit(walk, node);
    visits += 1;
    const place = walk.queue.place();
    if (startedAt === null || place === undefined || visits % CHECKPOINT_VISITS !== 0) continue;
    const resume = { startedAt, full: walk.full, place } satisfies Resume;
    if (JSON.stringify(resume).length <= RESUME_CHARS_MAX) yield { kind: 'checkpoint', resume };
  }
}

/** Visits stored pages that were moved to places which the walk had passed: otherwise they would count as gone. */
async function* visitMoved(walk: Walk, unreported: readonly string[]): AsyncGenerator<Change> {
  const unseen = unreported.filter((id) => !walk.seen.has(id));
  const { chains, gone, isComplete } = await findMoved(walk.api, unseen, walk.shared, (id) => walk.places.has(id));
  walk.full &&= isComplete;
  const tried = new Set<string>();
  const isDone = (id: string) => walk.seen.has(id) || tried.has(id);
  for (let isNew = true; isNew; ) {
    const lost = chains.filter(([page]) => !isDone(page!.id));
    const found = lost.flatMap((chain) => nodeToVisit(chain, walk.places, isDone) ?? []);
    const nodes = new Map(found.map((node) => [node.id, node]));
    for (const id of nodes.keys()) tried.add(id);
    isNew = nodes.size > 0;
    walk.queue.add([...nodes.values()]);
    yield* visitQueue(walk, null);
  }
  if (isComplete) return;
  // Nothing else counts as gone in this run. These do, so that the next run asks for others.
  const outside = chains.filter((chain) => !chain.some(({ id }) => walk.places.has(id))).map((chain) => chain[0]!.id);
  for (const originId of [...gone, ...outside]) if (!walk.seen.has(originId)) yield { kind: 'gone', originId };
}

/**
 * Returns the cursor after a run in which these items failed. The search of the next run finds pages edited since this run, so a page that
 * this run read because of the search, and failed to read, must be named. Returns null for many items: then the next search starts where
 * that of this run started.
 */
export function withFailed(cursor: Opaque, failed: readonly string[]): Opaque | null {
  return failed.length > FAILED_IN_CURSOR_MAX ? null : { ...cursor, failed };
}

function failedIn(cursor: Opaque | null): string[] {
  const failed = cursor?.['failed'];
  return Array.isArray(failed) ? failed.map(String) : [];
}

/** What a walk that was cut off needs to go on. */
interface Resume {
  startedAt: string;
  full: boolean;
  place: string[];
}

interface Walk extends WalkOptions {
  queue: Queue;
  /** Visited pages and databases, and positions in lists of rows. */
  seen: Set<string>;
  /** Maps pages, databases and data sources whose content was listed to the path of this content. */
  places: Map<string, string[]>;
  /** Pages that are read although their edit time is the same: they have recently edited child pages, or failed in the last run. */
  toReadAgain: ReadonlySet<string>;
  /** Pages that the search found: they are shared with the integration. */
  shared: ReadonlySet<string>;
  /** False if pages below an unreadable page may have been missed: then no source counts as gone. */
  full: boolean;
  faults: number;
}

async function* visit(walk: Walk, node: Node): AsyncGenerator<Change> {
  try {
    if (node.kind === 'page') yield* visitPage(walk, node);
    else if (node.kind === 'database') await visitDatabase(walk, node);
    else await visitRows(walk, node);
    walk.faults = 0;
    walk.places.set(node.id, node.kind === 'rows' ? node.path : [...node.path, node.title]);
  } catch (error) {
    yield* failureOf(walk, node, error);
  }
}

async function* visitPage(walk: Walk, node: PageNode): AsyncGenerator<Change> {
  const stored = await walk.request.findStored(node.id);
  const state = readState(stored?.state ?? null);
  const revision = revisionOf(node, walk.api.now());
  const item = await itemOf(walk, node, revision);
  const isReadAgain = walk.toReadAgain.has(node.id) && !state?.holders.includes(node.id);
  if (state !== undefined && revision !== null && stored?.revision === revision && !isReadAgain) {
    // Otherwise no request says whether the page may still be read.
    if (state.holders.length === 0 && node.properties === undefined && !walk.shared.has(node.id))
      await walk.api.get(`pages/${node.id}`);
    const below = await storedChildren(walk, state);
    if (below !== undefined) {
      yield { kind: 'present', item };
      yield* filesOf(item, state.files);
      walk.queue.add(below.map((block) => childNode(block, node)));
      return;
    }
  }
  const page = await readPage(walk.api, node);
  yield { kind: 'present', item: { ...item, ...page.changes }, content: page.content };
  yield* filesOf(item, page.files);
  walk.queue.add(page.below.map((block) => childNode(block, node)));
}

/**
 * Returns the child pages in the recorded blocks. Returns undefined if one of the blocks is gone, so that the page counts as
 * changed.
 */
async function storedChildren(walk: Walk, state: PageState): Promise<WireBlock[] | undefined> {
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
  if (database.data_sources === undefined) throw unexpectedResponse();
  const several = database.data_sources.length > 1;
  walk.queue.add(
    database.data_sources.map(({ id, name = '' }) => {
      const path = several && name !== '' ? [...node.path, node.title, name] : [...node.path, node.title];
      return { kind: 'rows', id: uuidOf(id), title: node.title, path };
    }),
  );
}

/** Visits one result page of rows, and queues the next one. */
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
    walk.queue.add([{ ...rest, restarted: true }]);
    return;
  }
  const rows: Node[] = [];
  let last: string | undefined;
  for (const listed of list.results) {
    const result = parseAs(Page, listed);
    const id = uuidOf(result.id);
    if (isTrashed(result)) continue;
    // A wiki contains databases besides its pages.
    if (result.object === 'data_source') rows.push({ kind: 'rows', id, title: node.title, path: node.path });
    else rows.push(pageNode(result, node.path));
    last = result.created_time;
  }
  if (list.next_cursor !== null) {
    const position = `${node.id} ${node.since ?? ''} ${node.restarted === true} ${list.next_cursor}`;
    if (walk.seen.has(position)) throw endlessList();
    walk.seen.add(position);
    rows.push({ ...rest, cursor: list.next_cursor });
  } else if (list.request_status?.type === 'incomplete') {
    // The API ends a query after a maximum of rows; another query starts at the creation time of the last row.
    if (last === undefined || last === node.since) throw new PageApiError(413, 'query_result_limit_reached');
    rows.push({ ...rest, since: last });
  }
  walk.queue.add(rows);
}

/** Returns undefined when the cursor has expired while rows were read. */
async function rowsFrom(api: PageApi, node: RowsNode, query: Record<string, unknown>): Promise<WireList | undefined> {
  try {
    return (await api.pages(`data_sources/${node.id}/query`, query, node.cursor).next()).value ?? undefined;
  } catch (error) {
    if (!isMissing(error) || node.cursor === undefined) throw error;
    // The first rows could be read, so the rest must not be taken for a database that is not shared.
    if (node.restarted) throw new PageApiError(409, 'cursor_expired');
    return undefined;
  }
}

async function* failureOf(walk: Walk, node: Node, error: unknown): AsyncGenerator<Change> {
  const problem = explainOriginFailure(error);
  if (problem === undefined || isOfTheWholeRun(error)) throw error;
  const stored = await walk.request.findStored(node.id);
  const { id: originId, title: name } = node;
  if (node.kind !== 'page' && isMissing(error)) {
    const reason = 'The database is a linked view of another database, or it is not shared with the integration.';
    return yield { kind: 'skipped', originId, name, reason };
  }
  // A page below a shared one may be kept from the integration on purpose.
  if (error instanceof PageApiError && error.status === 404)
    return yield stored === undefined
      ? { kind: 'skipped', originId, name, reason: 'The page is not shared with the integration.' }
      : { kind: 'gone', originId };
  // The API refuses with 403 what one page keeps from the integration, and everything if the integration may read nothing.
  if (problem.retryable || (error instanceof PageApiError && error.status === 403)) walk.faults += 1;
  if (walk.faults >= FAULTS_IN_A_ROW_MAX) throw new OriginError(problem, { cause: error });
  yield { kind: 'failed', originId, name, problem };
  // If a page was never read, no source below it is stored.
  if (node.kind === 'page' && stored === undefined) return;
  // A failure that stays would otherwise keep every run from deleting anything.
  const state = problem.retryable ? undefined : readState(stored?.state ?? null);
  const below = node.kind === 'page' && state !== undefined ? await childrenOfFailed(walk, state) : undefined;
  if (node.kind !== 'page' || state === undefined || below === undefined) {
    walk.full = false;
    return;
  }
  yield* filesOf(await itemOf(walk, node, null), state.files);
  walk.queue.add(below.map((block) => childNode(block, node)));
}

/** Returns the pages below a page that cannot be read, from its recorded blocks; undefined if these cannot be read either. */
async function childrenOfFailed(walk: Walk, state: PageState): Promise<WireBlock[] | undefined> {
  try {
    return await storedChildren(walk, state);
  } catch (error) {
    if (explainOriginFailure(error) === undefined || isOfTheWholeRun(error)) throw error;
    return undefined;
  }
}

interface ReadPage {
  content: Content;
  changes: Pick<OriginItem, 'revision'>;
  files: FileRef[];
  below: WireBlock[];
}

/** Reads a page as Markdown. @throws the same errors as `readPageBlocks`. */
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
  const showsOtherPage = read.all.some(({ type, content }) => type === 'synced_block' && content.synced_from);
  const mayChangeUnseen = showsOtherPage || read.lacksShared;
  return {
    content: {
      body: Readable.from([Buffer.from(`${head.front}${body}\n`)]),
      ...(fits ? { state: state as unknown as Opaque } : {}),
    },
    changes: { revision: fits && !mayChangeUnseen ? revision : null },
    files,
    below: read.below,
  };
}

async function itemOf(walk: Walk, node: PageNode, revision: string | null): Promise<OriginItem> {
  const author = node.authorId === null ? undefined : (await walk.authors()).get(node.authorId);
  return pageItem(node, author, revision);
}

function readResume(resume: Opaque | null): Resume | undefined {
  const { startedAt, full, place } = (resume ?? {}) as Partial<Resume>;
  return startedAt !== undefined && full !== undefined && Array.isArray(place) ? { startedAt, full, place } : undefined;
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
