/** The line below the name of a file: its group and path if the name does not say them, the lines of a program, and the headings. */
import type { Content } from '../../../src/client/api.ts';

/**
 * Returns the line; empty for a file without a folder and a passage without headings.
 *
 * @param withGroup true if the line begins with the name of the group, unless the file has it.
 */
export function placeLine({ name, path, heading_path, ...where }: Placed, withGroup = false): string {
  const { file_type: type, start_line: start, end_line: end, source_group_name: group } = where;
  const file = path ?? name;
  const groups = withGroup && group !== '' && group !== file && !file.startsWith(`${group}/`) ? [group] : [];
  if (type === 'code' && start !== null) return [...groups, `${file}:${start}-${end}`, ...heading_path].join('  ›  ');
  return [...groups, ...(file === name ? [] : [file]), ...heading_path].join('  ›  ');
}

/** Returns whether the passages are of several groups: files of several manuals often have the same names and headings. */
export function areOfSeveralGroups(passages: readonly Pick<Content, 'source_group_id'>[]): boolean {
  return new Set(passages.map((one) => one.source_group_id)).size > 1;
}

type Placed = Pick<
  Content,
  'name' | 'path' | 'heading_path' | 'file_type' | 'start_line' | 'end_line' | 'source_group_name'
>;

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
