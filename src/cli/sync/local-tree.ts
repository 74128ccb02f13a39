/** Reads the files of a folder for `sync` and `ingest`: with the same paths as in the service, and without ignored files. */
import type { BigIntStats, Dirent } from 'node:fs';
import { lstat, open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { ASSET_REASON, findPageAssets } from '../../client/page-assets.ts';
import { canBeMinified, HEAD_BYTES, isGeneratedName, isMinified } from '../../connectors/repo/rules.ts';
import { cleanPath } from '../../features/local-files/file-path.ts';
import { withoutInvisible } from '../../files/detect/member-name.ts';
import { countOf } from '../../util/count-of.ts';
import { usageError } from '../shared/io.ts';
import { fileProblem, namesOf } from '../shared/words.ts';
import {
  defaultRules,
  IGNORE_FILES,
  isIgnored,
  isIncluded,
  isLitter,
  parseRules,
  type RuleSet,
} from './ignore-rules.ts';

/** Says why a file was left out that a program wrote. */
export const GENERATED_REASON = 'a generated file';
/** Says why a file was left out that is not of the user. */
export const LITTER_REASON = 'a system or a program keeps it beside the files';
/** Says why a file of 0 bytes was left out. */
export const EMPTY_REASON = 'it is empty';
/** One file must fit into one request. */
const FILE_BYTES_MAX = 490_000_000;

export interface TreeFile {
  /** Path of the file in the group. */
  path: string;
  /** Absolute path on this machine. */
  place: string;
  size: number;
  modifiedMs: number;
  /** Text that differs after every change of the file. */
  stamp: string;
  /** When the file was last written or renamed. */
  changedMs: number;
}

export interface LocalTree {
  files: TreeFile[];
  /** Files that are never sent, and why. Ignored files are not among them. */
  skipped: { path: string; reason: string }[];
  /** Links to files and folders, except hidden and ignored ones. They are not followed. */
  links: string[];
  /** Hidden files and folders, and those that a rule ignores; folders with `/` at their end. Their contents are not listed. */
  ignored: string[];
  /** Files, and folders with `/` at their end, that cannot be read. Their files in the service stay. */
  unreadable: string[];
}

/** Says in one line which files were left out for LITTER_REASON. */
export function litterText(paths: readonly string[]): string {
  return `${countOf(paths.length, 'file')} that systems and programs keep beside others: ${namesOf(paths)}`;
}

/** Returns the absolute path of a folder. @throws CliError with exit code 2 when the folder cannot be read. */
export async function openFolder(given: string): Promise<string> {
  try {
    const root = await realpath(given);
    await readdir(root);
    return root;
  } catch (error) {
    throw usageError(`The folder "${given}" cannot be read: ${fileProblem(error)}.`);
  }
}

/**
 * Reads the files of a folder. Links are not followed, so that the search cannot loop. Empty files are left out: they have no content.
 * Pictures, styles and scripts of pages and generated files are skipped, unless a rule of an ignore file includes them.
 */
export async function readTree(root: string): Promise<LocalTree> {
  const tree: LocalTree = { files: [], skipped: [], links: [], ignored: [], unreadable: [] };
  const { prefix, sets } = await outerRules(root);
  const included = new Set<string>();
  await walk({ root, prefix, tree, included, usedPaths: new Set() }, '', sets);
  const assets = findPageAssets(tree.files.map(({ path }) => path)).difference(included);
  for (const path of assets) tree.skipped.push({ path, reason: ASSET_REASON });
  const files: TreeFile[] = [];
  for (const file of tree.files) {
    if (assets.has(file.path)) continue;
    if (!included.has(file.path) && (await isGenerated(file)))
      tree.skipped.push({ path: file.path, reason: GENERATED_REASON });
    else files.push(file);
  }
  return { ...tree, files };
}

async function isGenerated({ path, place }: TreeFile): Promise<boolean> {
  if (isGeneratedName(path)) return true;
  if (!canBeMinified(path)) return false;
  // A file that cannot be read is reported when it is sent.
  const file = await open(place).catch(() => undefined);
  if (!file) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES));
    return isMinified(path, buffer.toString('utf8', 0, bytesRead));
  } catch {
    return false;
  } finally {
    await file.close();
  }
}

interface Walk {
  root: string;
  /** Path of the root, relative to the outermost folder whose rules apply, with `/` at its end. */
  prefix: string;
  tree: LocalTree;
  usedPaths: Set<string>;
  /** Paths of files that a rule of an ignore file includes. */
  included: Set<string>;
}

