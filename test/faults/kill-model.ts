/** The model of the kill test: which uploads and deletions were acknowledged, and what must therefore be true. */
import type { Random } from '../support/random.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { eventually, hasEnded, multipartBody } from '../support/upload.ts';

export interface KnownFile {
  name: string;
  /** A word in no other file. */
  word: string;
  content: string;
}

export interface KnownGroup {
  /** The group's name, which no other group has. */
  name: string;
  files: KnownFile[];
  /** Undefined until a response contained it. */
  id: string | undefined;
  /**
   * `sent`: the response of the upload never came, so both outcomes are right. `here`: acknowledged. `deleting`: the response
   * of the deletion never came. `deleted`: acknowledged.
   */
  state: 'sent' | 'here' | 'deleting' | 'deleted';
  /** All its files were found since the last change. */
  verified: boolean;
}

export interface Model {
  groups: KnownGroup[];
  problems: string[];
  figures: { uploads: number; deletions: number; searches: number };
}

const FILES_PER_UPLOAD_MAX = 12;

export function newGroup(random: Random): KnownGroup {
  const files = Array.from({ length: random.integer(1, FILES_PER_UPLOAD_MAX) }, () => {
    const word = random.word(14);
    const filler = Array.from({ length: random.integer(1, 200) }, () => random.word(6)).join(' ');
    return { name: `${word}.txt`, word, content: `The word is ${word}. ${filler}` };
  });
  return { name: `group-${random.word(16)}`, files, id: undefined, state: 'sent', verified: false };
}

/** Uploads a group. Status 201 makes the group `here`; a broken connection leaves it `sent`. */
export async function sendUpload(service: ServiceProcess, model: Model, group: KnownGroup): Promise<void> {
  const { headers, body } = multipartBody(group.files, [['name', group.name]], `b-${group.name}-${Date.now()}`);
  const answer = await service.fetch('/local-file-groups', {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': group.name },
    body: new Uint8Array(body),
  });
  const text = await answer.text();
  if (answer.status !== 201) {
    model.problems.push(`upload ${group.name} answered ${answer.status}: ${text}`);
    return;
  }
  const { source_group_id: id } = JSON.parse(text) as { source_group_id: string };
  if (group.id !== undefined && group.id !== id)
    model.problems.push(`upload ${group.name} was made twice: ${group.id}, ${id}`);
  group.id = id;
  group.state = 'here';
  model.figures.uploads += 1;
}

export async function sendDeletion(service: ServiceProcess, model: Model, group: KnownGroup): Promise<void> {
  group.state = 'deleting';
  const answer = await service.fetch(`/local-file-groups/${group.id}`, { method: 'DELETE' });
  await answer.text();
  if (answer.status !== 202) model.problems.push(`deletion of ${group.name} answered ${answer.status}`);
  group.state = 'deleted';
  model.figures.deletions += 1;
}

/** Returns the chunks with `word` that a search for the word returns, in any order, without chunks of similar words. */
export async function search(service: ServiceProcess, word: string): Promise<{ name: string; content: string }[]> {
  const answer = await service.fetch('/search', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: word, mode: 'lexical', limit: 5 }),
  });
  if (answer.status !== 200) throw new Error(`search answered ${answer.status}: ${await answer.text()}`);
  const { results } = (await answer.json()) as { results: { name: string; content: string }[] };
  return results.filter((hit) => hit.content.includes(word));
}

/** Asserts that deleted content never comes back. */
export async function checkDeleted(
  service: ServiceProcess,
  model: Model,
  group: KnownGroup,
  file: KnownFile,
): Promise<void> {
  const found = await search(service, file.word);
  model.figures.searches += 1;
  if (found.length > 0) model.problems.push(`deleted ${file.name} of ${group.name} was found`);
}

interface GroupRecord {
  id: string;
  name: string;
  status: string;
}

export async function listGroups(service: ServiceProcess): Promise<GroupRecord[]> {
  const all: GroupRecord[] = [];
  for (let path: string | null = '/local-file-groups?limit=100'; path; ) {
    const answer = await service.fetch(path);
    if (answer.status !== 200) throw new Error(`list answered ${answer.status}: ${await answer.text()}`);
    const page = (await answer.json()) as { local_file_groups: GroupRecord[]; pagination: { next_id: string | null } };
    all.push(...page.local_file_groups);
    path = page.pagination.next_id && `/local-file-groups?limit=100&after_id=${page.pagination.next_id}`;
  }
  return all;
}

/** Decides open requests after a kill, then waits until nothing is in progress and checks every promise. */
export async function checkAfterRestart(service: ServiceProcess, model: Model, random: Random): Promise<void> {
  for (const group of model.groups) {
    // Half of the requests without a response are repeated with their key, as a careful client would do.
    if (group.state === 'sent' && random.next() < 0.5) await sendUpload(service, model, group);
  }
  const settled = await eventually(async () => {
    const groups = await listGroups(service);
    return groups.every(({ status }) => hasEnded(status)) && groups;
  }).catch(async () => {
    const stuck = (await listGroups(service)).filter(({ status }) => !hasEnded(status));
    model.problems.push(`stuck: ${JSON.stringify(stuck)}`);
    return listGroups(service);
  });
  reconcile(model, settled);
  for (const group of model.groups) {
    if (group.state === 'here' && (!group.verified || random.next() < 0.1)) await checkHere(service, model, group);
    if (group.state === 'deleted' && random.next() < 0.3)
      await checkDeleted(service, model, group, random.pick(group.files));
  }
}

/** Compares the list with the model, and decides open requests. */
function reconcile(model: Model, present: readonly GroupRecord[]): void {
  const byName = Map.groupBy(present, (group) => group.name);
  for (const group of model.groups) {
    const found = byName.get(group.name) ?? [];
    byName.delete(group.name);
    if (found.length > 1) model.problems.push(`${group.name} is there ${found.length} times`);
    if (group.state === 'here' && found.length === 0) model.problems.push(`acknowledged ${group.name} is lost`);
    if (group.state === 'deleted' && found.length > 0) model.problems.push(`deleted ${group.name} is still listed`);
    if (group.state === 'sent' || group.state === 'deleting') {
      group.id = found[0]?.id;
      group.state = found.length > 0 ? 'here' : 'deleted';
      group.verified = false;
    }
  }
  for (const name of byName.keys()) model.problems.push(`nobody uploaded ${name}`);
}

async function checkHere(service: ServiceProcess, model: Model, group: KnownGroup): Promise<void> {
  const { status, error } = (await (await service.fetch(`/local-file-groups/${group.id}`)).json()) as {
    status: string;
    error: unknown;
  };
  if (status !== 'success' || error !== null)
    model.problems.push(`${group.name} ended ${status}: ${JSON.stringify(error)}`);
  for (const file of group.files) {
    const found = await search(service, file.word);
    model.figures.searches += 1;
    const content = found.find((hit) => hit.name === file.name)?.content;
    if (content === undefined) model.problems.push(`acknowledged ${file.name} of ${group.name} is not found`);
    else if (!file.content.startsWith(content.trim()))
      model.problems.push(`${file.name} of ${group.name} has other content`);
    if (found.length > 1) model.problems.push(`${file.word} was found ${found.length} times`);
  }
  group.verified = true;
}
