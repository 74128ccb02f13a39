/** `pinakes ingest`: uploads files and folders as source groups. */
import { basename, resolve } from 'node:path';
import { PinakesError } from '../client/client.ts';
import { shortened } from '../util/code-points.ts';
import { countOf } from '../util/count-of.ts';
import { findFiles } from './ingest-files.ts';
import type { Client } from './shared/client.ts';
import { openConfiguredClient } from './shared/client-config.ts';
import { type Command, flagOption, textOption } from './shared/command.ts';
import { CliError, type Io } from './shared/io.ts';
import type { UploadFile } from './shared/multipart.ts';
import { AWAY, NoAnswerError } from './shared/patience.ts';
import { printable } from './shared/printable.ts';
import { formatBytes, formatSeconds, startProgress } from './shared/progress.ts';
import { type GroupOutcome, uploadFiles, waitForGroups } from './shared/upload.ts';
import { endedText, errorText } from './shared/words.ts';

const DEFAULT_NAME_LENGTH_MAX = 180;
/** Groups of one name that are looked at. */
const SAME_NAME_MAX = 20;

export const ingestCommand: Command = {
  name: 'ingest',
  summary: 'Upload files and folders as a source group, so that search and answers can use them.',
  synopsis: '<paths…>',
  argumentsMin: 1,
  argumentsMax: Number.POSITIVE_INFINITY,
  options: {
    name: { value: '<text>', text: 'name of the source group (default: the name of the first file or folder)' },
    wait: { short: 'w', text: 'wait until every file is searchable; exit code 1 if a file failed' },
    json: { text: 'print the source groups as one line of JSON: an array; with --wait also their run and errors' },
  },
  details: `
  pinakes ingest --wait ~/papers
  pinakes ingest --name minutes *.docx --json | jq -r '.[].id'

Folders are uploaded with all files in them, except links, empty files, hidden files, node_modules, what
.gitignore and .pinakesignore name, what only belongs to web pages (pictures, fonts, styles, scripts
and copies of their source), and generated files (lock files, minified scripts, source maps). The
command counts what it leaves out; name such a file to upload it. More than 2,000 files or 495 MB
become several source groups. The command prints the id of each group.
Files that are uploaded again do not replace their old versions: use pinakes sync for this.`,
  async run({ arguments: paths, options, io }) {
    const { files, leftOut, unreadable } = await findFiles(paths);
    for (const text of leftOut) io.err(`Left out: ${printable(text)}.\n`);
    for (const path of unreadable) io.err(`Cannot be read: ${printable(path)}\n`);
    if (files.length === 0) throw new CliError('There is no file to upload.');
    const name = textOption(options, 'name') ?? nameOf(paths[0] ?? '.');
    const client = await openConfiguredClient(undefined, io.err);
    await noteSameName(client, name, io);
    const groupIds = await uploadWithProgress(client, name, files, io);
    const isJson = flagOption(options, 'json');
    if (!isJson) for (const id of groupIds) io.out(`${id}\n`);
    const waits = flagOption(options, 'wait');
    if (!waits) io.err(`Search finds the files when they have been read. ${toSee(groupIds)}\n`);
    const outcomes = waits ? await waitWithProgress(client, groupIds, files.length, io) : [];
    if (isJson) io.out(`${JSON.stringify(waits ? outcomes.map(outcomeJson) : groupIds.map((id) => ({ id })))}\n`);
    return Math.max(reportOutcomes(outcomes, io), unreadable.length > 0 ? 1 : 0);
  },
};

/** Says that a group with this name exists, because its files stay beside the new ones. A key that may not list groups is not told. */
async function noteSameName(client: Client, name: string, io: Io): Promise<void> {
  const { local_file_groups: same } = await client
    .listLocalFileGroups({ query: { name, limit: SAME_NAME_MAX } })
    .catch(() => ({ local_file_groups: [] }));
  const group = same.find(({ status }) => status !== 'deleting');
  if (group === undefined) return;
  io.err(
    `A group "${printable(name)}" exists already. Its files stay, and search finds both. ` +
      `To update it instead: pinakes sync <folder> --group ${group.id}. To remove it: pinakes rm ${group.id}\n`,
  );
}

