/** What a reader typed or began is not lost. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, press, startService, type TestService, tabTo, write } from './support/console.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';

describe('work that is not saved', { skip }, () => {
  let service: TestService;
  before(async () => {
    service = await startService();
    await service.add('lights', { 'north.md': '# North light\n\nThe lamp was lit in 1874.' });
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  test('an answer goes on when its screen is left, and is found under History', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'ask');
    let answer = () => {};
    const held = new Promise<void>((done) => {
      answer = done;
    });
    await page.route('**/api/v1/completions', async (route) => {
      await held;
      await route.continue();
    });
    await write(page, page.getByLabel('Ask a question'), 'When was the lamp lit?');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await press(page, page.getByRole('link', { name: 'Sources' }));
    await page.getByText('north.md').waitFor();
    const answered = page.waitForResponse('**/api/v1/conversations/*');
    answer();
    await answered;
    assert.equal(new URL(page.url()).pathname, '/console/sources', 'the answer does not call the reader back');
    await press(page, page.getByRole('link', { name: 'Ask' }));
    await press(page, page.getByRole('button', { name: 'History' }));
    await page.getByRole('link', { name: /When was the lamp lit/ }).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });
});
