/** Starts the service of the bench, uploads the corpora, and asks the questions. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operations } from '../../src/client/api.ts';
import { openPinakes, type Pinakes } from '../../src/client/client.ts';
import { type ServiceProcess, startServiceProcess } from '../../test/support/service-process.ts';
import { multipartBody } from '../../test/support/upload.ts';
import type { CorpusFile } from './files.ts';
import type { Hit } from './judge.ts';

export type Source = Operations['listSourcesOfSourceGroup']['response']['sources'][number];
type FoundChunk = Pick<
  Operations['search']['response']['results'][number],
  'id' | 'source_id' | 'heading_path' | 'content'
>;

/** The content of the data directory, stored beside it for `--reuse`. */
interface State {
  key: string;
  corpora: Record<string, IngestedCorpus>;
  /** Hits of the queries of neighbours.ts before the code base was added. */
  tops?: Hit[][];
}

export interface IngestedCorpus {
  groupId: string;
  seconds: number;
  files: string[];
  /** Time of the first file in Unix seconds; each next file has the next second. The times distinguish files with equal names. */
  firstTime: number;
  failures: { name: string; message: string }[];
}

export interface SourceOfCorpus {
  corpus: string;
  /** Path of the file; sources inside a file have the path of the file. */
  path: string;
  source: Source;
}

export interface Answer {
  /** Null when the service refused to answer. */
  text: string | null;
  cited: readonly Hit[];
}

export interface BenchService {
  pinakes: Pinakes;
  state: State;
  ingest(corpus: string, files: readonly CorpusFile[]): Promise<IngestedCorpus>;
  /** Returns the sources of all uploaded corpora. */
  sources(): Promise<Map<string, SourceOfCorpus>>;
  search(query: string): Promise<Hit[]>;
  /** Waits until every chunk has its vector. */
  waitForVectors(): Promise<void>;
  ask(question: string): Promise<Answer>;
  peakRss(): number;
  close(): Promise<void>;
}

const PAGE_SIZE = 100;
const POLL_MS = 100;
const VECTORS_POLL_MS = 1_000;
const SEARCH_LIMIT = 10;
const FIRST_TIME = 1_760_000_000;
/** Times that are reserved for each corpus: more than an upload has files. */
const TIMES_PER_CORPUS = 10_000;
const UNSETTLED: ReadonlySet<string> = new Set([
  'unknown',
  'queued',
  'not_started',
  'starting',
  'started',
  'canceling',
]);

/** What the service searches by. */
export interface SearchedBy {
  mode: 'lexical' | 'semantic' | 'hybrid';
  /** Settings of the embedding model, such as PINAKES_EMBEDDING_MODEL; none without a model. */
  env: Record<string, string>;
}

/** Starts a service on `folder`, which may hold the data of an earlier run. */
export async function openBenchService(folder: string, { mode, env }: SearchedBy): Promise<BenchService> {
  const stateFile = path.join(folder, 'bench.json');
  const before = existsSync(stateFile) ? (JSON.parse(readFileSync(stateFile, 'utf8')) as State) : undefined;
  const service = await startServiceProcess({
    dataDir: path.join(folder, 'data'),
    env,
    ...(before && { key: before.key }),
  });
  const state: State = before ?? { key: service.key, corpora: {} };
  const pinakes = openPinakes({ url: service.url, apiKey: state.key });
  let sources: Map<string, SourceOfCorpus> | undefined;
  const listed = async () => (sources ??= await listSources(pinakes, state));
  return {
    pinakes,
    state,
    async ingest(corpus, files) {
      sources = undefined;
      const firstTime = FIRST_TIME + Object.keys(state.corpora).length * TIMES_PER_CORPUS;
      const ingested = await ingest({ service, pinakes, corpus, files, firstTime });
      state.corpora[corpus] = ingested;
      return ingested;
    },
    sources: listed,
    async search(query) {
      const { results } = await pinakes.search({ body: { query, mode, limit: SEARCH_LIMIT } });
      const known = await listed();
      return results.map((chunk) => toHit(chunk, known));
    },
    async waitForVectors() {
      const metrics = { headers: { 'x-api-key': state.key } };
      const read = async () => (await fetch(`${service.url}/metrics`, metrics)).text();
      while (!/^pinakes_embedding_chunks_waiting 0$/m.test(await read())) await sleep(VECTORS_POLL_MS);
    },
    async ask(question) {
      const { choices } = await pinakes.createCompletion({
        body: { messages: [{ role: 'user', content: question }] },
      });
      const { finish_reason, message, citations } = choices[0]!;
      const known = await listed();
      return {
        text: finish_reason === 'no_answer' ? null : message.content,
        cited: citations.map((chunk) => toHit(chunk, known)),
      };
    },
    peakRss: () => service.peakRss(),
    async close() {
      writeFileSync(stateFile, JSON.stringify(state));
      await service.stop();
    },
  };
}

