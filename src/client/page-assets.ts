/**
 * Finds the files that pages only show or run: pictures, fonts, styles and scripts of a manual. They have no text to search. An upload
 * of a folder leaves them out. Pure.
 */

const WEB_PAGE = /\.(?:html?|xhtml)$/i;
const PICTURE_OR_FONT = /\.(?:png|jpe?g|gif|webp|bmp|ico|woff2?|ttf|otf|eot)$/i;
const STYLE_OR_SCRIPT = /\.(?:css|js|map|svg)$/i;

/** Says in JSON reports why a file was left out. */
export const ASSET_REASON = 'it belongs to the pages beside it and has no text of its own';

/** Returns "3 files that only pages use: pictures, …" */
export function assetsText(count: number): string {
  return `${count} ${count === 1 ? 'file' : 'files'} that pages only show or run: pictures, fonts, styles, scripts`;
}

/**
 * Returns the paths of the assets. A picture or font is an asset when its folder, or a folder above it, has web pages. Styles, scripts
 * and drawings are assets when the nearest of these folders has at least as many web pages as they are: the code of a program is not.
 * Pictures beside Markdown stay: a folder of notes may have scans.
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
