/** Checks screens in every theme and width: accessibility, width of the page, faults. With PINAKES_TEST_PICTURES=<folder> it takes pictures. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { violationsOf } from './axe.ts';
import { openSignedIn, type TestService } from './console.ts';

const PICTURES = process.env['PINAKES_TEST_PICTURES'];

/** Asserts that the screen has no violation, fits into its window and has nothing out of place, and takes a picture of it. */
export async function look(page: Page, name: string): Promise<void> {
  if (PICTURES) {
    mkdirSync(PICTURES, { recursive: true });
    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  }
  assert.deepEqual(await violationsOf(page), [], name);
  const { wide, width } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    width: innerWidth,
  }));
  assert.ok(wide <= width, `${name} is ${wide} wide in a window of ${width}`);
  assert.deepEqual(await misplaced(page), [], name);
}

/** Returns the texts that are cut to almost nothing, and the buttons that stick out of the row that holds them. */
function misplaced(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const cut = [...document.querySelectorAll('main *')].filter(
      (one) =>
        one.clientWidth > 1 &&
        one.clientWidth < 32 &&
        one.scrollWidth > one.clientWidth &&
        getComputedStyle(one).overflowX === 'hidden',
    );
    const outside = [...document.querySelectorAll('main li button')].filter((button) => {
      const [inner, outer] = [button, button.closest('li')!].map((one) => one.getBoundingClientRect());
      return inner!.right > outer!.right + 1 || inner!.left < outer!.left - 1;
    });
    return [...cut, ...outside].map((one) => one.textContent ?? '');
  });
}

/** Looks at one screen in both themes, at two widths, in German and from right to left. `ready` shows that it is complete; `screen` names its pictures. */
export async function lookEverywhere(
  browser: Browser,
  service: TestService,
  path: string,
  ready: (page: Page) => Promise<unknown>,
  screen = path,
): Promise<void> {
  const all = [
    ...(['light', 'dark'] as const).flatMap((theme) => [1440, 768].map((width) => ({ theme, width, language: 'en' }))),
    { theme: 'light' as const, width: 1024, language: 'de' },
    { theme: 'light' as const, width: 1024, language: 'xb' },
    { theme: 'light' as const, width: 1024, language: 'xa' },
  ];
  for (const { theme, width, language } of all) {
    const { page, faults, context } = await openSignedIn(browser, service, path, { theme, width, language });
    await ready(page);
    await look(page, `${screen}-${language === 'en' ? `${theme}-${width}` : language}`);
    assert.deepEqual(faults, [], `${screen} in ${theme} at ${width} in ${language}`);
    await context.close();
  }
}

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
    await look(page, `${screen}-${name}`);
  }
  assert.deepEqual(faults, []);
  await context.close();
}
