/** The header that makes a browser save a file instead of showing it (RFC 6266, RFC 8187). Pure. */

/** In code points. File systems accept at most 255 bytes. */
const FILE_NAME_LENGTH_MAX = 120;
const FALLBACK_NAME = 'file';

/**
 * Characters that change how a person or a program reads a name: path separators, control characters, direction marks, and characters
 * that Windows refuses.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}/\\:*?"<>|]/gu;

/** Returns the header value `attachment` with the name in two forms: as ASCII for old clients, and in full for the others. */
export function attachment(name: string): string {
  const safe = safeFileName(name);
  const ascii = safe.replace(/[^\x20-\x7e]/gu, '_').replace(/[%']/g, '_');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encode(safe)}`;
}

/** Returns a name without unsafe characters. A long name is cut, but keeps its extension. */
function safeFileName(name: string): string {
  const clean = name
    .toWellFormed()
    .replace(UNSAFE, '_')
    .replace(/^[\s.]+|[\s.]+$/g, '');
  if (clean === '') return FALLBACK_NAME;
  const points = [...clean];
  if (points.length <= FILE_NAME_LENGTH_MAX) return clean;
  const extension = /\.[\p{L}\p{N}]{1,10}$/u.exec(clean)?.[0] ?? '';
  return points.slice(0, FILE_NAME_LENGTH_MAX - [...extension].length).join('') + extension;
}

function encode(name: string): string {
  return encodeURIComponent(name).replace(/['()*!]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}
