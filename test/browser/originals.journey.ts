/** The original file of a source and its new versions, the directions of its text, and pages that cannot be drawn at first, with the keyboard alone. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path, { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { violationsOf } from './support/axe.ts';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, press, startService, type TestService } from './support/console.ts';
import { look } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';
const MANUAL = readFileSync(join(import.meta.dirname, '..', '..', 'demo', 'conservation-manual.pdf'));
const CONTENT = '# Ropes\r\n\r\nRopes are dried in the loft of Ada Kern.\r\n';

describe('the original of a source', { skip }, () => {
  let service: TestService;
  let id: string;
  let manual: string;
  before(async () => {
    service = await startService();
    const group = await service.add('notes', { 'ropes.md': CONTENT, 'manual.pdf': MANUAL });
    const { sources } = await service.pinakes.listSourcesOfSourceGroup({ params: { id: group } });
    const idOf = (name: string) => sources.find((source) => source.name === name)!.id;
    id = idOf('ropes.md');
    manual = idOf('manual.pdf');
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  test('a folder that is added again replaces its files, and so does a new version of one file', async () => {
    const folder = path.join(mkdtempSync(path.join(tmpdir(), 'pinakes-folder-')), 'rent');
    mkdirSync(path.join(folder, 'north'), { recursive: true });
    writeFileSync(path.join(folder, 'list.md'), 'Two houses.');
    const contract = path.join(folder, 'north', 'contract.md');
    writeFileSync(contract, 'The rent is 300.');
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources?add=true');
    const dialog = page.getByRole('dialog', { name: 'Add files' });
    await page.locator('input[webkitdirectory]').setInputFiles(folder);
    await press(page, dialog.getByRole('button', { name: 'Add 2 files' }));
    await press(page, dialog.getByRole('link', { name: 'Show them' }));
    await page.getByRole('row', { name: /contract\.md.*Ready/ }).waitFor();

    writeFileSync(contract, 'The rent is 310.');
    await press(page, page.getByRole('button', { name: 'Add files' }));
    await page.locator('input[webkitdirectory]').setInputFiles(folder);
    await dialog.getByLabel('Add to').selectOption('rent');
    await dialog.getByText('A file replaces the file of the group').waitFor();
    const keep = dialog.getByLabel('Keep the folder rent in the group');
    await keep.focus();
    await page.keyboard.press('Space');
    await dialog.getByText(/rent\/(.*\.md) is stored as rent\/\1 in the group rent\./).waitFor();
    await page.keyboard.press('Space');
    await dialog.getByText(/rent\/(.*\.md) is stored as \1 in the group rent\./).waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await press(page, dialog.getByRole('button', { name: 'Add 2 files' }));
    await dialog.getByText('New: 0. Replaced: 1. Unchanged: 1.').waitFor();
    await press(page, dialog.getByRole('button', { name: 'Close' }).last());

    await press(page, page.getByRole('link', { name: 'contract.md' }));
    await page.getByText('The rent is 310.').first().waitFor();
    await page.getByRole('button', { name: 'Replace with a new version' }).waitFor();
    const replaceWith = (text: string) =>
      page
        .locator('input[data-replace]')
        .setInputFiles({ name: 'new.md', mimeType: 'text/markdown', buffer: Buffer.from(text) });
    await replaceWith('');
    await page.getByText('The chosen file is empty. The source stays as it is.').waitFor();
    await replaceWith('The rent is 310.');
    await page.getByText('Nothing changes.').waitFor();
    await replaceWith('The rent is 320.');
    await page.getByText('The new version has been read.').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    const { source_groups: groups } = await service.pinakes.listSourceGroups({ query: { q: 'rent' } });
    await press(page, page.getByRole('button', { name: 'Show it' }));
    await page.getByText('The rent is 320.').first().waitFor();
    // Bytes of zip without a directory: a file that cannot be read.
    await page.locator('input[data-replace]').setInputFiles({
      name: 'new.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from('PK\u0003\u0004'.padEnd(200, 'x')),
    });
    await page.getByText('The new version could not be read.').waitFor();
    await press(page, page.getByRole('link', { name: 'Sources' }).first());
    await press(page, page.getByRole('link', { name: 'list.md' }));
    await page.getByText('Two houses.').first().waitFor();
    assert.equal(await page.getByText('The new version could not be read.').count(), 0);
    const { sources } = await service.pinakes.listSourcesOfSourceGroup({ params: { id: groups[0]!.id } });
    assert.deepEqual(sources.map((source) => source.path).toSorted(), ['list.md', 'north/contract.md']);
    await service.pinakes.deleteSourceGroup({ params: { id: groups[0]!.id } });
    assert.deepEqual(faults, []);
    await context.close();
    rmSync(path.dirname(folder), { recursive: true });
  });

  test('a page that was opened before its file was read shows the text afterwards', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'health');
    let isRead = false;
    await page.route(`**/api/v1/sources/${id}*`, async (route) => {
      const response = await route.fetch();
      const source = await response.json();
      await route.fulfill({ response, json: isRead ? source : { ...source, status: 'pending' } });
    });
    await page.route(`**/api/v1/sources/${id}/chunks*`, async (route) => {
      if (isRead) return route.continue();
      await route.fulfill({ json: { chunks: [], pagination: { limit: 100, next_id: null, total: 0 } } });
    });
    await page.evaluate((path) => history.pushState(null, '', path), `/console/sources/${id}`);
    await page.getByText('Not read yet').waitFor();
    await page.getByText('0 chunks').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    isRead = true;
    await page.getByRole('region', { name: 'Text of the source' }).waitFor();
    await page.getByText('1 chunk', { exact: true }).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('it is downloaded under its name, as it was uploaded', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, `sources/${id}`);
    const button = page.getByRole('button', { name: 'Download original' });
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, button)]);
    assert.equal(download.suggestedFilename(), 'ropes.md');
    assert.equal(readFileSync(await download.path(), 'utf8'), CONTENT);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('each paragraph of its text begins on the side of its own language', async () => {
    const group = await service.add('whales', {
      'whales.txt': 'الحوت الأزرق أكبر حيوان عاش على الأرض.\n\nThe blue whale weighs 190 tonnes.\n',
      'whales.py': '# الحوت الأزرق\nprint("The blue whale")\n',
    });
    const { sources } = await service.pinakes.listSourcesOfSourceGroup({ params: { id: group } });
    const idOf = (name: string) => sources.find((source) => source.name === name)!.id;
    const { page, context } = await openSignedIn(browser as Browser, service, `sources/${idOf('whales.txt')}`);
    const text = page.getByRole('region', { name: 'Text of the source' });
    const sidesOf = async (...words: string[]) => {
      await text.getByText('The blue whale').waitFor();
      return text.evaluate((element, all) => {
        const { left, right } = element.querySelector('[dir]')!.getBoundingClientRect();
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        const range = document.createRange();
        const sideOf = (word: string) => {
          for (walker.currentNode = element; walker.nextNode(); ) {
            const at = walker.currentNode.textContent!.indexOf(word);
            if (at === -1) continue;
            range.setStart(walker.currentNode, at);
            range.setEnd(walker.currentNode, at + word.length);
            const box = range.getBoundingClientRect();
            return box.left - left < right - box.right ? 'left' : 'right';
          }
          return undefined;
        };
        return all.map(sideOf);
      }, words);
    };
    const borders = page.getByRole('button', { name: 'Chunk borders' });
    const sides = () => sidesOf('الحوت', 'The');
    assert.deepEqual(await sides(), ['right', 'left']);
    await press(page, borders);
    assert.equal(await text.locator('[data-chunk]').count(), 0);
    assert.deepEqual(await sides(), ['right', 'left']);
    await page.goto(`${service.url}/console/sources/${idOf('whales.py')}`);
    await text.locator('[dir=ltr]').waitFor();
    assert.deepEqual(await sidesOf('الحوت', 'print'), ['left', 'left']);
    await press(page, borders);
    assert.deepEqual(await sidesOf('الحوت', 'print'), ['left', 'left']);
    await context.close();
  });

  test('a page that could not be drawn is drawn at the next attempt', async () => {
    const { page, context } = await openSignedIn(browser as Browser, service, `sources/${manual}`, {
      refusals: [/503 .*\/image/],
    });
    await page.getByRole('img', { name: /^Page 1/ }).waitFor();
    const drawn: string[] = [];
    let isBusy = true;
    await page.route('**/pages/2/image*', (route) => {
      drawn.push(route.request().url());
      const error = { message: 'All parsers are busy.', type: 'overloaded_error' };
      return isBusy ? route.fulfill({ status: 503, json: { error } }) : route.continue();
    });
    await press(page, page.getByRole('link', { name: 'Next page' }));
    await page.getByText('The page is being drawn …').waitFor();
    await page.getByText('All parsers are busy.').waitFor();
    await look(page, 'page-busy');
    isBusy = false;
    await press(page, page.getByRole('button', { name: 'Try again' }));
    await page.getByRole('img', { name: /^Page 2/ }).waitFor();
    assert.equal(drawn.length, 4);
    await context.close();
  });

  test('while a rule hides words of it, the reason stands in place of the file', async () => {
    await service.pinakes.putRedactionPolicy({
      body: {
        enabled: true,
        rules: [{ name: 'people', kind: 'dictionary', terms: ['Ada Kern'], action: 'mask', apply_at: ['retrieval'] }],
      },
    });
    const { page, context } = await openSignedIn(browser as Browser, service, `sources/${id}`, {
      refusals: [/409 .*\/original/],
    });
    await press(page, page.getByRole('button', { name: 'Download original' }));
    await page
      .getByRole('alert')
      .getByText(/redaction rules/)
      .waitFor();
    await look(page, 'original-refused');
    await press(page, page.getByRole('alert').getByRole('button', { name: 'Close' }));
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await context.close();
  });
});
