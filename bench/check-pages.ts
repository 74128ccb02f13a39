/**
 * Checks the page numbers of every chunk of every PDF against the text that pdfium reads page by page.
 *
 *   npm run check:pages [-- folder]
 *
 * The pages of a chunk are right when they hold nearly all of its sequences of three words, and each page holds some of them.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import type { ChunkDraft } from '../src/corpus/values.ts';
import { pageNotes } from '../src/files/formats/pdf/annotations.ts';
import type { PdfiumModule } from '../src/files/formats/pdf/pdfium.ts';
import { processFile } from '../src/files/sandbox/process-file.ts';

/** Hyphenated words and lines that were left out between two pages make sequences that are on no page. */
const FOUND_SHARE_MIN = 0.85;
const RUN_WORDS = 3;

const folder = process.argv[2] ?? join(import.meta.dirname, '../../shared/data/files');
const paths = globSync('**/*.{pdf,PDF}', { cwd: folder, exclude: ['hostile/**'] }).map((path) => join(folder, path));
let [wrong, all, files] = [0, 0, 0];
for (const path of paths.toSorted()) {
  const bytes = readFileSync(path);
  const outcome = await processFile({ name: basename(path), size: bytes.length, chunkMetadataKeys: [] }, bytes);
  if (!outcome.ok) {
    console.log(`${basename(path)}: ${outcome.failure.title}`);
    continue;
  }
  const pages = await runsOfPages(path);
  const bad = outcome.file.chunks.filter((chunk) => problemOf(chunk, pages) !== undefined);
  for (const chunk of bad) console.log(`  chunk ${chunk.ordinal}, pages ${chunk.pages}: ${problemOf(chunk, pages)}`);
  console.log(`${basename(path)}: ${pages.length} pages, ${outcome.file.chunks.length} chunks, ${bad.length} wrong`);
  files += 1;
  wrong += bad.length;
  all += outcome.file.chunks.length;
}
console.log(`${all - wrong} of ${all} chunks of ${files} PDFs carry the right pages`);
process.exitCode = wrong > 0 || all === 0 ? 1 : 0;

async function runsOfPages(path: string): Promise<Set<string>[]> {
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(readFileSync(path));
  const { module, documentIdx } = document as unknown as { module: PdfiumModule; documentIdx: number };
  const pages = Array.from({ length: document.getPageCount() }, (_, i) => {
    const page = document.getPage(i);
    const own = runs(page.getText());
    // Comments and annotations on the page.
    const { pageIdx } = page as unknown as { pageIdx: number };
    const form = () => document.initializeFormFields();
    const attachments = { add: () => undefined };
    const { notes } = pageNotes({ module, document: documentIdx, page: pageIdx, textPage: 0, form, attachments });
    return [...own, ...notes.flatMap(runs)];
  });
  document.destroy();
  library.destroy();
  return pages.map((list) => new Set(list));
}

function problemOf(chunk: ChunkDraft, pages: readonly Set<string>[]): string | undefined {
  // The cells of a table may stand in another order than on the page.
  const own = chunk.content.split('|').flatMap(runs);
  const claimed = chunk.pages ?? [];
  if (claimed.length === 0) return 'has no page';
  if (own.length === 0) return undefined;
  const found = own.filter((run) => claimed.some((page) => pages[page - 1]?.has(run))).length;
  if (found < own.length * FOUND_SHARE_MIN - claimed.length * (RUN_WORDS - 1)) {
    return `only ${found} of ${own.length} runs are there`;
  }
  const idle = claimed.filter((page) => !own.some((run) => pages[page - 1]?.has(run)));
  return idle.length > 0 && own.length >= RUN_WORDS * claimed.length ? `nothing of it is on ${idle}` : undefined;
}

/** Returns sequences of words of letters and digits only, because punctuation and hyphens are normalised. */
function runs(text: string): string[] {
  const clean = text
    .replace(/[\ufffe\u00ad]\s*/g, '')
    .normalize('NFKC')
    .toLowerCase();
  const words = clean.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(RUN_WORDS - 1).map((_, i) => words.slice(i, i + RUN_WORDS).join(' '));
}
