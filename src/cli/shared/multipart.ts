/** Encodes a group of files as multipart/form-data (RFC 7578), streamed: a file's bytes are never held whole. */
import { randomUUID } from 'node:crypto';
import type { StreamBody } from '../../client/api.ts';
import { LAST_MODIFIED_MIN } from '../../features/local-files/receive.ts';
import { CliError } from './io.ts';

export interface UploadFile {
  /** Names the file within its group, with `/`. */
  path: string;
  /** Bytes. The stream must give exactly as many. */
  size: number;
  modifiedMs: number;
  open(): AsyncIterable<Uint8Array>;
}

/**
 * A body with these fields and files.
 *
 * @param onSent is told how many bytes of the body have been handed over so far.
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

/** The length was promised in Content-Length: a file that changed meanwhile must not shift the others. */
async function* exactly(file: UploadFile): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of file.open()) {
    read += chunk.length;
    if (read > file.size) break;
    yield chunk;
  }
  if (read !== file.size)
    throw new CliError(`"${file.path}" changed while it was being uploaded. Run the command again.`);
}

function field(boundary: string, name: string, value: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

/** The service takes the last segment of the path for the file's name. */
function fileHead(boundary: string, name: string): string {
  const escaped = name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
  return `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${escaped}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
}
