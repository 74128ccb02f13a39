/** A service with a few files and a signed-in page: what most journeys begin with. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { startLocalService } from '../../../src/cli/operate/local-service.ts';
import { openPinakes, type Pinakes } from '../../../src/client/client.ts';
import { openPage, type PageOptions, type Watched } from './chromium.ts';

const TABS_MAX = 100;

export interface TestService {
  url: string;
  key: string;
  pinakes: Pinakes;
  /** Uploads files as one group, with further fields of the form, and waits until their run has ended. */
  add(
    name: string,
    files: Readonly<Record<string, string | Uint8Array>>,
    fields?: Readonly<Record<string, string>>,
  ): Promise<string>;
  close(): Promise<void>;
}

export async function startService(): Promise<TestService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-browser-'));
  const service = await startLocalService(dataDir);
  const pinakes = openPinakes({ url: service.url, apiKey: service.apiKey });
  return {
    url: service.url,
    key: service.apiKey,
    pinakes,
    async add(name, files, fields = {}) {
      const body = new FormData();
      for (const [field, value] of Object.entries({ name, ...fields })) body.append(field, value);
      for (const [path, content] of Object.entries(files)) body.append('files', new Blob([content as BlobPart]), path);
      const { source_group_id: id } = await pinakes.createLocalFileGroup({ body: body as never });
      await until(async () => {
        const { status } = await pinakes.getSourceGroup({ params: { id } });
        return status === 'success' || status === 'failure';
      });
      return id;
    },
    async close() {
      await service.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Waits until the check holds. @throws Error when the time is over */
export async function until(check: () => Promise<boolean>, waitMs = 60_000): Promise<void> {
  const end = Date.now() + waitMs;
  while (!(await check())) {
    if (Date.now() > end) throw new Error('The state was not reached in time.');
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** A browser logs the answer to the question who is signed in, when nobody is. */
export const NOBODY = /401 .*\/console\/session/;

/** Opens a screen, and signs in with the keyboard. */
export async function openSignedIn(
  browser: Browser,
  service: TestService,
  path: string,
  options: Omit<PageOptions, 'origin'> = {},
): Promise<Watched> {
  const { refusals = [], ...others } = options;
  const watched = await openPage(browser, { origin: service.url, refusals: [NOBODY, ...refusals], ...others });
  await watched.page.goto(`${service.url}/console/${path}`);
  await write(watched.page, watched.page.locator('input[type=password]'), service.key);
  await watched.page.keyboard.press('Enter');
  await watched.page.locator('main#main h1').first().waitFor();
  return watched;
}

/** Presses Tab until the element has the focus. @throws Error if the keyboard does not reach it */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let pressed = 0; pressed < TABS_MAX; pressed++) {
    if (await target.evaluate(hasFocus)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('The keyboard does not reach the element.');
}

/** Returns whether the element has the focus, also within a shadow root. Runs in the page. */
function hasFocus(element: Element): boolean {
  return element === (element.getRootNode() as Document | ShadowRoot).activeElement;
}

/** Goes to a field with the keyboard, and types a text in place of what is there. */
export async function write(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press('ControlOrMeta+a');
  if (text === '') await page.keyboard.press('Delete');
  else await page.keyboard.type(text);
}

/** Goes to a list with the keyboard, and moves to the option with this name or value. */
export async function pick(page: Page, list: Locator, option: string): Promise<void> {
  await tabTo(page, list);
  await page.keyboard.press('Home');
  const isChosen = () =>
    list.evaluate((select: HTMLSelectElement, wanted) => {
      const chosen = select.selectedOptions[0];
      return chosen?.value === wanted || chosen?.label === wanted;
    }, option);
  for (let moved = await list.locator('option').count(); moved > 0 && !(await isChosen()); moved -= 1)
    await page.keyboard.press('ArrowDown');
  if (!(await isChosen())) throw new Error(`The list has no option ${option}.`);
}

/** Chooses one of several radio buttons with the keyboard. */
export async function choose(page: Page, radio: Locator): Promise<void> {
  await radio.waitFor({ state: 'attached' });
  const name = await radio.getAttribute('name');
  const all = page.locator(`input[type=radio][name="${name}"]`);
  await tabTo(page, page.locator(`input[type=radio][name="${name}"]:checked`));
  for (let moved = await all.count(); moved > 0 && !(await radio.isChecked()); moved -= 1)
    await page.keyboard.press('ArrowRight');
}

/** Goes to the element with the keyboard, and presses a key on it. */
export async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

/** Holds back all answers to questions until the returned function is called. */
export async function holdAnswers(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/api/v1/completions', async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}
