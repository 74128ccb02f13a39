/** Fetches a model into `<models dir>/<name>`, so that a setting with `local:<name>` finds it. */
import { mkdir, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { LocalModelError, readLocalModel } from '../local/model.ts';
import { type ModelNotes, NOTES_FILE } from '../local/notes.ts';
import type { Hub, HubFile, HubModel } from './api.ts';
import { download, isThere } from './download.ts';
import { chooseFiles, type Purpose, type Wish } from './files.ts';

export interface PullPlan {
  model: HubModel;
  purpose: Purpose;
  /** Absolute. */
  directory: string;
  modelFile: string;
  files: readonly HubFile[];
  bytes: number;
  /** Of the files that are not there yet. */
  bytesToFetch: number;
}

export interface Pulled {
  notes: ModelNotes;
  isPoolingAssumed: boolean;
}

/** As `local:<name>` takes it: `owner/model`, or `model`. */
const NAME_PATTERN = /^\w[\w.-]*(?:\/\w[\w.-]*)?$/;
const REVISION_PATTERN = /^\w[\w./-]{0,254}$/;
/** Disk space that must stay free for other writers. */
const SPARE_BYTES = 64 * 1024 ** 2;

export function isModelName(name: string): boolean {
  return NAME_PATTERN.test(name);
}

export function isRevision(revision: string): boolean {
  return REVISION_PATTERN.test(revision);
}

/** Returns what a pull would fetch. @throws ServiceError when the model is not there, or none that runs here. */
export async function planPull(
  hub: Hub,
  modelsDir: string,
  name: string,
  { revision, ...wish }: Wish & { revision: string },
): Promise<PullPlan> {
  const model = await hub.describe(name, revision);
  const directory = join(modelsDir, name);
  const { purpose, modelFile, files } = chooseFiles(model, wish);
  const missing = [];
  for (const file of files) if (!(await isThere(join(directory, file.path), file))) missing.push(file);
  return { model, purpose, directory, modelFile, files, bytes: bytesOf(files), bytesToFetch: bytesOf(missing) };
}

/**
 * Fetches the missing files and writes the notes beside the model. The next pull resumes an interrupted one.
 *
 * @param onProgress receives the number of bytes of all files that are stored so far.
 * @throws ServiceError when the hub fails, the disk is too small, or the files are none that can be used.
 */
export async function pull(hub: Hub, plan: PullPlan, onProgress: (bytes: number) => void): Promise<Pulled> {
  const { model, directory, files } = plan;
  await mkdir(directory, { recursive: true });
  const disk = await statfs(directory);
  if (disk.bavail * disk.bsize < plan.bytesToFetch + SPARE_BYTES) {
    throw new ServiceError('overloaded', `The disk of ${directory} has no room for ${plan.bytesToFetch} bytes.`);
  }
  // The notes of another revision do not apply to these files.
  await rm(join(directory, NOTES_FILE), { force: true });
  let done = 0;
  for (const file of files) {
    const before = done;
    await download(hub, model, file, join(directory, file.path), (bytes) => onProgress(before + bytes));
    done += file.bytes;
    onProgress(done);
  }
  const pulled = readPulled(plan);
  await writeNotes(directory, pulled.notes);
  await removeParts(directory);
  return pulled;
}

export async function writeNotes(directory: string, notes: ModelNotes): Promise<void> {
  await writeFile(join(directory, NOTES_FILE), `${JSON.stringify(notes, null, 2)}\n`);
}

/** Returns what the model's files and its family say about pooling and prefixes. An operator can read and change it there. */
function readPulled({ model, directory, modelFile }: PullPlan): Pulled {
  const known = { model: model.name, revision: model.commit, license: model.license, file: modelFile };
  try {
    const own = { queryPrefix: null, passagePrefix: null };
    const { pooling, isPoolingAssumed, unpoolable, prefixes } = readLocalModel(join(directory, modelFile), own);
    const notes = {
      ...known,
      ...(unpoolable === null && { pooling }),
      query_prefix: prefixes.query,
      passage_prefix: prefixes.passage,
    };
    return { notes, isPoolingAssumed };
  } catch (error) {
    if (!(error instanceof LocalModelError)) throw error;
    throw new ServiceError('invalid_request', `The model cannot be used: PINAKES_EMBEDDING_MODEL ${error.message}.`);
  }
}

/** Removes parts of other revisions. */
async function removeParts(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { recursive: true })) {
    if (/\.[0-9a-f]{12}\.part$/.test(entry)) await rm(join(directory, entry), { force: true });
  }
}

function bytesOf(files: readonly HubFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** A model in the models directory. */
export interface PulledModel {
  name: string;
  notes: ModelNotes | null;
  bytes: number;
}

/** Returns the usable models in the models directory: `owner/model` and `model`. */
export async function listPulled(modelsDir: string): Promise<PulledModel[]> {
  const found: PulledModel[] = [];
  for (const outer of await foldersIn(modelsDir)) {
    const inner = await foldersIn(join(modelsDir, outer));
    for (const name of [outer, ...inner.map((folder) => `${outer}/${folder}`)]) {
      const model = await pulledModel(modelsDir, name);
      if (model !== undefined) found.push(model);
    }
  }
  return found;
}

async function pulledModel(modelsDir: string, name: string): Promise<PulledModel | undefined> {
  try {
    const { modelFile, weightsFile, notes } = readLocalModel(join(modelsDir, name), {
      queryPrefix: null,
      passagePrefix: null,
    });
    const sizes = await Promise.all(
      [modelFile, ...(weightsFile === null ? [] : [weightsFile])].map((path) => stat(path)),
    );
    return { name, notes, bytes: sizes.reduce((sum, { size }) => sum + size, 0) };
  } catch (error) {
    if (error instanceof LocalModelError) return undefined;
    throw error;
  }
}

async function foldersIn(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && isModelName(entry.name)).map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
