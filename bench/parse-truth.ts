/**
 * Measures parsers: mean token F1 of the extracted text against the expected text, per kind of file. Checks for every chunk of
 * every file that its offsets give exactly its content.
 *
 *   npm run bench:parse [-- --worst 5] [-- --kind docx]
 */
import { readFileSync, statSync } from 'node:fs';
import { parseHTML } from 'linkedom';
import { loadToolConfig } from '../src/config.ts';
import { extensionOf } from '../src/files/detect/file-types.ts';
import { decodeXml } from '../src/files/formats/references.ts';
import type { ProcessOutcome } from '../src/files/parsed.ts';
import { openProcessPool } from '../src/files/sandbox/process-pool.ts';
import { openToolRunner } from '../src/files/sandbox/tool-runner.ts';
import { chunkMismatches } from '../test/support/files/chunk-invariants.ts';
import { tokenF1 } from '../test/support/passages/token-f1.ts';
import { readOptions } from './support/options.ts';

interface Pair {
  file: string;
  truth: string;
  kind: string;
}

interface Result extends Pair {
  extension: string;
  f1: number;
  mismatches: number;
  failure: string | undefined;
}

const FILES = new URL('../../shared/data/files/', import.meta.url);
/** Kinds with fewer files are printed but do not fail the run. */
const GATE_FILES_MIN = 5;
const GATES: Record<string, number> = {
  docx: 0.95,
  html: 0.95,
  xlsx: 0.95,
  csv: 0.98,
  pdf: 0.92,
  md: 0.98,
  pptx: 0.93,
  rtf: 0.92,
};

const { values: args } = readOptions(import.meta.filename, {
  options: { worst: { type: 'string', default: '0' }, kind: { type: 'string' } },
});
const results = await measure();
printTable(results);
printWorst(results, Number(args.worst));
process.exitCode = gatesHold(results) ? 0 : 1;

async function measure(): Promise<Result[]> {
  const pairs = (JSON.parse(readFileSync(new URL('TRUTH_PAIRS.json', FILES), 'utf8')) as Pair[]).filter(
    (pair) => args.kind === undefined || extensionOf(pair.file) === args.kind,
  );
  const pool = openProcessPool({ children: 2, tools: openToolRunner(loadToolConfig(process.env)) });
  const signal = new AbortController().signal;
  const results = pairs.map(async (pair): Promise<Result> => {
    const path = new URL(pair.file, FILES).pathname;
    const request = { path, name: pair.file.split('/').at(-1)!, size: statSync(path).size, chunkMetadataKeys: [] };
    return score(pair, await pool.process(request, signal));
  });
  const done = await Promise.all(results);
  await pool.close();
  return done;
}

function score(pair: Pair, outcome: ProcessOutcome): Result {
  const extension = extensionOf(pair.file);
  if (!outcome.ok) return { ...pair, extension, f1: 0, mismatches: 0, failure: outcome.failure.message };
  const { text, chunks } = outcome.file;
  const f1 = tokenF1(text, expectedText(pair));
  return { ...pair, extension, f1, mismatches: chunkMismatches(text, chunks), failure: undefined };
}

function expectedText(pair: Pair): string {
  const raw = readFileSync(new URL(pair.truth, FILES), 'utf8');
  if (pair.kind === 'readability-html') return htmlText(raw);
  if (pair.kind === 'pandoc-native-ast') return nativeText(raw);
  // Markdown writers escape characters that would be markup.
  return decodeXml(raw.replace(/<!--.*?-->/gs, ' '));
}

function htmlText(html: string): string {
  const spaced = html.replace(
    /<\/?(p|div|li|ul|ol|h\d|br|tr|td|th|table|section|figure|figcaption|blockquote|pre)\b/gi,
    ' $&',
  );
  return parseHTML(`<html><body>${spaced}</body></html>`).document.body.textContent;
}

/** Returns the text leaves of pandoc's native syntax tree. */
function nativeText(native: string): string {
  const leaves: string[] = [];
  const pattern =
    /\b(?:(Str|Code|CodeBlock|Math)\s*(?:\(\s*"[^"]*"\s*,\s*\[[^\]]*\]\s*,\s*\[[^\]]*\]\s*\)|\w+Math)?\s*"((?:[^"\\]|\\.)*)"|(Space|SoftBreak|LineBreak|Para|Plain|Header|Cell|Note|MetaInlines)\b|\( (?=\[))/gs;
  for (const match of native.matchAll(pattern)) leaves.push(match[1] ? unescapeHaskell(match[2]!) : ' ');
  return leaves.join('');
}

function unescapeHaskell(text: string): string {
  return text.replace(/\\(\d+|&|.)/gs, (_, code: string) => {
    if (/^\d+$/.test(code)) return String.fromCodePoint(Number(code));
    return code === '&' ? '' : code === 'n' ? '\n' : code === 't' ? '\t' : code;
  });
}

function printTable(results: readonly Result[]): void {
  const groups = Map.groupBy(results, (result) => result.extension);
  console.log('kind    files  mean F1  failed  chunks whose offsets differ');
  for (const [extension, group] of [...groups].sort(([a], [b]) => a.localeCompare(b))) {
    const row = [
      extension.padEnd(8),
      String(group.length).padStart(4),
      mean(group).toFixed(3).padStart(8),
      String(group.filter((result) => result.failure).length).padStart(7),
      String(group.reduce((sum, result) => sum + result.mismatches, 0)).padStart(10),
    ];
    console.log(row.join(' '));
  }
}

function printWorst(results: readonly Result[], count: number): void {
  for (const result of results.filter((r) => r.failure)) {
    console.log(`failed: ${result.file}: ${result.failure}`);
  }
  const worst = results.filter((r) => !r.failure).sort((a, b) => a.f1 - b.f1);
  for (const result of worst.slice(0, count)) console.log(`${result.f1.toFixed(3)}  ${result.file} (${result.kind})`);
}

function gatesHold(results: readonly Result[]): boolean {
  const groups = Map.groupBy(results, (result) => result.extension);
  const missed = Object.entries(GATES).filter(([extension, gate]) => {
    const group = groups.get(extension) ?? [];
    const ok = group.length < GATE_FILES_MIN || (mean(group) >= gate && group.every((r) => r.mismatches === 0));
    if (!ok) console.log(`below the gate of ${gate}: ${extension}`);
    return !ok;
  });
  return missed.length === 0;
}

function mean(group: readonly Result[]): number {
  return group.reduce((sum, result) => sum + result.f1, 0) / group.length;
}
