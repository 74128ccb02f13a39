/** What an upload will send: decided before a byte is sent, and shown to the reader. */
import type { HeadKind } from '../../../../src/client/file-head.ts';
import { LITTER } from '../../../../src/client/litter.ts';
import { findPageAssets } from '../../../../src/client/page-assets.ts';
import { bytesInRequest, OVERHEAD_BYTES, sizeProblemOf, type UploadLimits } from '../../data/upload/limits.ts';

export interface GivenFile {
  /** With the folders that were dropped, for example `guides/start.md`. */
  path: string;
  size: number;
}

export type Exclusion = 'hidden' | 'litter' | 'empty' | 'tooLarge' | 'twice' | 'ofPages' | Unread;
/** Why the service would store a file and then not read it. */
export type Unread = 'binary' | 'picture';

export interface UploadPlan<F extends GivenFile> {
  /** Each batch is one request. */
  batches: F[][];
  files: number;
  bytes: number;
  excluded: { file: F; why: Exclusion }[];
  /** Number of files by ending, most frequent first. */
  endings: { ending: string; count: number }[];
}

/** Where the files of an upload go. */
export interface UploadTarget {
  /** The name of the new group, unless `groupId` is given. */
  name: string;
  /** The group that gets the files; undefined: a new group with the name. */
  groupId: string | undefined;
  /** The folder of the files, if it is the group itself. */
  leavesOut: string | undefined;
}

/** Returns whether an upload sends the same files to the same place as the one before: only then it goes on with that one. */
export function isSameUpload<F>(
  before: { files: readonly F[]; target: UploadTarget },
  { files, target }: { files: readonly F[]; target: UploadTarget },
): boolean {
  const { name, groupId, leavesOut } = before.target;
  const isSamePlace = groupId === target.groupId && (groupId !== undefined || name === target.name);
  const isSameFolder = leavesOut === target.leavesOut;
  const isSameFiles = files.length === before.files.length && files.every((file, at) => file === before.files[at]);
  return isSamePlace && isSameFolder && isSameFiles;
}

/** Returns why the service cannot read a file that begins like this; undefined if it can, or if only the whole file tells. */
export function unreadOf(kind: HeadKind | undefined, readsPictures: boolean): Unread | undefined {
  if (kind === 'binary') return 'binary';
  return kind === 'picture' && !readsPictures ? 'picture' : undefined;
}

/**
 * Returns the plan of an upload. Hidden files, empty files, files that no request can hold and repeated paths are left out, and so are
 * files in a folder that belong to its web pages and have no text of their own. Such a file that is chosen by itself is sent, if it can
 * be read. What is left out for a rare reason is first: a contract without text is not lost among the pictures of web pages.
 */
export function planUpload<F extends GivenFile>(
  given: readonly F[],
  limits: UploadLimits,
  unread: (file: F) => Unread | undefined = () => undefined,
): UploadPlan<F> {
  const plan: UploadPlan<F> = { batches: [], files: 0, bytes: 0, excluded: [], endings: [] };
  const endings = new Map<string, number>();
  const seen = new Set<string>();
  const ofPages = findPageAssets(given.map(({ path }) => path).filter((path) => path.includes('/')));
  let room = 0;
  for (const file of given) {
    const why = exclusionOf(file, seen, limits) ?? (ofPages.has(file.path) ? 'ofPages' : unread(file));
    seen.add(file.path);
    if (why) {
      plan.excluded.push({ file, why });
      continue;
    }
    const needed = bytesInRequest(file);
    let batch = plan.batches.at(-1);
    if (!batch || batch.length >= limits.filesMax || needed > room) {
      batch = [];
      plan.batches.push(batch);
      room = limits.bytesMax - OVERHEAD_BYTES;
    }
    batch.push(file);
    room -= needed;
    plan.files += 1;
    plan.bytes += file.size;
    const ending = endingOf(file.path);
    endings.set(ending, (endings.get(ending) ?? 0) + 1);
  }
  const ofReason = Map.groupBy(plan.excluded, ({ why }) => why);
  const number = ({ why }: { why: Exclusion }) => ofReason.get(why)!.length;
  plan.excluded.sort((a, b) => number(a) - number(b) || (a.why < b.why ? -1 : Number(a.why > b.why)));
  plan.endings = [...endings].map(([ending, count]) => ({ ending, count })).toSorted((a, b) => b.count - a.count);
  return plan;
}

function exclusionOf(file: GivenFile, seen: ReadonlySet<string>, limits: UploadLimits): Exclusion | undefined {
  if (file.path.split('/').some((segment) => segment.startsWith('.'))) return 'hidden';
  if (LITTER.test(file.path)) return 'litter';
  return sizeProblemOf(file, limits) ?? (seen.has(file.path) ? 'twice' : undefined);
}

/** Returns the ending of a name in small letters; empty if it has none. */
export function endingOf(path: string): string {
  return /\.([^./]{1,10})$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

/** Returns the folder that all files are in; undefined if there is none. */
export function folderOf(files: readonly GivenFile[]): string | undefined {
  const folders = new Set(files.map(({ path }) => path.normalize('NFC').match(/^[^/]+(?=\/)/)?.[0]));
  return folders.size === 1 ? [...folders][0] : undefined;
}

/**
 * Whether the folder of the files is the group itself, if the reader does not choose: a folder that is added again replaces its files of
 * before, also if the command line sent them.
 */
export function isGroupItself(folder: string | undefined, group: string): boolean {
  return folder === group.normalize('NFC');
}

/** Returns the paths of the files within their group. @param leavesOut the folder of the files, if it is the group itself. */
export function pathsInGroup(files: readonly GivenFile[], leavesOut: string | undefined): string[] {
  const start = leavesOut === undefined ? 0 : leavesOut.length + 1;
  return files.map(({ path }) => path.normalize('NFC').slice(start));
}

/** Returns the name of the group that the files get if the reader gives none: their folder, or the first file. */
export function nameOfUpload(files: readonly GivenFile[]): string {
  return folderOf(files) ?? files[0]?.path ?? '';
}
