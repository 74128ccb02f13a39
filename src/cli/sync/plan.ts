/** Plans the changes after which a group has the same files as a folder. Pure. */
import type { HashedFile } from './hash-files.ts';

/** A file of the group. */
export interface RemoteFile {
  path: string;
  sourceId: string;
  hash: string;
  /** Status of the newest version of the file. An older version may still be served. */
  status: 'pending' | 'ready' | 'failed';
  /** Why the newest version could not be read. */
  error: { title: string; message: string; retryable: boolean } | null;
  /** Whether an older version is served, because the newest one could not be read. */
  isOutdated: boolean;
}

export interface SyncPlan {
  added: HashedFile[];
  updated: HashedFile[];
  moved: { from: string; to: string }[];
  deleted: string[];
  unchanged: number;
}

/** Returns the plan. @param unreadable files, and folders with `/` at their end, that could not be read: their stored files stay. */
export function planSync(
  local: readonly HashedFile[],
  remote: readonly RemoteFile[],
  unreadable: readonly string[],
): SyncPlan {
  const stored = Map.groupBy(remote, (file) => file.path);
  const localPaths = new Set(local.map((file) => file.path));
  const unreadablePaths = new Set(unreadable);
  const missing = [...stored].filter(([path]) => !localPaths.has(path) && !isUnder(path, unreadablePaths));
  const plan: SyncPlan = { added: [], updated: [], moved: [], deleted: [], unchanged: 0 };
  const unmatched: HashedFile[] = [];
  for (const file of local) {
    const before = stored.get(file.path);
    if (!before) unmatched.push(file);
    // If several stored files have this path, the update replaces all of them with one file.
    else if (before.length === 1 && before[0]!.hash === file.hash) plan.unchanged += 1;
    else plan.updated.push(file);
  }
  const single = missing.flatMap(([path, files]) => (files.length === 1 ? [{ path, hash: files[0]!.hash }] : []));
  // First files with the same name are matched, then files with any name.
  const byName = pairMoves(
    plan,
    single,
    unmatched,
    ({ hash, path }) => `${hash} ${path.slice(path.lastIndexOf('/') + 1)}`,
  );
  const byHash = pairMoves(plan, byName.missing, byName.unmatched, ({ hash }) => hash);
  plan.added = byHash.unmatched;
  const moved = new Set(plan.moved.map(({ from }) => from));
  plan.deleted = missing.map(([path]) => path).filter((path) => !moved.has(path));
  return plan;
}

/** Plans a move for each missing file and new file with the same key. Returns the files without a partner. */
function pairMoves<Missing extends { path: string; hash: string }>(
  plan: SyncPlan,
  missing: readonly Missing[],
  unmatched: readonly HashedFile[],
  keyOf: (file: { path: string; hash: string }) => string,
): { missing: Missing[]; unmatched: HashedFile[] } {
  const candidates = Map.groupBy(missing.toReversed(), keyOf);
  const stillUnmatched = unmatched.filter((file) => {
    const from = candidates.get(keyOf(file))?.pop();
    if (from) plan.moved.push({ from: from.path, to: file.path });
    return from === undefined;
  });
  const stillMissing = new Set([...candidates.values()].flat());
  return { missing: missing.filter((file) => stillMissing.has(file)), unmatched: stillUnmatched };
}

function isUnder(path: string, unreadable: ReadonlySet<string>): boolean {
  if (unreadable.has(path)) return true;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
    if (unreadable.has(path.slice(0, at + 1))) return true;
  return false;
}
