/** `pinakes sync`: synchronizes a local file group with a folder. */
import { basename } from 'node:path';
import { PinakesError } from '../../client/client.ts';
import type { Client } from '../shared/client.ts';
import { openConfiguredClient } from '../shared/client-config.ts';
import { type Command, flagOption, type OptionValues, textOption } from '../shared/command.ts';
import { CliError, type Io, usageError } from '../shared/io.ts';
import { openFolder } from './local-tree.ts';
import {
  exitCodeOf,
  hasChanges,
  isLeftToDo,
  newsOf,
  printJson,
  printTable,
  printUnread,
  type SyncReport,
} from './report.ts';
import { type SyncRequest, syncFolder } from './sync-folder.ts';
import { watchFolder } from './watch.ts';

const NAME_LENGTH_MAX = 200;

export const syncCommand: Command = {
  name: 'sync',
  summary: 'Make a source group equal to a folder: add, update, move and delete files.',
  synopsis: '<folder>',
  argumentsMin: 1,
  options: {
    name: {
      value: '<text>',
      text: 'use the group with this name; it is created if it does not exist (default: the path of the folder)',
    },
    group: { value: '<id>', text: 'use the group with this id' },
    'dry-run': { short: 'n', text: 'only print what would be done' },
    watch: { short: 'w', text: 'keep running and apply every change, until Ctrl-C' },
    yes: { short: 'y', text: 'allow that all or most files of the group are deleted' },
    quiet: { short: 'q', text: 'print nothing unless something failed, for cron' },
    json: { text: 'print the report as one line of JSON' },
  },
  details: `
  pinakes sync ~/handbook --dry-run
  pinakes sync ~/handbook --watch
  pinakes sync ~/handbook --quiet           every hour, for example

Files are compared by their bytes; unchanged files are not sent. A changed file keeps its
source id and its metadata, and its old version stays searchable until the new one is.
Hidden files, node_modules, links and empty files are left out, and so are files that
.gitignore and .pinakesignore exclude (in every folder; .pinakesignore after .gitignore).
Pictures, fonts, styles and scripts of pages are left out, and so are generated files (lock
files, minified scripts, source maps), unless a rule such as !*.png includes them.

The exit code is 1 if a file could not be read. Later calls name the file and end with 0, unless
it may be readable when it is retried, or its old version is still served. The exit code is 2, and
nothing was changed, if the folder cannot be read, or if all or most files of the group would be
deleted without --yes.`,
  async run({ arguments: [folder = '.'], options, io }) {
    const root = await openFolder(folder);
    const request: SyncRequest = {
      root,
      group: groupIn(options, root),
      ingestedName: options['name'] === undefined && options['group'] === undefined ? basename(root) : null,
      dryRun: flagOption(options, 'dry-run'),
      yes: flagOption(options, 'yes'),
      cache: new Map(),
    };
    const isWatching = flagOption(options, 'watch');
    for (const name of ['watch', 'quiet'])
      if (request.dryRun && flagOption(options, name)) throw usageError(`Give --${name} or --dry-run, not both.`);
    const isQuiet = flagOption(options, 'quiet');
    const progress = isQuiet ? silent(io) : io;
    const client = await openConfiguredClient(undefined, progress.err);
    const report = await syncFolder(client, request, progress);
    const exitCode = exitCodeOf(report);
    if (!isQuiet || exitCode !== 0) print(report, options, io);
    const unread = isQuiet ? report.still_failed.filter(isLeftToDo) : report.still_failed;
    if (report.group_id !== null && unread.length > 0) printUnread(report.group_id, unread, io);
    if (isWatching) return followChanges(client, request, options, io, report);
    return exitCode;
  },
};

/** Returns the id or the name of the group. @throws CliError */
function groupIn(options: OptionValues, root: string): SyncRequest['group'] {
  const [id, name] = [textOption(options, 'group'), textOption(options, 'name')];
  if (id !== undefined && name !== undefined) throw usageError('Give --group or --name, not both.');
  if (id !== undefined) return { id };
  const wanted = name ?? root;
  if ([...wanted].length > NAME_LENGTH_MAX)
    throw usageError(
      `The name of a group must have at most ${NAME_LENGTH_MAX} characters: give another one with --name.`,
    );
  return { name: wanted };
}

function print(report: SyncReport, options: OptionValues, io: Io): void {
  if (flagOption(options, 'json')) printJson(report, io);
  else printTable(report, io);
}

function silent(io: Io): Io {
  return { ...io, err: () => undefined };
}

/** @param first the report that was printed before. */
async function followChanges(
  client: Client,
  request: SyncRequest,
  options: OptionValues,
  io: Io,
  first: SyncReport,
): Promise<never> {
  let before = first;
  const folder = watchFolder(request.root, (error) =>
    io.err(
      `The folder cannot be watched (${error instanceof Error ? error.message : error}): it is read every 5 s instead.\n`,
    ),
  );
  const isQuiet = flagOption(options, 'quiet');
  if (!isQuiet) io.err(`Watching ${request.root}. Stop with Ctrl-C.\n`);
  for (;;) {
    await folder.next();
    try {
      const report = await syncFolder(client, request, silent(io));
      const isPrinted = isQuiet ? report.failed.length > 0 : hasChanges(report);
      if (!isPrinted) continue;
      print(flagOption(options, 'json') ? report : newsOf(report, before), options, io);
      before = report;
    } catch (error) {
      // The service may restart, or a file may be written just now: the next attempt may succeed.
      if (!(error instanceof CliError || error instanceof PinakesError)) throw error;
      io.err(`pinakes: ${error.message}\n`);
    }
  }
}
