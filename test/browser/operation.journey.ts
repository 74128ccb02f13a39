/** Whether the service works, and who changed what, with the keyboard alone. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openPinakes } from '../../src/client/client.ts';
import { violationsOf } from './support/axe.ts';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, startService, type TestService, tabTo, until } from './support/console.ts';
import { checkLooks, LOOKS, type Screens } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';

describe('health and audit', { skip }, () => {
  let service: TestService;
  const screens: Record<string, Screens[string]> = {
    health: { path: 'health', ready: (page) => page.getByText(/^(blob store|Ablage der Dateien)$/).waitFor() },
    audit: { path: 'audit', ready: (page) => page.getByRole('row').nth(5).waitFor() },
  };
  before(async () => {
    service = await startService();
    for (let i = 0; i < 60; i++) await service.pinakes.createTag({ body: { name: `tag ${i}` } });
    await service.pinakes.issueApiKey({ body: { name: 'reader <b>', scopes: ['knowledge:read'] } });
    const intern = await service.pinakes.issueApiKey({ body: { name: 'intern', scopes: ['knowledge:write'] } });
    const theirs = openPinakes({ url: service.url, apiKey: intern.key });
    await theirs.createTag({ body: { name: 'by the intern' } });
    await service.pinakes.revokeApiKey({ params: { id: intern.id } });
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  test('health shows the checks, the models and the limits, and a failed check has a command to copy', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'health');
    // Nobody knows that everything works before the checks have ended.
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route('**/api/v1/service/checks', async (route) => {
      await promise;
      await route.continue();
    });
    await page.reload();
    await page.getByText('No model: answers are quotations').waitFor();
    await page.getByText('Checking …').waitFor();
    assert.equal(await page.getByText('Everything works').count(), 0);
    resolve();
    await page.getByText('Everything works').waitFor();
    await page.unroute('**/api/v1/service/checks');
    await page.getByRole('listitem').filter({ hasText: 'database' }).waitFor();
    await page.getByText('No model: answers are quotations').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.route('**/api/v1/service/checks', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as {
        ok: boolean;
        checks: { name: string; ok: boolean; fix: string | null }[];
      };
      body.ok = false;
      const check = body.checks.find(({ name }) => name === 'migrations')!;
      Object.assign(check, { ok: false, fix: 'pinakes migrate' });
      await route.fulfill({ json: body });
    });
    await tabTo(page, page.getByRole('button', { name: 'Check again' }));
    await page.keyboard.press('Enter');
    await page.getByText('The service is ready, but a part of it fails').waitFor();
    // A button keeps the focus while what it began goes on.
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Check again');
    // What fails is the first line.
    assert.match((await page.getByRole('list').last().getByRole('listitem').first().textContent()) ?? '', /migrations/);
    assert.deepEqual(await violationsOf(page), []);
    await tabTo(page, page.getByRole('button', { name: 'Copy: pinakes migrate' }));
    await page.keyboard.press('Enter');
    await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === 'pinakes migrate');
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('checks, failures and refusals of the service are in German in the German console', async () => {
    await service.add('broken', { 'broken.pdf': '%PDF-1.4 broken' });
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'health', {
      language: 'de',
      refusals: [/ 404 /],
    });
    await page.getByText('Speicherplatz').waitFor();
    await page.getByText('funktioniert', { exact: true }).first().waitFor();
    await page.getByText('keines: gesucht wird nach Wörtern').waitFor();
    await page.goto(`${service.url}/console/sources`);
    await page.getByRole('row', { name: /broken\.pdf.*Beschädigtes PDF.*kein vollständiges PDF/ }).waitFor();
    await page.goto(`${service.url}/console/sources/019a0000-0000-7000-8000-000000000000`);
    await page.getByText('Das gibt es nicht oder nicht mehr, oder').waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the audit log is filtered by the address, shows the details of an event, and loads more', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'audit');
    // Newest first: the sign-in of this page.
    await page.getByRole('row').nth(1).getByText('Sign-in').waitFor();
    // Its key was revoked meanwhile.
    await page.getByRole('row', { name: /by the intern.*intern$/ }).waitFor();
    assert.equal(await page.getByRole('row').count(), 51);
    assert.deepEqual(await violationsOf(page), []);
    await tabTo(page, page.getByRole('button', { name: 'Load more' }));
    await page.keyboard.press('Enter');
    await page.getByRole('row').nth(61).waitFor();
    await tabTo(page, page.getByLabel('Action', { exact: true }));
    await page.keyboard.type('Issued');
    await page.getByRole('row', { name: /reader <b>/ }).waitFor();
    await page.getByRole('row', { name: /tag 1/ }).first().waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).searchParams.get('action'), 'issue');
    await page.keyboard.press('Tab');
    await tabTo(page, page.getByRole('link', { name: /reader <b>/ }));
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary');
    await panel.getByText('"knowledge:read"').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    screens['event'] = {
      path: `audit${new URL(page.url()).search}`,
      ready: (other) => other.getByRole('complementary').waitFor(),
    };
    await page.reload();
    await panel.getByText('"knowledge:read"').waitFor();
    await tabTo(page, panel.getByRole('button', { name: 'Only this object' }));
    await page.keyboard.press('Enter');
    await panel.waitFor({ state: 'detached' });
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('row').count(), 2);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a key without the scopes is not offered the log, and sees health without the checks', async () => {
    const made = await service.pinakes.issueApiKey({ body: { name: 'reader', scopes: ['knowledge:read'] } });
    const reader = { ...service, key: made.key };
    const { page, faults, context } = await openSignedIn(browser as Browser, reader, 'health');
    await page.getByText('The checks need a key without limits').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Audit' }).count(), 0);
    assert.equal(await page.getByRole('navigation').getByText('Control').count(), 0, 'a heading without screens');
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('health and audit in both themes, at two widths, in German and from right to left', async () => {
    for (const look of LOOKS)
      await checkLooks(browser as Browser, service, screens, `${look.theme}-${look.width}`, look);
    await checkLooks(browser as Browser, service, screens, 'de', { language: 'de', width: 1024 });
    await checkLooks(browser as Browser, service, screens, 'rtl', { language: 'xb' });
    await checkLooks(browser as Browser, service, screens, 'long', { language: 'xa' });
  });
});
