/** The header that makes a browser save a file instead of showing it (RFC 6266, RFC 8187). Pure. */

/** Code points; file systems take at most 255 bytes. */
const FILE_NAME_LENGTH_MAX = 120;
const FALLBACK_NAME = 'file';

/**
 * Characters that change what a person or a program reads in a name: separators of paths, controls, marks of direction,
 * and what Windows refuses.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}/\\:*?"<>|]/gu;

/** `attachment` with the name twice: as ASCII for old clients, in full for the others. */
export function attachment(name: string): string {
  const safe = safeFileName(name);
  const ascii = safe.replace(/[^\x20-\x7e]/gu, '_').replace(/[%']/g, '_');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encode(safe)}`;
}

/** The extension survives when the name is cut. */
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
