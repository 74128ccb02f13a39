/** `pinakes sync`: keeps a local file group in step with a folder. */
import { basename } from 'node:path';
import { PinakesError } from '../../client/client.ts';
import type { Client } from '../shared/client.ts';
import { openConfiguredClient } from '../shared/client-config.ts';
import { type Command, flagOption, type OptionValues, textOption } from '../shared/command.ts';
import { CliError, type Io, usageError } from '../shared/io.ts';
import { openFolder } from './local-tree.ts';
import { hasNews, printJson, printTable, type SyncReport } from './report.ts';
import { type SyncRequest, syncFolder } from './sync-folder.ts';
import { watchFolder } from './watch.ts';

const NAME_LENGTH_MAX = 200;

export const syncCommand: Command = {
  name: 'sync',
  summary: 'Keep a source group in step with a folder: add, update, move and delete.',
  synopsis: '<folder>',
  argumentsMin: 1,
  argumentsMax: 1,
  options: {
    name: {
      type: 'string',
      value: '<text>',
      text: 'the group with this name, made at first (default: the path of the folder)',
    },
    group: { type: 'string', value: '<id>', text: 'the group with this id' },
    'dry-run': { type: 'boolean', short: 'n', text: 'only say what would be done' },
    watch: { type: 'boolean', short: 'w', text: 'stay and follow every change, until Ctrl-C' },
    yes: { type: 'boolean', short: 'y', text: 'delete also all files, or most of them' },
    json: { type: 'boolean', text: 'print what was done as one line of JSON' },
  },
  details: `
Files are compared by their bytes; what is the same is not sent. A changed file keeps
its source id, its metadata and its place in answers until its new version is searchable.
Left out: hidden files, node_modules, links, empty files, and what .gitignore and
.pinakesignore say (in every folder; .pinakesignore after .gitignore).
Ends with 1 when a file could not be read, and with 2, having done nothing, when the folder
cannot be read or when all or most files of the group would be deleted without --yes.

Examples:
  pinakes sync ~/handbook --dry-run
  pinakes sync ~/handbook --watch`,
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
    if (isWatching && request.dryRun) throw usageError('--watch and --dry-run do not go together.');
    const client = await openConfiguredClient();
    const report = await syncFolder(client, request, io);
    print(report, options, io);
    if (isWatching) return keepInStep(client, request, options, io);
    return report.failed.length + report.unreadable.length > 0 ? 1 : 0;
  },
};

/** @throws CliError */
function groupIn(options: OptionValues, root: string): SyncRequest['group'] {
  const [id, name] = [textOption(options, 'group'), textOption(options, 'name')];
  if (id !== undefined && name !== undefined) throw usageError('--group and --name do not go together.');
  if (id !== undefined) return { id };
  const wanted = name ?? root;
  if (wanted === '' || [...wanted].length > NAME_LENGTH_MAX)
    throw usageError(`The name of a group has 1 to ${NAME_LENGTH_MAX} characters: give one with --name.`);
  return { name: wanted };
}

function print(report: SyncReport, options: OptionValues, io: Io): void {
  if (flagOption(options, 'json')) printJson(report, io);
  else printTable(report, io);
}

async function keepInStep(client: Client, request: SyncRequest, options: OptionValues, io: Io): Promise<never> {
  const quiet: Io = { ...io, err: () => undefined };
  const folder = watchFolder(request.root, (error) =>
    io.err(
      `The folder cannot be watched (${error instanceof Error ? error.message : error}): it is looked at every 5 s.\n`,
    ),
  );
  io.err(`Watching ${request.root}. Ctrl-C ends.\n`);
  for (;;) {
    await folder.next();
    try {
      const report = await syncFolder(client, request, quiet);
      if (hasNews(report)) print(report, options, io);
    } catch (error) {
      // A service that restarts, a file that is being written: the next look may succeed.
      if (!(error instanceof CliError || error instanceof PinakesError)) throw error;
      io.err(`pinakes: ${error.message}\n`);
    }
  }
}
