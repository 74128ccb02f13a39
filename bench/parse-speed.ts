/**
 * Measures parsing in processor time on one core, so a busy machine gives the same figures, and checks that pathological input takes
 * linear time.
 *
 *   npm run bench:speed [-- --only html]
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chunkFile } from '../src/files/chunk/chunker.ts';
import { detectFileType } from '../src/files/detect/file-types.ts';
import { languageOf } from '../src/files/file-language.ts';
import { parseFile } from '../src/files/formats/parse-file.ts';
import { chunkTerms } from '../src/text/chunk-terms.ts';
import { makePdf, makeXlsx } from '../test/support/files/make-files.ts';
import { readOptions } from './support/options.ts';

interface Input {
  name: string;
  files: Uint8Array[];
  /** The unit of the count, and the count. */
  unit: string;
  count: number;
  atLeast: number;
}

const RATIO_MAX = 2.5;
const RUNS = 3;
const SENTENCE =
  'The keeper of the lighthouse wrote 14 letters to the harbour office in the winter of 1874, and none was answered. ';
const PARAGRAPH = `${SENTENCE.repeat(4).trim()}\n\n`;
const MARKDOWN =
  `## Letters\n\n${PARAGRAPH}- *one* [link](https://example.org/a)\n- two \`code\`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n` +
  `${PARAGRAPH}\`\`\`js\nconst a = 1;\n\`\`\`\n\n${PARAGRAPH}`;
const SECTION =
  `<h2>Letters</h2><p>${SENTENCE.repeat(2)}<b>bold</b> <a href="/x">link</a></p><ul><li>one</li><li>two</li></ul>` +
  `<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><p class="x">${SENTENCE.repeat(2)}</p>`;
const MB = 1_000_000;
const PAGES = 600;
const ROWS = 60_000;

const encoder = new TextEncoder();
const { values: args } = readOptions(import.meta.filename, { options: { only: { type: 'string' } } });
const wanted = (name: string) => args.only === undefined || name.includes(args.only);
let missed = 0;

console.log('file               size    parse alone        gate    with chunks and terms');
for (const input of inputs().filter(({ name }) => wanted(name))) await measure(input);
console.log('\npathological input          n      time(n)   time(2n)   ratio');
for (const [name, piece, n] of pathological()) if (wanted(name)) await compare(name, piece, n);
process.exitCode = missed > 0 ? 1 : 0;

function inputs(): Input[] {
  const page = Array.from({ length: 45 }, (_, i) => `${i}: ${SENTENCE.slice(0, 90)}`);
  const rows = Array.from({ length: ROWS }, (_, i) => [i, `name ${i}`, i * 1.5, new Date(1.7e12 + i * 1000), 'a note']);
  return [
    ofText('plain.txt', PARAGRAPH, 8, 10),
    ofText('notes.md', MARKDOWN, 8, 10),
    {
      ...ofText('page.html', SECTION, 2, 2),
      files: [encoder.encode(`<html><body>${filled(SECTION, 2 * MB)}</body></html>`)],
    },
    ...pages(2),
    counted('report.pdf', makePdf({ pages: Array.from({ length: PAGES }, () => page) }), 'pages', PAGES, 150),
    counted(
      'rows.xlsx',
      makeXlsx({ sheets: [{ name: 'a', rows: [['id', 'name', 'price', 'day', 'note'], ...rows] }] }),
      'rows',
      ROWS,
      30_000,
    ),
  ];
}

function ofText(name: string, piece: string, megabytes: number, atLeast: number): Input {
  return { name, files: [encoder.encode(filled(piece, megabytes * MB))], unit: 'MB', count: megabytes, atLeast };
}

function counted(name: string, bytes: Uint8Array, unit: string, count: number, atLeast: number): Input {
  return { name, files: [bytes], unit, count, atLeast };
}

/** Real pages, when the shared data exists. */
function pages(atLeast: number): Input[] {
  const folder = join(import.meta.dirname, '../../shared/data/files/readability');
  const files = globSync('**/source.html', { cwd: folder }).map((path) => readFileSync(join(folder, path)));
  const bytes = files.reduce((sum, file) => sum + file.length, 0);
  return files.length > 0 ? [{ name: 'articles.html', files, unit: 'MB', count: bytes / MB, atLeast }] : [];
}

