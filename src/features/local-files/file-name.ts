/** File names of uploads. They are shown and help to detect the file type; they are never used as paths. Pure. */
import { withoutInvisible } from '../../files/detect/member-name.ts';

export const FILE_NAME_LENGTH_MAX = 255;
const UNNAMED = 'unnamed';

/**
 * Returns the last segment of the path that the client sent, without control characters and direction marks. A name of more than
 * FILE_NAME_LENGTH_MAX code points is cut, but keeps its extension.
 */
export function displayName(sent: string): string {
  const segment = sent.split(/[/\\]/).findLast((part) => part.trim() !== '') ?? '';
  const clean = withoutInvisible(segment).trim();
  if (clean === '' || clean === '.' || clean === '..') return UNNAMED;
  const points = [...clean];
  if (points.length <= FILE_NAME_LENGTH_MAX) return clean;
  const extension = /\.[^.\s]{1,16}$/u.exec(clean)?.[0] ?? '';
  return points.slice(0, FILE_NAME_LENGTH_MAX - [...extension].length).join('') + extension;
}
