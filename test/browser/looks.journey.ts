/** Every screen in both themes, two widths and all languages. With PINAKES_TEST_PICTURES=<folder> it also takes pictures. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { violationsOf } from './support/axe.ts';
import { openBrowser, openPage } from './support/chromium.ts';
import { NOBODY, openSignedIn, startService, type TestService } from './support/console.ts';
import { LOOKS } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';
const PICTURES = process.env['PINAKES_TEST_PICTURES'];
const DEMO = join(import.meta.dirname, '..', '..', 'demo');
const FILES = ['visitor-guide.md', 'conservation-manual.pdf', 'annual-report-2025.docx', 'budget-2026.xlsx'];
const QUESTION = 'Which relative humidity should the textile store have?';

/** Screens, and what shows that each is complete. */
const SCREENS: Readonly<Record<string, { path: string; ready(page: Page): Promise<unknown> }>> = {
  sources: { path: 'sources', ready: (page) => page.getByRole('row').nth(4).waitFor() },
  failed: { path: 'sources?status=failed', ready: (page) => page.getByText('broken.pdf').waitFor() },
  peek: {
    path: 'sources?q=visitor',
    ready: async (page) => {
      await page.getByRole('row', { name: /visitor-guide/ }).waitFor();
      await page.keyboard.press('x');
      await page.keyboard.press('p');
      await page.locator('aside ol li').first().waitFor();
    },
  },
  nothing: { path: 'sources?q=nothing', ready: (page) => page.locator('main a').first().waitFor() },
  add: { path: 'sources?add=true', ready: (page) => page.getByRole('dialog').waitFor() },
  search: {
    path: `search?q=${encodeURIComponent(QUESTION)}`,
    ready: (page) => page.getByRole('article').first().waitFor(),
  },
  ask: {
    path: `ask?q=${encodeURIComponent(QUESTION)}`,
    ready: (page) => page.locator('article p button').first().waitFor(),
  },
  branches: { path: '', ready: (page) => page.locator('article fieldset').nth(1).waitFor() },
  source: { path: '', ready: (page) => page.locator('mark').first().waitFor() },
};

describe('looks', { skip }, () => {
  let service: TestService;
  before(async () => {
    service = await startService();
    const files = Object.fromEntries(FILES.map((name) => [name, readFileSync(join(DEMO, name))]));
    await service.add('museum', { ...files, 'broken.pdf': '%PDF-1.4 broken' });
    const { results } = await service.pinakes.search({ body: { query: 'opening hours', file_types: ['md'] } });
    const [hit] = results;
    assert.ok(hit);
    SCREENS['source']!.path = `sources/${hit.source_id}?start=${hit.start_offset! + 2}&end=${hit.end_offset!}`;
    const ask = (content: string, place: object) =>
      service.pinakes.createCompletion({ body: { messages: [{ role: 'user', content }], ...place } });
    const first = await ask('When is the museum open?', {});
    const conversation_id = first.conversation_id ?? '';
    const edited = await ask(QUESTION, { conversation_id, parent_message_id: null });
    await ask(QUESTION, { conversation_id, parent_message_id: edited.user_message_id, regenerate: true });
    SCREENS['branches']!.path = `ask?conversation=${conversation_id}`;
    if (PICTURES) mkdirSync(PICTURES, { recursive: true });
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  /** Checks all screens in one signed-in page. */
  async function checkAll(
    name: string,
    options: Parameters<typeof openSignedIn>[3],
    check?: (page: Page) => Promise<void>,
  ) {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources', options);
    for (const [screen, { path, ready }] of Object.entries(SCREENS)) {
      await page.goto(`${service.url}/console/${path}`);
      await ready(page);
      if (PICTURES) await page.screenshot({ path: join(PICTURES, `${screen}-${name}.png`) });
      assert.deepEqual(await violationsOf(page), [], screen);
      const { wide, window: width } = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth,
        window: innerWidth,
      }));
      assert.ok(wide <= width, `${screen} is ${wide} wide in a window of ${width}`);
      await check?.(page);
    }
    assert.deepEqual(faults, []);
    await context.close();
  }

  for (const theme of ['light', 'dark'] as const)
    for (const width of [1440, 768])
      test(`every screen in the ${theme} theme at ${width} pixels`, () =>
        checkAll(`${theme}-${width}`, { theme, width }));

  test('every screen in German', () =>
    checkAll('de', { language: 'de', width: 1024 }, async (page) => {
      assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
    }));

  test('every screen from right to left', () =>
    checkAll('rtl', { language: 'xb' }, async (page) => {
      const menu = await page.locator('nav').first().boundingBox();
      assert.ok(menu && menu.x > 1_000, 'the menu is not on the right');
    }));

  test('every screen with long texts, and every text from the catalogue', () =>
    checkAll('long', { language: 'xa' }, async (page) => {
      // A button without the brackets of the stretched catalogue was written into the code.
      const buttons = await page.getByRole('button').evaluateAll((all) => all.map((one) => one.textContent ?? ''));
      const own = /^(?:\[.*\][\d,. ]*.*|\d+|)$/s;
      const known = /^(?:curl|JSON|TypeScript|⌘K|Damaged PDF.*|.*conservation-manual.*|.*museum.*|\d.*)$/s;
      assert.deepEqual(
        buttons.filter((text) => !own.test(text) && !known.test(text)),
        [],
      );
    }));

  test('the sign-in screen in both themes, at two widths', async () => {
    for (const look of LOOKS) {
      const options = { origin: service.url, ...look, refusals: [NOBODY] };
      const { page, faults, context } = await openPage(browser as Browser, options);
      await page.goto(`${service.url}/console/`);
      await page.getByLabel('API key').waitFor();
      if (PICTURES) await page.screenshot({ path: join(PICTURES, `sign-in-${look.theme}-${look.width}.png`) });
      assert.deepEqual(await violationsOf(page), []);
      assert.deepEqual(faults, []);
      await context.close();
    }
  });

  test('a screen is printed whole and dark on white', async () => {
    const { page, context } = await openSignedIn(browser as Browser, service, SCREENS['search']!.path, {
      theme: 'dark',
    });
    await SCREENS['search']!.ready(page);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    const { hidden, theme, menu } = await page.evaluate(() => ({
      hidden: [...document.querySelectorAll<HTMLElement>('#root, main, main .scroll')]
        .filter((one) => getComputedStyle(one).overflowY !== 'visible' || one.scrollHeight > one.clientHeight + 1)
        .map((one) => one.outerHTML.slice(0, 120)),
      theme: document.documentElement.dataset['theme'],
      menu: document.querySelector('nav')?.checkVisibility(),
    }));
    assert.deepEqual(hidden, []);
    assert.equal(menu, false);
    assert.equal(theme, 'light');
    if (PICTURES) await page.screenshot({ path: join(PICTURES, 'print.png'), fullPage: true });
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    assert.equal(await page.evaluate(() => document.documentElement.dataset['theme']), 'dark');
    await context.close();
  });
});
