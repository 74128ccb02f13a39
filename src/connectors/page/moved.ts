/**
 * Finds stored pages that the walk did not see although they are still in the workspace.
 *
 * A walk takes minutes. A page that moves from a place that the walk has not reached to a place that it has passed is in no list. The page
 * may move alone, with the page or database around it, or into a new page.
 */
import { explainOriginFailure, isMissing, isOfTheWholeRun, type PageApi, parseAs, unexpectedResponse } from './api.ts';
import { hyphenated } from './id.ts';
import { cleanTitle, type Node, pageNode, uuidOf } from './nodes.ts';
import { Database, isTrashed, Page, plainText, type WireDatabase, type WirePage } from './wire.ts';

/** Each of these pages costs a request. Of more, those that the search found are asked for first, and the next run goes on. */
const ASKED_MAX = 2_000;
/** Blocks, pages and databases around a page. */
const AROUND_MAX = 30;
/** Consecutive failures after which no more pages are asked for. */
const FAULTS_IN_A_ROW_MAX = 3;

/** A page, database or data source, and the node by which the walk visits it; no node if its place is known. */
interface Link {
  id: string;
  node?: Node;
}

/** A page, and what is around it, from the inside to the outside. Ends with a known place, or at the top of what is shared. */
export type Chain = readonly Link[];

interface Found {
  chains: Chain[];
  /** Pages that are in the trash, or not shared any more. */
  gone: string[];
  /** Whether the workspace said of each page where it is. */
  isComplete: boolean;
}

/**
 * Finds out where the pages among `ids` are.
 *
 * @throws errors of `PageApi.get` that the origin did not cause.
 */
export async function findMoved(
  api: Pick<PageApi, 'get'>,
  ids: readonly string[],
  shared: ReadonlySet<string>,
  isKnown: (id: string) => boolean,
): Promise<Found> {
  const pages = ids.filter((id) => hyphenated(id) === id);
  const asked = [...pages.filter((id) => shared.has(id)), ...pages.filter((id) => !shared.has(id))].slice(0, ASKED_MAX);
  const found: Found = { chains: [], gone: [], isComplete: pages.length <= ASKED_MAX };
  const answers = new Map<string, Promise<unknown>>();
  const get = (path: string): Promise<unknown> => {
    const answer = answers.get(path) ?? api.get(path);
    answers.set(path, answer);
    return answer;
  };
  let faults = 0;
  for (const id of asked) {
    try {
      const chain = await chainOf(get, id, isKnown);
      if (chain === undefined) found.gone.push(id);
      else found.chains.push(chain);
      faults = 0;
    } catch (error) {
      if (isMissing(error)) {
        found.gone.push(id);
        continue;
      }
      const problem = explainOriginFailure(error);
      if (problem === undefined) throw error;
      found.isComplete = false;
      faults += problem.retryable ? 1 : 0;
      if (isOfTheWholeRun(error) || faults >= FAULTS_IN_A_ROW_MAX) break;
    }
  }
  return found;
}

/** Returns the outermost node that the walk has to visit to find the page. Returns undefined if the page is at no place of the tree. */
export function nodeToVisit(
  chain: Chain,
  places: ReadonlyMap<string, string[]>,
  isDone: (id: string) => boolean,
): Node | undefined {
  const known = chain.findIndex(({ id }) => places.has(id));
  const node = chain.slice(0, Math.max(known, 0)).findLast(({ id }) => !isDone(id))?.node;
  return node && { ...node, path: places.get(chain[known]!.id)! };
}

const PARENTS = [
  ['page_id', 'pages'],
  ['data_source_id', 'data_sources'],
  ['database_id', 'databases'],
  ['block_id', 'blocks'],
] as const;

/** Returns undefined if the page, or something around it, is in the trash. */
async function chainOf(
  get: (path: string) => Promise<unknown>,
  pageId: string,
  isKnown: (id: string) => boolean,
): Promise<Chain | undefined> {
  const chain: Link[] = [];
  let kind: (typeof PARENTS)[number][1] = 'pages';
  let id = pageId;
  for (let around = 0; around < AROUND_MAX; around += 1) {
    if (isKnown(id)) return [...chain, { id }];
    const object: WirePage | WireDatabase = parseAs(
      kind === 'pages' || kind === 'blocks' ? Page : Database,
      await get(`${kind}/${id}`),
    );
    if (isTrashed(object)) return undefined;
    if (kind !== 'blocks') chain.push({ id, node: nodeOf(kind, { ...object, id }) });
    const parent: WirePage['parent'] = object.parent;
    const above: (typeof PARENTS)[number] | undefined = PARENTS.find(([member]) => parent?.[member] !== undefined);
    if (above === undefined) return chain;
    kind = above[1];
    id = uuidOf(parent?.[above[0]]);
  }
  throw unexpectedResponse();
}

function nodeOf(kind: 'pages' | 'data_sources' | 'databases', object: WirePage | WireDatabase): Node {
  if (kind === 'pages') return pageNode(object, []);
  const title = cleanTitle('title' in object ? plainText(object.title) : '');
  return { kind: kind === 'databases' ? 'database' : 'rows', id: object.id, title, path: [] };
}
