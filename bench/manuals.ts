/**
 * Real manuals and real code, asked real questions, without a model or with an embedding model.
 *
 *     npm run bench:manuals -- [--corpus borg,man] [--split tune|report|both] [--details] [--json]
 *
 * The bench fetches the packages of bench/manuals/corpora.ts (Debian, npm), starts a service of its own and uploads each corpus as one
 * group of files. It prints how many words of each page are kept, at which rank the right passage of each question is, whether the
 * answer is right, partly right, wrong or refused, and what short queries find before and after the code is added to all of the manuals.
 *
 *     --cache <dir>       where packages are kept; default node_modules/.cache/manuals
 *     --keep <dir>        keeps the data of the service, for --reuse
 *     --reuse <dir>       measures on kept data; stored terms and chunks stay as they were
 *     --mode <mode>       lexical (default), semantic or hybrid; the last two need PINAKES_EMBEDDING_MODEL in the environment.
 *                         With a model, answers come from hybrid searches
 *     --no-words          leaves the words out
 *     --details           prints what the worst pages lost, and each question of the tune half with its answer and its hits
 *     --open-report       prints those of the report half too: whoever tunes must not read them
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { askAll, chanceLine, describeOutcome, type Outcome, refusalLine, summaryTable } from './manuals/ask.ts';
import { CORPORA, type Corpus, chooseCorpora } from './manuals/corpora.ts';
import { fetchPackages } from './manuals/fetch.ts';
import { readCorpus } from './manuals/files.ts';
import { describeWorst, type KeptCorpus, keptLine, measureKept } from './manuals/kept.ts';
import { compareTops, describeChange, EFFECTS, searchTops } from './manuals/neighbours.ts';
import { readQuestions, type Split } from './manuals/questions.ts';
import { type BenchService, openBenchService, type SearchedBy } from './manuals/service.ts';
import { formatTable } from './manuals/table.ts';
import { readOptions } from './support/options.ts';

const { values } = readOptions(import.meta.filename, {
  options: {
    cache: { type: 'string', default: path.resolve(import.meta.dirname, '../node_modules/.cache/manuals') },
    corpus: { type: 'string' },
    split: { type: 'string', default: 'both' },
    keep: { type: 'string' },
    reuse: { type: 'string' },
    mode: { type: 'string', default: 'lexical' },
    details: { type: 'boolean', default: false },
    'open-report': { type: 'boolean', default: false },
    words: { type: 'boolean', default: true },
    json: { type: 'boolean', default: false },
  },
  allowNegative: true,
});
const WORST_PAGES = 5;
const SHOWN_CHUNKS = 5;
const SHOWN_CHUNK_LENGTH = 120;
const corpora = chooseCorpora(values.corpus);
const names = new Set(corpora.map(({ name }) => name));
const splits: readonly Split[] = values.split === 'both' ? ['tune', 'report'] : [values.split as Split];
const questions = readQuestions(path.join(import.meta.dirname, 'manuals')).filter(({ corpus }) => names.has(corpus));

const print = (text: string): void => {
  if (!values.json) console.log(text);
};
const report: Record<string, unknown> = {};

try {
  fetchPackages(corpora, values.cache);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
const kept = values.reuse ?? values.keep;
if (kept !== undefined) mkdirSync(kept, { recursive: true });
const folder = kept ?? mkdtempSync(path.join(tmpdir(), 'pinakes-manuals-'));
const settings = Object.entries(process.env).filter(([name]) => /^PINAKES_(?:EMBEDDING|FUSION)/.test(name));
const service = await openBenchService(folder, {
  mode: values.mode as SearchedBy['mode'],
  env: Object.fromEntries(settings) as Record<string, string>,
});
try {
  await ingestMissing(service);
  await service.waitForVectors();
  if (values.words) await reportWords(service);
  for (const split of splits) await askSplit(service, split);
  await reportNeighbour(service);
  print(`\nlargest resident memory: ${(service.peakRss() / 2 ** 20).toFixed(0)} MiB`);
  if (values.json) console.log(JSON.stringify(report, undefined, 2));
} finally {
  await service.close();
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}

async function ingestMissing(into: BenchService): Promise<void> {
  for (const corpus of corpora) {
    if (into.state.corpora[corpus.name] !== undefined) continue;
    const hasManuals = CORPORA.every(({ name, format }) => format === 'code' || into.state.corpora[name] !== undefined);
    if (corpus.format === 'code' && hasManuals) into.state.tops = await searchTops(into);
    await ingestCorpus(into, corpus);
  }
  const sources = [...(await into.sources()).values()];
  const rows = corpora.map(({ name, madeBy }) => {
    const { seconds, failures, files } = into.state.corpora[name]!;
    const own = sources.filter((one) => one.corpus === name);
    const sum = (value: (one: (typeof own)[number]) => number) => own.reduce((total, one) => total + value(one), 0);
    return {
      corpus: name,
      'made by': madeBy,
      files: files.length,
      failed: failures.length,
      warnings: sum(({ source }) => source.warnings.length),
      chunks: sum(({ source }) => source.chunk_count),
      seconds: seconds.toFixed(1),
    };
  });
  report['ingestion'] = rows;
  print(formatTable(rows));
}

async function ingestCorpus(into: BenchService, corpus: Corpus): Promise<void> {
  const { failures } = await into.ingest(corpus.name, readCorpus(corpus, values.cache));
  for (const { name, message } of failures) print(`${corpus.name}: ${name} failed: ${message}`);
}

async function reportWords(of: BenchService): Promise<void> {
  const measured: KeptCorpus[] = [];
  for (const corpus of corpora) {
    const kept = await measureKept(of, corpus, readCorpus(corpus, values.cache));
    if (kept === undefined) print(`Words of ${corpus.name} are not counted: pdftotext or mandoc is not installed.`);
    else measured.push(kept);
  }
  const isHtml = ({ corpus }: KeptCorpus): boolean =>
    corpora.some((one) => one.name === corpus && one.format === 'html');
  const [pages, others] = [measured.filter(isHtml), measured.filter((kept) => !isHtml(kept))];
  report['words'] = measured.map((kept) => ({ ...keptLine(kept), worst: describeWorst(kept, WORST_PAGES, true) }));
  if (pages.length > 0) print(`\nWords kept of HTML pages:\n${formatTable(pages.map(keptLine))}`);
  if (others.length > 0)
    print(`\nWords kept of other files, against other programs:\n${formatTable(others.map(keptLine))}`);
  for (const kept of measured) {
    const worst = describeWorst(kept, WORST_PAGES, values.details);
    if (worst.length > 0) print(`\nPages of ${kept.corpus} that lost most:\n${worst.join('\n')}`);
    for (const [file, text] of kept.templateChunks.slice(0, SHOWN_CHUNKS))
      print(`  template chunk of ${file}: ${text.slice(0, SHOWN_CHUNK_LENGTH)}`);
  }
}

async function askSplit(of: BenchService, split: Split): Promise<void> {
  const outcomes = await askAll(
    of,
    questions.filter((question) => question.split === split),
  );
  const isOpen = split === 'tune' || values['open-report'];
  if (values.details && isOpen) for (const outcome of outcomes) print(`\n${describeOutcome(outcome)}`);
  print(`\nQuestions to ${split === 'tune' ? 'tune on' : 'report'}:`);
  print(summaryTable(outcomes));
  print(`${chanceLine(outcomes)}; ${refusalLine(outcomes)}`);
  report[split] = outcomes.map((outcome) => jsonOf(outcome, isOpen));
}

/** What the code base did to searches of the manuals. */
async function reportNeighbour(of: BenchService): Promise<void> {
  if (of.state.tops === undefined || !names.has('code')) return;
  const changes = compareTops(of.state.tops, await searchTops(of));
  const counts = EFFECTS.map(
    (effect) => [effect, changes.filter((change) => change.effect === effect).length] as const,
  );
  const summary = counts.map(([effect, count]) => `${effect} ${count}`).join(', ');
  print(`\nFirst three hits of ${changes.length} short queries after the code was added to the manuals: ${summary}`);
  for (const change of changes) {
    const isShown = values.details ? change.effect !== 'unchanged' : change.effect === 'new hits without the words';
    if (isShown) print(describeChange(change));
  }
  report['neighbour'] = Object.fromEntries(counts);
}

function jsonOf({ question, rank, verdict, answer, hits }: Outcome, isOpen: boolean): object {
  const { id, kind, corpus } = question;
  return {
    id,
    kind,
    corpus,
    rank: rank ?? null,
    verdict,
    ...(isOpen && { question: question.question, answer, hits }),
  };
}
