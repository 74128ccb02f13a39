/** The console on a phone, and at twice its size in a small window. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { violationsOf } from './support/axe.ts';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, press, startService, type TestService } from './support/console.ts';
import { look } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';
const NAME = 'a table with the readings of the north light.csv';
const NAME_WIDTH_MIN = 100;

describe('narrow windows', { skip }, () => {
  let service: TestService;
  let source = '';
  before(async () => {
    service = await startService();
    await service.add('readings', {
      [NAME]: 'day,height\n1,12\n2,14\n',
      'lamp.md': '# Lamp\n\nThe lamp was lit in 1874.',
    });
    await service.pinakes.issueApiKey({ body: { name: 'the reading room', scopes: ['knowledge:read'] } });
    source = (await service.pinakes.listAllSources({ query: {} })).sources.find(({ name }) => name === NAME)!.id;
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  test('the menu of a phone opens with its words, and closes with a choice or Escape', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources', { width: 390 });
    await page.setViewportSize({ width: 390, height: 844 });
    const words = page.getByRole('navigation').getByText('Connectors');
    const isSeen = async () => ((await words.boundingBox())?.width ?? 0) > 40;
    assert.equal(await isSeen(), false);
    const menu = page.getByRole('button', { name: 'Main menu' });
    await press(page, menu);
    assert.equal(await isSeen(), true);
    assert.deepEqual(await violationsOf(page), []);
    await page.keyboard.press('Escape');
    assert.equal(await isSeen(), false);
    await press(page, menu);
    await press(page, page.getByRole('link', { name: 'Connectors' }));
    await page.getByText('Nothing is connected yet').waitFor();
    assert.equal(await isSeen(), false);
    assert.deepEqual(faults, []);
    await context.close();
  });

  const headOf = (page: Page) => page.getByRole('columnheader').first();

  for (const [width, height] of [
    [390, 844],
    [640, 400],
  ] as const)
    test(`names of lists and of a source are seen in ${width} by ${height} pixels, and no button is out of reach`, async () => {
      const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources', { width });
      await page.setViewportSize({ width, height });
      for (const screen of ['keys', 'tables', 'runs', 'audit']) {
        await page.goto(`${service.url}/console/${screen}`);
        // The name of the object is in the fourth column of the log.
        const name = screen === 'audit' ? page.getByRole('columnheader', { name: 'Object' }) : headOf(page);
        await name.waitFor();
        const box = await name.boundingBox();
        assert.ok(box && box.width >= NAME_WIDTH_MIN, `${screen}: ${box?.width}`);
        await look(page, `narrow-${width}-${screen}`);
      }
      await page.goto(`${service.url}/console/sources/${source}`);
      const title = page.getByRole('heading', { level: 1 });
      await title.getByText(NAME).waitFor();
      const { width: shown } = (await title.boundingBox())!;
      assert.ok(shown >= NAME_WIDTH_MIN, `the title has ${shown} pixels`);
      for (const button of await page.locator('main header').locator('a, button').all()) {
        const box = (await button.boundingBox())!;
        assert.ok(box.x >= 0 && box.x + box.width <= width, (await button.textContent()) ?? '');
      }
      const { tall, room } = await page.evaluate(() => ({
        tall: document.documentElement.scrollHeight,
        room: innerHeight,
      }));
      assert.ok(tall <= room, `the page has ${tall} pixels in a window of ${room}`);
      await look(page, `narrow-${width}-source`);
      assert.deepEqual(faults, []);
      await context.close();
    });

  test('the buttons of a long form stay in sight', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'keys', { width: 390 });
    await page.setViewportSize({ width: 390, height: 600 });
    await press(page, page.getByRole('button', { name: 'Issue a key' }));
    const form = page.getByRole('dialog');
    const action = form.getByRole('button', { name: 'Issue a key' });
    const [outer, inner] = [(await form.boundingBox())!, (await action.boundingBox())!];
    assert.ok(
      inner.y + inner.height <= outer.y + outer.height,
      `${inner.y} in ${outer.y} to ${outer.y + outer.height}`,
    );
    await look(page, 'narrow-form');
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the passages of an answer stand below it, with what is not verified', async () => {
    const { page, faults, context } = await openSignedIn(
      browser as Browser,
      service,
      'ask?q=When+was+the+lamp+lit%3F',
      {
        width: 390,
      },
    );
    const passage = page.getByRole('complementary', { name: 'Citations' }).getByRole('button').first();
    await passage.waitFor();
    assert.match((await passage.textContent()) ?? '', /Quoted word for word/);
    await look(page, 'narrow-citations');
    assert.deepEqual(faults, []);
    await context.close();
  });
});
