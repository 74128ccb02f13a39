/** Conditional and partial GETs (RFC 9110 §13, §14): what of a file to send. Pure. */

/** Inclusive byte positions. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface DownloadRequest {
  range?: string | undefined;
  ifRange?: string | undefined;
  ifNoneMatch?: string | undefined;
}

export type DownloadPlan =
  | { status: 200 }
  | { status: 206; range: ByteRange }
  | { status: 304 }
  /** No byte of the range exists. */
  | { status: 416 };

/** @param etag a strong one, with its quotes. `size` in bytes. */
export function planDownload(request: DownloadRequest, etag: string, size: number): DownloadPlan {
  if (request.ifNoneMatch !== undefined && matches(request.ifNoneMatch, etag)) return { status: 304 };
  if (request.range === undefined) return { status: 200 };
  if (request.ifRange !== undefined && request.ifRange.trim() !== etag) return { status: 200 };
  const range = parseRange(request.range, size);
  if (range === 'unsatisfiable') return { status: 416 };
  return range ? { status: 206, range } : { status: 200 };
}

/** The weak comparison: `W/` does not matter. */
function matches(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return [...header.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag);
}

/** Undefined for what is to be ignored: another unit, several ranges, anything malformed. */
function parseRange(header: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header.trim());
  if (!match) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}
