/**
 * Measures chunking: the share of evidence spans that lie completely inside one of the first 5 chunks of their question.
 *
 *   npm run bench:spans
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTenant } from '../src/corpus/tenant-store.ts';
import type { ProcessedFile } from '../src/files/parsed.ts';
import { retrieve } from '../src/retrieval/retrieve.ts';
import { newId } from '../src/util/ids.ts';
import { seed } from '../test/retrieval/corpus.ts';
import { openTestDatabase } from '../test/support/database.ts';
import { readBytes } from '../test/support/files/process-bytes.ts';

interface Question {
  text: string;
  metadata: { references: { start: number; end: number; text: string }[] };
}

interface Place {
  file: string;
  start: number;
  end: number;
}

const FOLDER = join(import.meta.dirname, '../../shared/data/spans/chroma-chunking');
const TOP = 5;

const database = await openTestDatabase();
const { db } = database;
const tenant = await createTenant(db, { id: newId(), name: 'spans' });
const places = new Map<string, Place>();
const files = new Map<string, ProcessedFile>();
for (const { _id, text } of readLines<{ _id: string; text: string }>('corpus.jsonl')) {
  const file = await readBytes(`${_id}.md`, text);
  files.set(_id, file);
  const chunks = file.chunks.map((chunk) => {
    const id = newId();
    places.set(id, { file: _id, start: chunk.startOffset, end: chunk.endOffset });
    return { id, content: chunk.content, terms: chunk.terms };
  });
  await seed(db, tenant.id, [{ sources: [{ name: _id, language: file.language, chunks }] }]);
}

const judged = new Map(
  readFileSync(join(FOLDER, 'qrels/test.tsv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line): [string, string] => [line.split('\t')[0]!, line.split('\t')[1]!]),
);
const found = new Map<string, [inside: number, covered: number, all: number]>();
let [units, questions] = [0, 0];
for (const { _id, text, metadata } of readLines<Question & { _id: string }>('queries.jsonl')) {
  const file = judged.get(_id)!;
  const { hits } = await retrieve(
    { db },
    {
      ...{
        tenantId: tenant.id,
        partitionNo: tenant.partitionNo,
        sourceGroupIds: null,
        tagIds: null,
        principal: null,
        query: text,
      },
      ...{ mode: 'lexical' as const, filters: {}, usePostfilter: false, limit: TOP, offset: 0 },
    },
  );
  const tops = hits.map((hit) => places.get(hit.id)!);
  units += tops.reduce((sum, { start, end }) => sum + end - start, 0);
  questions += 1;
  const counts = found.get(file) ?? [0, 0, 0];
  for (const span of metadata.references) {
    const { start, end } = whereIs(span, files.get(file)!.text);
    const own = tops.filter((top) => top.file === file).toSorted((a, b) => a.start - b.start);
    if (own.some((top) => top.start <= start && top.end >= end)) counts[0] += 1;
    if (isCovered(own, start, end)) counts[1] += 1;
    counts[2] += 1;
  }
  found.set(file, counts);
}
await database.close();

console.log('text                 chunks  spans  inside a top-5 chunk  inside the top 5 together');
const total: [number, number, number] = [0, 0, 0];
for (const [file, counts] of found) {
  counts.forEach((count, i) => {
    total[i]! += count;
  });
  print(file, files.get(file)!.chunks.length, counts);
}
print('all', places.size, total);
console.log(`${Math.round(units / questions)} characters in the top ${TOP} on average`);

function print(name: string, chunks: number, [inside, covered, all]: [number, number, number]): void {
  const share = (count: number) => `${count} (${((100 * count) / all).toFixed(1)} %)`;
  console.log(
    name.padEnd(20),
    String(chunks).padStart(6),
    String(all).padStart(6),
    share(inside).padStart(21),
    share(covered).padStart(26),
  );
}

/** The offsets of the set belong to the original. A parser may have dropped characters in front of the span. */
function whereIs(
  { start, end, text }: { start: number; end: number; text: string },
  own: string,
): { start: number; end: number } {
  if (Array.from(own).slice(start, end).join('') === text) return { start, end };
  const at = own.indexOf(text, Math.max(0, start - 200));
  if (at === -1) return { start: -1, end: Number.POSITIVE_INFINITY };
  const first = Array.from(own.slice(0, at)).length;
  return { start: first, end: first + Array.from(text).length };
}

/** Joins adjacent chunks of the result to one range, across the white space between them. */
function isCovered(tops: readonly Place[], start: number, end: number): boolean {
  const GAP = 3;
  let to = start;
  for (const top of tops) if (top.start <= to + GAP && top.end > to) to = top.end;
  return tops.length > 0 && to >= end && tops.some((top) => top.start <= start && top.end > start);
}

function readLines<T>(name: string): T[] {
  return readFileSync(join(FOLDER, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}
