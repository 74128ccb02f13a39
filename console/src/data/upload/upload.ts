/** Sends files. XMLHttpRequest is used because `fetch` does not report how many bytes were sent. */
import { CONSOLE_HEADER, noteSessionEnd, PinakesError } from '../api.ts';

export interface UploadBatch {
  /** The group that gets the files, or the name of a new one. */
  group: { id: string } | { name: string };
  files: readonly { path: string; file: File }[];
  /** Makes it safe to send the same batch again. */
  key: string;
}

export interface StoredBatch {
  groupId: string;
  /** What became of the files in a group that was there before. */
  changes?: { added: number; updated: number; unchanged: number } | undefined;
}

/** Sends one batch. Resolves when the files are stored. @throws PinakesError */
export function sendBatch(
  batch: UploadBatch,
  progress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<StoredBatch> {
  const groupId = 'id' in batch.group ? batch.group.id : undefined;
  const request = new XMLHttpRequest();
  request.open(
    groupId === undefined ? 'POST' : 'PUT',
    groupId === undefined ? '/api/v1/local-file-groups' : `/api/v1/local-file-groups/${groupId}/files`,
  );
  request.setRequestHeader('idempotency-key', batch.key);
  for (const [name, value] of Object.entries(CONSOLE_HEADER)) request.setRequestHeader(name, value);
  request.responseType = 'text';
  request.upload.addEventListener('progress', (event) => progress(event.loaded));
  return new Promise((done, fail) => {
    const abort = () => request.abort();
    signal.addEventListener('abort', abort, { once: true });
    request.addEventListener('abort', () => fail(new DOMException('The upload was stopped.', 'AbortError')));
    request.addEventListener('error', () => fail(new TypeError('no connection')));
    request.addEventListener('load', () => {
      if (request.status === 401) noteSessionEnd();
      const answer = readJson(request.responseText);
      if (request.status >= 200 && request.status < 300)
        done({
          groupId: answer?.source_group_id ?? groupId ?? '',
          ...(answer?.added !== undefined && { changes: answer as Required<UploadAnswer> }),
        });
      else fail(new PinakesError(request.status, answer?.error?.type ?? '', answer?.error?.message ?? '', null));
    });
    request.send(formOf(batch));
  });
}

interface UploadAnswer {
  source_group_id?: string;
  added?: number;
  updated?: number;
  unchanged?: number;
  error?: { type: string; message: string };
}

function readJson(text: string): UploadAnswer | undefined {
  try {
    return JSON.parse(text) as UploadAnswer;
  } catch {
    // The answer is not from the service, but from a proxy.
    return undefined;
  }
}

function formOf({ group, files }: UploadBatch): FormData {
  const form = new FormData();
  if ('name' in group) form.append('name', group.name);
  for (const { path, file } of files) {
    form.append('paths', path);
    form.append('last_modified', String(file.lastModified));
  }
  for (const { file } of files) form.append('files', file, file.name);
  return form;
}
