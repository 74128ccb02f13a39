/** Encodes a group of files as a multipart/form-data stream (RFC 7578). No file is loaded into memory as a whole. */
import { randomUUID } from 'node:crypto';
import type { StreamBody } from '../../client/api.ts';
import { LAST_MODIFIED_MIN } from '../../features/local-files/receive.ts';
import { CliError } from './io.ts';
import { fileProblem } from './words.ts';

export interface UploadFile {
  /** Path of the file within its group, with `/`. */
  path: string;
  /** Number of bytes. The stream must yield exactly this number. */
  size: number;
  modifiedMs: number;
  open(): AsyncIterable<Uint8Array>;
}

/**
 * Returns a request body with these fields and files.
 *
 * @param onSent is called with the number of bytes of the body that were read so far.
 */
export function multipartBody(
  fields: readonly (readonly [name: string, value: string])[],
  files: readonly UploadFile[],
  onSent?: (bytes: number) => void,
): StreamBody {
  const boundary = `pinakes-${randomUUID()}`;
  const parts = files.map((file) => ({ file, head: Buffer.from(fileHead(boundary, file.path)) }));
  const all = [
    ...fields,
    ...files.map((file) => ['paths', file.path] as const),
    ...files.map((file) => ['last_modified', String(Math.max(file.modifiedMs, LAST_MODIFIED_MIN))] as const),
  ];
  const preamble = Buffer.from(all.map(([name, value]) => field(boundary, name, value)).join(''));
  const end = Buffer.from(`--${boundary}--\r\n`);
  const lineBreak = Buffer.from('\r\n');
  const length = parts.reduce(
    (sum, { file, head }) => sum + head.length + file.size + lineBreak.length,
    preamble.length + end.length,
  );

  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield preamble;
    for (const { file, head } of parts) {
      yield head;
      yield* exactly(file);
      yield lineBreak;
    }
    yield end;
  }

  async function* counted(): AsyncGenerator<Uint8Array> {
    let sent = 0;
    for await (const chunk of bytes()) {
      yield chunk;
      sent += chunk.length;
      onSent?.(sent);
    }
  }

  return { contentType: `multipart/form-data; boundary=${boundary}`, length, stream: ReadableStream.from(counted()) };
}

/** Yields the bytes of a file. @throws CliError when it cannot be read, or has changed: Content-Length was already sent. */
async function* exactly(file: UploadFile): AsyncGenerator<Uint8Array> {
  let read = 0;
  try {
    for await (const chunk of file.open()) {
      read += chunk.length;
      if (read > file.size) break;
      yield chunk;
    }
  } catch (error) {
    throw new CliError(`"${file.path}" cannot be read: ${fileProblem(error)}.`);
  }
  if (read !== file.size)
    throw new CliError(`"${file.path}" changed while it was being uploaded. Run the command again.`);
}

function field(boundary: string, name: string, value: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

/** Returns the header of a file's part. The service uses the last segment of the path as the file's name. */
function fileHead(boundary: string, name: string): string {
  const escaped = name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
  const disposition = `Content-Disposition: form-data; name="files"; filename="${escaped}"`;
  return `--${boundary}\r\n${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`;
}
