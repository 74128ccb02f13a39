/** Conditional and partial GETs (RFC 9110 §13, §14): decides which bytes of a file are sent. Pure. */

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

/** Returns how to answer a download. `etag` is a strong entity tag with its quotes; `size` is in bytes. */
export function planDownload(request: DownloadRequest, etag: string, size: number): DownloadPlan {
  if (request.ifNoneMatch !== undefined && matches(request.ifNoneMatch, etag)) return { status: 304 };
  if (request.range === undefined) return { status: 200 };
  if (request.ifRange !== undefined && request.ifRange.trim() !== etag) return { status: 200 };
  const range = parseRange(request.range, size);
  if (range === 'unsatisfiable') return { status: 416 };
  return range ? { status: 206, range } : { status: 200 };
}

/** Whether the header names the entity tag. This is the weak comparison: `W/` is ignored. */
function matches(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return [...header.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag);
}

/** Returns undefined for a header that must be ignored: another unit, several ranges, or a malformed range. */
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
