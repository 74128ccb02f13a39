/** The path of an uploaded file identifies the file within its source group. It is never a place on a disk. Pure. */
import { invalidRequest } from '../../errors.ts';
import { withoutInvisible } from '../../files/detect/member-name.ts';

/** Maximum length as UTF-8. An index entry must fit into one page of the database. */
export const PATH_BYTES_MAX = 2_000;

/**
 * Returns the path in the form in which paths are stored and compared: Unicode NFC, without control characters, direction marks, empty
 * segments and `.`.
 *
 * @throws ServiceError invalid_request for a path that is empty, too long, or has the segment `..`.
 */
export function cleanPath(sent: string): string {
  const segments = withoutInvisible(sent)
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw invalidRequest(`A path must not have the segment "..": ${quoted(sent)}.`);
  const path = segments.join('/');
  if (path === '') throw invalidRequest(`A path must name a file, for example "guides/start.md": ${quoted(sent)}.`);
  if (Buffer.byteLength(path) > PATH_BYTES_MAX)
    throw invalidRequest(`A path has at most ${PATH_BYTES_MAX} bytes: ${quoted(sent)}.`);
  return path;
}

function quoted(path: string): string {
  return JSON.stringify([...path].slice(0, 100).join(''));
}
