/** SQL of the tables evaluation_set, evaluation_question, evaluation_judgement and evaluation_run. */
import { json, type Tx } from '../../db/database.ts';
import { countRows, type Listed, type PageRequest, readPage } from '../../db/page-sql.ts';
import { raw, sql } from '../../db/sql.ts';
import type { Measures } from '../../retrieval/measures.ts';

export interface EvaluationSet {
  id: string;
  name: string;
  questions: number;
  createdAt: Date;
}

export interface Question {
  id: string;
  setId: string;
  query: string;
}

/** A judgement holds for a text of a source, so it survives that the source is read again. */
export interface Judgement {
  questionId: string;
  sourceId: string;
  textHash: string;
  relevant: boolean;
  /** The chunk that has the text now; null: the source no longer has it. */
  chunkId: string | null;
}

export interface QuestionResult extends Measures {
  questionId: string;
  query: string;
}

export interface EvaluationRun extends Measures {
  id: string;
  setId: string;
  mode: string;
  results: QuestionResult[];
  createdAt: Date;
}

const SET_COLUMNS = raw(`s.id, s.name, s.created_at, (select count(*) from evaluation_question q
  where q.tenant_id = s.tenant_id and q.set_id = s.id) as questions`);
const RUN_COLUMNS = raw('r.id, r.set_id, r.mode, r.ndcg10, r.recall100, r.mrr10, r.results, r.created_at');

export async function insertSet(tx: Tx, set: Pick<EvaluationSet, 'id' | 'name' | 'createdAt'>) {
  await tx.query(sql`
    insert into evaluation_set (tenant_id, id, name, created_at) values (${tx.tenantId}, ${set.id}, ${set.name}, ${set.createdAt})`);
}

export async function findSet(tx: Tx, id: string): Promise<EvaluationSet | undefined> {
  const [set] = await tx.query<EvaluationSet>(sql`
    select ${SET_COLUMNS} from evaluation_set s where s.tenant_id = ${tx.tenantId} and s.id = ${id}`);
  return set;
}

/** Locks the set, so that its questions can be counted. */
export async function lockSet(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select from evaluation_set where tenant_id = ${tx.tenantId} and id = ${id} for update`);
  return rows.length > 0;
}

export function listSets(tx: Tx, page: PageRequest): Promise<Listed<EvaluationSet>> {
  const matching = sql`evaluation_set s where s.tenant_id = ${tx.tenantId}`;
  return readPage<EvaluationSet>(tx, SET_COLUMNS, matching, raw('s.id'), page);
}

export function countSets(tx: Tx): Promise<number> {
  return countRows(tx, sql`evaluation_set where tenant_id = ${tx.tenantId}`);
}

export async function renameSet(tx: Tx, id: string, name: string): Promise<boolean> {
  const rows = await tx.query(sql`
    update evaluation_set set name = ${name} where tenant_id = ${tx.tenantId} and id = ${id} returning id`);
  return rows.length > 0;
}

export async function deleteSet(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from evaluation_set where tenant_id = ${tx.tenantId} and id = ${id} returning id`);
  return rows.length > 0;
}

/** Adds the question, unless the set has it. Returns its id. */
export async function insertQuestion(tx: Tx, question: Question, createdAt: Date): Promise<string> {
  const [row] = await tx.query<{ id: string }>(sql`
    insert into evaluation_question (tenant_id, id, set_id, query, created_at)
    values (${tx.tenantId}, ${question.id}, ${question.setId}, ${question.query}, ${createdAt})
    on conflict (tenant_id, set_id, md5(query)) do update set query = excluded.query returning id`);
  return row!.id;
}

export async function findQuestion(tx: Tx, id: string): Promise<Question | undefined> {
  const [question] = await tx.query<Question>(sql`
    select q.id, q.set_id, q.query from evaluation_question q where q.tenant_id = ${tx.tenantId} and q.id = ${id}`);
  return question;
}

export function listQuestions(tx: Tx, setId: string): Promise<Question[]> {
  return tx.query<Question>(sql`
    select q.id, q.set_id, q.query from evaluation_question q
    where q.tenant_id = ${tx.tenantId} and q.set_id = ${setId} order by q.id`);
}

