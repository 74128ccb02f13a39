/** The line below the name of a file: its path if the name does not say it, the lines of a program, and the headings above the passage. */
import type { Content } from '../../../src/client/api.ts';

/** Returns the line; empty for a file without a folder and a passage without headings. */
export function placeLine({ name, path, heading_path, ...where }: Placed): string {
  const { file_type: type, start_line: start, end_line: end } = where;
  if (type === 'code' && start !== null) return [`${path ?? name}:${start}-${end}`, ...heading_path].join('  ›  ');
  return [...(path === null || path === name ? [] : [path]), ...heading_path].join('  ›  ');
}

type Placed = Pick<Content, 'name' | 'path' | 'heading_path' | 'file_type' | 'start_line' | 'end_line'>;

/**
 * Returns what tells files with the same name apart: the folder of a file, or the file that it is inside; empty if it has none, or if its
 * name says it already.
 */
export function folderOf({ name, path }: { name: string; path: string | null }): string {
  const inside = ` › ${name}`;
  if (path?.endsWith(inside)) return path.slice(0, -inside.length);
  if (path === null || path === name || !path.includes('/')) return '';
  return path.slice(0, path.lastIndexOf('/'));
}
