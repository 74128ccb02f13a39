/** Uploads as a client makes them, and waiting for what they start. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface UploadFile {
  name: string;
  content: string | Uint8Array;
  lastModified?: number;
}

/** A multipart body as browsers and curl write it. Entries of `fields` come before the files. */
export function multipartBody(
  files: readonly UploadFile[],
  fields: readonly (readonly [string, string])[] = [],
): { headers: Record<string, string>; body: Buffer } {
  const boundary = '----pinakes-test-boundary';
  const parts: Buffer[] = [];
  const add = (header: string, content: string | Uint8Array): void => {
    parts.push(Buffer.from(`--${boundary}\r\n${header}\r\n\r\n`), Buffer.from(content as string), Buffer.from('\r\n'));
  };
  for (const [name, value] of fields) add(`Content-Disposition: form-data; name="${name}"`, value);
  for (const file of files) {
    const name = file.name.replace(/"/g, '%22');
    add(
      `Content-Disposition: form-data; name="files"; filename="${name}"\r\nContent-Type: application/octet-stream`,
      file.content,
    );
  }
  for (const file of files) add('Content-Disposition: form-data; name="last_modified"', String(file.lastModified ?? 0));
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return { headers: { 'content-type': `multipart/form-data; boundary=${boundary}` }, body: Buffer.concat(parts) };
}

/** Polls until `check` gives something, for at most `ms`. The limit only ends a test that has already failed. */
export async function eventually<T>(check: () => Promise<T | undefined | false>, ms = 30_000): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`nothing came within ${ms} ms: ${check}`);
    await sleep(25);
  }
}
