/**
 * The demonstration. It starts the service on the embedded database, ingests a folder, asks questions, and prints the answers with their
 * citations. The service keeps running, unless --exit is given. The script uses the service only through its API.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { streamAnswer } from '../src/cli/ask.ts';
import { reportOutcomes, uploadWithProgress, waitWithProgress } from '../src/cli/ingest.ts';
import { findFiles } from '../src/cli/ingest-files.ts';
import { type LocalService, startLocalService } from '../src/cli/operate/local-service.ts';
import { type Client, openClient } from '../src/cli/shared/client.ts';
import { CliError, type Io, processIo } from '../src/cli/shared/io.ts';
import { formatSeconds } from '../src/cli/shared/progress.ts';
import { PORT_DEFAULT } from '../src/config.ts';

const PROJECT = resolve(import.meta.dirname, '..');
const OWN_FOLDER = join(PROJECT, 'demo');
const LASTING_DATA_DIR = join(PROJECT, '.pinakes-demo');
const DERIVED_QUESTIONS_MAX = 3;
const QUESTION_CODE_POINTS = 120;

const HELP = `npm run demo [-- <folder>] [-- --exit] [-- --ask "question"]...

Without a folder it ingests demo/, papers of an invented museum in four languages, and asks
prepared questions; it exits with 0 only if each was answered from the right file with a
verified citation. With a folder it ingests yours and asks what --ask says.
--exit stops the service at the end and leaves nothing behind.
`;

interface Question {
  text: string;
  /** The file that must be cited. Null: there must be no answer. Undefined: nothing is expected. */
  expected?: string | null;
}

const PREPARED: readonly Question[] = [
  { text: 'Which relative humidity should the textile store have?', expected: 'conservation-manual.pdf' },
  { text: 'How many visitors did the museum welcome in 2025?', expected: 'annual-report-2025.docx' },
  { text: 'Was zahlen Kinder unter zwölf Jahren?', expected: 'besucherordnung.html' },
  { text: '灯台はいつ初めて点灯されましたか。', expected: '灯台の案内.txt' },
  { text: 'Who made the brass sextant of 1861?', expected: 'collection.csv' },
  { text: 'What does a kilogram of uranium cost?', expected: null },
];

async function main(io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      exit: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      ask: { type: 'string', multiple: true },
    },
    allowPositionals: true,
  });
  if (values.help) {
    io.out(HELP);
    return 0;
  }
  const folder = resolve(positionals[0] ?? OWN_FOLDER);
  const dataDir = values.exit ? await mkdtemp(join(tmpdir(), 'pinakes-demo-')) : LASTING_DATA_DIR;
  io.out('Starting the service on the embedded database …\n');
  const service = await startLocalService(dataDir, values.exit ? 0 : await freePort());
  const stopped = stopOnSignal(service);
  try {
    io.out(`Ready at ${service.url} after ${formatSeconds(service.startMs)}.\n\n`);
    const exitCode = await demonstrate(openClient(service), folder, values.ask, io);
    if (values.exit) return exitCode;
    io.out(farewell(service.url, dataDir, signInLink(service.url, dataDir)));
    await stopped;
    return exitCode;
  } finally {
    await service.stop();
    if (values.exit) await rm(dataDir, { recursive: true, force: true });
  }
}

async function demonstrate(client: Client, folder: string, asked: string[] | undefined, io: Io): Promise<number> {
  const { files } = await findFiles([folder]);
  if (files.length === 0) throw new CliError(`There is no file in ${folder}.`);
  const name = `demo ${basename(folder)}`;
  await deleteEarlier(client, name);
  io.out(`Ingesting ${files.length} files of ${relative(process.cwd(), folder) || '.'}\n`);
  const groupIds = await uploadWithProgress(client, name, files, io);
  const ingested = reportOutcomes(await waitWithProgress(client, groupIds, files.length, io), io);

  const prepared = folder === OWN_FOLDER && asked === undefined;
  const questions = prepared
    ? PREPARED
    : (asked?.map((text) => ({ text })) ?? (await deriveQuestions(client, groupIds[0]!)));
  let right = 0;
  for (const question of questions) if (await ask(client, question, io)) right += 1;
  if (!prepared) return 0;
  io.out(`\n${right} of ${questions.length} prepared questions went as they should.\n`);
  return ingested === 0 && right === questions.length ? 0 : 1;
}