/** @param folder relative to the root, with `/` at its end; empty for the root. */
async function walk(state: Walk, folder: string, outer: readonly RuleSet[]): Promise<void> {
  const { root, prefix, tree } = state;
  let entries: Dirent[];
  try {
    entries = await readdir(join(root, folder), { withFileTypes: true });
  } catch (error) {
    if (folder === '') throw usageError(`The folder "${root}" cannot be read: ${fileProblem(error)}.`);
    const path = namedPath(folder);
    if (path !== undefined && !isGone(error)) tree.unreadable.push(`${path}/`);
    return;
  }
  const ignoreFiles = IGNORE_FILES.filter((name) => entries.some((entry) => entry.name === name));
  const own = await rulesOf(join(root, folder), prefix + folder, ignoreFiles);
  const sets = own ? [...outer, own] : outer;
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = folder + entry.name;
    const isFolder = entry.isDirectory();
    const isLink = entry.isSymbolicLink();
    if (!isFolder && !entry.isFile() && !isLink) continue;
    if (isIgnored(prefix + path, isFolder, sets)) {
      if (!isLink) tree.ignored.push(isFolder ? `${path}/` : path);
    } else if (isLink) tree.links.push(path);
    else if (isLitter(prefix + path, isFolder, sets))
      tree.skipped.push({ path: withoutInvisible(isFolder ? `${path}/` : path), reason: LITTER_REASON });
    else if (isFolder) await walk(state, `${path}/`, sets);
    else await addFile(state, path, sets);
  }
}

async function addFile(state: Walk, relativePath: string, sets: readonly RuleSet[]): Promise<void> {
  const { root, prefix, tree, usedPaths, included } = state;
  const place = join(root, relativePath);
  const path = namedPath(relativePath);
  const skip = (reason: string): void =>
    void tree.skipped.push({ path: path ?? withoutInvisible(relativePath), reason });
  if (path === undefined) return skip('its path is too long');
  let stats: BigIntStats;
  try {
    stats = await lstat(place, { bigint: true });
  } catch (error) {
    // Node decodes names as UTF-8. A file whose name has another encoding cannot be opened.
    if (relativePath.includes('\uFFFD')) return skip('its name is not valid UTF-8');
    if (!isGone(error)) tree.unreadable.push(path);
    return;
  }
  if (stats.size === 0n) return skip(EMPTY_REASON);
  if (stats.size > FILE_BYTES_MAX) return skip(`it has more than ${FILE_BYTES_MAX / 1_000_000} MB`);
  if (usedPaths.has(path)) return skip('another file has the same path, except for invisible characters');
  usedPaths.add(path);
  if (isIncluded(prefix + relativePath, sets)) included.add(path);
  tree.files.push({
    path,
    place,
    size: Number(stats.size),
    modifiedMs: Math.max(0, Number(stats.mtimeMs)),
    stamp: [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' '),
    changedMs: Number(stats.ctimeMs),
  });
}

/** Returns the path in the form of the service; undefined for a path that the service refuses. */
function namedPath(path: string): string | undefined {
  try {
    return cleanPath(path);
  } catch {
    return undefined;
  }
}

/** Returns the rules of the folders above, up to the root of the repository. If these rules ignore the folder itself, they do not apply. */
async function outerRules(root: string): Promise<{ prefix: string; sets: RuleSet[] }> {
  const alone = { prefix: '', sets: [defaultRules()] };
  const repository = await repositoryOf(root);
  if (repository === undefined || repository === root) return alone;
  const names = relative(repository, root).split(sep);
  const sets = [defaultRules()];
  for (let depth = 0; depth < names.length; depth += 1) {
    const above = names.slice(0, depth);
    const rules = await rulesOf(join(repository, ...above), above.map((name) => `${name}/`).join(''));
    if (rules) sets.push(rules);
    if (isIgnored(names.slice(0, depth + 1).join('/'), true, sets)) return alone;
  }
  return { prefix: `${names.join('/')}/`, sets };
}

/** Returns the nearest folder with `.git`: the folder itself, or a folder above it. */
async function repositoryOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const isRepository = await lstat(join(at, '.git')).then(
      () => true,
      () => false,
    );
    if (isRepository) return at;
    if (at === dirname(at) || basename(at) === '') return undefined;
  }
}

/** @throws CliError with exit code 2 when an ignore file cannot be read: without its rules, private files would be sent. */
async function rulesOf(
  folder: string,
  base: string,
  names: readonly string[] = IGNORE_FILES,
): Promise<RuleSet | undefined> {
  const texts = await Promise.all(names.map((name) => ignoreText(join(folder, name))));
  const given = texts.filter((text) => text !== undefined);
  return given.length === 0 ? undefined : parseRules(base, given);
}

/** Returns the text of an ignore file; undefined if there is no file. A pipe or a device is not read, because it may have no end. */
async function ignoreText(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isFile() ? await readFile(path, 'utf8') : undefined;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw usageError(`The ignore file "${path}" cannot be read: ${fileProblem(error)}.`);
  }
}

export function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
