/** Finds the files that `pinakes ingest` uploads, and says what it leaves out. */
import { createReadStream } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { ASSET_REASON, assetsText } from '../client/page-assets.ts';
import { countOf } from '../util/count-of.ts';
import { usageError } from './shared/io.ts';
import type { UploadFile } from './shared/multipart.ts';
import { fileProblem, namesOf } from './shared/words.ts';
import { EMPTY_REASON, GENERATED_REASON, LITTER_REASON, litterText, readTree } from './sync/local-tree.ts';

export interface FoundFiles {
  /** With paths relative to the given folder. */
  files: UploadFile[];
  /** What was left out, a line for each reason. */
  leftOut: string[];
  /** Files, and folders with `/` at their end, that this machine cannot read. */
  unreadable: string[];
}

/**
 * Returns the files of `paths`. Folders are searched as by `pinakes sync`: in name order, without links, hidden, ignored and empty
 * files. A link and a hidden or ignored file are uploaded if `paths` names them. If there are several paths, the names of a folder's
 * files begin with the name of the folder, because two folders may have files with the same name.
 *
 * @throws CliError with exit code 2 when a path does not exist, or is a file that cannot be read.
 */
export async function findFiles(paths: readonly string[]): Promise<FoundFiles> {
  const files: UploadFile[] = [];
  const add = (place: string, path: string, size: number, modifiedMs: number): void => {
    files.push({ path, size, modifiedMs: Math.max(0, Math.floor(modifiedMs)), open: () => createReadStream(place) });
  };
  const skipped: string[] = [];
  const ignored: string[] = [];
  const generated: string[] = [];
  const litter: string[] = [];
  const unreadable: string[] = [];
  const links: string[] = [];
  let [empty, assets] = [0, 0];
  for (const path of paths) {
    const stats = await stat(path).catch(() => {
      throw usageError(`There is no file or folder "${path}".`);
    });
    if (!stats.isDirectory()) {
      // A pipe would never end, or would be read only once; an upload says its length first.
      if (!stats.isFile())
        throw usageError(`"${path}" is not a file: it is a pipe, a device or a socket. Save its data in a file first.`);
      await checkReadable(path).catch((error: unknown) => {
        throw usageError(`The file "${path}" cannot be read: ${fileProblem(error)}.`);
      });
      if (stats.size === 0) empty += 1;
      else add(path, basename(path), stats.size, stats.mtimeMs);
      continue;
    }
    const prefix = paths.length > 1 ? `${basename(resolve(path))}/` : '';
    const tree = await readTree(await realpath(path));
    for (const { path: name, place, size, modifiedMs } of tree.files)
      await checkReadable(place).then(
        () => add(place, prefix + name, size, modifiedMs),
        () => unreadable.push(prefix + name),
      );
    links.push(...tree.links.map((name) => prefix + name));
    assets += tree.skipped.filter(({ reason }) => reason === ASSET_REASON).length;
    for (const { path: name, reason } of tree.skipped) {
      if (reason === GENERATED_REASON) generated.push(prefix + name);
      else if (reason === LITTER_REASON) litter.push(prefix + name);
      else if (reason === EMPTY_REASON) empty += 1;
      else if (reason !== ASSET_REASON) skipped.push(`${prefix}${name}: ${reason}`);
    }
    // Nobody expects the data of git.
    ignored.push(...tree.ignored.filter((name) => !/(?:^|\/)\.git\/?$/.test(name)).map((name) => prefix + name));
    unreadable.push(...tree.unreadable.map((name) => prefix + name));
  }
  const [others, hidden] = [ignored.filter((path) => !isHidden(path)), ignored.filter(isHidden)];
  const leftOut = [
    ...(assets > 0 ? [assetsText(assets)] : []),
    ...(empty > 0 ? [countOf(empty, 'empty file')] : []),
    ...(links.length > 0 ? [`${countOf(links.length, 'link')}: ${namesOf(links)}`] : []),
    ...(hidden.length > 0 ? [`${hidden.length} hidden: ${namesOf(hidden)}`] : []),
    ...(generated.length > 0 ? [`${generated.length} generated: ${namesOf(generated)}`] : []),
    ...(litter.length > 0 ? [litterText(litter)] : []),
    ...(others.length > 0 ? [`${others.length} ignored: ${namesOf(others)}`] : []),
    ...skipped,
  ];
  return { files, leftOut, unreadable };
}

function isHidden(path: string): boolean {
  return basename(path).startsWith('.');
}

/** @throws the error of the file system when the file cannot be opened for reading. */
async function checkReadable(path: string): Promise<void> {
  await (await open(path)).close();
}
