/** One object of every kind that the API has, for tests of who may name it. */
import { strToU8, zipSync } from 'fflate';
import { SCOPES } from '../../../src/access/caller.ts';
import type { OriginKind } from '../../../src/corpus/origin.ts';
import { sql } from '../../../src/db/sql.ts';
import { claimRun, endRun, insertRun } from '../../../src/features/agents/store.ts';
import { insertTable } from '../../../src/tables/store.ts';
import { newId } from '../../../src/util/ids.ts';
import type { TestApp, TestTenant } from '../app.ts';
import { SECRET_CANARY } from '../passages/canary.ts';
import { ingest } from '../upload.ts';
import { createSource, SOURCE_FORMS } from './connector-sources.ts';

/** What an id can name. */
export type Kind =
  | 'group'
  | 'source'
  | 'archive'
  | 'run'
  | 'chunk'
  | 'key'
  | 'tag'
  | 'conversation'
  | 'message'
  | 'agent run'
  | 'subject'
  | 'policy'
  | 'secret'
  | 'evaluation set'
  | 'evaluation question'
  | 'evaluation run'
  | 'table'
  | `${OriginKind} source`
  | `${OriginKind} setting`;
/** Ids, and names where a kind has no id. */
export type Objects = Record<Kind, string>;

export const question = { messages: [{ role: 'user', content: 'Where does the heron nest?' }] };

/** Adds a table of a source, which no job builds. Returns its id. */
export async function makeTable(t: TestApp, tenantId: string, sourceId: string, groupId: string): Promise<string> {
  const id = newId();
  const names = { name: `table ${id}`, sqlName: `table_${id.replaceAll('-', '_')}`, description: null };
  const place = { sourceId, sourceGroupId: groupId, placeKey: 'none', position: { index: 0 } };
  await t.deps.db.transaction(tenantId, (tx) =>
    insertTable(tx, { id, ...names, ...place, requested: true, schemaPolicy: 'accept' }, new Date()),
  );
  return id;
}

/** Makes one object of each kind for a tenant, with its key. A worker must run. */
export async function makeObjects(t: TestApp, tenant: TestTenant): Promise<Objects> {
  const { db } = t.deps;
  const file = { name: 'heron.md', content: '# Birds\n\nThe heron nests in the old oak by the river.\n' };
  const box = { name: 'box.zip', content: zipSync({ 'inner.txt': strToU8('A letter.\n') }) };
  const group = await ingest(t, [file, box], tenant.key);
  const [source, archive] = (await t.get(`/source-groups/${group}/sources`, tenant.key)).body.sources;
  const [run] = (await t.get(`/source-groups/${group}/runs`, tenant.key)).body.runs;
  const [chunk] = await db.query<{ id: string }>(
    tenant.tenantId,
    sql`select id from chunk where tenant_id = ${tenant.tenantId} and source_id = ${source.id}`,
  );
  const tag = newId();
  await db.query(
    tenant.tenantId,
    sql`insert into tag (tenant_id, id, name) values (${tenant.tenantId}, ${tag}, ${`tag ${tag}`})`,
  );
  await db.query(
    tenant.tenantId,
    sql`insert into tag_source_group (tenant_id, id, tag_id, source_group_id)
        values (${tenant.tenantId}, ${newId()}, ${tag}, ${group})`,
  );
  const key = (await t.post('/api-keys', { name: 'k', scopes: SCOPES }, tenant.key)).body.id;
  const secret = (await t.post('/secrets', { name: 's', type: 'repo', secret: `${SECRET_CANARY}theirs` }, tenant.key))
    .body.id;
  const [subject, policy] = [`user-${newId()}`, `p-${newId()}`];
  await t.put(`/authz/subjects/${subject}/attributes`, { attributes: { department: 'birds' } }, tenant.key);
  await t.put(`/authz/policies/${policy}`, { filters: [{ key: 'a', operator: 'exists' }] }, tenant.key);
  const turn = (await t.post('/completions', question, tenant.key)).body;
  const connected = {} as Record<`${OriginKind} ${'source' | 'setting'}`, string>;
  for (const form of SOURCE_FORMS) {
    const made = await createSource(t, form, {}, tenant.key);
    connected[`${form.kind} source`] = made.id;
    connected[`${form.kind} setting`] = made.ingestion_setting_id;
  }
  const set = (await t.post('/evaluation-sets', { name: 's' }, tenant.key)).body.id;
  const asked = (await t.post(`/evaluation-sets/${set}/questions`, { query: 'heron' }, tenant.key)).body.id;
  const judged = { chunk_id: chunk!.id, relevant: true };
  await t.put(`/evaluation-questions/${asked}/judgements`, judged, tenant.key);
  const measured = await t.post(`/evaluation-sets/${set}/runs`, { mode: 'lexical' }, tenant.key);
  const table = await makeTable(t, tenant.tenantId, source.id, group);
  return {
    ...connected,
    'evaluation set': set,
    'evaluation question': asked,
    'evaluation run': measured.body.id,
    table,
    group,
    source: source.id,
    archive: archive.id,
    run: run.id,
    chunk: chunk!.id,
    key,
    tag,
    secret,
    conversation: turn.conversation_id,
    message: turn.assistant_message_id,
    'agent run': await makeAgentRun(t, tenant.tenantId),
    subject,
    policy,
  };
}

/** Makes a run at rest of the first key of a tenant: it found nothing. Returns its id. */
export async function makeAgentRun(t: TestApp, tenantId: string): Promise<string> {
  const id = newId();
  await t.deps.db.transaction(tenantId, async (tx) => {
    const [key] = await tx.query<{ id: string; familyId: string }>(
      sql`select id, family_id from api_key where tenant_id = ${tenantId} order by id limit 1`,
    );
    const now = new Date();
    await insertRun(tx, {
      id,
      apiKeyId: key!.id,
      keyFamilyId: key!.familyId,
      principalId: null,
      input: 'Which zeppelin is moored here?',
      request: { tools: ['search'], maxSteps: 8, maxSeconds: 120, maxTokens: 100_000, filters: {} },
      background: false,
      conversationId: newId(),
      userMessageId: newId(),
      assistantMessageId: newId(),
      createdAt: now,
    });
    const run = await claimRun(tx, id, now);
    const outcome = { usage: { inputTokens: 1, outputTokens: 1 }, warnings: [], noAnswer: 'There is no answer.' };
    await endRun(tx, run!, { status: 'success', finishReason: 'no_answer', isStored: false, outcome }, now);
  });
  return id;
}