export async function deleteQuestion(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from evaluation_question where tenant_id = ${tx.tenantId} and id = ${id} returning id`);
  return rows.length > 0;
}

/** Returns the source and the hash of the text of a chunk that search can find. */
export async function findChunkText(
  tx: Tx,
  chunkId: string,
): Promise<{ sourceId: string; textHash: string } | undefined> {
  const [row] = await tx.query<{ sourceId: string; textHash: string }>(sql`
    select c.source_id, encode(sha256(convert_to(c.content, 'UTF8')), 'hex') as text_hash
    from chunk c join source s on s.tenant_id = c.tenant_id and s.id = c.source_id
      join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
    where c.tenant_id = ${tx.tenantId} and c.id = ${chunkId} and c.generation = s.generation
      and s.deleted_at is null and g.deleted_at is null`);
  return row;
}

/** Saves a judgement; null removes it. */
export async function saveJudgement(
  tx: Tx,
  { questionId, sourceId, textHash }: Pick<Judgement, 'questionId' | 'sourceId' | 'textHash'>,
  relevant: boolean | null,
): Promise<void> {
  if (relevant === null)
    await tx.query(sql`
      delete from evaluation_judgement
      where tenant_id = ${tx.tenantId} and question_id = ${questionId} and source_id = ${sourceId} and text_hash = ${textHash}`);
  else
    await tx.query(sql`
      insert into evaluation_judgement (tenant_id, question_id, source_id, text_hash, relevant)
      values (${tx.tenantId}, ${questionId}, ${sourceId}, ${textHash}, ${relevant})
      on conflict (tenant_id, question_id, source_id, text_hash) do update set relevant = excluded.relevant`);
}

export function listJudgements(tx: Tx, questionIds: readonly string[]): Promise<Judgement[]> {
  return tx.query<Judgement>(sql`
    select j.question_id, j.source_id, j.text_hash, j.relevant, (
      select c.id from chunk c join source s on s.tenant_id = c.tenant_id and s.id = c.source_id and s.generation = c.generation
      where c.tenant_id = j.tenant_id and c.source_id = j.source_id and s.deleted_at is null
        and encode(sha256(convert_to(c.content, 'UTF8')), 'hex') = j.text_hash
      order by c.id limit 1) as chunk_id
    from evaluation_judgement j
    where j.tenant_id = ${tx.tenantId} and j.question_id = any(${[...questionIds]}::uuid[])
    order by j.question_id, j.source_id, j.text_hash`);
}

/** Saves the run, and drops the oldest runs of the set above `kept`. */
export async function insertRun(tx: Tx, run: EvaluationRun, kept: number): Promise<void> {
  await tx.query(sql`
    insert into evaluation_run (tenant_id, id, set_id, mode, ndcg10, recall100, mrr10, results, created_at)
    values (${tx.tenantId}, ${run.id}, ${run.setId}, ${run.mode}, ${run.ndcg10}, ${run.recall100}, ${run.mrr10},
      ${json(run.results)}, ${run.createdAt})`);
  await tx.query(sql`
    delete from evaluation_run where tenant_id = ${tx.tenantId} and set_id = ${run.setId} and id in (
      select id from evaluation_run where tenant_id = ${tx.tenantId} and set_id = ${run.setId} order by id desc offset ${kept})`);
}

export async function findRun(tx: Tx, id: string): Promise<EvaluationRun | undefined> {
  const [run] = await tx.query<EvaluationRun>(sql`
    select ${RUN_COLUMNS} from evaluation_run r where r.tenant_id = ${tx.tenantId} and r.id = ${id}`);
  return run;
}

export function listRuns(tx: Tx, setId: string, page: PageRequest): Promise<Listed<EvaluationRun>> {
  const matching = sql`evaluation_run r where r.tenant_id = ${tx.tenantId} and r.set_id = ${setId}`;
  return readPage<EvaluationRun>(tx, RUN_COLUMNS, matching, raw('r.id'), page);
}
