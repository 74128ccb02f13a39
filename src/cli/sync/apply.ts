/** Applies a plan: sends its changes in requests that the service accepts. */
import { createReadStream } from 'node:fs';
import type { Run } from '../../client/api.ts';
import type { Client } from '../shared/client.ts';
import { FILES_PER_GROUP_MAX, GROUP_BYTES_MAX, packGroups } from '../shared/files.ts';
import type { Io } from '../shared/io.ts';
import { multipartBody } from '../shared/multipart.ts';
import { formatBytes, startProgress } from '../shared/progress.ts';
import type { HashedFile } from './hash-files.ts';
import type { SyncPlan } from './plan.ts';
import { firstRun, waitForRun } from './remote-group.ts';

/** Limits of one request. */
export interface RequestLimits {
  files: number;
  fileBytes: number;
  paths: number;
  /** A JSON body may have at most 1 MiB. */
  pathBytes: number;
}

const LIMITS: RequestLimits = {
  files: FILES_PER_GROUP_MAX,
  fileBytes: GROUP_BYTES_MAX,
  paths: 2_000,
  pathBytes: 900_000,
};

export interface Applied {
  groupId: string;
  runs: Run[];
}

interface Batch {
  files: HashedFile[];
  moves: { from: string; to: string }[];
}

/**
 * Applies the plan. Files are sent and moved first; each request waits for the run of the previous request. Files are deleted after all
 * new files are searchable. If the function is interrupted, the next synchronization does the rest.
 *
 * @param group without an id, a group with this name is created. @throws PinakesError with status 409 if one was created meanwhile, also
 *   by an upload of an earlier call that arrived late.
 */
export async function applyPlan(
  client: Client,
  group: { id: string | undefined; name: string },
  plan: SyncPlan,
  io: Io,
  limits = LIMITS,
): Promise<Applied> {
  const runs: Run[] = [];
  let groupId = group.id;
  for (const batch of packBatches(plan, limits)) {
    const sent: { id: string; runId: string | null } =
      groupId === undefined
        ? await createGroup(client, group.name, batch, io)
        : { id: groupId, runId: await changeFiles(client, groupId, batch, io) };
    groupId = sent.id;
    if (sent.runId !== null) runs.push(await follow(client, sent.runId, io));
  }
  for (const paths of packPaths(plan.deleted, limits))
    await client.deleteLocalFiles({ params: { id: groupId! }, body: { paths } });
  return { groupId: groupId!, runs };
}

function packBatches(plan: SyncPlan, limits: RequestLimits): Batch[] {
  const files = packGroups([...plan.added, ...plan.updated], limits.files, limits.fileBytes);
  const moves = packPairs(plan.moved, limits);
  return Array.from({ length: Math.max(files.length, moves.length) }, (_, i) => ({
    files: files[i] ?? [],
    moves: moves[i] ?? [],
  }));
}

async function createGroup(
  client: Client,
  name: string,
  batch: Batch,
  io: Io,
): Promise<{ id: string; runId: string | null }> {
  const fields: [string, string][] = [
    ['name', name],
    ['unique_name', 'true'],
  ];
  const { source_group_id: id } = await upload(batch.files, io, fields, (body) =>
    client.createLocalFileGroup({ body }),
  );
  return { id, runId: await firstRun(client, id) };
}

async function changeFiles(client: Client, groupId: string, { files, moves }: Batch, io: Io): Promise<string | null> {
  const fields: [string, string][] = moves.length > 0 ? [['moves', JSON.stringify(moves)]] : [];
  const answer = await upload(files, io, fields, (body) => client.changeLocalFiles({ params: { id: groupId }, body }));
  return answer.run_id;
}

async function upload<T>(
  files: readonly HashedFile[],
  io: Io,
  fields: readonly [string, string][],
  send: (body: ReturnType<typeof multipartBody>) => Promise<T>,
): Promise<T> {
  const uploads = files.map(({ path, size, modifiedMs, place }) => ({
    path,
    size,
    modifiedMs,
    open: () => createReadStream(place),
  }));
  if (files.length === 0) return send(multipartBody(fields, uploads));
  const progress = startProgress(io, 'Uploading');
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const note = (bytes: number): string => `${files.length} files, ${formatBytes(bytes)} of ${formatBytes(total)}`;
  try {
    const answer = await send(
      multipartBody(fields, uploads, (bytes) => progress.update(bytes, total, note(Math.min(bytes, total)))),
    );
    progress.update(total, total, note(total));
    progress.end();
    return answer;
  } catch (error) {
    progress.end('failed');
    throw error;
  }
}

async function follow(client: Client, runId: string, io: Io): Promise<Run> {
  const progress = startProgress(io, 'Reading');
  const run = await waitForRun(
    client,
    runId,
    ({ files_done: done, files_total: total, chunks_done: chunks, statistics }) =>
      progress.update(done, total, `${done} of ${total} files, ${statistics.failed} failed, ${chunks} chunks`),
  );
  progress.end();
  return run;
}

function packPaths(paths: readonly string[], limits: RequestLimits): string[][] {
  const sized = paths.map((path) => ({ path, size: jsonBytes(path) }));
  return packGroups(sized, limits.paths, limits.pathBytes).map((pack) => pack.map(({ path }) => path));
}

function packPairs(moves: SyncPlan['moved'], limits: RequestLimits): SyncPlan['moved'][] {
  const sized = moves.map((move) => ({ ...move, size: jsonBytes(move.from) + jsonBytes(move.to) }));
  return packGroups(sized, limits.paths).map((pack) => pack.map(({ from, to }) => ({ from, to })));
}

function jsonBytes(path: string): number {
  return Buffer.byteLength(JSON.stringify(path)) + 1;
}