interface Upload {
  service: ServiceProcess;
  pinakes: Pinakes;
  corpus: string;
  files: readonly CorpusFile[];
  firstTime: number;
}

async function ingest({ service, pinakes, corpus, files, firstTime }: Upload): Promise<IngestedCorpus> {
  const parts = files.map(({ path: name, content }, i) => ({ name, content, lastModified: (firstTime + i) * 1000 }));
  const { headers, body } = multipartBody(parts, [['name', corpus]]);
  const startedAt = performance.now();
  const answer = await service.fetch('/local-file-groups', { method: 'POST', headers, body: new Uint8Array(body) });
  if (answer.status !== 201)
    throw new Error(`The upload of ${corpus} answered ${answer.status}: ${await answer.text()}`);
  const { source_group_id: groupId } = (await answer.json()) as { source_group_id: string };
  while (UNSETTLED.has((await pinakes.getLocalFileGroup({ params: { id: groupId } })).status)) await sleep(POLL_MS);
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    groupId,
    seconds,
    files: files.map((file) => file.path),
    firstTime,
    failures: await listFailures(pinakes, groupId),
  };
}

async function listFailures(pinakes: Pinakes, groupId: string): Promise<{ name: string; message: string }[]> {
  const { runs } = await pinakes.listRuns({ params: { id: groupId } });
  const failures: { name: string; message: string }[] = [];
  for (const run of runs) {
    const pages = rows(async (query) => {
      const { errors, pagination } = await pinakes.listRunErrors({ params: { id: run.id }, query });
      return { rows: errors, next: pagination.next_id };
    });
    for await (const { name, message } of pages) failures.push({ name, message });
  }
  return failures;
}

async function listSources(pinakes: Pinakes, state: State): Promise<Map<string, SourceOfCorpus>> {
  const found = new Map<string, SourceOfCorpus>();
  for (const [corpus, ingested] of Object.entries(state.corpora)) {
    const inGroup: Source[] = [];
    const pages = rows(async (query) => {
      const page = await pinakes.listSourcesOfSourceGroup({ params: { id: ingested.groupId }, query });
      return { rows: page.sources, next: page.pagination.next_id };
    });
    for await (const source of pages) inGroup.push(source);
    const byId = new Map(inGroup.map((source) => [source.id, source]));
    for (const source of inGroup) {
      const time = outermost(source, byId).content_time;
      const file = ingested.files[time - ingested.firstTime];
      if (file === undefined) throw new Error(`No file of ${corpus} belongs to the source ${source.name}.`);
      found.set(source.id, { corpus, path: file, source });
    }
  }
  return found;
}

/** Returns the file that holds `source`. */
function outermost(source: Source, byId: ReadonlyMap<string, Source>): Source {
  const parent = source.parent_source_id === null ? undefined : byId.get(source.parent_source_id);
  return parent === undefined ? source : outermost(parent, byId);
}

function toHit(chunk: FoundChunk, known: ReadonlyMap<string, SourceOfCorpus>): Hit {
  const { corpus, path: file } = known.get(chunk.source_id)!;
  return { id: chunk.id, corpus, path: file, headingPath: chunk.heading_path, content: chunk.content };
}

/** Returns all rows of a listing, page by page. */
export async function* rows<Row>(
  fetchPage: (query: { limit: number; after_id?: string }) => Promise<{ rows: Row[]; next: string | null }>,
): AsyncGenerator<Row> {
  for (let after: string | null | undefined; after !== null; ) {
    const page = await fetchPage({ limit: PAGE_SIZE, ...(after !== undefined && { after_id: after }) });
    yield* page.rows;
    after = page.next;
  }
}
