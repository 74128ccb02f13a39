/** Signing in and out, with the keyboard alone. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { violationsOf } from './support/axe.ts';
import { openBrowser, openPage } from './support/chromium.ts';
import { NOBODY, openSignedIn, press, startService, type TestService, tabTo, write } from './support/console.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';

describe('signing in', { skip }, () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  test('a wrong key is refused in words, and the right one leads to the screen of the address', async () => {
    const { page, faults, context } = await openPage(browser as Browser, { origin: service.url, refusals: [NOBODY] });
    await page.goto(`${service.url}/console/search?q=lamp`);
    const field = page.getByLabel('API key');
    await field.waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await page.keyboard.type('pk_wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByRole('alert').getByText('does not know this key').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await write(page, field, service.key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
    assert.equal(new URL(page.url()).search, '?q=lamp');

    // The key is in no storage that a script can read.
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    assert.ok(!kept.includes(service.key) && !kept.includes('pinakes='), kept);
    const [cookie] = await context.cookies();
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict']);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('signing out ends the session on the server, too', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources', {
      refusals: [/^info: Clear-Site-Data/],
    });
    const cookies = await context.cookies();
    await tabTo(page, page.getByRole('button', { name: 'Sign out' }));
    await page.keyboard.press('Enter');
    await page.getByLabel('API key').waitFor();
    await context.addCookies(cookies);
    await page.reload();
    await page.getByLabel('API key').waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a session whose key was revoked leads to the sign-in screen, at the same address', async () => {
    const issued = await service.pinakes.issueApiKey({ body: { name: 'reader', scopes: ['knowledge:read'] } });
    const { page, faults, context } = await openPage(browser as Browser, { origin: service.url, refusals: [/ 401 /] });
    await page.goto(`${service.url}/console/sources`);
    await write(page, page.getByLabel('API key'), issued.key);
    await page.keyboard.press('Enter');
    await page.getByText('There are no sources yet').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Add files' }).count(), 0);
    await service.pinakes.revokeApiKey({ params: { id: issued.id } });
    await press(page, page.getByRole('button', { name: /^Ready/ }));
    await write(page, page.getByLabel('API key'), service.key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Sources' }).waitFor();
    assert.equal(new URL(page.url()).search, '?status=ready');
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('who signs in again in one window comes back to the others signed in', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources', {
      refusals: [/ 401 /],
    });
    await page.getByText('There are no sources yet').waitFor();
    await context.clearCookies();
    await press(page, page.getByRole('button', { name: /^Ready/ }));
    await page.getByText('Your session has ended.').waitFor();
    const other = await context.newPage();
    await other.goto(`${service.url}/console/sources`);
    await write(other, other.getByLabel('API key'), service.key);
    await other.keyboard.press('Enter');
    await other.getByText('There are no sources yet').waitFor();
    // What the browser tells a window that the reader comes back to.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    await page.getByRole('heading', { level: 1, name: 'Sources' }).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the palette opens with the keyboard, and goes to a screen', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Commands' }).waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await page.keyboard.type('ask');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Ask' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Commands' }).waitFor();
    await page.keyboard.type('harbour');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('q'), 'harbour');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Commands' }).waitFor();
    await page.keyboard.type('runs');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    // The field that had the focus is gone, so the screen has it.
    assert.equal(await page.locator('main').evaluate((element) => element === document.activeElement), true);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Commands' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Commands' }).waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
    await context.close();
  });
});
