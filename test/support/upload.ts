/** Uploads files like a client, and waits for their ingestion. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestApp } from './app.ts';

export interface UploadFile {
  name: string;
  content: string | Uint8Array;
  /** Path in the group; if one file has a path, all must. */
  path?: string;
  /** Unix milliseconds. */
  lastModified?: number;
}

/** Returns a multipart body as browsers and curl write it. `fields` come before the files, `last_modified` after them. */
export function multipartBody(
  files: readonly UploadFile[],
  fields: readonly (readonly [string, string])[] = [],
  boundary = '----pinakes-test-boundary',
): { headers: Record<string, string>; body: Buffer } {
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
  for (const { path } of files) if (path !== undefined) add('Content-Disposition: form-data; name="paths"', path);
  for (const file of files)
    add('Content-Disposition: form-data; name="last_modified"', String(file.lastModified ?? 1_700_000_000_000));
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return { headers: { 'content-type': `multipart/form-data; boundary=${boundary}` }, body: Buffer.concat(parts) };
}

/** A form with one file, for tests that send a body to every route. The boundary is `x`. */
export const ONE_FILE_FORM =
  '--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\ntext\r\n--x--\r\n';
/** The body of a preview, with the same headers. */
export const PARSE_FORM = ONE_FILE_FORM.replace('"files"', '"file"');
export const ONE_FILE_HEADERS = { 'content-type': 'multipart/form-data; boundary=x' };

/** Uploads `files` (name -> content). Returns the id of the source group; its ingestion may still run. */
export function uploadFiles(
  t: TestApp,
  files: Record<string, string | Uint8Array>,
  key: string = t.key,
): Promise<string> {
  const list = Object.entries(files).map(([name, content]) => ({ name, content, lastModified: 1_700_000_000_000 }));
  return upload(t, list, key);
}

/** Uploads files as one group and waits until they are searchable (a worker must run). Returns the group's id. */
export async function ingest(t: TestApp, files: readonly UploadFile[], key: string = t.key): Promise<string> {
  const id = await upload(
    t,
    files.map((file) => ({ lastModified: 1_760_000_000_000, ...file })),
    key,
  );
  assert.equal(await waitForGroup(t, id, key), 'success');
  return id;
}

async function upload(t: TestApp, files: readonly UploadFile[], key: string): Promise<string> {
  const { headers, body } = multipartBody(files);
  const answer = await t.app.inject({
    method: 'POST',
    url: '/api/v1/local-file-groups',
    headers: { 'x-api-key': key, ...headers },
    payload: body,
  });
  assert.equal(answer.statusCode, 201, answer.body);
  return answer.json().source_group_id;
}

/** Waits for the end of the group's ingestion (a worker must run) and returns its status. */
export function waitForGroup(t: TestApp, id: string, key: string = t.key): Promise<string> {
  return eventually(async () => {
    const { status } = (await t.get(`/local-file-groups/${id}`, key)).body;
    return !['queued', 'starting', 'started', 'canceling', 'unknown'].includes(status) && status;
  });
}

/** Returns whether this is the status of a run that has ended. */
export function hasEnded(status: string): boolean {
  return ['success', 'failure', 'canceled'].includes(status);
}

/** Waits for the end of a run (a worker must run) and returns its record. */
export function waitForRun(t: TestApp, id: string) {
  return eventually(async () => {
    const { body } = await t.get(`/runs/${id}`);
    return hasEnded(body.status) && body;
  });
}

/** The pause doubles up to the maximum, so that short waits end soon and long waits cost little. */
const POLL_MS = { first: 5, max: 80 };

/**
 * Polls until `check` returns a value, for at most `ms`, and returns the value. The limit only ends a test that has
 * already failed.
 */
export async function eventually<T>(check: () => Promise<T | undefined | false>, ms = 300_000): Promise<T> {
  const end = Date.now() + ms;
  for (let pauseMs = POLL_MS.first; ; pauseMs = Math.min(2 * pauseMs, POLL_MS.max)) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`nothing came within ${ms} ms: ${check}`);
    await sleep(pauseMs);
  }
}
