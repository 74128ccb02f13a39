/**
 * Measures quality and speed of lexical retrieval on question sets in BEIR layout, in process: analyzer, BM25 index, `retrieve`.
 *
 *   node bench/retrieval-lexical.ts [--scan] [--folder <folder>] [set …]
 *
 * The sets are subfolders of ../shared/data/retrieval or of the given folder; default: all. `target` is the required nDCG@10.
 * `beside` is the time of a search apart from the SQL for candidates: languages, analysis, typing errors, reading the hits.
 *
 * Each entry is one chunk, so the figures describe the analyzer. `pinakes eval` measures the whole service.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createTenant } from '../src/corpus/tenant-store.ts';
import type { Database } from '../src/db/database.ts';
import { retrieve } from '../src/retrieval/retrieve.ts';
import { detectLanguage } from '../src/text/language.ts';
import { newId } from '../src/util/ids.ts';
import { seed } from '../test/retrieval/corpus.ts';
import { openTestDatabase } from '../test/support/database.ts';

const SHARED_FOLDER = join(import.meta.dirname, '../../shared/data/retrieval');
const DEPTH = 100;
const BATCH_ENTRIES = 250;

interface Entry {
  _id: string;
  title?: string;
  text: string;
}

/** Required nDCG@10. */
const TARGETS: Record<string, number> = {
  scifact: 0.69,
  'xquad-en': 0.97,
  'xquad-de': 0.96,
  'xquad-es': 0.964,
  'xquad-ro': 0.97,
  'xquad-ru': 0.955,
  'xquad-el': 0.955,
  'xquad-tr': 0.95,
  'xquad-vi': 0.955,
  'xquad-ar': 0.94,
  'xquad-hi': 0.93,
  'xquad-th': 0.96,
  'xquad-zh': 0.96,
  'jsquad-valid': 0.945,
  'korquad1-dev': 0.955,
  'drcd-dev': 0.968,
};

const { values: options, positionals } = parseArgs({
  options: { scan: { type: 'boolean' }, folder: { type: 'string', default: SHARED_FOLDER } },
  allowPositionals: true,
});
const FOLDER = options.folder;
if (!existsSync(FOLDER)) throw new Error(`no question sets in ${FOLDER}`);
const sets = positionals.length > 0 ? positionals : readdirSync(FOLDER);

const database = await openTestDatabase();
const db: Database = options.scan ? { ...database.db, hasTextSearch: false } : database.db;
console.log('set               entries  queries  nDCG@10  target   R@100   ingest s  p50 ms  p95 ms  beside p50');
try {
  for (const set of sets) console.log(await measure(set));
} finally {
  await database.close();
}

async function measure(set: string): Promise<string> {
  const tenant = await createTenant(db, { id: newId(), name: set });
  const entries = readLines<Entry>(join(FOLDER, set, 'corpus.jsonl'));
  const began = performance.now();
  for (let start = 0; start < entries.length; start += BATCH_ENTRIES) {
    const sources = entries.slice(start, start + BATCH_ENTRIES).map(({ _id, title, text }) => {
      const content = title && !set.startsWith('xquad') ? `${title}\n\n${text}` : text;
      return { name: _id, language: detectLanguage(content), chunks: [content] };
    });
    await seed(database.db, tenant.id, [{ sources }]);
  }
  const ingestSeconds = (performance.now() - began) / 1000;

  const queries = new Map(readLines<Entry>(join(FOLDER, set, 'queries.jsonl')).map(({ _id, text }) => [_id, text]));
  const times: number[] = [];
  const beside: number[] = [];
  let [gain, recall] = [0, 0];
  const judged = readJudgements(set);
  for (const [id, relevant] of judged) {
    const start = performance.now();
    const { hits, timings } = await retrieve({ db }, request(tenant, queries.get(id)!));
    times.push(performance.now() - start);
    beside.push(times.at(-1)! - (timings['lexical'] ?? 0));
    const names = hits.map((hit) => hit.name);
    gain +=
      discountedGain(names.map((name) => relevant.get(name) ?? 0)) /
      discountedGain([...relevant.values()].toSorted((a, b) => b - a));
    recall += names.filter((name) => relevant.has(name)).length / relevant.size;
  }
  const percentile = (of: readonly number[], share: number): string =>
    of.toSorted((a, b) => a - b)[Math.floor(of.length * share)]!.toFixed(1);
  return [
    set.padEnd(17),
    String(entries.length).padStart(7),
    String(judged.size).padStart(8),
    (gain / judged.size).toFixed(4).padStart(8),
    (TARGETS[set]?.toFixed(3) ?? '').padStart(7),
    (recall / judged.size).toFixed(4).padStart(7),
    ingestSeconds.toFixed(1).padStart(10),
    percentile(times, 0.5).padStart(7),
    percentile(times, 0.95).padStart(7),
    percentile(beside, 0.5).padStart(11),
  ].join(' ');
}

function request({ id, partitionNo }: { id: string; partitionNo: number }, query: string) {
  return {
    ...{
      tenantId: id,
      partitionNo,
      sourceGroupIds: null,
      tagIds: null,
      principal: null,
      query,
      mode: 'lexical' as const,
      filters: {},
    },
    ...{ proximity: true, usePostfilter: false, limit: DEPTH, offset: 0, maxChunksPerSource: 1 },
  };
}

/** Returns nDCG of the first ten places. */
function discountedGain(gains: readonly number[]): number {
  return gains.slice(0, 10).reduce((sum, gain, i) => sum + (2 ** gain - 1) / Math.log2(i + 2), 0);
}

function readJudgements(set: string): Map<string, Map<string, number>> {
  const judged = new Map<string, Map<string, number>>();
  for (const line of readFileSync(join(FOLDER, set, 'qrels/test.tsv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1)) {
    const [query = '', entry = '', grade = ''] = line.split('\t');
    if (Number(grade) > 0) judged.set(query, (judged.get(query) ?? new Map()).set(entry, Number(grade)));
  }
  return judged;
}

function readLines<T>(path: string): T[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}
