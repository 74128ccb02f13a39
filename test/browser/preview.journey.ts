/** Looking into a file before it is uploaded, with the keyboard alone. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { violationsOf } from './support/axe.ts';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, pick, press, startService, type TestService, tabTo } from './support/console.ts';
import { LOOKS, look as lookAt } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';

describe('previews of files', { skip }, () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  for (const look of LOOKS)
    test(`the blocks and chunks of a file, in the ${look.theme} theme at ${look.width} pixels`, async () => {
      const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources?add=true', look);
      const dialog = page.getByRole('dialog', { name: 'Add files' });
      await page.locator('input[data-files]').setInputFiles([
        {
          name: 'guide.md',
          mimeType: 'text/markdown',
          buffer: Buffer.from('# Tower\n\nThe lamp was lit in 1874.\n\n## Rope\n\nIt is dried in the loft.\n'),
        },
        { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 broken') },
      ]);
      await tabTo(page, dialog.getByLabel('Look into'));
      await page.keyboard.type('guide');
      const preview = dialog.getByRole('region', { name: 'Preview' });
      await preview.getByText('The lamp was lit in 1874.').waitFor();
      await preview.getByText('heading 1').waitFor();
      assert.deepEqual(await violationsOf(page), []);
      await tabTo(page, preview.getByRole('button', { name: /Chunks/ }));
      await page.keyboard.press('Enter');
      await preview
        .getByText(/Tower {2}›|1 {2}› {2}Tower/)
        .first()
        .waitFor();
      await lookAt(page, `preview-${look.theme}-${look.width}`);
      assert.deepEqual(await violationsOf(page), []);
      await pick(page, dialog.getByLabel('Look into'), 'broken.pdf');
      await preview.getByText(/PDF/).waitFor();
      assert.deepEqual(await violationsOf(page), []);
      // Nothing was stored.
      assert.equal((await service.pinakes.listSourceGroups({})).source_groups.length, 0);
      assert.deepEqual(faults, []);
      await context.close();
    });

  test('files that nothing can read are named with the reason before they are sent, and all types are shown', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources?add=true');
    const dialog = page.getByRole('dialog', { name: 'Add files' });
    const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer });
    const words = Array.from({ length: 14 }, (_, i) => file(`notes.t${i}`, Buffer.from('Plain words.')));
    await page
      .locator('input[data-files]')
      .setInputFiles([
        ...words,
        file('font.ttf', Buffer.from('000100000011010000040010', 'hex')),
        file('scan.png', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')),
      ]);
    await dialog.getByText('14 files will be sent').waitFor();
    await press(page, dialog.locator('summary', { hasText: '2 files are left out' }));
    await dialog.getByRole('listitem').filter({ hasText: 'font.ttf' }).getByText('no text that can be read').waitFor();
    const picture = dialog.getByRole('listitem').filter({ hasText: 'scan.png' });
    await picture.getByText('pictures are not read by this service').waitFor();
    const types = dialog.getByRole('list', { name: 'Files by ending' });
    assert.equal(await types.getByText('t13').count(), 0);
    await press(page, types.getByRole('button', { name: '2 more types' }));
    await types.getByText('t13').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    assert.deepEqual(faults, []);
    await context.close();
  });
});
