/** Reads an evaluation set in the BEIR layout: corpus.jsonl, queries.jsonl, qrels/<split>.tsv. */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Judgements } from '../../retrieval/measures.ts';
import { usageError } from '../shared/io.ts';
import type { UploadFile } from '../shared/multipart.ts';

export interface EvalQuery {
  id: string;
  text: string;
  judgements: Judgements;
}

export interface EvalSet {
  files: UploadFile[];
  /** Queries that have at least one relevant entry. */
  queries: EvalQuery[];
  /** Corpus ids by file names. */
  idOf: ReadonlyMap<string, string>;
}

/** Modification time of every entry, because the sets do not give one. */
const MODIFIED_MS = Date.UTC(2020, 0, 1);

/** Reads a set. @throws CliError with exit code 2 when the folder is not an evaluation set. */
export async function readEvalSet(folder: string, split = 'test'): Promise<EvalSet> {
  const qrels = await readQrels(join(folder, 'qrels', `${split}.tsv`)).catch(() => {
    throw usageError(`"${folder}" is not a BEIR folder: it needs corpus.jsonl, queries.jsonl and qrels/${split}.tsv.`);
  });
  const queries: EvalQuery[] = [];
  for await (const { _id, text } of readJsonLines<{ _id: string; text: string }>(join(folder, 'queries.jsonl'))) {
    const judgements = qrels.get(_id);
    if (judgements !== undefined && [...judgements.values()].some((grade) => grade > 0))
      queries.push({ id: _id, text, judgements });
  }
  const files: UploadFile[] = [];
  const idOf = new Map<string, string>();
  for await (const entry of readJsonLines<{ _id: string; title?: string; text: string }>(
    join(folder, 'corpus.jsonl'),
  )) {
    const name = `${encodeURIComponent(entry._id)}.txt`;
    idOf.set(name, entry._id);
    files.push(textFile(name, entryText(entry.title ?? '', entry.text)));
  }
  return { files, queries, idOf };
}

/** Returns the text of an entry. Its title, if it has one, stands above the text, as in a plain text file. */
export function entryText(title: string, text: string): string {
  return title.trim() === '' ? text : `${title}\n\n${text}`;
}

function textFile(name: string, text: string): UploadFile {
  const bytes = Buffer.from(text);
  return {
    path: name,
    size: bytes.length,
    modifiedMs: MODIFIED_MS,
    open: async function* () {
      yield bytes;
    },
  };
}

async function readQrels(path: string): Promise<Map<string, Map<string, number>>> {
  const qrels = new Map<string, Map<string, number>>();
  const lines = (await readFile(path, 'utf8')).split('\n').slice(1);
  for (const line of lines) {
    const [queryId, corpusId, grade] = line.trim().split('\t');
    if (queryId === undefined || corpusId === undefined) continue;
    const judgements = qrels.get(queryId) ?? new Map<string, number>();
    judgements.set(corpusId, Number(grade));
    qrels.set(queryId, judgements);
  }
  return qrels;
}

async function* readJsonLines<T>(path: string): AsyncGenerator<T> {
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (line.trim() !== '') yield JSON.parse(line) as T;
  }
}
