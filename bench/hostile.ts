/**
 * Checks that the file processor treats every hostile file of the shared data as the manifest says, within time and memory.
 *
 *   npm run check:hostile
 */
import { readFileSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import type { ProcessOutcome } from '../src/files/parsed.ts';
import type { FileProcessor } from '../src/files/sandbox/file-processor.ts';
import { openProcessPool } from '../src/files/sandbox/process-pool.ts';
import { chunkMismatches } from '../test/support/files/chunk-invariants.ts';

interface Entry {
  file: string;
  what: string;
  expect: string;
}

interface Verdict {
  entry: Entry;
  problem: string | undefined;
  outcome: ProcessOutcome;
  ms: number;
  rssMib: number;
}

type Check = (outcome: ProcessOutcome, entry: Entry) => string | undefined;

const FOLDER = new URL('../../shared/data/files/hostile/', import.meta.url);
/** The limits of the parsers end every hostile file within this time. */
const FILE_MS_MAX = 10_000;
const RSS_MIB_MAX = 512;
const CHUNK_UNITS_MAX = 8000;
const RSS_POLL_MS = 10;

const rejected: Check = (outcome) => (outcome.ok ? 'was not rejected' : undefined);
const accepted: Check = (outcome) => (outcome.ok ? undefined : `was rejected: ${outcome.failure.message}`);
const either: Check = () => undefined;
const contains =
  (text: string): Check =>
  (outcome, entry) =>
    accepted(outcome, entry) ??
    (outcome.ok && outcome.file.text.includes(text) ? undefined : `lacks ${JSON.stringify(text)}`);
const hasType =
  (type: string): Check =>
  (outcome, entry) =>
    accepted(outcome, entry) ?? (outcome.ok && outcome.file.fileType === type ? undefined : `is not ${type}`);
const lacks =
  (pattern: RegExp): Check =>
  (outcome) =>
    outcome.ok && pattern.test(outcome.file.text) ? `contains ${pattern}` : undefined;
const equalsTruth: Check = (outcome, entry) => {
  const truth = readFileSync(new URL(entry.file.replace(/\.txt$/, '.utf8'), FOLDER), 'utf8').trimEnd();
  return outcome.ok && outcome.file.text.trimEnd() === truth ? undefined : 'differs from its UTF-8 truth';
};

const CHECKS: Record<string, Check> = {
  'ok.docx': contains('canary-docx-7741'),
  'bomb-512MiB.docx': rejected,
  'billion-laughs.docx': lacks(/(lol){10}/),
  'xxe.docx': lacks(/root:|daemon/),
  'traversal.docx': either,
  'truncated.docx': rejected,
  'billion-laughs.xml': rejected,
  'billion-laughs.svg': rejected,
  'empty.pdf': rejected,
  'empty.txt': either,
  'not-a-pdf.pdf': hasType('html'),
  'truncated.pdf': rejected,
  'deep.html': accepted,
  'deep.json': either,
  'deep.md': accepted,
  'emphasis.md': accepted,
  'brackets.md': accepted,
  'one-line.txt': accepted,
  'nul.txt': accepted,
  'lone-surrogate.json': accepted,
  'bad-utf8.txt': accepted,
  'utf16le-bom.txt': accepted,
  'utf8-bom.csv': (outcome) =>
    outcome.ok && outcome.file.chunks[0]?.context?.startsWith('| id ') ? undefined : 'the first header is not id',
  'zalgo.txt': accepted,
  'bidi.txt': contains('\u202e'),
  'csv-wide.csv': either,
  'csv-unclosed.csv': either,
  'csv-formula.csv': contains('HYPERLINK'),
  'mime-deep.eml': either,
  'header-bomb.eml': either,
  'prompt-injection.md': contains('25 days'),
  // Members of archives become sources, with limits on depth and number: test/jobs/members.test.ts.
  'nested-bomb.zip': accepted,
};

const entries = JSON.parse(readFileSync(new URL('MANIFEST.json', FOLDER), 'utf8')) as Entry[];
const verdicts: Verdict[] = [];
for (const entry of entries) verdicts.push(await check(entry));
print(verdicts);
process.exitCode = verdicts.some((verdict) => verdict.problem) ? 1 : 0;

/** Runs each file in its own child process, to measure its memory alone. */
async function check(entry: Entry): Promise<Verdict> {
  const pool = openProcessPool({ children: 1 });
  const path = new URL(entry.file, FOLDER).pathname;
  const request = { path, name: entry.file.split('/').at(-1)!, size: statSync(path).size, chunkMetadataKeys: [] };
  const watch = watchMemory();
  const start = performance.now();
  const outcome = await runTimed(pool, request);
  const ms = performance.now() - start;
  const rssMib = watch.stop();
  await pool.close();
  const test = entry.file.startsWith('encodings/') ? equalsTruth : CHECKS[entry.file];
  const problem = test ? test(outcome, entry) : 'has no check';
  return { entry, outcome, ms, rssMib, problem: problem ?? commonProblem(outcome, ms, rssMib) };
}

function runTimed(pool: FileProcessor, request: Parameters<FileProcessor['process']>[0]): Promise<ProcessOutcome> {
  return pool.process(request, new AbortController().signal);
}

/** Checks that apply to every file. */
function commonProblem(outcome: ProcessOutcome, ms: number, rssMib: number): string | undefined {
  if (ms > FILE_MS_MAX) return `took ${Math.round(ms)} ms`;
  if (rssMib > RSS_MIB_MAX) return `took ${Math.round(rssMib)} MiB`;
  if (!outcome.ok)
    return /^(Time limit|Memory limit|Parser crashed)/.test(outcome.failure.title) ? outcome.failure.title : undefined;
  const { text, chunks } = outcome.file;
  if (!text.isWellFormed() || text.includes('\0') || text.includes('\r')) return 'text is not clean';
  if (chunkMismatches(text, chunks) > 0) return 'chunk offsets differ';
  if (chunks.some((chunk) => chunk.content.length > CHUNK_UNITS_MAX)) return 'a chunk is too long';
  return undefined;
}

/** Samples the largest resident size of this process's children every few milliseconds. */
function watchMemory(): { stop(): number } {
  let most = 0;
  const timer = setInterval(async () => {
    for (const pid of await childPids()) {
      const statm = await readFile(`/proc/${pid}/statm`, 'latin1').catch(() => '0 0');
      most = Math.max(most, Number(statm.split(' ')[1]) * 4096);
    }
  }, RSS_POLL_MS);
  return {
    stop() {
      clearInterval(timer);
      return most / 1024 / 1024;
    },
  };
}

async function childPids(): Promise<string[]> {
  const tasks = await readdir(`/proc/${process.pid}/task`).catch(() => []);
  const lists = tasks.map((task) => readFile(`/proc/${process.pid}/task/${task}/children`, 'latin1').catch(() => ''));
  return (await Promise.all(lists)).join(' ').split(' ').filter(Boolean);
}

function print(verdicts: readonly Verdict[]): void {
  for (const { entry, outcome, ms, rssMib, problem } of verdicts) {
    const result = outcome.ok
      ? `${outcome.file.fileType}, ${outcome.file.chunks.length} chunks`
      : outcome.failure.message;
    const row = [
      problem ? 'FAIL' : 'ok',
      entry.file.padEnd(24),
      `${Math.round(ms)} ms`.padStart(8),
      `${Math.round(rssMib)} MiB`.padStart(8),
    ];
    console.log(`${row.join('  ')}  ${problem ?? result}`);
  }
  const failed = verdicts.filter((verdict) => verdict.problem).length;
  console.log(`${verdicts.length - failed} of ${verdicts.length} behave as the manifest says`);
}
