/**
 * The demonstration of synchronized sources. It starts the service on the embedded database, and four simulated origins on this machine.
 * It creates a source for each origin over HTTP, asks a question about each, changes each origin, runs the sources again, and shows what
 * the second runs did. The exit code is 0 only if everything worked as expected.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { streamAnswer } from '../src/cli/ask.ts';
import { startLocalService } from '../src/cli/operate/local-service.ts';
import { type Client, openClient } from '../src/cli/shared/client.ts';
import { CliError, type Io, processIo } from '../src/cli/shared/io.ts';
import { formatSeconds, startProgress } from '../src/cli/shared/progress.ts';
import type { Run } from '../src/client/api.ts';
import { type DemoOrigin, openDemoOrigins, type Question } from './demo-origins.ts';

const POLL_MS = 200;
const ENDED: ReadonlySet<string> = new Set(['success', 'failure', 'canceled']);
const COUNTS = ['scanned', 'added', 'updated', 'unchanged', 'skipped', 'deleted', 'failed'] as const;

interface Source {
  origin: DemoOrigin;
  id: string;
}

async function main(io: Io): Promise<number> {
  const origins = await openDemoOrigins();
  const dataDir = await mkdtemp(join(tmpdir(), 'pinakes-demo-'));
  // The simulated origins are on this machine, which the service normally does not let callers reach.
  Object.assign(process.env, { PINAKES_OUTBOUND_ALLOW: '127.0.0.1' }, ...origins.map(({ settings }) => settings));
  try {
    io.out('Starting the service on the embedded database, and four origins that behave like the real ones …\n');
    const service = await startLocalService(dataDir);
    try {
      io.out(`Ready at ${service.url} after ${formatSeconds(service.startMs)}.\n`);
      const failures = await demonstrate(openClient(service), origins, io);
      io.out(failures.length === 0 ? '\nEverything went as it should.\n' : `\nNot as it should:\n${lines(failures)}`);
      return failures.length === 0 ? 0 : 1;
    } finally {
      await service.stop();
    }
  } finally {
    await Promise.all(origins.map((origin) => origin.close()));
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Returns the problems that it found. */
async function demonstrate(client: Client, origins: readonly DemoOrigin[], io: Io): Promise<string[]> {
  const failures: string[] = [];
  heading(io, 'First run of each');
  const sources: Source[] = [];
  for (const origin of origins) sources.push({ origin, id: await origin.create(client) });
  await showSchedules(client, io);
  await showRuns(client, sources, io, failures, ({ statistics }) =>
    statistics.added === 0 || statistics.failed > 0 ? 'nothing was added, or something failed' : undefined,
  );
  for (const { origin } of sources) await ask(client, origin, origin.question, io, failures);

  heading(io, 'Nothing has changed: the second run (Drive and GitHub report this themselves, pages are compared)');
  await runAll(client, sources);
  await showRuns(client, sources, io, failures, ({ statistics }) =>
    statistics.unchanged + statistics.skipped < statistics.scanned ? 'something was read again' : undefined,
  );

  heading(io, 'Something changes at each origin');
  for (const { origin } of sources) {
    const { results } = await client.search({ body: { query: origin.goneWords, mode: 'lexical' } });
    if (!results.some(({ source_type }) => source_type === origin.sourceType))
      failures.push(`${origin.title}: “${origin.goneWords}” is not found before it is deleted`);
    origin.change();
    io.out(`  ${origin.title}: ${origin.changes.join('; ')}\n`);
  }

  heading(io, 'The third run');
  await runAll(client, sources);
  await showRuns(client, sources, io, failures, ({ statistics }, { expected }) => {
    const wrong = (['added', 'updated', 'deleted'] as const).filter(
      (name) => statistics[name] !== (expected[name] ?? 0),
    );
    return wrong.length === 0 ? undefined : `expected ${JSON.stringify(expected)}`;
  });
  for (const { origin } of sources) await ask(client, origin, origin.newQuestion, io, failures);

  heading(io, 'What was deleted at the origin is not found any more');
  for (const { origin } of sources) await showGone(client, origin, io, failures);
  return failures;
}

