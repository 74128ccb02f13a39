/** Checks screens in every theme and width: accessibility, width of the page, faults. With PINAKES_TEST_PICTURES=<folder> it takes pictures. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { violationsOf } from './axe.ts';
import { openSignedIn, type TestService } from './console.ts';

const PICTURES = process.env['PINAKES_TEST_PICTURES'];

/** Screens, and what shows that each is complete. */
export type Screens = Readonly<Record<string, { path: string; ready(page: Page): Promise<unknown> }>>;

export const LOOKS = (['light', 'dark'] as const).flatMap((theme) => [1440, 768].map((width) => ({ theme, width })));

/** Checks all screens in one signed-in page. */
export async function checkLooks(
  browser: Browser,
  service: TestService,
  screens: Screens,
  name: string,
  options: Parameters<typeof openSignedIn>[3],
): Promise<void> {
  const { page, faults, context } = await openSignedIn(browser, service, 'sources', options);
  for (const [screen, { path, ready }] of Object.entries(screens)) {
    await page.goto(`${service.url}/console/${path}`);
    await ready(page);
    await takePicture(page, `${screen}-${name}`);
    assert.deepEqual(await violationsOf(page), [], screen);
    const { wide, window: width } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth,
      window: innerWidth,
    }));
    assert.ok(wide <= width, `${screen} is ${wide} wide in a window of ${width}`);
  }
  assert.deepEqual(faults, []);
  await context.close();
}

export async function takePicture(page: Page, name: string): Promise<void> {
  if (!PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}