function filled(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length));
}

async function measure(input: Input): Promise<void> {
  let [parsing, whole] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let run = 0; run < RUNS; run += 1) {
    const total = { parsing: 0, whole: 0 };
    for (const file of input.files) {
      const times = await processorSeconds(input.name, file);
      total.parsing += times.parsing;
      total.whole += times.whole;
    }
    parsing = Math.min(parsing, total.parsing);
    whole = Math.min(whole, total.whole);
  }
  const speed = input.count / parsing;
  if (speed < input.atLeast) missed += 1;
  const rate = (value: number) => `${value.toFixed(value < 100 ? 1 : 0)} ${input.unit}/s`.padStart(15);
  const size = `${(input.files.reduce((sum, file) => sum + file.length, 0) / MB).toFixed(1)} MB`.padStart(8);
  const verdict = speed < input.atLeast ? 'MISSED' : 'ok';
  console.log(input.name.padEnd(14), size, rate(speed), rate(input.atLeast), verdict, rate(input.count / whole));
}

async function processorSeconds(name: string, bytes: Uint8Array): Promise<{ parsing: number; whole: number }> {
  const start = process.cpuUsage();
  const type = await detectFileType(bytes, name);
  const parsed = await parseFile(type, bytes, { name, size: bytes.length, chunkMetadataKeys: [] });
  const parsing = seconds(process.cpuUsage(start));
  const language = languageOf(parsed);
  for (const cut of chunkFile(parsed)) chunkTerms(cut, parsed.title ?? name, language, parsed.fileType === 'code');
  return { parsing, whole: seconds(process.cpuUsage(start)) };
}

function seconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e6;
}

/** Name, repeated text, repetitions. */
function pathological(): [string, string, number][] {
  return [
    ['a.txt', 'a', 2_000_000],
    ['blanks.txt', ' ', 2_000_000],
    ['lines.txt', '\n', 2_000_000],
    ['marks.txt', '.', 1_000_000],
    ['han.txt', '漢', 500_000],
    ['emphasis.md', '**a ', 100_000],
    ['brackets.md', '[', 200_000],
    ['quotes.md', '> ', 100_000],
    ['ticks.md', '` ', 200_000],
    ['pipes.md', '|a', 200_000],
    ['lists.md', '- a\n', 50_000],
    ['deep.html', '<div>', 200_000],
    ['open.html', '<b', 200_000],
    ['cells.html', '<td>a', 20_000],
    ['deep.json', '[', 500_000],
    ['quotes.csv', '"a,', 300_000],
    ['wide.csv', 'a,', 600_000],
    ['article.html', '<p>The keeper of the lighthouse, who <b>wrote</b> letters, waits.</p>', 6_000],
    ['deep.xml', '<a>', 100_000],
    ['flat.xml', '<a b="c">d</a>', 60_000],
    ['prose.xml', '<p>The keeper <b>wrote</b>.</p>', 40_000],
    ['braces.rtf', '{\\rtf1 ', 400_000],
    ['stars.org', '* a\n', 50_000],
    ['groups.tex', '\\textbf{', 100_000],
    ['nested.py', '[', 60_000],
    ['generic.cpp', 'a<', 20_000],
    ['calls.js', 'f(', 40_000],
    ['minified.js', 'var a=function(b){return b};', 2_000],
  ];
}

async function compare(name: string, piece: string, n: number): Promise<void> {
  const [one, two] = [await bestOf(name, piece.repeat(n)), await bestOf(name, piece.repeat(2 * n))];
  const ratio = two / one;
  if (ratio >= RATIO_MAX) missed += 1;
  const ms = (value: number) => `${(value * 1000).toFixed(0)} ms`.padStart(10);
  console.log(
    name.padEnd(20),
    String(n).padStart(8),
    ms(one),
    ms(two),
    ratio.toFixed(2).padStart(7),
    ratio >= RATIO_MAX ? 'MISSED' : 'ok',
  );
}

/** Returns the processor seconds until chunks and terms exist or the file is refused. */
async function bestOf(name: string, text: string): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run += 1) {
    const start = process.cpuUsage();
    const done = await processorSeconds(name, encoder.encode(text)).catch(() => undefined);
    best = Math.min(best, done?.whole ?? seconds(process.cpuUsage(start)));
  }
  return best;
}
