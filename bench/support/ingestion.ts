/** Measures how fast files become searchable in a service that already has a corpus. */
import { setTimeout as sleep } from 'node:timers/promises';
import { newSeed, openRandom } from '../../test/support/random.ts';
import type { ServiceProcess } from '../../test/support/service-process.ts';
import { multipartBody } from '../../test/support/upload.ts';

const CHUNKS_PER_FILE = 10;
/** Words of a file for each wanted chunk. */
const WORDS_PER_CHUNK = 150;
const WORDS_PER_SENTENCE = 15;
const VOCABULARY_WORDS = 5_000;
const POLL_MS = 50;

/** Uploads files with about `chunks` chunks together, waits, deletes them, and returns chunks per second. */
export async function measureIngestion(service: ServiceProcess, chunks: number): Promise<string> {
  // The texts differ each time, because the service does not embed known texts again.
  const random = openRandom(newSeed());
  const words = Array.from({ length: VOCABULARY_WORDS }, () => random.word(random.integer(4, 9)));
  const sentence = (): string => {
    const picked = Array.from(
      { length: WORDS_PER_SENTENCE },
      () => words[Math.floor(words.length ** random.next()) - 1],
    );
    return `${picked.join(' ')}.`;
  };
  const files = Array.from({ length: Math.ceil(chunks / CHUNKS_PER_FILE) }, (_, i) => ({
    name: `made-${i}.txt`,
    content: Array.from({ length: (CHUNKS_PER_FILE * WORDS_PER_CHUNK) / WORDS_PER_SENTENCE }, sentence).join('\n\n'),
  }));
  const before = await readMetric(service, EMBEDDED);
  const { headers, body } = multipartBody(files, [['name', 'bench']]);
  const startedAt = performance.now();
  const answer = await service.fetch('/local-file-groups', { method: 'POST', headers, body: new Uint8Array(body) });
  if (answer.status !== 201) throw new Error(await answer.text());
  const { source_group_id: group } = (await answer.json()) as { source_group_id: string };
  for (;;) {
    const { status } = (await (await service.fetch(`/local-file-groups/${group}`)).json()) as { status: string };
    if (status === 'failure') throw new Error('ingestion failed');
    if (status === 'success') break;
    await sleep(POLL_MS);
  }
  const searchableSeconds = (performance.now() - startedAt) / 1000;
  while ((await readMetric(service, WAITING)) > 0) await sleep(POLL_MS);
  const embeddedSeconds = (performance.now() - startedAt) / 1000;
  const made = (await readMetric(service, EMBEDDED)) - before;
  await (await service.fetch(`/source-groups/${group}`, { method: 'DELETE' })).text();
  const rate = (seconds: number): string => `${(made / seconds).toFixed(0)} chunks/s`;
  return `ingestion of ${made} chunks in ${files.length} files: ${rate(searchableSeconds)} until searchable, ${rate(embeddedSeconds)} with vectors`;
}

const EMBEDDED = 'pinakes_embedded_total{what="chunks"}';
const WAITING = 'pinakes_embedding_chunks_waiting';

async function readMetric(service: ServiceProcess, name: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}
