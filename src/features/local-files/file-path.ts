/** The path of an uploaded file: its name within its source group. It is an identity, never a place on a disk. Pure. */
import { invalidRequest } from '../../errors.ts';
import { withoutInvisible } from './file-name.ts';

/** UTF-8. An entry of an index must fit a page of the database. */
export const PATH_BYTES_MAX = 2_000;

/**
 * The form in which paths are stored and compared: Unicode NFC, without control characters, direction marks, empty segments and `.`.
 *
 * @throws ServiceError invalid_request for a path that is empty, too long or has the segment `..`.
 */
export function cleanPath(sent: string): string {
  const segments = withoutInvisible(sent)
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw invalidRequest(`A path must not have the segment "..": ${shown(sent)}.`);
  const path = segments.join('/');
  if (path === '') throw invalidRequest(`A path must name a file, for example "guides/start.md": ${shown(sent)}.`);
  if (Buffer.byteLength(path) > PATH_BYTES_MAX)
    throw invalidRequest(`A path has at most ${PATH_BYTES_MAX} bytes: ${shown(sent)}.`);
  return path;
}

function shown(path: string): string {
  return JSON.stringify([...path].slice(0, 100).join(''));
}
