/** Finds a Chromium for the tests, and opens pages that notice everything the console must not do. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const WAIT_MS = 15_000;
/** Enough for headless runs. Flags that turn off web security would hide faults. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--host-resolver-rules=MAP pinakes.test 127.0.0.1',
];
/** The name of another machine, for the browser: pages of it come over plain http, and lack what browsers give to https alone. */
export const OTHER_MACHINE = 'pinakes.test';

/** The first of: PINAKES_TEST_CHROMIUM, a `chromium` on the search path, the packaged one (Linux on x64). Undefined: there is none. */
async function findChromium(): Promise<string | undefined> {
  const given = process.env['PINAKES_TEST_CHROMIUM'];
  if (given) return given;
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'chromium');
    if (folder !== '' && existsSync(path)) return path;
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const packaged = await import('@sparticuz/chromium');
  const bin = join(import.meta.dirname, '..', 'node_modules', '@sparticuz', 'chromium', 'bin');
  // Its own copies of the libraries that a machine without a browser lacks.
  await packaged.inflate(join(bin, 'al2023.tar.br'));
  packaged.setupLambdaEnvironment(join(tmpdir(), 'al2023', 'lib'));
  return packaged.default.executablePath(bin);
}

/** Returns a browser, or undefined if there is none. @throws Error if there is none and PINAKES_TEST_REQUIRE_BROWSER is 1 */
export async function openBrowser(): Promise<Browser | undefined> {
  const executablePath = await findChromium();
  if (executablePath !== undefined) return chromium.launch({ executablePath, args: FLAGS });
  if (process.env['PINAKES_TEST_REQUIRE_BROWSER'] === '1')
    throw new Error('There is no Chromium: set PINAKES_TEST_CHROMIUM.');
  return undefined;
}

export interface Watched {
  page: Page;
  context: BrowserContext;
  /** Messages of the console of the browser, errors of scripts, and requests to other hosts. Must stay empty. */
  faults: string[];
}

export interface PageOptions {
  origin: string;
  width?: number;
  theme?: 'light' | 'dark';
  language?: string;
  /** Answers that the test expects to be refused, such as 401 before the sign-in: a browser logs them. */
  refusals?: readonly RegExp[];
  /** Whether a pointer may be used. */
  pointer?: boolean;
}

/** Opens a page in a context of its own. */
export async function openPage(browser: Browser, options: PageOptions): Promise<Watched> {
  const { origin, width = 1440, theme = 'light', language = 'en', refusals = [], pointer = false } = options;
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  await context.addInitScript((chosen) => localStorage.setItem('language', chosen), language);
  // Journeys go by the keyboard alone. A pointer is a fault.
  if (!pointer)
    await context.addInitScript(() =>
      addEventListener('pointerdown', (event) => event.isTrusted && console.error('A pointer was used.'), true),
    );
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const faults: string[] = [];
  page.on('console', (message) => {
    const text = `${message.type()}: ${message.text()} ${message.location().url}`;
    if (!refusals.some((pattern) => pattern.test(text))) faults.push(text);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('blob:') && !url.startsWith('data:'))
      faults.push(`request: ${url}`);
  });
  return { page, context, faults };
}
