/** What a press does: one request for two presses, and a focus that is never lost; the list of sources as it is heard. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { type FakeSite, htmlPage, openFakeSite } from '../support/fakes/site.ts';
import { violationsOf } from './support/axe.ts';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, press, startService, type TestService, until, write } from './support/console.ts';
import { look } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';
/** The browser logs the answer to the question for the rules when there are none. */
const NO_RULES = /404 .*\/redaction-policy/;
/** Two more than a page of the list has. */
const GROUPS = 102;

describe('presses and the focus', { skip }, () => {
  let service: TestService;
  let site: FakeSite;
  before(async () => {
    process.env['PINAKES_OUTBOUND_ALLOW'] = '127.0.0.0/8';
    site = await openFakeSite();
    site.set({ '/': htmlPage('Boiler manual', []) });
    service = await startService();
    await service.add('papers', {
      'alpha.md': '# Alpha\n\nThe lamp was lit in 1874.',
      'beta.md': '# Beta\n\nThe rope is in the loft.',
      'broken.pdf': '%PDF-1.4 broken',
    });
  });
  after(async () => {
    await browser?.close();
    await service.close();
    await site.close();
  });

  const hasFocus = (target: Locator) => target.evaluate((element) => element === document.activeElement);
  /** Waits until the button has done its work, and asserts that it has the focus. */
  async function keepsFocus(button: Locator): Promise<void> {
    await button.and(button.page().locator('[aria-disabled=true]')).waitFor();
    assert.equal(await hasFocus(button), true);
  }
  /** Counts the requests that change something. */
  function countChanges(page: Page): string[] {
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
    });
    return sent;
  }
  const twice = (button: Locator) =>
    button.evaluate((element: HTMLElement) => {
      element.click();
      element.click();
    });

  test('two presses within one task create once, save once and delete once', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'tags', {
      refusals: [NO_RULES],
    });
    const sent = countChanges(page);
    const dialog = page.getByRole('dialog');
    await press(page, page.getByRole('button', { name: 'Create a tag' }).first());
    await page.keyboard.type('public');
    await twice(dialog.getByRole('button', { name: 'Create a tag' }));
    await dialog.waitFor({ state: 'detached' });
    await press(page, page.getByRole('button', { name: 'Delete public' }));
    await twice(dialog.getByRole('button', { name: 'Delete' }));
    await dialog.waitFor({ state: 'detached' });
    await page.goto(`${service.url}/console/sources?status=failed`);
    await twice(page.getByRole('button', { name: 'Read broken.pdf again' }));
    await until(async () => sent.length >= 3);
    await page.goto(`${service.url}/console/redaction`);
    await press(page, page.getByRole('button', { name: 'Add a rule' }).first());
    await twice(page.getByRole('button', { name: 'Save' }));
    await page.getByText('Version 1').waitFor();
    assert.deepEqual(
      sent.filter((one) => !one.endsWith('/test')).map((one) => one.replace(/[\da-f-]{36}/, 'ID')),
      [
        'POST /api/v1/tags',
        'DELETE /api/v1/tags/ID',
        'POST /api/v1/source-groups/ID/runs',
        'PUT /api/v1/redaction-policy',
      ],
    );
    assert.deepEqual(faults, []);
    await context.close();
    await service.pinakes.deleteRedactionPolicy();
  });

  test('the focus stays on Save of redaction rules and of a policy', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'redaction', {
      refusals: [NO_RULES],
    });
    await press(page, page.getByRole('button', { name: 'Add a rule' }).first());
    const save = page.getByRole('button', { name: 'Save' });
    await press(page, save);
    await page.getByText(/^Version \d/).waitFor();
    await keepsFocus(save);
    assert.deepEqual(await violationsOf(page), []);
    // It is out of the way as soon as the reader goes on.
    await page.keyboard.press('Tab');
    await until(() => save.evaluate((button: HTMLButtonElement) => button.disabled));
    await service.pinakes.deleteRedactionPolicy();

    await page.goto(`${service.url}/console/policies`);
    await press(page, page.getByRole('button', { name: 'New policy' }).first());
    await page.keyboard.press('Enter');
    await press(page, save);
    await page.getByText(/^Version \d/).waitFor();
    await keepsFocus(save);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the focus stays after a question is added with its button', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'evaluation');
    const { id } = await service.pinakes.createEvaluationSet({ body: { name: 'lamps' } });
    await page.goto(`${service.url}/console/evaluation/${id}`);
    await write(page, page.getByLabel('A question to add'), 'When was the lamp lit?');
    const add = page.getByRole('button', { name: 'Add', exact: true });
    const sent = countChanges(page);
    await press(page, add);
    await page.getByText('When was the lamp lit?').waitFor();
    await keepsFocus(add);
    // Neither the button nor Enter in the empty field sends anything.
    await page.keyboard.press('Enter');
    await press(page, page.getByLabel('A question to add'));
    assert.equal(sent.length, 1);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the focus stays on “Test again”, and goes back after a secret is stored or not', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'connectors?add=true');
    const dialog = page.getByRole('dialog');
    await press(page, dialog.getByRole('button', { name: /Web site/ }));
    await write(page, dialog.getByLabel('Addresses where to begin'), `${site.url}/`);
    await press(page, dialog.getByRole('button', { name: 'Test the connection' }));
    await dialog.getByText('1 file found').waitFor();
    const again = dialog.getByRole('button', { name: 'Test again' });
    await page.route('**/connectors/check', async (route) => {
      assert.equal(await hasFocus(again), true, 'while the test goes on');
      await route.continue();
    });
    const answered = page.waitForResponse('**/connectors/check');
    await press(page, again);
    await answered;
    await dialog.getByText('1 file found').waitFor();
    assert.equal(await hasFocus(again), true);

    await press(page, dialog.getByRole('button', { name: 'Back' }));
    await press(page, dialog.getByRole('button', { name: /GitHub/ }));
    const adding = dialog.getByRole('button', { name: 'New secret' });
    await press(page, adding);
    await press(page, dialog.getByRole('button', { name: 'Cancel' }));
    await until(() => hasFocus(adding));
    await press(page, adding);
    await write(page, dialog.getByLabel('Name of the secret'), 'github');
    await write(page, dialog.getByLabel('Value'), 'ghp_1');
    await press(page, dialog.getByRole('button', { name: 'Store the secret' }));
    await dialog.getByLabel('Value').waitFor({ state: 'detached' });
    await until(() => hasFocus(adding));
    assert.deepEqual(await violationsOf(page), []);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the focus stays where “Load more” was after the last page', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'secrets');
    for (let at = 0; at < GROUPS; at++)
      await service.pinakes.createSecret({ body: { type: 'repo', name: `secret ${at}`, secret: 'x' } });
    await page.reload();
    // More presses of Tab lead there than a journey makes.
    await page.getByRole('button', { name: 'Load more' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('secret 0', { exact: true }).waitFor();
    const end = page.getByRole('button', { name: 'That is all' });
    await keepsFocus(end);
    await look(page, 'more-end');
    await page.keyboard.press('Shift+Tab');
    await end.waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the row that J and K choose is the active one of the list, which a screen reader says', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources?sort=name&order=asc');
    await page.getByRole('link', { name: 'alpha.md' }).waitFor();
    const active = () =>
      page.evaluate(() => {
        const id = document.activeElement?.getAttribute('aria-activedescendant');
        return document.getElementById(id ?? '')?.textContent ?? '';
      });
    assert.equal(await active(), '');
    await page.keyboard.press('j');
    await until(async () => (await active()).includes('beta.md'));
    assert.equal(await hasFocus(page.getByRole('grid')), true);
    await page.keyboard.press('k');
    await until(async () => (await active()).includes('alpha.md'));
    await page.keyboard.press('End');
    await until(async () => (await active()).includes('broken.pdf'));
    await page.keyboard.press('Home');
    await until(async () => (await active()).includes('alpha.md'));
    await look(page, 'grid-cursor');
    // In the panel, End scrolls.
    await page.keyboard.press('p');
    const panel = page.getByRole('complementary').filter({ has: page.getByRole('heading', { name: 'alpha.md' }) });
    await until(() => hasFocus(panel));
    await page.keyboard.press('End');
    assert.equal(await hasFocus(panel), true);
    await page.keyboard.press('p');
    await until(() => hasFocus(page.getByRole('grid')));
    assert.match(await active(), /alpha\.md/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'alpha.md' }).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a source that failed is shown without a request for what it cannot have', async () => {
    const { sources } = await service.pinakes.listAllSources({ query: { status: 'failed' } });
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources');
    const refused: string[] = [];
    page.on('response', (response) => response.status() >= 400 && refused.push(response.url()));
    await page.goto(`${service.url}/console/sources/${sources[0]!.id}`);
    await page.getByText('Damaged PDF').waitFor();
    await page.waitForLoadState('networkidle');
    assert.deepEqual(refused, []);
    assert.deepEqual(faults, []);
    await context.close();
  });
});
