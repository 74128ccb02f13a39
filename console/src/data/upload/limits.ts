/** What one upload may hold. Pure. */
import type { Operations } from '../../../../src/client/api.ts';

export interface UploadLimits {
  filesMax: number;
  bytesMax: number;
}

/** The limits of every version of the service; used until it has said its own. */
const LIMITS: UploadLimits = { filesMax: 2_000, bytesMax: 524_288_000 };
/** Room for the fields and the borders of the parts in the body of a request. */
export const OVERHEAD_BYTES = 2_048;

export function limitsOf(service: Operations['getService']['response'] | undefined): UploadLimits {
  if (!service) return LIMITS;
  const { files_per_upload_max: filesMax, upload_bytes_max: bytesMax } = service.limits;
  return { filesMax, bytesMax };
}

/** Returns the bytes that a file needs in a request. */
export function bytesInRequest({ path, size }: { path: string; size: number }): number {
  return size + path.length * 6 + OVERHEAD_BYTES;
}

/** Returns why no upload takes a file of this size; undefined if one does. */
export function sizeProblemOf(
  file: { path: string; size: number },
  limits: UploadLimits,
): 'empty' | 'tooLarge' | undefined {
  if (file.size === 0) return 'empty';
  return bytesInRequest(file) + OVERHEAD_BYTES > limits.bytesMax ? 'tooLarge' : undefined;
}
