/** Tables: the list, what a table contains, queries, and the way from a result to the source. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, press, startService, type TestService, until } from './support/console.ts';
import { look, lookEverywhere } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';

const TARIFFS = [
  'city,region,price,valid_from,note',
  'Oslo,North,"120,50 €",2024-01-01,with breakfast',
  'Bergen,North,"98,00 €",2024-01-01,',
  'Rome,South,"110,00 €",2024-03-01,by the station',
  'Naples,South,"85,90 €",2024-03-01,',
  'Lyon,West,"105,25 €",2024-02-15,only in summer',
].join('\n');

describe('tables', { skip }, () => {
  let service: TestService;
  let id: string;
  before(async () => {
    service = await startService();
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });
  const open = (path: string, refusals: RegExp[] = []) => openSignedIn(browser as Browser, service, path, { refusals });

  test('without a table the list says where tables come from', async () => {
    const { page, faults, context } = await open('tables');
    await page.getByText('There are no tables yet').waitFor();
    await look(page, 'tables-none');
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a table is found, queried, and its cited row opens the source', async () => {
    await service.add('prices', { 'tariffs.csv': TARIFFS, 'people.csv': 'name,age\nAda,36\nBob,unknown\nCyd,41' });
    await until(async () => {
      const { tables } = await service.pinakes.listTables();
      return tables.length === 2 && tables.every(({ status }) => status === 'ready');
    });
    const { tables } = await service.pinakes.listTables({ query: { name: 'tariffs' } });
    id = tables[0]!.id;
    const { page, faults, context } = await open('tables', [/400 .*\/tables\/query/]);
    await page.getByRole('row', { name: /tariffs.*tariffs\.csv.*5.*5.*Ready/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('valid_from');
    await page.getByRole('row', { name: /people/ }).waitFor({ state: 'detached' });
    await press(page, page.getByRole('link', { name: 'tariffs', exact: true }));

    const columns = page.getByRole('complementary', { name: 'Columns' });
    await columns.getByText('in €').waitFor();
    await columns.getByText('North').waitFor();
    const sql = page.getByRole('textbox', { name: 'SQL' });
    await sql.fill('select city, prize from tariffs');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').getByText('prize').waitFor();
    await look(page, 'tables-error');

    await sql.fill("select city, price from tariffs where region = 'South' order by price");
    await press(page, page.getByRole('button', { name: 'Run' }));
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('Naples').waitFor();
    const cells = await result.getByRole('cell').allTextContents();
    assert.deepEqual(cells, ['Naples', '85.9', 'Rome', '110']);
    await look(page, 'tables-result');

    await press(page, page.getByRole('list', { name: 'Where the rows come from' }).getByRole('link').first());
    await page.waitForURL(/\/sources\/.*start=\d+/);
    assert.match((await page.locator('mark').first().textContent()) ?? '', /Naples/);
    await page.goBack();
    await result.getByText('Naples').waitFor();
    await press(page, page.getByRole('link', { name: 'Open row 2 in the source' }));
    await page.waitForURL(/\/sources\/.*start=\d+/);
    assert.match((await page.locator('mark').first().textContent()) ?? '', /^\| Bergen/);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a table that does not exist is named as missing', async () => {
    const missing = '0199a3c0-0000-7000-8000-000000000001';
    const { page, faults, context } = await open(`tables/${missing}`, [/404 .*\/tables/]);
    await page.getByText('This table does not exist').waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the list and a table in both themes, at two widths and in all languages', async () => {
    const sum = 'select region, sum(price) as total from tariffs group by region order by total desc';
    const ready = (page: Page) => page.getByRole('row').nth(2).waitFor();
    await lookEverywhere(browser as Browser, service, 'tables', ready);
    await lookEverywhere(browser as Browser, service, `tables/${id}?sql=${encodeURIComponent(sum)}`, (page) =>
      page.locator('main ol').getByRole('link').first().waitFor(),
    );
  });
});
