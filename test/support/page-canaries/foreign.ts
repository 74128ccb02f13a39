/** PDFs of other programs: Python packages that are installed for the check, and Chromium where the browser tests have one. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { SECRETS, type Specimen } from './specimens.ts';

const PACKAGES = ['reportlab==5.1.0', 'fpdf2==2.8.9', 'uharfbuzz==0.57.0', 'pymupdf==2.0', 'pypdf==7.1.1'];
const MORE_PACKAGES = ['matplotlib==3.11.2', 'typst==0.15.2'];
/** Fields of forms are not drawn, and neither are fonts for Chinese and Japanese that a file does not contain. */
const UNSEEN = new Set(['reportlab form field', 'mupdf Chinese', 'mupdf Japanese']);
/**
 * Files whose text is not what an eye reads: letters that are filled and outlined stand twice, and groups of Arabic digits stand in the
 * other order.
 */
const UNREADABLE = new Set(['Chromium drawing with text', 'fpdf Arabic']);

const run = promisify(execFile);

/** Returns the specimens of other programs. Needs python3 with venv, and a package index for pip. */
export async function makeForeign(): Promise<Specimen[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pinakes-pages-'));
  try {
    const python = process.env['PINAKES_TEST_PYTHON'] ?? (await installPython(folder));
    const files = new Map<string, Map<string, Uint8Array>>();
    for (const [n, secret] of SECRETS.entries()) {
      const made = join(folder, `made${n}`);
      mkdirSync(made);
      await run(python, [join(import.meta.dirname, 'foreign.py'), secret, made]);
      await printPages(secret, made);
      for (const file of readdirSync(made)) {
        const name = basename(file, '.pdf');
        const contents = files.get(name) ?? new Map<string, Uint8Array>();
        files.set(name, contents.set(secret, readFileSync(join(made, file))));
      }
    }
    return [...files].map(([name, contents]) => ({
      name,
      pages: 1,
      isVisible: !UNSEEN.has(name),
      isNamed: !UNREADABLE.has(name),
      make: (secret) => contents.get(secret)!,
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function installPython(folder: string): Promise<string> {
  const python = join(folder, 'venv', 'bin', 'python');
  await run('python3', ['-m', 'venv', join(folder, 'venv')]);
  await run(python, ['-m', 'pip', 'install', '--quiet', ...PACKAGES, ...MORE_PACKAGES]);
  return python;
}

const PAGES: Readonly<Record<string, (secret: string) => string>> = {
  text: (secret) => `<p>Office first: <b>${secret}</b> and nobody else.`,
  'narrow column': (secret) =>
    `<div style="width: 9ch; hyphens: auto; font: 16px monospace">${secret} is the number</div>`,
  table: (secret) => `<table border=1><tr><th>Name<th>Number<tr><td>Keeper<td>${secret}</table>`,
  'letters on a gradient': (secret) =>
    `<p style="background: linear-gradient(red, blue); background-clip: text; color: transparent; font-size: 30px">${secret}`,
  transformed: (secret) =>
    `<p style="transform: rotate(-20deg) scaleX(1.4); opacity: .6; width: 200px; margin: 90px">${secret}`,
  'drawing with text': (secret) => `<svg width=300 height=60><text x=5 y=30 stroke=blue>${secret}</text></svg>`,
  'letters along a path': (secret) =>
    `<svg width=300 height=90><path id=p d="M5 80 Q 100 0 290 80" fill=none /><text font-family=monospace><textPath href=#p>${secret}</textPath></text></svg>`,
  canvas: (secret) =>
    `<canvas id=c width=300 height=60></canvas><script>const x = c.getContext('2d'); x.font = '20px monospace'; x.fillText('${secret}', 5, 30)</script>`,
  'rounded card': (secret) =>
    `<div style="border: 1px solid; border-radius: 12px; overflow: hidden; box-shadow: 0 4px 12px #0006; padding: 8px">${secret}</div>`,
  'right to left': (secret) => `<p dir=rtl lang=he>מספר השומר ${secret} בנמל`,
};

/** Prints pages with the Chromium of the browser tests, if it is installed. */
async function printPages(secret: string, folder: string): Promise<void> {
  const support = join(import.meta.dirname, '..', '..', 'browser');
  if (!existsSync(join(support, 'node_modules', 'playwright-core'))) {
    console.log('Chromium is not installed: npm run test:browser installs it.');
    return;
  }
  const { openBrowser } = (await import(join(support, 'support', 'chromium.ts'))) as {
    openBrowser(): Promise<Browser | undefined>;
  };
  const browser = await openBrowser();
  if (!browser) return;
  const page = await browser.newPage();
  for (const [name, html] of Object.entries(PAGES)) {
    await page.setContent(`<!doctype html><h3>Harbour report</h3>${html(secret)}`);
    await page.pdf({
      path: join(folder, `Chromium ${name}.pdf`),
      width: '420px',
      height: '595px',
      printBackground: true,
    });
  }
  await browser.close();
}

/** What is used of the browser, whose package the project itself does not have. */
interface Browser {
  newPage(): Promise<{ setContent(html: string): Promise<void>; pdf(options: object): Promise<unknown> }>;
  close(): Promise<void>;
}
