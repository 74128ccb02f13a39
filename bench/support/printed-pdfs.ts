/** Prints pages as PDF with the installed programs, and caches the PDF files. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type Printer = 'chromium' | 'chromium, tagged' | 'writer' | 'writer, untagged' | 'tex';

export interface PrintOrder {
  printer: Printer;
  /** The ending of the name tells the format. */
  extension: string;
  content: string | Uint8Array;
}

const FOLDER = join(tmpdir(), 'pinakes-pdf-tables');
/** Maximum files for one start of LibreOffice. */
const BATCH_FILES = 40;
const PRINT_MS_MAX = 120_000;

/** Returns the paths of the PDF files in the order of `orders`; undefined when the program is missing or failed. */
export async function printAll(orders: readonly PrintOrder[]): Promise<(string | undefined)[]> {
  mkdirSync(FOLDER, { recursive: true });
  const placed = orders.map((order) => {
    const hash = createHash('sha256').update(order.printer).update(order.content).digest('hex').slice(0, 20);
    return { ...order, source: join(FOLDER, `${hash}.${order.extension}`), pdf: join(FOLDER, `${hash}.pdf`) };
  });
  const missing = placed.filter(({ pdf }) => !existsSync(pdf));
  for (const { source, content } of missing) writeFileSync(source, content);
  const failed = new Set<string>();
  for (const [printer, group] of Map.groupBy(missing, (order) => order.printer)) {
    try {
      if (printer.startsWith('writer')) await printWithOffice(group, printer.endsWith('untagged'));
      else for (const order of group) await (printer === 'tex' ? printTex(order) : printPage(order));
    } catch (error) {
      failed.add(`${printer}: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
    }
  }
  for (const line of failed) console.log(`not printed by ${line}`);
  return placed.map(({ pdf }) => (existsSync(pdf) ? pdf : undefined));
}

interface Placed {
  printer: Printer;
  source: string;
  pdf: string;
}

async function printPage({ printer, source, pdf }: Placed): Promise<void> {
  const part = `${pdf}.part`;
  const tags = printer === 'chromium, tagged' ? [] : ['--disable-pdf-tagging'];
  const quiet = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  const print = ['--no-pdf-header-footer', ...tags, `--print-to-pdf=${part}`, `file://${source}`];
  await run('chromium', [...quiet, `--user-data-dir=${join(FOLDER, 'chromium')}`, ...print], { timeout: PRINT_MS_MAX });
  renameSync(part, pdf);
}

async function printWithOffice(group: readonly Placed[], isUntagged: boolean): Promise<void> {
  const profile = `-env:UserInstallation=file://${join(FOLDER, 'office')}`;
  const options = JSON.stringify({ UseTaggedPDF: { type: 'boolean', value: String(!isUntagged) } });
  for (let at = 0; at < group.length; at += BATCH_FILES) {
    const sources = group.slice(at, at + BATCH_FILES).map(({ source }) => source);
    const to = ['--headless', '--convert-to', `pdf:writer_pdf_Export:${options}`, '--outdir', FOLDER];
    await run('soffice', [profile, ...to, ...sources], { timeout: PRINT_MS_MAX * 4 });
  }
}

async function printTex({ source, pdf }: Placed): Promise<void> {
  const part = `${basename(pdf, '.pdf')}-tex`;
  const how = ['-interaction=batchmode', '-jobname', part, '-output-directory', FOLDER, source];
  await run('pdflatex', how, { timeout: PRINT_MS_MAX }).catch((error: unknown) => {
    if (!existsSync(join(FOLDER, `${part}.pdf`))) throw error;
  });
  renameSync(join(FOLDER, `${part}.pdf`), pdf);
}
