/** What a request changes in a local file group: the files that were sent against those that are stored. Pure. */
import type { StoredFile } from '../../corpus/source-lookup.ts';
import { ServiceError } from '../../errors.ts';
import { endingOf } from '../../ingest/origins/decide.ts';
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
  /** `mirror`: files that were not sent are deleted. */
  mode: 'merge' | 'mirror';
  /** Each path once. */
  files: readonly SentFile[];
  /** Each path once on either side. They are done before the files are looked at. */
  moves: readonly Move[];
}

export interface Renamed {
  sourceId: string;
  path: string;
  name: string;
}

export interface ChangePlan {
  /** New sources. */
  added: SentFile[];
  /** Sources that were never served get other bytes. */
  restarted: { sourceId: string; file: SentFile }[];
  /** New versions, to be read beside those that are served. */
  updated: { sourceId: string; file: SentFile }[];
  /** Stored files to be read again as they are, because their new name has another ending. */
  reread: StoredFile[];
  /** The version that is served is the newest again. */
  reverted: string[];
  renamed: Renamed[];
  deleted: string[];
  /** Sources at another path than before. */
  moved: Set<string>;
  /** Files that were sent and wait to be read already; true: for the first time. */
  waiting: boolean[];
  /** Files that were sent and need no work. */
  unchanged: number;
}

/** @throws ServiceError conflict when a move names a path that the group does not hold, or one that is taken. */
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
  const gone = request.mode === 'merge' ? [] : [...byPath].flatMap(([path, files]) => (sent.has(path) ? [] : files));
  const goneByHash = Map.groupBy(gone, newestHash);
  for (const file of request.files) {
    const [kept, ...others] = candidates(byPath.get(file.path) ?? [], file.hash);
    // Several files had this path: the one that was sent takes the place of all of them.
    plan.deleted.push(...others.map((one) => one.sourceId));
    const moved = kept ? undefined : goneByHash.get(file.hash)?.shift();
    if (kept) planFile(plan, file, kept);
    else if (moved) planMove(plan, moved, file.path);
    else plan.added.push(file);
  }
  plan.deleted.push(...[...goneByHash.values()].flat().map((one) => one.sourceId));
  return withoutDeleted(plan);
}

/** A file may be moved to a path that then goes to another file. */
function withoutDeleted(plan: ChangePlan): ChangePlan {
  const deleted = new Set(plan.deleted);
  const stays = ({ sourceId }: { sourceId: string }): boolean => !deleted.has(sourceId);
  const moved = new Set([...plan.moved].filter((sourceId) => !deleted.has(sourceId)));
  return { ...plan, moved, renamed: plan.renamed.filter(stays), reread: plan.reread.filter(stays) };
}

/** What the caller is told of the plan. */
export function countChanges(plan: ChangePlan): { added: number; updated: number; moved: number; unchanged: number } {
  const unread = plan.waiting.filter((isFirst) => isFirst).length;
  return {
    added: plan.added.length + plan.restarted.length + unread,
    updated: plan.updated.length + plan.reverted.length + plan.waiting.length - unread,
    moved: plan.moved.size,
    unchanged: plan.unchanged,
  };
}

/** Whether the request leaves everything as it is. */
export function isNothing(plan: ChangePlan): boolean {
  const { added, restarted, updated, reread, reverted, renamed, deleted, waiting } = plan;
  return [added, restarted, updated, reread, reverted, renamed, deleted, waiting].every((list) => list.length === 0);
}

/** The stored files by their paths after the moves. */
function planMoves(
  plan: ChangePlan,
  moves: readonly Move[],
  stored: readonly StoredFile[],
): ReadonlyMap<string, StoredFile[]> {
  const byPath = Map.groupBy(stored, (file) => file.path);
  const movedAway = moves.map(({ from }) => {
    const files = byPath.get(from);
    if (!files) throw new ServiceError('conflict', `The group has no file with the path ${JSON.stringify(from)}.`);
    byPath.delete(from);
    return files;
  });
  for (const [index, { to }] of moves.entries()) {
    if (byPath.has(to)) throw new ServiceError('conflict', `The path ${JSON.stringify(to)} is taken.`);
    const files = movedAway[index]!;
    byPath.set(
      to,
      files.map((file) => planMove(plan, file, to)),
    );
  }
  return byPath;
}

/** The file as it is after the move. */
function planMove(plan: ChangePlan, file: StoredFile, to: string): StoredFile {
  const name = displayName(to);
  plan.moved.add(file.sourceId);
  plan.renamed.push({ sourceId: file.sourceId, path: to, name });
  const isFoundByName = file.status === 'ready' && !file.isTitled;
  if (endingOf(name) !== endingOf(file.name) || (isFoundByName && name !== file.name)) plan.reread.push(file);
  return { ...file, path: to, name };
}

/** Those of one path: first the one that has these bytes, else the oldest. */
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
