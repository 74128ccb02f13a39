/** What a new user meets: failures in words, screens of the key alone, addresses written by hand, slow connections, a phone. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Operations } from '../../src/client/api.ts';
import { violationsOf } from './support/axe.ts';
import { openBrowser, openPage } from './support/chromium.ts';
import {
  holdAnswers,
  NOBODY,
  openSignedIn,
  press,
  startService,
  type TestService,
  until,
  write,
} from './support/console.ts';
import { look } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';
const ROWS = 130;

describe('a first look', { skip }, () => {
  let service: TestService;
  before(async () => {
    service = await startService();
    await service.add('lights', {
      'north.md': '# North light\n\nThe lamp was lit in 1874.',
      'broken.pdf': '%PDF-1.4 cut off',
      'readings.csv': `day,height\n${Array.from({ length: ROWS }, (_, i) => `${i},${i * 2}`).join('\n')}\n`,
    });
    await service.add('mistake', { 'wrong-1.md': 'One file too many.', 'wrong-2.md': 'Another file too many.' });
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  test('the page of a file that could not be read says why', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources?status=failed');
    await press(page, page.getByRole('link', { name: 'broken.pdf' }));
    await page.getByText('Damaged PDF', { exact: true }).waitFor();
    await page.getByText('The file is not a complete PDF.').waitFor();
    await look(page, 'first-failed');
    // What belongs to the text of a source is not asked for, and not refused.
    assert.deepEqual(
      faults.filter((fault) => !/\/(?:chunks|tables)\b/.test(fault)),
      [],
    );
    await context.close();
  });

  test('the title of the tab names the screen', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources');
    assert.equal(await page.title(), 'Sources · Pinakes');
    await press(page, page.getByRole('link', { name: 'north.md' }));
    await until(async () => (await page.title()) === 'north.md · Pinakes');
    await press(page, page.getByRole('link', { name: 'Runs' }));
    await until(async () => (await page.title()) === 'Runs · Pinakes');
    await page.goto(`${service.url}/console/no/such/screen`);
    await page.getByRole('heading', { level: 1, name: 'There is no such screen' }).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a key that may not read sources begins with a screen that it may use', async () => {
    for (const [scope, heading] of [
      ['audit:read', 'Audit'],
      ['inference:run', 'Ask'],
    ] as const) {
      const { key } = await service.pinakes.issueApiKey({ body: { name: scope, scopes: [scope] } });
      const { page, faults, context } = await openSignedIn(browser as Browser, { ...service, key }, '');
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      assert.equal(await page.getByRole('alert').count(), 0);
      assert.deepEqual(faults, []);
      await context.close();
    }
  });

  test('a number as the query in an address is searched, and a filter that is JSON there is applied', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'search?q=1874');
    await page.getByRole('link', { name: 'north.md' }).waitFor();
    await page.goto(`${service.url}/console/search?q=1874&filter={"file_types":["csv"]}`);
    await page
      .getByText('No passage matches')
      .or(page.getByRole('link', { name: 'readings.csv' }))
      .first()
      .waitFor();
    assert.equal(await page.getByRole('link', { name: 'north.md' }).count(), 0);
    // Without an embedding model there is no search by meaning, which the service would refuse.
    assert.equal(await page.getByRole('radio', { name: 'Words' }).count(), 1);
    assert.equal(await page.getByRole('radio', { name: 'Meaning' }).count(), 0);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('after 100 passages the search does not say that there are no more', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'search');
    await page.route('**/api/v1/search', async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as Operations['search']['response'];
      const { limit = 0 } = route.request().postDataJSON() as { limit?: number };
      answer.results = Array.from({ length: limit }, (_, at) => ({ ...answer.results[0]!, id: String(at) }));
      await route.fulfill({ response, json: answer });
    });
    await write(page, page.getByRole('textbox', { name: 'Words or a question' }), 'lamp');
    await page.keyboard.press('Enter');
    const passages = (n: number) => page.getByText(new RegExp(`^${n} passages in`));
    await passages(10).waitFor();
    await page.getByRole('button', { name: 'Load more' }).focus();
    for (let n = 20; n <= 100; n += 10) {
      await page.keyboard.press('Enter');
      await passages(n).waitFor();
    }
    await page.getByRole('button', { name: 'More than 100 passages are not shown' }).waitFor();
    assert.equal(await page.getByText('That is all').count(), 0);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a search is narrowed to a time in the form', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'search?q=lamp');
    await page.getByRole('link', { name: 'north.md' }).waitFor();
    await press(page, page.getByRole('button', { name: 'Filter', exact: true }));
    const form = page.getByRole('dialog', { name: 'Add filter' });
    await form.getByLabel('Filter by').selectOption({ label: 'Changed until' });
    await form.getByLabel('Value').fill('2025-02-03');
    await press(page, form.getByRole('button', { name: 'Add filter' }));
    await page.getByText('No passage matches').waitFor();
    await page.getByText('Changed until').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await press(page, page.getByRole('button', { name: 'Remove Changed until' }));
    await page.getByRole('link', { name: 'north.md' }).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the browser asks before a page is closed whose answer is on its way', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'ask');
    const answer = await holdAnswers(page);
    await write(page, page.getByLabel('Ask a question'), 'When was the lamp lit?');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    assert.equal(dialog.type(), 'beforeunload');
    await dialog.dismiss();
    answer();
    await page
      .getByRole('button', { name: /^Citation 1,/ })
      .first()
      .waitFor();
    await page.waitForURL(/conversation=/);
    await page.close({ runBeforeUnload: true });
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('History shows more than the latest conversations', async () => {
    const questions = ['When was the lamp lit?', 'In which year was the lamp lit?'] as const;
    for (const content of questions)
      await service.pinakes.createCompletion({ body: { messages: [{ role: 'user', content }] } });
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'ask');
    // Pages of one conversation.
    await page.route('**/api/v1/conversations?*', (route) =>
      route.continue({
        url: route
          .request()
          .url()
          .replace(/limit=\d+/, 'limit=1'),
      }),
    );
    await press(page, page.getByRole('button', { name: 'History' }));
    await page.getByRole('link', { name: questions[1] }).waitFor();
    await press(page, page.getByRole('button', { name: 'Load more' }));
    await page.getByRole('link', { name: questions[0] }).first().waitFor();
    assert.deepEqual(await violationsOf(page), []);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a result with more rows than are shown says so once', async () => {
    const { tables } = await service.pinakes.listTables({ query: {} });
    const { page, faults, context } = await openSignedIn(browser as Browser, service, `tables/${tables[0]!.id}`);
    await press(page, page.getByRole('button', { name: 'Run' }));
    await page.getByText('There are more rows than are shown.').waitFor();
    assert.equal(await page.getByText(/Only the first/).count(), 0);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('health does not say that LibreOffice is there before it has looked', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources');
    let answer = () => {};
    const held = new Promise<void>((done) => {
      answer = done;
    });
    await page.route('**/api/v1/service/checks', async (route) => {
      await held;
      await route.continue();
    });
    await press(page, page.getByRole('link', { name: 'Health' }));
    const office = page.locator('dt', { hasText: 'Old Office files' }).locator('xpath=following-sibling::dd');
    await office.waitFor();
    assert.equal(await office.textContent(), '–');
    answer();
    await until(async () => (await office.textContent()) !== '–');
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('while scripts are on their way, something moves', async () => {
    const { page, faults, context } = await openPage(browser as Browser, { origin: service.url, refusals: [NOBODY] });
    let send = () => {};
    const held = new Promise<void>((done) => {
      send = done;
    });
    await page.route('**/console/assets/*.js', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${service.url}/console/`, { waitUntil: 'commit' });
    await page.getByRole('progressbar').waitFor();
    send();
    await page.getByLabel('API key').waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a screen whose scripts do not arrive leaves the menu and what was typed, and can be tried again', async () => {
    const { page, context } = await openSignedIn(browser as Browser, service, 'ask');
    await write(page, page.getByLabel('Ask a question'), 'A long question');
    const isDown = (url: URL) => url.pathname.startsWith('/console/assets/') || url.pathname === '/readyz';
    await page.route(isDown, (route) => route.abort());
    await press(page, page.getByRole('link', { name: 'Runs' }));
    await page.getByRole('heading', { level: 1, name: 'This screen cannot be shown' }).waitFor();
    await page.getByText('The service does not answer.').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await press(page, page.getByRole('link', { name: 'Ask', exact: true }));
    assert.equal(await page.getByLabel('Ask a question').inputValue(), 'A long question');
    await press(page, page.getByRole('link', { name: 'Runs' }));
    await page.getByRole('heading', { level: 1, name: 'This screen cannot be shown' }).waitFor();
    await page.unroute(isDown);
    await press(page, page.getByRole('button', { name: 'Try again' }));
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    await context.close();
  });

  test('on a phone no text is squeezed and no column out of reach', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources', {
      width: 390,
      language: 'de',
    });
    await page.getByText('broken.pdf').waitFor();
    for (const cell of await page.getByRole('columnheader').filter({ visible: true }).all()) {
      const box = (await cell.boundingBox())!;
      assert.ok(box.x + box.width <= 390, (await cell.textContent()) ?? '');
    }
    const state = page
      .getByRole('row', { name: /broken/ })
      .getByRole('gridcell')
      .nth(2);
    assert.ok((await state.boundingBox())!.width > 90);
    await page.goto(`${service.url}/console/health`);
    const check = page.getByRole('listitem').filter({ hasText: 'Schema der Datenbank' });
    const detail = check.getByText(/angewendet/);
    await detail.waitFor();
    assert.ok((await detail.boundingBox())!.width > 120, 'the detail of a check is squeezed');
    const value = page.getByRole('definition').filter({ hasText: 'Nicht begrenzt' }).first();
    assert.ok((await value.boundingBox())!.width > 90, 'the value of a limit is squeezed');
    await page.goto(`${service.url}/console/redaction`);
    await press(page, page.getByRole('button', { name: 'Regel hinzufügen' }));
    const long = page.getByText('US-Sozialversicherungsnummer');
    await long.waitFor();
    const [text, room] = await long.evaluate((one) => [
      one.scrollWidth,
      one.clientWidth || one.parentElement!.clientWidth,
    ]);
    assert.ok(text! <= room!, `${text} in ${room}`);
    assert.deepEqual(
      faults.filter((fault) => !/redaction-policy/.test(fault)),
      [],
    );
    await context.close();
  });

  test('a whole group is deleted, after a question', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources');
    await page.getByText('wrong-1.md').waitFor();
    const { source_groups: groups } = await service.pinakes.listSourceGroups({ query: { q: 'mistake' } });
    assert.equal(await page.getByRole('button', { name: 'Delete the group' }).count(), 0);
    await page.goto(`${service.url}/console/sources?group=${groups[0]!.id}`);
    await page.getByText('wrong-1.md').waitFor();
    await press(page, page.getByRole('button', { name: 'Delete the group' }));
    const dialog = page.getByRole('dialog', { name: 'Delete the group mistake?' });
    await dialog.waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await press(page, dialog.getByRole('button', { name: 'Delete' }));
    await page.getByText('north.md').waitFor();
    assert.equal(await page.getByText('wrong-1.md').count(), 0);
    assert.equal(new URL(page.url()).search, '');
    assert.deepEqual(faults, []);
    await context.close();
  });
});
