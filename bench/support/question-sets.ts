/** Measures lexical retrieval on question sets in BEIR layout, in process: analyzer, BM25 index, `retrieve`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTenant } from '../../src/corpus/tenant-store.ts';
import type { Database } from '../../src/db/database.ts';
import { percentile } from '../../src/retrieval/measures.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { RetrieveRequest } from '../../src/retrieval/types.ts';
import { detectLanguage } from '../../src/text/language.ts';
import { newId } from '../../src/util/ids.ts';
import { seed } from '../../test/retrieval/corpus.ts';

const DEPTH = 100;
const RANKS_JUDGED = 10;
const BATCH_ENTRIES = 250;

interface Entry {
  _id: string;
  title?: string;
  text: string;
}

export interface SetFigures {
  entries: number;
  queries: number;
  ndcg10: number;
  recall100: number;
  /** Milliseconds of one search, one after the other. */
  p50: number;
  p95: number;
}

/** Required nDCG@10. */
export const TARGETS: Readonly<Record<string, number>> = {
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

/**
 * Writes the set in `folder` to a new tenant, one chunk for each entry, and asks every judged query once.
 *
 * @param db the database that searches; `writer` writes the entries, because it may have other indexes.
 */
export async function measureSet(db: Database, writer: Database, folder: string): Promise<SetFigures> {
  const tenant = await createTenant(db, { id: newId(), name: folder });
  const entries = readLines<Entry>(join(folder, 'corpus.jsonl'));
  for (let start = 0; start < entries.length; start += BATCH_ENTRIES) {
    const sources = entries.slice(start, start + BATCH_ENTRIES).map(({ _id, title, text }) => {
      // The titles of XQuAD repeat for every paragraph of an article.
      const content = title && !folder.includes('xquad') ? `${title}\n\n${text}` : text;
      return { name: _id, language: detectLanguage(content), chunks: [content] };
    });
    await seed(writer, tenant.id, [{ sources }]);
  }
  const queries = new Map(readLines<Entry>(join(folder, 'queries.jsonl')).map(({ _id, text }) => [_id, text]));
  const judged = readJudgements(join(folder, 'qrels/test.tsv'));
  const times: number[] = [];
  let [gain, recall] = [0, 0];
  for (const [id, relevant] of judged) {
    const start = performance.now();
    const { hits } = await retrieve({ db }, requestOf(tenant, queries.get(id)!));
    times.push(performance.now() - start);
    const names = hits.map((hit) => hit.name);
    gain +=
      discountedGain(names.map((name) => relevant.get(name) ?? 0)) /
      discountedGain([...relevant.values()].toSorted((a, b) => b - a));
    recall += names.filter((name) => relevant.has(name)).length / relevant.size;
  }
  return {
    entries: entries.length,
    queries: judged.size,
    ndcg10: gain / judged.size,
    recall100: recall / judged.size,
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
  };
}

function requestOf({ id, partitionNo }: { id: string; partitionNo: number }, query: string): RetrieveRequest {
  return {
    ...{ tenantId: id, partitionNo, sourceGroupIds: null, tagIds: null, principal: null, query, mode: 'lexical' },
    ...{ filters: {}, proximity: true, usePostfilter: false, limit: DEPTH, offset: 0, maxChunksPerSource: 1 },
  };
}

/** Returns the discounted cumulative gain of the first places. */
function discountedGain(gains: readonly number[]): number {
  return gains.slice(0, RANKS_JUDGED).reduce((sum, gain, i) => sum + (2 ** gain - 1) / Math.log2(i + 2), 0);
}

function readJudgements(path: string): Map<string, Map<string, number>> {
  const judged = new Map<string, Map<string, number>>();
  for (const line of readFileSync(path, 'utf8').trim().split('\n').slice(1)) {
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
