/** File names of uploads: for display and type hints, never paths. Pure. */

export const FILE_NAME_LENGTH_MAX = 255;
const UNNAMED = 'unnamed';

/**
 * The last segment of whatever path the client sent, without control characters and invisible direction marks, cut to
 * FILE_NAME_LENGTH_MAX code points with its extension kept.
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

/** Well-formed and in NFC, without control characters and invisible direction marks. */
export function withoutInvisible(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .normalize('NFC');
}
