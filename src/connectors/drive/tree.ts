/** The state of a listing between two runs, and of a listing that was cut off. */
import { z } from 'zod';

const FolderEntry = z.object({
  id: z.string(),
  path: z.string(),
  driveId: z.string().nullable(),
  resourceKey: z.string().nullable(),
});
export type FolderEntry = z.infer<typeof FolderEntry>;

const ShortcutEntry = z.object({
  id: z.string(),
  path: z.string(),
  targetId: z.string(),
  isFolder: z.boolean(),
  resourceKey: z.string().nullable(),
});
export type ShortcutEntry = z.infer<typeof ShortcutEntry>;

/** The state of the listed tree, which the next incremental run needs. */
export const Tree = z.object({
  rootId: z.string(),
  /** The shared drive whose change log is read; null: the change log of the service account. */
  driveId: z.string().nullable(),
  /** Null when no change log covers the tree. */
  pageToken: z.string().nullable(),
  /** Start of the listing, in milliseconds since 1970. */
  listedAt: z.number(),
  /** Maps the id of a folder to its path. The path of the root is empty. */
  folders: z.record(z.string(), z.string()),
  shortcuts: z.array(z.string()),
  /** Maps the target of a shortcut to the path of the shortcut. */
  links: z.record(z.string(), z.string()),
  /** Targets of shortcuts that could not be read; they may become readable again. */
  missing: z.array(z.string()),
  /** Files that the last run could not read. The next run asks for each of them, because the change log does not name them again. */
  failed: z.array(z.string()).default([]),
});
export type Tree = z.infer<typeof Tree>;

/** The state of an unfinished listing; JSON. */
export const Progress = z.object({
  tree: Tree,
  files: z.number(),
  queue: z.array(FolderEntry),
  pending: z.array(ShortcutEntry),
  /** A folder could not be read: its files are not gone. */
  isIncomplete: z.boolean().default(false),
});
export type Progress = z.infer<typeof Progress>;