/** Prints an answer, and returns whether it is as expected. */
async function ask(client: Client, { text, expected }: Question, io: Io): Promise<boolean> {
  io.out(io.terminal ? `\n\x1b[1m? ${text}\x1b[0m\n` : `\n? ${text}\n`);
  const answer = await streamAnswer(client, { messages: [{ role: 'user', content: text }] }, io);
  if (expected === undefined) return true;
  if (expected === null) return answer.finishReason === 'no_answer' && answer.citations.length === 0;
  const right = answer.citations.some(({ name, citation }) => name === expected && citation?.verified === true);
  if (!right) io.out(`  Expected a verified citation of ${expected}.\n`);
  return right;
}

/** Returns questions for a folder that is not the demo folder: the first words of its first sources. */
async function deriveQuestions(client: Client, groupId: string): Promise<Question[]> {
  const { sources } = await client.listSourcesOfSourceGroup({
    params: { id: groupId },
    query: { limit: DERIVED_QUESTIONS_MAX },
  });
  const questions: Question[] = [];
  for (const { id } of sources) {
    const { chunks } = await client.listSourceChunks({ params: { id }, query: { limit: 1 } });
    const text = chunks[0]?.heading_path.at(-1) ?? chunks[0]?.content;
    if (text !== undefined)
      questions.push({ text: [...text.replaceAll(/\s+/g, ' ')].slice(0, QUESTION_CODE_POINTS).join('') });
  }
  return questions;
}

/** Deletes the group of an earlier demonstration in the same data directory, so that search does not find every file twice. */
async function deleteEarlier(client: Client, name: string): Promise<void> {
  const { local_file_groups: groups } = await client.listLocalFileGroups({ query: { limit: 100 } });
  for (const { id, name: found } of groups)
    if (found.startsWith(name)) await client.deleteLocalFileGroup({ params: { id } });
}

/** Returns the default port if it is free, so that the other commands find the service; otherwise 0, for any free port. */
function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(0));
    server.listen(PORT_DEFAULT, '127.0.0.1', () => server.close(() => done(PORT_DEFAULT)));
  });
}

/** Resolves when the service has ended, either by Ctrl-C or on its own. */
function stopOnSignal(service: LocalService): Promise<void> {
  const ended = new Promise<void>((done) => service.process.once('close', () => done()));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void service.stop());
  return ended;
}

/** Returns a link that opens the console and signs in, once; the plain address if no link can be made. */
function signInLink(url: string, dataDir: string): string {
  const env = { ...process.env, PINAKES_DATA_DIR: dataDir };
  try {
    const command = [join(PROJECT, 'src', 'cli', 'pinakes.ts'), 'console', '--url', url];
    return execFileSync(process.execPath, command, { env, encoding: 'utf8' }).trim();
  } catch {
    return `${url}/console/`;
  }
}

function farewell(url: string, dataDir: string, consoleLink: string): string {
  const data = relative(process.cwd(), dataDir);
  return `
The service keeps running at ${url} (API reference: ${url}/docs). Its key is in ${join(data, 'admin.key')}.
In another terminal:

  export PINAKES_URL=${url} PINAKES_DATA_DIR=${data}
  npm run --silent pinakes -- ask "When is the museum closed?"

Ctrl-C stops it; the files stay in ${data}.

Console: ${consoleLink}
`;
}

const io = processIo();
process.exitCode = await main(io).catch((error: unknown) => {
  io.err(`${error instanceof CliError ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  return 1;
});
