/** What the service would read from a file, before it is sent for good. */
import type { Operations } from '../../../src/client/api.ts';
import { pinakes } from './api.ts';

export type FilePreview = Operations['parseFile']['response'];

export function previewFile(file: File, signal: AbortSignal): Promise<FilePreview> {
  const body = new FormData();
  body.append('file', file, file.name);
  return pinakes.parseFile({ body: body as never }, { signal });
}
