/** Keys and secrets, with the keyboard alone. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openPinakes, type PinakesError } from '../../src/client/client.ts';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, pick, press, startService, type TestService, tabTo, write } from './support/console.ts';
import { look, lookEverywhere } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';

describe('keys and secrets', { skip }, () => {
  let service: TestService;
  before(async () => {
    service = await startService();
    await service.add('papers', { 'alpha.md': '# Alpha\n\nThe lamp was lit in 1874.' });
    await service.pinakes.createTag({ body: { name: 'public' } });
    await service.pinakes.issueApiKey({ body: { name: '<b>reader</b> \u202Eevil', scopes: ['knowledge:read'] } });
    const soon = Math.floor(Date.now() / 1000) + 86_400;
    await service.pinakes.issueApiKey({
      body: { name: 'short', scopes: ['knowledge:read', 'inference:run'], expires_time: soon },
    });
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  const works = (key: string) =>
    openPinakes({ url: service.url, apiKey: key })
      .search({ body: { query: 'lamp' } })
      .then(
        ({ results }) => results.length,
        (error: unknown) => (error as PinakesError).status,
      );

  test('a key is issued with limits and shown once, rotated and revoked', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'keys');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('row', { name: /reader/ }).waitFor();
    assert.equal(await page.locator('main b').count(), 0, 'a name is text');

    await press(page, page.getByRole('button', { name: 'Issue a key' }));
    const form = page.getByRole('dialog', { name: 'Issue a key' });
    await page.keyboard.type('museum site');
    await press(page, form.getByLabel('knowledge:read'), 'Space');
    await tabTo(page, form.getByLabel('Search: Only these source groups'));
    await page.keyboard.type('pap');
    await press(page, form.getByLabel('papers'), 'Space');
    await look(page, 'keys-issue');
    await press(page, form.getByRole('button', { name: 'Issue a key' }));

    const shown = page.getByRole('dialog', { name: 'Your new key' });
    const key = (await shown.getByLabel('The new key').textContent()) ?? '';
    assert.match(key, /^pk_/);
    assert.ok((await shown.locator('pre').textContent())?.includes(`x-api-key: ${key}`));
    await look(page, 'keys-shown');
    await page.keyboard.press('Escape');
    assert.equal(await shown.isVisible(), true, 'the window stays until the key is saved');
    await press(page, shown.getByRole('button', { name: 'Copy', exact: true }));
    await shown.getByText('Copied').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key);
    await press(page, shown.getByLabel('I saved the key'), 'Space');
    await press(page, shown.getByRole('button', { name: 'Done' }));
    await shown.waitFor({ state: 'detached' });
    assert.ok(!(await page.content()).includes(key), 'the key is nowhere on the page');
    assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), ['language']);
    assert.equal(await works(key), 1);

    const row = page.getByRole('row', { name: /museum site.*1 group/ });
    await press(page, row.getByRole('button', { name: 'Rotate museum site' }));
    const rotate = page.getByRole('dialog', { name: 'Rotate museum site?' });
    await pick(page, rotate.getByLabel('The old key still works for'), 'no time: it ends at once');
    await look(page, 'keys-rotate');
    await press(page, rotate.getByRole('button', { name: 'Rotate' }));
    const next = (await shown.getByLabel('The new key').textContent()) ?? '';
    assert.notEqual(next, key);
    await press(page, shown.getByLabel('I saved the key'), 'Space');
    await press(page, shown.getByRole('button', { name: 'Done' }));
    assert.equal(await works(key), 401);
    assert.equal(await works(next), 1);

    const newest = page.getByRole('row', { name: /museum site.*in 3 ?mo/ });
    await press(page, newest.getByRole('button', { name: 'Revoke museum site' }));
    const revoke = page.getByRole('dialog', { name: 'Revoke museum site?' });
    await look(page, 'keys-revoke');
    await press(page, revoke.getByRole('button', { name: 'Revoke' }));
    await revoke.waitFor({ state: 'detached' });
    assert.equal(await works(next), 401);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the filter stands in the address, and a key that was not used for long is warned of', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'keys?q=SHORT');
    await page.getByRole('row', { name: /short/ }).waitFor();
    assert.equal(await page.getByRole('row').count(), 2);
    await write(page, page.getByLabel('Filter by name'), 'no such key');
    await page.getByText('Nothing matches this filter').waitFor();
    await look(page, 'keys-nothing');
    await page.route('**/api/v1/api-keys?*', async (route) => {
      const answer = await (await route.fetch()).json();
      for (const row of answer.api_keys) if (/reader/.test(row.name)) row.creation_time -= 91 * 86_400;
      await route.fulfill({ json: answer });
    });
    await write(page, page.getByLabel('Filter by name'), 'reader');
    await page.getByText('1 key was not used for 90 days.').waitFor();
    await look(page, 'keys-unused');
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the list says in words what a key may do, and a key that may not see it reads which scope it lacks', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'keys?q=short');
    await page.getByRole('row', { name: 'short' }).getByText('Search and read sources, Ask questions').waitFor();
    const { key } = await service.pinakes.issueApiKey({ body: { name: 'visitor', scopes: ['knowledge:read'] } });
    for (const language of ['en', 'de']) {
      const visitor = await openSignedIn(browser as Browser, { ...service, key }, 'keys', { language });
      await visitor.page.getByText(/(scope|Recht) apikeys:issue\./).waitFor();
      assert.equal(await visitor.page.getByRole('alert').count(), 0);
      await look(visitor.page, `keys-refused-${language}`);
      await visitor.page.goto(`${service.url}/console/evaluation/0190-x`);
      await visitor.page.getByText(/(scope|Recht) knowledge:write\./).waitFor();
      assert.deepEqual([...faults, ...visitor.faults], []);
      await visitor.context.close();
    }
    await context.close();
  });

  test('a secret is stored, renamed, replaced and deleted, and its value is never shown', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'secrets');
    await look(page, 'secrets-none');
    await press(page, page.getByRole('button', { name: 'Store a secret' }).first());
    await page.keyboard.type('repo reader');
    const form = page.getByRole('dialog');
    await tabTo(page, form.getByLabel('Value'));
    await page.keyboard.type('ghp_canary');
    await look(page, 'secrets-new');
    await press(page, form.getByRole('button', { name: 'Store a secret' }));
    await form.waitFor({ state: 'detached' });
    await press(page, page.getByRole('button', { name: 'Edit repo reader' }));
    await write(page, form.getByLabel('Name'), 'repo reader 2');
    await press(page, form.getByRole('button', { name: 'Save' }));
    await page.getByRole('row', { name: /repo reader 2/ }).waitFor();
    assert.ok(!(await page.content()).includes('ghp_canary'));
    assert.deepEqual(
      (await service.pinakes.listSecrets()).secrets.map(({ name, type }) => [name, type]),
      [['repo reader 2', 'repo']],
    );
    await look(page, 'secrets');
    await press(page, page.getByRole('button', { name: 'Delete repo reader 2' }));
    await press(page, form.getByRole('button', { name: 'Delete' }));
    await page.getByText('There are no secrets yet').waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the list of keys in both themes, at two widths and in all languages', () =>
    lookEverywhere(browser as Browser, service, 'keys', (page) => page.getByRole('row').nth(3).waitFor()));
});