/** Returns the JSON of a source group whose run has ended. */
export function outcomeJson({ groupId, run, error, fileErrors }: GroupOutcome) {
  return { id: groupId, status: run?.status ?? null, error, run, errors: fileErrors };
}

/** Returns the name of the file or folder. A very long name is cut, so that the number of a group fits behind it. */
function nameOf(path: string): string {
  return shortened(basename(resolve(path)), DEFAULT_NAME_LENGTH_MAX);
}

/** Uploads the files and returns the ids of their groups. @throws PinakesError when the service refuses an upload. */
export async function uploadWithProgress(
  client: Client,
  name: string,
  files: readonly UploadFile[],
  io: Io,
): Promise<string[]> {
  const startedAt = performance.now();
  const progress = startProgress(io, 'Uploading');
  let isSent = false;
  const groupIds = await uploadFiles(client, name, files, ({ bytesDone, bytesTotal }) => {
    isSent = true;
    progress.update(bytesDone, bytesTotal, `${formatBytes(bytesDone)} of ${formatBytes(bytesTotal)}`);
  }).catch((error: unknown) => {
    progress.end('failed');
    throw error instanceof NoAnswerError && isSent ? unknownArrival(error) : error;
  });
  progress.end(
    `${files.length} ${files.length === 1 ? 'file' : 'files'} in ${formatSeconds(performance.now() - startedAt)}`,
  );
  return groupIds;
}

/** Shows progress until the runs of the groups have ended. */
export async function waitWithProgress(
  client: Client,
  groupIds: readonly string[],
  filesTotal: number,
  io: Io,
): Promise<GroupOutcome[]> {
  const startedAt = performance.now();
  const progress = startProgress(io, 'Ingesting');
  const ended = io.onInterrupt?.(`The run goes on in the service. ${toSee(groupIds)}`);
  let summary = '';
  const outcomes = await waitForGroups(client, groupIds, filesTotal, (now) => {
    summary = `${now.filesDone} of ${countOf(now.filesTotal, 'file')}, ${now.filesFailed} failed, ${countOf(now.chunksDone, 'chunk')}`;
    progress.update(now.filesDone, now.filesTotal, summary);
  })
    .catch((error: unknown) => {
      progress.end('not followed to the end');
      throw error instanceof PinakesError && !AWAY.has(error.status) ? error : lostError(error, groupIds);
    })
    .finally(ended);
  progress.end(`${summary} in ${formatSeconds(performance.now() - startedAt)}`);
  return outcomes;
}

/** The connection was lost before the service confirmed the upload. */
function unknownArrival({ message }: Error): CliError {
  return new CliError(
    `${endedText(message)} The upload may have arrived all the same: look with pinakes ls before you repeat it.`,
  );
}

/** The service does not answer any more. The run does not need this command. */
function lostError(error: unknown, groupIds: readonly string[]): CliError {
  const message = error instanceof Error ? error.message : String(error);
  return new CliError(`${endedText(message)} The run goes on when the service runs again. ${toSee(groupIds)}`);
}

/** Returns the command that lists the runs of the groups; of several groups, the command that lists all runs, newest first. */
function toSee(groupIds: readonly string[]): string {
  return `To see it: pinakes runs${groupIds.length === 1 ? ` ${groupIds[0]}` : ''}`;
}

/** Prints the files and runs that failed, and returns the exit code. */
export function reportOutcomes(outcomes: readonly GroupOutcome[], io: Io): number {
  for (const { fileErrors, error } of outcomes) {
    for (const failed of fileErrors) {
      const again = failed.retryable ? ' (may succeed when retried)' : '';
      const place = failed.url === null ? '' : ` (${failed.url})`;
      io.err(`${failed.path ?? failed.name + place}: ${errorText(failed)} [${failed.stage}]${again}\n`);
    }
    if (error !== null) io.err(`${errorText(error)}\n`);
  }
  return outcomes.every(({ filesFailed, error }) => filesFailed === 0 && error === null) ? 0 : 1;
}
