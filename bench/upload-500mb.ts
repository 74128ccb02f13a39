/**
 * Sends the largest upload (524,288,000 bytes of request body with 2,000 files) to the real service.
 *
 *     node bench/upload-500mb.ts
 *
 * Prints the growth of the serving process between the first byte and the response. Checks that one more byte or file is refused and
 * leaves nothing behind. Exits with 1 when a promise is broken.
 */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FILES_MAX, UPLOAD_BYTES_MAX } from '../src/features/local-files/receive.ts';
import { type ServiceProcess, startServiceProcess } from '../test/support/service-process.ts';

const GROWTH_MAX_MIB = 64;
const SAMPLE_MS = 10;
const BOUNDARY = 'bench-boundary';
const WORDS = 'the library keeps scrolls of papyrus and parchment in long rows of shelves along the walls ';

const header = (i: number): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="file-${i}.txt"\r\n\r\n`;
const time = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="last_modified"\r\n\r\n1700000000000\r\n`;
const end = `--${BOUNDARY}--\r\n`;

/** Generates a body of exactly `bytes` bytes with `files` files while it is sent. */
function* makeBody(files: number, bytes: number): Generator<Buffer> {
  let overhead = end.length + files * (time.length + 2);
  for (let i = 0; i < files; i++) overhead += header(i).length;
  const content = bytes - overhead;
  const text = Buffer.from(WORDS.repeat(Math.ceil(content / files / WORDS.length) + 2));
  for (let i = 0; i < files; i++) {
    const size = Math.floor(((i + 1) * content) / files) - Math.floor((i * content) / files);
    const stamp = Buffer.from(`file ${i} `.padEnd(16).slice(0, size));
    yield Buffer.concat([Buffer.from(header(i)), stamp, text.subarray(0, size - stamp.length), Buffer.from('\r\n')]);
  }
  for (let i = 0; i < files; i++) yield Buffer.from(time);
  yield Buffer.from(end);
}

interface Answer {
  status: number;
  body: string;
  /** Bytes. */
  rssBefore: number;
  rssPeak: number;
  seconds: number;
}

function send(service: ServiceProcess, files: number, bytes: number, withLength: boolean): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const rssBefore = service.rss();
    writeFileSync(`/proc/${service.pid}/clear_refs`, '5'); // resets the kernel's peak
    let rssPeak = 0;
    const sampling = setInterval(() => {
      rssPeak = Math.max(rssPeak, service.rss());
    }, SAMPLE_MS);
    const outgoing = request(`${service.url}/api/v1/local-file-groups`, {
      method: 'POST',
      agent: false,
      headers: {
        'x-api-key': service.key,
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        ...(withLength ? { 'content-length': bytes } : {}),
      },
    });
    let answered = false;
    outgoing.on('response', (response) => {
      answered = true;
      rssPeak = Math.max(rssPeak, service.peakRss());
      clearInterval(sampling);
      const seconds = (performance.now() - startedAt) / 1000;
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('error', () => undefined); // the rest of a refused body may break the connection
      response.on('end', () => {
        outgoing.destroy();
        resolve({ status: response.statusCode ?? 0, body, rssBefore, rssPeak, seconds });
      });
    });
    outgoing.on('error', (error) => {
      clearInterval(sampling);
      if (!answered) reject(error);
    });
    void (async () => {
      for (const piece of makeBody(files, bytes)) {
        if (answered) return;
        if (!outgoing.write(piece)) await drained(outgoing);
      }
      outgoing.end();
    })();
  });
}

function drained(outgoing: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      outgoing.off('drain', go).off('close', go);
      resolve();
    };
    outgoing.on('drain', go).on('close', go);
  });
}

function storedFiles(dataDir: string): number {
  const blobs = path.join(dataDir, 'blobs');
  return readdirSync(blobs, { recursive: true }).filter((name) => statSync(path.join(blobs, String(name))).isFile())
    .length;
}

const MIB = 2 ** 20;
let broken = 0;
function check(what: string, holds: boolean): void {
  console.log(`${holds ? 'ok    ' : 'BROKEN'} ${what}`);
  if (!holds) broken++;
}

async function inFreshService(use: (service: ServiceProcess, dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'pinakes-upload-'));
  const service = await startServiceProcess({ dataDir });
  try {
    await sleep(1000);
    await use(service, dataDir);
  } finally {
    await service.kill();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

// A fresh service: the first upload is measured without warm-up.
for (const [how, withLength] of [
  ['length announced', true],
  ['chunked', false],
] as const)
  await inFreshService(async (service, dataDir) => {
    const answer = await send(service, FILES_MAX, UPLOAD_BYTES_MAX, withLength);
    check(
      `${FILES_MAX} files, ${UPLOAD_BYTES_MAX} bytes, ${how}: ${answer.status} after ${answer.seconds.toFixed(1)} s`,
      answer.status === 201,
    );
    const growth = (answer.rssPeak - answer.rssBefore) / MIB;
    const [before, peak] = [answer.rssBefore, answer.rssPeak].map((bytes) => (bytes / MIB).toFixed(0));
    check(
      `resident memory ${before} MiB before, ${peak} MiB at most: grew by ${growth.toFixed(1)} MiB`,
      growth <= GROWTH_MAX_MIB,
    );
    check(`${storedFiles(dataDir)} blobs stored`, storedFiles(dataDir) === FILES_MAX);
  });

await inFreshService(async (service, dataDir) => {
  for (const [what, files, bytes, withLength, status] of [
    ['one byte more, announced', FILES_MAX, UPLOAD_BYTES_MAX + 1, true, 413],
    ['one byte more, chunked', FILES_MAX, UPLOAD_BYTES_MAX + 1, false, 413],
    ['one file more', FILES_MAX + 1, 10_000_000, true, 400],
  ] as const) {
    const answer = await send(service, files, bytes, withLength);
    check(`${what}: ${answer.status} after ${answer.seconds.toFixed(1)} s, ${answer.body}`, answer.status === status);
    await sleep(200);
    const list = (await (await service.fetch('/local-file-groups')).json()) as { local_file_groups: unknown[] };
    const [left, groups] = [storedFiles(dataDir), list.local_file_groups.length];
    check(`  nothing of it stays: ${left} files, ${groups} groups`, left === 0 && groups === 0);
  }
});

process.exit(broken === 0 ? 0 : 1);
