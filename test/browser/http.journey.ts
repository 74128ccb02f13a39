/** The console over plain http from another machine: browsers withhold there what needs https. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { OTHER_MACHINE, openBrowser } from './support/chromium.ts';
import { openSignedIn, press, startService, type TestService, write } from './support/console.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';
const MANUAL = readFileSync(join(import.meta.dirname, '..', '..', 'demo', 'conservation-manual.pdf'));

describe('plain http', { skip }, () => {
  let service: TestService;
  before(async () => {
    service = await startService();
    await service.add('papers', { 'manual.pdf': MANUAL });
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  test('files are sent, questions answered, pages of a PDF shown and texts copied', async () => {
    const url = service.url.replace('127.0.0.1', OTHER_MACHINE);
    const { page, faults, context } = await openSignedIn(browser as Browser, { ...service, url }, 'ask', {
      refusals: [/Cross-Origin-Opener-Policy header has been ignored/],
    });
    assert.equal(await page.evaluate(() => isSecureContext), false);
    await write(page, page.getByLabel('Ask a question'), 'Which gloves do conservators wear?');
    await page.keyboard.press('Enter');
    await press(page, page.getByRole('button', { name: /^Citation 1,/ }).first());
    const picture = page.getByRole('img', { name: /^Page \d+ of manual.pdf/ });
    await picture.waitFor();
    assert.ok(await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth > 500)));

    await page.goto(`${url}/console/sources?add=true`);
    const file = { name: 'south.md', mimeType: 'text/markdown', buffer: Buffer.from('# South light') };
    await page.locator('input[data-files]').setInputFiles(file);
    await press(page, page.getByRole('button', { name: 'Add 1 file' }));
    await page.getByText('1 file is stored').waitFor();

    await page.goto(`${url}/console/search?q=gloves`);
    await press(page, page.getByRole('button', { name: 'Copy' }));
    await write(page, page.getByLabel('Words or a question'), '');
    await page.keyboard.press('ControlOrMeta+v');
    assert.match(await page.getByLabel('Words or a question').inputValue(), /^curl -s .*"query": "gloves"/);
    assert.deepEqual(faults, []);
    await context.close();
  });
});
