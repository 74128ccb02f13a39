/** Counts the words of each file that the service has kept, and finds chunks that hold only the template of a manual. */
import { execFileSync } from 'node:child_process';
import { gunzipSync } from 'node:zlib';
import type { Corpus } from './corpora.ts';
import type { CorpusFile } from './files.ts';
import { fold } from './judge.ts';
import { type BenchService, rows } from './service.ts';
import { type Cell, percent } from './table.ts';
import {
  type Block,
  blocksOf,
  countAll,
  countKept,
  isTemplate,
  lostBlocks,
  type PageWords,
  splitPage,
  type Template,
  templateOf,
  wordsOf,
} from './words.ts';

export interface KeptPage {
  path: string;
  /** Words outside the template. */
  words: number;
  kept: number;
  templateWords: number;
  templateKept: number;
  hasWarning: boolean;
  /** Blocks with missing words, most missing words first. */
  lost: string[];
}

export interface KeptCorpus {
  corpus: string;
  pages: KeptPage[];
  /** Path and content of template chunks; HTML only. */
  templateChunks: [string, string][];
}

const TEXT_LENGTH = 200_000;
const LOST_BLOCKS = 4;
const MANDOC_WIDTH = 500;
const COMMAND_BYTES_MAX = 64 * 1024 * 1024;

/** Measures one corpus; undefined when the command that reads its format is not installed. */
export async function measureKept(
  service: BenchService,
  corpus: Corpus,
  files: readonly CorpusFile[],
): Promise<KeptCorpus | undefined> {
  const originals = readOriginals(corpus, files);
  if (originals === undefined) return undefined;
  const sources = [...(await service.sources()).values()].filter((one) => one.corpus === corpus.name);
  const byPath = Map.groupBy(sources, (one) => one.path);
  const measured: KeptCorpus = { corpus: corpus.name, pages: [], templateChunks: [] };
  for (const [file, words] of originals) {
    const own = byPath.get(file.path) ?? [];
    const texts: string[] = [];
    for (const { source } of own) {
      texts.push(await readText(service, source.id));
      if (words.template.length === 0) continue;
      for await (const content of readChunks(service, source.id))
        if (isTemplate(content, words)) measured.templateChunks.push([file.path, fold(content)]);
    }
    const hasWarning = own.some(({ source }) => source.warnings.length > 0);
    measured.pages.push(measurePage(file.path, words, countAll(wordsOf(texts.join('\n'))), hasWarning));
  }
  return measured;
}

export function keptLine({ corpus, pages, templateChunks }: KeptCorpus): Record<string, Cell> {
  const sum = (value: (page: KeptPage) => number) => pages.reduce((total, page) => total + value(page), 0);
  const [words, kept] = [sum((page) => page.words), sum((page) => page.kept)];
  const below = (share: number) => pages.filter((page) => page.kept < page.words * share);
  const poor = below(0.85);
  return {
    corpus,
    pages: pages.length,
    words,
    kept: percent(kept, words, 1),
    'with template': percent(kept + sum((page) => page.templateKept), words + sum((page) => page.templateWords), 1),
    '< 90 %': below(0.9).length,
    '< 85 %': poor.length,
    'and no warning': poor.filter((page) => !page.hasWarning).length,
    'template chunks': templateChunks.length,
  };
}

/** Returns the pages that lost most words, with the lost blocks. */
export function describeWorst({ corpus, pages }: KeptCorpus, count: number, withBlocks: boolean): string[] {
  const worst = pages
    .filter((page) => page.kept < page.words)
    .sort((a, b) => a.kept / a.words - b.kept / b.words)
    .slice(0, count);
  return worst.map((page) => {
    const warning = page.hasWarning ? ', warned' : '';
    const lost = withBlocks ? page.lost.map((text) => `\n      lost: ${text}`).join('') : '';
    return `  ${corpus}:${page.path}: ${percent(page.kept, page.words)} of ${page.words} words${warning}${lost}`;
  });
}

function measurePage(path: string, words: PageWords, text: ReadonlyMap<string, number>, hasWarning: boolean): KeptPage {
  const [content, template] = [words.content.flat(), words.template.flat()];
  const kept = countKept(content, text);
  return {
    path,
    words: content.length,
    kept,
    templateWords: template.length,
    // Words that the page itself uses no longer count for the template.
    templateKept: countKept([...content, ...template], text) - kept,
    hasWarning,
    lost: lostBlocks(words.content, text)
      .slice(0, LOST_BLOCKS)
      .map((block) => block.slice(0, 20).join(' ')),
  };
}

function readOriginals(corpus: Corpus, files: readonly CorpusFile[]): Map<CorpusFile, PageWords> | undefined {
  const originals = new Map<CorpusFile, PageWords>();
  try {
    for (const manual of Map.groupBy(files, (file) => file.manual).values()) {
      const pages = manual.map((file) => readBlocks(corpus.format, file));
      const template: Template = corpus.format === 'html' ? templateOf(pages) : new Map();
      for (const [i, file] of manual.entries()) originals.set(file, splitPage(pages[i]!, template));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return originals;
}

function readBlocks(format: Corpus['format'], { path, content }: CorpusFile): Block[] {
  const byLine = (text: string) => text.split('\n').map(wordsOf);
  if (format === 'html') return blocksOf(decode(content));
  if (format === 'pdf') return byLine(run('pdftotext', ['-enc', 'UTF-8', '-', '-'], content));
  if (format === 'code') return byLine(content.toString('utf8'));
  const roff = path.endsWith('.gz') ? gunzipSync(content) : content;
  const page = run('mandoc', ['-T', 'utf8', '-O', `width=${MANDOC_WIDTH}`], roff).replace(/.\u0008/gu, '');
  // Leaves out the running header and footer.
  return byLine(page)
    .filter((words) => words.length > 0)
    .slice(1, -1);
}

/** Decodes the page by the charset that it declares. */
function decode(content: Buffer): string {
  const declared = /<meta[^>]+charset=["']?([\w-]+)/i.exec(content.subarray(0, 2_000).toString('latin1'))?.[1];
  return new TextDecoder(declared ?? 'utf-8').decode(content);
}

function run(command: string, args: readonly string[], input: Buffer): string {
  return execFileSync(command, args, { input, encoding: 'utf8', maxBuffer: COMMAND_BYTES_MAX, stdio: 'pipe' });
}

async function readText({ pinakes }: BenchService, id: string): Promise<string> {
  let text = '';
  for (let start: number | null = 0; start !== null; ) {
    const query = { start_offset: start, end_offset: start + TEXT_LENGTH };
    const page: { text: string; next_offset: number | null } = await pinakes.getSourceText({ params: { id }, query });
    text += page.text;
    start = page.next_offset;
  }
  return text;
}

async function* readChunks({ pinakes }: BenchService, id: string): AsyncGenerator<string> {
  const pages = rows(async (query) => {
    const { chunks, pagination } = await pinakes.listSourceChunks({ params: { id }, query });
    return { rows: chunks, next: pagination.next_id };
  });
  for await (const { content } of pages) yield content;
}
