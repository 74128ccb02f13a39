/** Plans what a request changes in a local file group, by comparing the sent files with the stored ones. Pure. */
import type { StoredFile } from '../../corpus/source-lookup.ts';
import { conflict } from '../../errors.ts';
import { endingOf } from '../../ingest/origins/decide.ts';
import { foldersOf } from '../../text/chunk-terms.ts';
import { displayName } from './file-name.ts';

export interface SentFile {
  path: string;
  name: string;
  hash: string;
  size: number;
  contentAt: Date;
}

export interface Move {
  from: string;
  to: string;
}

export interface ChangeRequest {
  /** `mirror`: stored files that were not sent are deleted. */
  mode: 'merge' | 'mirror';
  /** No path occurs twice. */
  files: readonly SentFile[];
  /** No path occurs twice in `from`, or twice in `to`. Moves are planned before files. */
  moves: readonly Move[];
}

export interface Renamed {
  sourceId: string;
  path: string;
  name: string;
}

export interface ChangePlan {
  /** Files that become new sources. */
  added: SentFile[];
  /** New bytes for sources that were never served. */
  restarted: { sourceId: string; file: SentFile }[];
  /** New versions. They are read while the old versions are still served. */
  updated: { sourceId: string; file: SentFile }[];
  /** Stored files that must be read again, although their bytes stay the same, because their name or folder changed. */
  reread: StoredFile[];
  /** Ids of sources whose served version is the newest again: their waiting version is dropped. */
  reverted: string[];
  renamed: Renamed[];
  deleted: string[];
  /** Ids of sources whose path changed. */
  moved: Set<string>;
  /** One entry for each sent file that already waits to be read: true if the source was never served. */
  waiting: boolean[];
  /** Number of sent files that need no work. */
  unchanged: number;
}

/** Returns the plan. @throws ServiceError conflict when a move starts from an unknown path, or leads to a path that is in use. */
export function planChanges(request: ChangeRequest, stored: readonly StoredFile[]): ChangePlan {
  const plan: ChangePlan = {
    added: [],
    restarted: [],
    updated: [],
    reread: [],
    reverted: [],
    renamed: [],
    deleted: [],
    moved: new Set(),
    waiting: [],
    unchanged: 0,
  };
  const byPath = planMoves(plan, request.moves, stored);
  const sent = new Set(request.files.map((file) => file.path));
  const notSent = request.mode === 'merge' ? [] : [...byPath].flatMap(([path, files]) => (sent.has(path) ? [] : files));
  const notSentByHash = Map.groupBy(notSent, newestHash);
  for (const file of request.files) {
    const [replaced, ...others] = candidates(byPath.get(file.path) ?? [], file.hash);
    // Several stored files can have this path. The sent file replaces all of them.
    plan.deleted.push(...others.map((one) => one.sourceId));
    const moved = replaced ? undefined : notSentByHash.get(file.hash)?.shift();
    if (replaced) planFile(plan, file, replaced);
    else if (moved) planMove(plan, moved, file.path);
    else plan.added.push(file);
  }
  plan.deleted.push(...[...notSentByHash.values()].flat().map((one) => one.sourceId));
  return withoutDeleted(plan);
}

/** Returns the plan without moves and reads of files that it deletes. A request can move a file and also delete it at its new path. */
function withoutDeleted(plan: ChangePlan): ChangePlan {
  const deleted = new Set(plan.deleted);
  const stays = ({ sourceId }: { sourceId: string }): boolean => !deleted.has(sourceId);
  const moved = new Set([...plan.moved].filter((sourceId) => !deleted.has(sourceId)));
  return { ...plan, moved, renamed: plan.renamed.filter(stays), reread: plan.reread.filter(stays) };
}

/** Returns the numbers of the plan that the caller sees. */
export function countChanges(plan: ChangePlan): { added: number; updated: number; moved: number; unchanged: number } {
  const unread = plan.waiting.filter((isFirst) => isFirst).length;
  return {
    added: plan.added.length + plan.restarted.length + unread,
    updated: plan.updated.length + plan.reverted.length + plan.waiting.length - unread,
    moved: plan.moved.size,
    unchanged: plan.unchanged,
  };
}

export function isEmptyPlan(plan: ChangePlan): boolean {
  const { added, restarted, updated, reread, reverted, renamed, deleted, waiting } = plan;
  return [added, restarted, updated, reread, reverted, renamed, deleted, waiting].every((list) => list.length === 0);
}

/** Plans the moves, and returns the stored files by their paths after the moves. */
function planMoves(
  plan: ChangePlan,
  moves: readonly Move[],
  stored: readonly StoredFile[],
): ReadonlyMap<string, StoredFile[]> {
  const byPath = Map.groupBy(stored, (file) => file.path);
  const movedAway = moves.map(({ from }) => {
    const files = byPath.get(from);
    if (!files) throw conflict(`The group has no file with the path ${JSON.stringify(from)}.`);
    byPath.delete(from);
    return files;
  });
  for (const [index, { to }] of moves.entries()) {
    if (byPath.has(to)) throw conflict(`The group has another file with the path ${JSON.stringify(to)}.`);
    const files = movedAway[index]!;
    byPath.set(
      to,
      files.map((file) => planMove(plan, file, to)),
    );
  }
  return byPath;
}

/** Plans one move, and returns the file as it is after the move. */
function planMove(plan: ChangePlan, file: StoredFile, to: string): StoredFile {
  const name = displayName(to);
  plan.moved.add(file.sourceId);
  plan.renamed.push({ sourceId: file.sourceId, path: to, name });
  // Searches find a file by its name and its folders.
  const isFoundElsewhere = name !== file.name || foldersOf(to) !== foldersOf(file.path);
  if (endingOf(name) !== endingOf(file.name) || (file.status === 'ready' && isFoundElsewhere)) plan.reread.push(file);
  return { ...file, path: to, name };
}

/** Returns the files of one path. The file with these bytes comes first; without such a file, the oldest one does. */
function candidates(files: readonly StoredFile[], hash: string): StoredFile[] {
  const same = files.find((file) => newestHash(file) === hash);
  return same ? [same, ...files.filter((file) => file !== same)] : [...files];
}

function planFile(plan: ChangePlan, file: SentFile, before: StoredFile): void {
  const { sourceId } = before;
  if (newestHash(before) === file.hash) {
    if (before.waits) plan.waiting.push(before.status !== 'ready');
    else if (!plan.moved.has(sourceId)) plan.unchanged += 1;
    return;
  }
  plan.reread = plan.reread.filter((one) => one.sourceId !== sourceId);
  if (file.name !== before.name) {
    plan.renamed = plan.renamed.filter((one) => one.sourceId !== sourceId);
    plan.renamed.push({ sourceId, path: file.path, name: file.name });
  }
  if (before.status !== 'ready') plan.restarted.push({ sourceId, file });
  else if (before.blobHash === file.hash && endingOf(file.name) === endingOf(before.name)) plan.reverted.push(sourceId);
  else plan.updated.push({ sourceId, file });
}

function newestHash(file: StoredFile): string {
  return file.updateHash ?? file.blobHash;
}
