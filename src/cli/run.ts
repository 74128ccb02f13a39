/** The command line: the list of commands, the help, and the exit codes of failures. */
import { PinakesError } from '../client/client.ts';
import { nearestOf } from '../util/edit-distance.ts';
import { packageVersion } from '../util/package-files.ts';
import { agentCommand } from './agent.ts';
import { askCommand } from './ask.ts';
import { evalCommand } from './eval/eval.ts';
import { ingestCommand } from './ingest.ts';
import { connectCommand } from './manage/connect.ts';
import { crawlCommand } from './manage/crawl.ts';
import { lsCommand } from './manage/ls.ts';
import { modelsCommand } from './manage/models.ts';
import { rmCommand } from './manage/rm.ts';
import { runsCommand } from './manage/runs.ts';
import { showCommand } from './manage/show.ts';
import { tablesCommand } from './manage/tables.ts';
import { tagsCommand } from './manage/tags.ts';
import { mcpCommand } from './mcp.ts';
import { authzCommand } from './operate/authz.ts';
import { backupCommand } from './operate/backup.ts';
import { consoleCommand } from './operate/console.ts';
import { copyDatabaseCommand } from './operate/copy-database.ts';
import { doctorCommand } from './operate/doctor.ts';
import { keysCommand } from './operate/keys.ts';
import { migrateCommand } from './operate/migrate.ts';
import { rotateMasterKeyCommand } from './operate/rotate-master-key.ts';
import { apiCommand, serveCommand, workerCommand } from './operate/serve.ts';
import { tenantsCommand } from './operate/tenants.ts';
import { parseCommand } from './parse.ts';
import { queryCommand } from './query.ts';
import { searchCommand } from './search.ts';
import { refusedKeyText } from './shared/client-config.ts';
import { type Command, didYouMean, helpOf, parseCommandLine } from './shared/command.ts';
import { table } from './shared/help.ts';
import { CliError, type Io, usageError } from './shared/io.ts';
import { printable } from './shared/printable.ts';
import { refusalText } from './shared/words.ts';
import { syncCommand } from './sync/command.ts';

/** The service speaks of a header; the user of a command has set a variable, or has a file. */
const UNAUTHENTICATED = 401;

/** The commands, in the order of the help. */
const COMMANDS: readonly Command[] = [
  serveCommand,
  apiCommand,
  workerCommand,
  ingestCommand,
  syncCommand,
  askCommand,
  agentCommand,
  searchCommand,
  queryCommand,
  lsCommand,
  showCommand,
  rmCommand,
  crawlCommand,
  connectCommand,
  runsCommand,
  tagsCommand,
  tablesCommand,
  modelsCommand,
  evalCommand,
  parseCommand,
  mcpCommand,
  keysCommand,
  authzCommand,
  tenantsCommand,
  consoleCommand,
  doctorCommand,
  backupCommand,
  migrateCommand,
  copyDatabaseCommand,
  rotateMasterKeyCommand,
];

/** Runs a command and returns the exit code: 0: done. 1: failed. 2: called wrongly. */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = argv;
  try {
    if (first === '--version' || first === '-v') return print(io, `${packageVersion()}\n`);
    if (first === 'help' && rest[0] !== undefined) return print(io, helpOf(commandNamed(rest[0]), io.outColumns));
    if (first === '--help' || first === '-h' || first === 'help') return print(io, overview(io.outColumns));
    if (first === undefined) {
      io.err(overview(io.terminal ? io.columns : undefined));
      return 2;
    }
    const command = commandNamed(first);
    const invocation = parseCommandLine(command, rest, io);
    return invocation === undefined ? print(io, helpOf(command, io.outColumns)) : await command.run(invocation);
  } catch (error) {
    return reportError(error, io);
  }
}

/** Returns the command with this name. @throws CliError */
function commandNamed(given: string): Command {
  const command = COMMANDS.find(({ name }) => name === given);
  if (command !== undefined) return command;
  const names = [...COMMANDS.map(({ name }) => name), '--help', '--version'];
  const what = given.startsWith('-') ? 'option' : 'command';
  throw usageError(`There is no ${what} "${given}".${didYouMean(nearestOf(given, names))} See pinakes --help.`);
}

/** Prints an error and returns the exit code. Expected errors are one line. Other errors are bugs and are printed with their stack. */
function reportError(error: unknown, { err }: Io): number {
  // Messages may name files and groups that other people named.
  const say = (text: string): void => err(`pinakes: ${printable(text)}\n`);
  if (error instanceof CliError) {
    say(error.message);
    return error.exitCode;
  }
  if (error instanceof PinakesError) {
    const message = error.status === UNAUTHENTICATED ? refusedKeyText() : refusalText(error);
    say(`${message} (HTTP ${error.status})`);
    return 1;
  }
  if (error instanceof Error && (error.name === 'ConfigError' || error.name === 'ServiceError')) {
    say(error.message);
    return error.name === 'ConfigError' ? 2 : 1;
  }
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return 1;
}

function overview(columns?: number): string {
  const rows = COMMANDS.map(({ name, summary }): [string, string] => [name, summary]);
  return [
    'Pinakes: upload files, search them, get answers with checked citations.\n',
    'Usage: pinakes <command> [options]\n',
    `Commands:\n${table(rows, columns)}`,
    'See pinakes <command> --help for the options of a command, with examples.',
    'Client commands use the service at PINAKES_URL (default: http://127.0.0.1:7700) with the key in',
    'PINAKES_API_KEY (default: the key in the file <data dir>/admin.key).\n',
  ].join('\n');
}

function print(io: Io, text: string): number {
  io.out(text);
  return 0;
}
