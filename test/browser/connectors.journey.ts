/** Connecting an origin, its schedule and its runs, with the keyboard alone. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { type FakeSite, htmlPage, openFakeSite } from '../support/fakes/site.ts';
import { violationsOf } from './support/axe.ts';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, press, startService, type TestService, tabTo, until, write } from './support/console.ts';
import { checkLooks, LOOKS, type Screens } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';

describe('connectors and runs', { skip }, () => {
  let service: TestService;
  let site: FakeSite;
  const screens: Record<string, Screens[string]> = {};
  before(async () => {
    process.env['PINAKES_OUTBOUND_ALLOW'] = '127.0.0.0/8';
    site = await openFakeSite();
    site.set({
      '/': htmlPage('Boiler manual', ['/lamp', '/rope']),
      '/lamp': htmlPage('Lamp of the tower', []),
      '/rope': htmlPage('Rope in the loft', []),
    });
    service = await startService();
    await service.add('papers', {
      'alpha.md': '# Alpha\n\nThe lamp was lit in 1874.',
      'broken.pdf': '%PDF-1.4 broken',
    });
  });
  after(async () => {
    await browser?.close();
    await service.close();
    await site.close();
  });

  test('a web site is tried, connected with a schedule, read, paused and deleted', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'connectors', {
      refusals: [/ 400 /],
    });
    await page.getByText('Nothing is connected yet').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await tabTo(page, page.getByRole('button', { name: 'Connect a source' }).first());
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    assert.equal(new URL(page.url()).searchParams.get('add'), 'true');
    await dialog.getByText('GitHub repository').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await tabTo(page, dialog.getByRole('button', { name: /Web site/ }));
    await page.keyboard.press('Enter');

    // An address that is refused leads no further.
    await tabTo(page, dialog.getByLabel('Addresses where to begin'));
    await page.keyboard.type('ftp://127.0.0.1/');
    await tabTo(page, dialog.getByRole('button', { name: 'Test the connection' }));
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Continue' }).count(), 0);

    // An origin that cannot be read says so before anything is stored.
    await write(page, dialog.getByLabel('Addresses where to begin'), 'http://127.0.0.1:1/');
    await tabTo(page, dialog.getByRole('button', { name: 'Test the connection' }));
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await write(page, dialog.getByLabel('Addresses where to begin'), `${site.url}/`);
    await tabTo(page, dialog.getByRole('button', { name: 'Test the connection' }));
    await page.keyboard.press('Enter');
    await dialog.getByText(/files? found/).waitFor();
    assert.equal((await service.pinakes.listCrawls({})).crawls.length, 0);
    assert.deepEqual(await violationsOf(page), []);
    // The button kept the focus while it worked.
    const goOn = dialog.getByRole('button', { name: 'Continue' });
    assert.equal(await goOn.evaluate((button) => button === document.activeElement), true);
    await page.keyboard.press('Enter');

    await tabTo(page, dialog.getByLabel('Name', { exact: true }));
    await page.keyboard.type('Tower manual');
    await tabTo(page, dialog.getByLabel('Read again'));
    await page.keyboard.type('On days');
    await tabTo(page, dialog.getByLabel('Thursday'));
    await page.keyboard.press('Space');
    await dialog.getByText(/Every Monday and Thursday at/).waitFor();
    await until(async () => (await dialog.getByRole('list', { name: 'The next times' }).locator('li').count()) === 5);
    await tabTo(page, dialog.getByRole('button', { name: 'Add metadata' }));
    await page.keyboard.press('Enter');
    await write(page, dialog.getByLabel('Key'), 'place');
    await write(page, dialog.getByLabel('Value'), 'tower');
    assert.deepEqual(await violationsOf(page), []);
    // A second press while the service works sends nothing.
    const { promise, resolve } = Promise.withResolvers<void>();
    let sent = 0;
    await page.route(/\/api\/v1\/crawls$/, async (route) => {
      sent += 1;
      await promise;
      await route.continue();
    });
    await tabTo(page, dialog.getByRole('button', { name: 'Connect and read now' }));
    await page.keyboard.press('Enter');
    await until(async () => sent === 1);
    await page.keyboard.press('Enter');
    resolve();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(sent, 1);

    const panel = page.getByRole('complementary');
    await panel.getByText('Every Monday and Thursday at').waitFor();
    await panel.getByText('tower', { exact: true }).waitFor();
    // The list follows the run without another request of the reader.
    await page.getByRole('row', { name: /Tower manual.*Up to date/ }).waitFor();
    assert.deepEqual(await violationsOf(page), []);
    screens['connector'] = {
      path: new URL(page.url()).pathname.replace('/console/', '') + new URL(page.url()).search,
      ready: (other) => other.getByRole('complementary').getByText('Done').first().waitFor(),
    };

    await tabTo(page, panel.getByRole('button', { name: 'Pause' }));
    await page.keyboard.press('Enter');
    await panel.getByText('Only when it is run by hand').waitFor();
    const [crawl] = (await service.pinakes.listCrawlSettings({})).crawl_settings;
    assert.equal(crawl?.rrule, '');
    await tabTo(page, panel.getByRole('button', { name: 'Set a schedule' }));
    await page.keyboard.press('Enter');
    await tabTo(page, panel.getByLabel('Read again'));
    await page.keyboard.type('Every few');
    await panel.getByText('Every 6 hours').waitFor();
    await tabTo(page, panel.getByRole('button', { name: 'Save the schedule' }));
    await page.keyboard.press('Enter');
    await panel.getByRole('button', { name: 'Pause' }).waitFor();
    await tabTo(page, panel.getByRole('button', { name: 'Run now' }));
    await page.keyboard.press('Enter');
    await until(async () => (await panel.getByRole('link', { name: /ago|now/ }).count()) === 2);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await panel.waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('runs are filtered by the address, and a run shows its files and reads one again', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'runs');
    await page.getByRole('row', { name: /papers.*with failures/ }).waitFor();
    await page
      .getByRole('row', { name: /Tower manual/ })
      .first()
      .waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await tabTo(page, page.getByLabel('Group', { exact: true }));
    await page.keyboard.type('papers');
    await page
      .getByRole('row', { name: /Tower manual/ })
      .first()
      .waitFor({ state: 'detached' });
    assert.ok(new URL(page.url()).searchParams.get('group'));
    await page.reload();
    await page.getByRole('row', { name: /papers/ }).waitFor();
    assert.equal(await page.getByRole('row').count(), 2);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { level: 1 }).getByText('papers').waitFor();
    await page.getByText('alpha.md').waitFor();
    const failed = page.getByRole('listitem').filter({ hasText: 'broken.pdf' });
    await failed.getByText(/PDF/).first().waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await tabTo(page, page.getByRole('button', { name: /^Failed/ }));
    await page.keyboard.press('Enter');
    await page.getByText('alpha.md').waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).searchParams.get('change'), 'failed');
    const before = page.url();
    screens['run'] = {
      path: new URL(before).pathname.replace('/console/', ''),
      ready: (other) => other.getByText('alpha.md').waitFor(),
    };
    await tabTo(page, failed.getByRole('button', { name: 'Read broken.pdf again' }));
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname !== new URL(before).pathname);
    // The stream of events tells the page that the run has ended.
    await page.getByText('Failed', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a run that takes long shows its progress, and can be canceled', async () => {
    site.invent = (path) => htmlPage(`Page ${path}`, [`${path}x`, `${path}y`]);
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'runs');
    await service.pinakes.createCrawl({
      body: { name: 'endless', urls: [`${site.url}/trap/`], delay_ms: 200, max_depth: 20, use_sitemap: false },
    });
    // It appears by itself.
    await page.getByRole('row', { name: /endless.*Running/ }).waitFor();
    await press(page, page.getByRole('link', { name: 'endless' }));
    await tabTo(page, page.getByRole('button', { name: 'Cancel the run' }));
    await page.keyboard.press('Enter');
    await page.getByText('Canceled', { exact: true }).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the list of connectors is not read again for each event of an upload', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources');
    const [run] = (await service.pinakes.listAllRuns()).runs;
    const events = Array.from({ length: 300 }, (_, at) => {
      const id = `01a22053-cf9b-72f9-a108-${String(at).padStart(12, '0')}`;
      return `data: ${JSON.stringify({ type: 'run', run: { ...run, id, source_group_id: id } })}\n\n`;
    });
    let streams = 0;
    await page.route('**/api/v1/events', (route) => {
      streams += 1;
      return route.fulfill({ contentType: 'text/event-stream', body: events.join('') });
    });
    let lists = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.endsWith('/crawls')) lists += 1;
    });
    await press(page, page.getByRole('link', { name: 'Connectors' }));
    // All events were read when the page asks for the stream again. Those of the second stream are about the same groups.
    await until(async () => streams >= 3);
    assert.ok(lists <= 2, `the list was read ${lists} times`);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('connectors and runs in both themes, at two widths, in German and from right to left', async () => {
    screens['connectors'] = { path: 'connectors', ready: (page) => page.getByRole('row').nth(2).waitFor() };
    screens['connect'] = { path: 'connectors?add=true', ready: (page) => page.getByRole('dialog').waitFor() };
    screens['runs'] = {
      path: 'runs',
      ready: (page) =>
        page
          .getByRole('row', { name: /papers/ })
          .first()
          .waitFor(),
    };
    for (const look of LOOKS)
      await checkLooks(browser as Browser, service, screens, `${look.theme}-${look.width}`, look);
    const { connectors, connect, runs } = screens as Record<string, Screens[string]>;
    const others = { connectors, connect, runs } as Screens;
    await checkLooks(browser as Browser, service, others, 'de', { language: 'de', width: 1024 });
    await checkLooks(browser as Browser, service, others, 'rtl', { language: 'xb' });
    await checkLooks(browser as Browser, service, others, 'long', { language: 'xa' });
  });
});