async function showSchedules(client: Client, io: Io): Promise<void> {
  const { page_source_settings: settings } = await client.listPageSourceSettings();
  for (const { name, rrule, next_run_times } of settings) {
    const [next] = next_run_times;
    if (next !== undefined)
      io.out(`  ${name} also runs by itself: ${rrule}, next ${new Date(next * 1000).toISOString()}\n`);
  }
}

async function runAll(client: Client, sources: readonly Source[]): Promise<void> {
  for (const { origin, id } of sources) {
    origin.forget();
    await client.startRun({ params: { id } });
  }
}

/** Waits for the newest run of each source, and prints its counts. */
async function showRuns(
  client: Client,
  sources: readonly Source[],
  io: Io,
  failures: string[],
  wrong: (run: Run, origin: DemoOrigin) => string | undefined,
): Promise<void> {
  const rows = [['', 'status', ...COUNTS, 'requests']];
  for (const { origin, id } of sources) {
    const run = await followRun(client, origin, id, io);
    const counts = COUNTS.map((name) => String(run.statistics[name]));
    rows.push([origin.title, run.status, ...counts, String(origin.requests())]);
    const complaint = run.status === 'success' ? wrong(run, origin) : `${run.error?.title}: ${run.error?.message}`;
    if (complaint !== undefined) failures.push(`${origin.title}: ${complaint}`);
    const { errors } = await client.listRunErrors({ params: { id: run.id } });
    for (const { name, title, message } of errors) io.out(`  ${origin.title}, ${name}: ${title}. ${message}\n`);
  }
  io.out(table(rows));
}

async function followRun(client: Client, origin: DemoOrigin, groupId: string, io: Io): Promise<Run> {
  const progress = startProgress(io, origin.title);
  for (;;) {
    const { runs } = await client.listRuns({ params: { id: groupId }, query: { limit: 100 } });
    const run = runs.at(-1);
    if (run && ENDED.has(run.status)) {
      progress.update(1, 1);
      progress.end(`${run.files_done} of ${run.files_total} files, ${run.chunks_done} chunks`);
      return run;
    }
    if (run) progress.update(run.files_done, run.files_total, run.stage ?? run.status);
    await sleep(POLL_MS);
  }
}

async function ask(client: Client, origin: DemoOrigin, question: Question, io: Io, failures: string[]): Promise<void> {
  io.out(`\n${bold(io, `? ${question.text}`)}\n`);
  const answer = await streamAnswer(client, { messages: [{ role: 'user', content: question.text }] }, io);
  const cited = answer.citations.some(
    ({ source_type, name, citation }) =>
      source_type === origin.sourceType && name === question.source && citation?.verified === true,
  );
  if (!cited) failures.push(`“${question.text}” was not answered with a verified citation of ${question.source}`);
}

async function showGone(client: Client, { title, goneWords, sourceType }: DemoOrigin, io: Io, failures: string[]) {
  const { results } = await client.search({ body: { query: goneWords, mode: 'lexical' } });
  const words = goneWords.split(' ').filter((word) => word.length > 4);
  const found = results.filter(
    ({ source_type, content }) => source_type === sourceType && words.some((word) => content.includes(word)),
  );
  io.out(
    `  ${title}: “${goneWords}”: ${found.length === 0 ? 'nothing' : `still ${found.map(({ name }) => name).join(', ')}`}\n`,
  );
  if (found.length > 0) failures.push(`${title}: “${goneWords}” is still found`);
}

function heading(io: Io, text: string): void {
  io.out(`\n${bold(io, text)}\n`);
}

function bold(io: Io, text: string): string {
  return io.terminal ? `\x1b[1m${text}\x1b[0m` : text;
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return lines(
    rows.map((row) =>
      row
        .map((cell, column) => (column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join('  '),
    ),
  );
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `  ${text}\n`).join('');
}

const io = processIo();
process.exitCode = await main(io).catch((error: unknown) => {
  io.err(`${error instanceof CliError ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  return 1;
});
