/** Finds the files to upload, and packs them into requests that the service accepts. */
import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { findPageAssets } from '../../client/page-assets.ts';
import { usageError } from './io.ts';

export interface LocalFile {
  path: string;
  /** Path of the file within the group: relative to the given folder, with `/`. */
  name: string;
  size: number;
  modifiedMs: number;
}

/** Limits of one POST /local-file-groups. The limit of bytes leaves room for the multipart framing. */
export const FILES_PER_GROUP_MAX = 2000;
export const GROUP_BYTES_MAX = 495_000_000;

const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['node_modules']);

/**
 * Returns the files of `paths`. Folders are searched in name order, without hidden files, hidden folders, node_modules, and links. Links
 * are followed only if `paths` names them, so the search cannot loop. If there are several paths, the names of a folder's files begin
 * with the name of the folder, because two folders may have files with the same name. `assets` is the number of pictures, styles and
 * scripts of pages in the folders: these files are left out.
 *
 * @throws CliError with exit code 2 when a path does not exist.
 */
export async function findFiles(paths: readonly string[]): Promise<{ files: LocalFile[]; assets: number }> {
  const files: LocalFile[] = [];
  let assets = 0;
  for (const path of paths) {
    const stats = await stat(path).catch(() => {
      throw usageError(`There is no file or folder "${path}".`);
    });
    const prefix = paths.length > 1 ? `${basename(resolve(path))}/` : '';
    if (!stats.isDirectory()) {
      files.push(localFile(path, basename(path), stats));
      continue;
    }
    const found: LocalFile[] = [];
    await walk(path, path, prefix, found);
    const left = findPageAssets(found.map(({ name }) => name));
    assets += left.size;
    files.push(...found.filter(({ name }) => !left.has(name)));
  }
  return { files, assets };
}

async function walk(root: string, folder: string, prefix: string, files: LocalFile[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.name.startsWith('.') || SKIPPED_FOLDERS.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await walk(root, path, prefix, files);
    else if (entry.isFile())
      files.push(localFile(path, prefix + relative(root, path).split(sep).join('/'), await stat(path)));
  }
}

function localFile(path: string, name: string, stats: Stats): LocalFile {
  return { path, name, size: stats.size, modifiedMs: Math.max(0, Math.floor(stats.mtimeMs)) };
}

/** Splits files, in their order, into groups within both limits. A file over the byte limit gets its own group. */
export function packGroups<F extends { size: number }>(
  files: readonly F[],
  filesMax = FILES_PER_GROUP_MAX,
  bytesMax = GROUP_BYTES_MAX,
): F[][] {
  const groups: F[][] = [];
  let bytes = 0;
  for (const file of files) {
    const last = groups.at(-1);
    if (last !== undefined && last.length < filesMax && bytes + file.size <= bytesMax) {
      last.push(file);
      bytes += file.size;
    } else {
      groups.push([file]);
      bytes = file.size;
    }
  }
  return groups;
}
