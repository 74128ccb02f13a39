/** Tables: the list, what a table contains, queries, and the way from a result to the source. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { type FakeOpenAi, openFakeOpenAi } from '../support/fakes/openai.ts';
import { openBrowser } from './support/chromium.ts';
import {
  choose,
  openSignedIn,
  pick,
  press,
  startService,
  type TestService,
  tabTo,
  until,
  write,
} from './support/console.ts';
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

/** A hundred ages, of which two are no numbers. */
const PEOPLE = [
  'name,age',
  ...Array.from(
    { length: 100 },
    (_, at) => `Person ${at},${at === 7 ? 'about 40' : at === 9 ? 'old' : 20 + (at % 50)}`,
  ),
].join('\n');

describe('tables', { skip }, () => {
  let service: TestService;
  let model: FakeOpenAi;
  let id: string;
  before(async () => {
    model = await openFakeOpenAi();
    Object.assign(process.env, {
      PINAKES_CHAT_MODEL: 'openai-compatible:scripted',
      PINAKES_CHAT_BASE_URL: model.url,
    });
    service = await startService();
  });
  after(async () => {
    await browser?.close();
    await service.close();
    await model.close();
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
    await service.add('prices', { 'tariffs.csv': TARIFFS, 'people.csv': PEOPLE });
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
    await choose(page, page.getByRole('radio', { name: 'SQL' }));
    const sql = page.getByRole('textbox', { name: 'SQL' });
    await write(page, sql, 'select city, prize from tariffs');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').getByText('prize').waitFor();
    await look(page, 'tables-error');

    await write(page, sql, "select city, price from tariffs where region = 'South' order by price");
    await press(page, page.getByRole('button', { name: 'Run' }));
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('Naples').waitFor();
    const cells = await result.getByRole('cell').allTextContents();
    assert.deepEqual(cells, ['Naples', '85.9', 'Rome', '110.0']);
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

  test('a form filters, sums up and sorts, and its statement can be changed as SQL', async () => {
    const { page, faults, context } = await open(`tables/${id}`);
    await press(page, page.getByRole('button', { name: 'Add a condition' }));
    await pick(page, page.getByRole('combobox', { name: 'Column' }), 'valid_from');
    await pick(page, page.getByRole('combobox', { name: 'Comparison' }), 'at least');
    const run = page.getByRole('button', { name: 'Run' });
    assert.ok(await run.isDisabled());
    await tabTo(page, page.getByLabel('Value'));
    // Day and month are equal, because their order depends on the machine.
    await page.keyboard.type('02022024');
    await pick(page, page.getByRole('combobox', { name: 'Show' }), 'sum of');
    await pick(page, page.getByRole('combobox', { name: 'for each' }), 'region');
    await pick(page, page.getByRole('combobox', { name: 'Sorted by' }), 'sum_price');
    await pick(page, page.getByRole('combobox', { name: 'Direction' }), 'largest first');
    await press(page, run);
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('South').waitFor();
    assert.deepEqual(await result.getByRole('cell').allTextContents(), ['South', '195.90', 'West', '105.25']);
    await look(page, 'tables-form');
    await page.reload();
    await result.getByText('South').waitFor();
    assert.equal(await page.getByLabel('Value').inputValue(), '2024-02-02');
    await choose(page, page.getByRole('radio', { name: 'SQL' }));
    assert.match(await page.getByRole('textbox', { name: 'SQL' }).inputValue(), /^select "region", sum\("price"\)/);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a question is answered with the statement of the model, or with what it may mean', async () => {
    const { page, faults, context } = await open(`tables/${id}`);
    await choose(page, page.getByRole('radio', { name: 'Question' }));
    model.respond({
      deltas: ['{"clarify": ["Which city has the lowest price?", "Which region has the lowest sum?"]}'],
    });
    await write(page, page.getByLabel('Question about this table'), 'Which is the cheapest?');
    await page.keyboard.press('Control+Enter');
    const meant = page.getByRole('button', { name: 'Which city has the lowest price?' });
    await meant.waitFor();
    await look(page, 'tables-unclear');
    model.respond({ deltas: ['{"sql": "select city, price from tariffs order by price limit 1"}'] });
    await press(page, meant);
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('Naples').waitFor();
    await page.locator('pre').getByText('select city, price from tariffs order by price limit 1').waitFor();
    await page.getByRole('list', { name: 'Where the rows come from' }).getByRole('link', { name: 'Row 4' }).waitFor();
    await look(page, 'tables-question');
    model.respond({ deltas: ['{"cannot": "The table has no stars."}'] });
    await write(page, page.getByLabel('Question about this table'), 'How many stars?');
    await page.keyboard.press('Control+Enter');
    await page.getByText('The table has no stars.').waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a table shows how many cells do not fit their column, with examples', async () => {
    const { tables } = await service.pinakes.listTables({ query: { name: 'people' } });
    const { page, faults, context } = await open(`tables/${tables[0]!.id}`);
    const columns = page.getByRole('complementary', { name: 'Columns' });
    await columns.getByText('2 cells are no such value and are empty: about 40 · old').waitFor();
    await columns.getByText('Whole number').waitFor();
    await look(page, 'table-warnings');
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a source leads to its tables, and builds one on request', async () => {
    const group = await service.add('notes', {
      'notes.md': '# Hotels\n\n| hotel | stars |\n|---|---|\n| Alpina | 4 |\n| Bristol | 5 |\n',
    });
    const { sources } = await service.pinakes.listAllSources({ query: { source_group_id: group } });
    const { page, faults, context } = await open(`sources/${sources[0]!.id}`);
    await press(page, page.getByRole('button', { name: 'Tables 1' }));
    await look(page, 'tables-of-source');
    await press(page, page.getByRole('button', { name: 'Build' }));
    await page.waitForURL(/\/tables\//);
    await page.getByText('Ready').waitFor();
    await press(page, page.getByRole('link', { name: 'Open the source' }));
    await press(page, page.getByRole('button', { name: 'Tables 1' }));
    await page.getByRole('dialog', { name: 'Tables' }).getByRole('link').waitFor();
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
    await lookEverywhere(
      browser as Browser,
      service,
      `tables/${id}?sql=${encodeURIComponent(sum)}`,
      (page) => page.locator('main ol').getByRole('link').first().waitFor(),
      'table',
    );
  });
});
