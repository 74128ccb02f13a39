/** `npm run console:pictures`: takes the pictures of the README, from a service that has read the demo files. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, startService } from './support/console.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const DEMO = join(PROJECT, 'demo');
const PICTURES = join(PROJECT, 'docs', 'pictures');
const QUESTION = 'Which relative humidity should the textile store have?';

const browser = await openBrowser();
if (!browser) throw new Error('There is no Chromium: set PINAKES_TEST_CHROMIUM.');
const service = await startService();
try {
  // Names in a script for which the packaged browser has no letters would be boxes.
  const names = readdirSync(DEMO).filter((name) => /^[ -~]+$/.test(name));
  await service.add(
    'Tidewick Harbour Museum',
    Object.fromEntries(names.map((name) => [name, readFileSync(join(DEMO, name))])),
  );
  await service.add('Inbox', { 'scan-0412.pdf': '%PDF-1.4 cut off' });
  mkdirSync(PICTURES, { recursive: true });
  const { page } = await openSignedIn(browser, service, `ask?q=${encodeURIComponent(QUESTION)}`);
  await page.locator('article button').first().waitFor();
  await page.getByText(/passages read/).waitFor();
  await page.getByRole('button', { name: 'Answer again' }).waitFor();
  // Buttons fade in.
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(PICTURES, 'console-ask.png') });
  await page.goto(`${service.url}/console/sources`);
  await page.getByText('scan-0412.pdf').waitFor();
  await page.screenshot({ path: join(PICTURES, 'console-sources.png') });
} finally {
  await browser.close();
  await service.close();
}
