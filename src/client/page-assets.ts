/**
 * Finds the files that belong to web pages and have no text of their own: pictures, fonts, styles and scripts of a manual, and copies of
 * the text that a page was made of. An upload of a folder leaves them out. Pure.
 */

const WEB_PAGE = /\.(?:html?|xhtml)$/i;
const PICTURE_OR_FONT = /\.(?:png|jpe?g|gif|webp|bmp|ico|woff2?|ttf|otf|eot)$/i;
const STYLE_OR_SCRIPT = /\.(?:css|js|map|svg)$/i;
/** The search index of a Sphinx manual. The folder `_sources` beside it has copies of the sources of all pages. */
const SPHINX_INDEX = /(^|\/)searchindex\.js$/;

/** Says in JSON reports why a file was left out. */
export const ASSET_REASON = 'it belongs to the pages beside it and has no text of its own';

/** Returns "3 files that belong to web pages: pictures, …" */
export function assetsText(count: number): string {
  const files = count === 1 ? 'file that belongs' : 'files that belong';
  return `${count} ${files} to web pages: pictures, fonts, styles, scripts, copies of their source`;
}

/**
 * Returns the paths of the assets. A picture or font is an asset when its folder, or a folder above it, has web pages. Styles, scripts
 * and drawings are assets when the nearest of these folders has at least as many web pages as they are: the code of a program is not.
 * Pictures beside Markdown stay: a folder of notes may have scans. The copies of the sources of a Sphinx manual are left out, also of
 * pages that are no longer there.
 *
 * @param paths all files of one folder, relative to it, with `/`.
 */
export function findPageAssets(paths: readonly string[]): Set<string> {
  const pages = countByFolder(paths.filter((path) => WEB_PAGE.test(path)));
  const assets = new Set(paths.filter((path) => PICTURE_OR_FONT.test(path) && nearest(path, pages) !== undefined));
  const scripts = Map.groupBy(
    paths.filter((path) => STYLE_OR_SCRIPT.test(path)),
    (path) => nearest(path, pages),
  );
  for (const [folder, found] of scripts)
    if (folder !== undefined && pages.get(folder)! >= found.length) for (const path of found) assets.add(path);
  const copies = paths.flatMap((path) => (SPHINX_INDEX.test(path) ? path.replace(SPHINX_INDEX, '$1_sources/') : []));
  for (const path of paths) if (copies.some((folder) => path.startsWith(folder))) assets.add(path);
  return assets;
}

function countByFolder(paths: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) counts.set(folderOf(path), (counts.get(folderOf(path)) ?? 0) + 1);
  return counts;
}

/** Returns the folder of the path, or the next folder above it, that is in `folders`. */
function nearest(path: string, folders: ReadonlyMap<string, number>): string | undefined {
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    if (folders.has(folder)) return folder;
    if (folder === '') return undefined;
  }
}

/** Returns the folder without `/` at its end; empty for the top. */
function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
