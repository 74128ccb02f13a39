/** What has to be done so that a group holds the files of a folder. Pure. */
import type { HashedFile } from './hash-files.ts';

/** A file of the group. */
export interface RemoteFile {
  path: string;
  sourceId: string;
  hash: string;
  /** Of the newest bytes: an older version may be served meanwhile. */
  status: 'pending' | 'ready' | 'failed';
}

export interface SyncPlan {
  added: HashedFile[];
  updated: HashedFile[];
  moved: { from: string; to: string }[];
  deleted: string[];
  unchanged: number;
}

/** @param unreadable files, and folders with `/` at their end, of which nothing is known: what is stored of them stays. */
export function planSync(
  local: readonly HashedFile[],
  remote: readonly RemoteFile[],
  unreadable: readonly string[],
): SyncPlan {
  const stored = Map.groupBy(remote, (file) => file.path);
  const here = new Set(local.map((file) => file.path));
  const unknown = new Set(unreadable);
  const gone = [...stored].filter(([path]) => !here.has(path) && !isUnder(path, unknown));
  const plan: SyncPlan = { added: [], updated: [], moved: [], deleted: [], unchanged: 0 };
  const fresh: HashedFile[] = [];
  for (const file of local) {
    const before = stored.get(file.path);
    if (!before) fresh.push(file);
    // Several files of one path: the service makes one of them.
    else if (before.length === 1 && before[0]!.hash === file.hash) plan.unchanged += 1;
    else plan.updated.push(file);
  }
  const single = gone.flatMap(([path, files]) => (files.length === 1 ? [{ path, hash: files[0]!.hash }] : []));
  // First under the same name, then under any.
  const named = pair(plan, single, fresh, ({ hash, path }) => `${hash} ${path.slice(path.lastIndexOf('/') + 1)}`);
  const rest = pair(plan, named.gone, named.fresh, ({ hash }) => hash);
  plan.added = rest.fresh;
  const moved = new Set(plan.moved.map(({ from }) => from));
  plan.deleted = gone.map(([path]) => path).filter((path) => !moved.has(path));
  return plan;
}

/** Makes moves of files that have the same key; returns the others. */
function pair<G extends { path: string; hash: string }>(
  plan: SyncPlan,
  gone: readonly G[],
  fresh: readonly HashedFile[],
  keyOf: (file: { path: string; hash: string }) => string,
): { gone: G[]; fresh: HashedFile[] } {
  const waiting = Map.groupBy(gone.toReversed(), keyOf);
  const others = fresh.filter((file) => {
    const from = waiting.get(keyOf(file))?.pop();
    if (from) plan.moved.push({ from: from.path, to: file.path });
    return from === undefined;
  });
  const left = new Set([...waiting.values()].flat());
  return { gone: gone.filter((file) => left.has(file)), fresh: others };
}

function isUnder(path: string, unreadable: ReadonlySet<string>): boolean {
  if (unreadable.has(path)) return true;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
    if (unreadable.has(path.slice(0, at + 1))) return true;
  return false;
}
