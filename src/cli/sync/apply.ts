/** Applies a plan: sends its changes in requests that the service accepts. */
import { createReadStream } from 'node:fs';
import type { Run } from '../../client/api.ts';
import { countOf } from '../../util/count-of.ts';
import type { Client } from '../shared/client.ts';
import { FILES_PER_GROUP_MAX, GROUP_BYTES_MAX, packGroups } from '../shared/files.ts';
import type { Io } from '../shared/io.ts';
import { multipartBody } from '../shared/multipart.ts';
import { formatBytes, startProgress } from '../shared/progress.ts';
import type { HashedFile } from './hash-files.ts';
import type { SyncPlan } from './plan.ts';
import { firstRun, waitForRun } from './remote-group.ts';

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

/** A batch among the batches of the plan: progress is that of all of them. */
interface Parts {
  earlier: readonly Batch[];
  batch: Batch;
  later: readonly Batch[];
  /** The runs of the earlier batches. */
  runs: readonly Run[];
}

/**
 * Applies the plan. Files are sent and moved first; each request waits for the run of the previous request. Files are deleted after all
 * new files are searchable. If the function is interrupted, the next synchronization does the rest.
 *
 * @param group without an id, a group with this name is created, and `onGroup` hears its id. @throws PinakesError with status 409 if one
 *   was created meanwhile, also by an upload of an earlier call that arrived late.
 */
export async function applyPlan(
  client: Client,
  group: { id: string | undefined; name: string; onGroup?: (id: string) => void },
  plan: SyncPlan,
  io: Io,
  limits = LIMITS,
): Promise<Applied> {
  const runs: Run[] = [];
  let groupId = group.id;
  const batches = packBatches(plan, limits);
  for (const [index, batch] of batches.entries()) {
    const parts: Parts = { earlier: batches.slice(0, index), batch, later: batches.slice(index + 1), runs };
    const sent: { id: string; runId: string | null } =
      groupId === undefined
        ? await createGroup(client, group.name, parts, io)
        : { id: groupId, runId: await changeFiles(client, groupId, parts, io) };
    groupId = sent.id;
    group.onGroup?.(groupId);
    if (sent.runId !== null) runs.push(await follow(client, sent.runId, parts, io));
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
  parts: Parts,
  io: Io,
): Promise<{ id: string; runId: string | null }> {
  const fields: [string, string][] = [
    ['name', name],
    ['unique_name', 'true'],
  ];
  const { source_group_id: id } = await upload(parts, io, fields, (body) => client.createLocalFileGroup({ body }));
  return { id, runId: await firstRun(client, id) };
}

async function changeFiles(client: Client, groupId: string, parts: Parts, io: Io): Promise<string | null> {
  const { moves } = parts.batch;
  const fields: [string, string][] = moves.length > 0 ? [['moves', JSON.stringify(moves)]] : [];
  const answer = await upload(parts, io, fields, (body) => client.changeLocalFiles({ params: { id: groupId }, body }));
  return answer.run_id;
}

async function upload<T>(
  { earlier, batch, later }: Parts,
  io: Io,
  fields: readonly [string, string][],
  send: (body: ReturnType<typeof multipartBody>) => Promise<T>,
): Promise<T> {
  const { files } = batch;
  const uploads = files.map(({ path, size, modifiedMs, place }) => ({
    path,
    size,
    modifiedMs,
    open: () => createReadStream(place),
  }));
  if (files.length === 0) return send(multipartBody(fields, uploads));
  const progress = startProgress(io, 'Uploading');
  const [before, own, after] = [bytesOf(earlier), bytesOf([batch]), bytesOf(later)];
  const total = before + own + after;
  const count = filesOf([...earlier, batch, ...later]);
  const update = (sent: number): void => {
    // The frame of the request counts, too.
    const bytes = before + Math.min(sent, own);
    progress.update(bytes, total, `${countOf(count, 'file')}, ${formatBytes(bytes)} of ${formatBytes(total)}`);
  };
  try {
    const answer = await send(multipartBody(fields, uploads, update));
    update(own);
    progress.end();
    return answer;
  } catch (error) {
    progress.end('failed');
    throw error;
  }
}

async function follow(client: Client, runId: string, { runs, later }: Parts, io: Io): Promise<Run> {
  const progress = startProgress(io, 'Reading');
  const ended = io.onInterrupt?.(`The run goes on in the service. To see it: pinakes show ${runId}`);
  const run = await waitForRun(client, runId, (now) => {
    const all = [...runs, now];
    const sum = (value: (run: Run) => number): number => all.reduce((total, run) => total + value(run), 0);
    const done = sum((run) => run.files_done);
    // A run may have more files than were sent: files found inside other files.
    const total = sum((run) => run.files_total) + filesOf(later);
    const note = `${sum((run) => run.statistics.failed)} failed, ${countOf(
      sum((run) => run.chunks_done),
      'chunk',
    )}`;
    progress.update(done, total, `${done} of ${countOf(total, 'file')}, ${note}`);
  }).finally(ended);
  progress.end();
  return run;
}

function filesOf(batches: readonly Batch[]): number {
  return batches.reduce((sum, { files }) => sum + files.length, 0);
}

function bytesOf(batches: readonly Batch[]): number {
  return batches.flatMap(({ files }) => files).reduce((sum, { size }) => sum + size, 0);
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
