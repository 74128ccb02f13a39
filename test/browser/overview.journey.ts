/** What needs somebody, with links to where it is mended. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Operations, Run } from '../../src/client/api.ts';
import { type FakeSite, htmlPage, openFakeSite } from '../support/fakes/site.ts';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, press, startService, type TestService, until } from './support/console.ts';
import { look, lookEverywhere } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';
const NOWHERE = 'http://127.0.0.1:1';
const DAY = 86_400;
const HOUR = 3_600;

describe('what needs somebody', { skip }, () => {
  let service: TestService;
  let site: FakeSite;
  const settings = {
    PINAKES_OUTBOUND_ALLOW: '127.0.0.0/8',
    PINAKES_CHAT_MODEL: 'openai-compatible:absent',
    PINAKES_CHAT_BASE_URL: NOWHERE,
    PINAKES_EMBEDDING_MODEL: 'openai-compatible:absent',
    PINAKES_EMBEDDING_BASE_URL: NOWHERE,
    PINAKES_TENANT_FILES: '4',
  };
  before(async () => {
    site = await openFakeSite();
    site.set({ '/': htmlPage('Boiler manual', []) });
    Object.assign(process.env, settings);
    service = await startService();
    for (const name of Object.keys(settings)) delete process.env[name];
    await service.add('papers', {
      'alpha.md': '# Alpha\n\nThe lamp was lit in 1874.',
      'broken.pdf': '%PDF-1.4 broken',
      'torn.pdf': '%PDF-1.7 torn',
    });
    for (const [name, url] of [
      ['Tower manual', `${site.url}/`],
      ['Lost manual', `${NOWHERE}/`],
    ] as const) {
      const { id } = await service.pinakes.createCrawl({ body: { name, urls: [url] } });
      await until(async () => (await service.pinakes.getSourceGroup({ params: { id } })).end_time !== null);
    }
    const end = Math.floor(Date.now() / 1000) + 3 * DAY;
    const scopes = ['knowledge:read'] as const;
    await service.pinakes.issueApiKey({ body: { name: 'reading room', scopes: [...scopes], expires_time: end } });
    const rotated = await service.pinakes.issueApiKey({ body: { name: 'rotated', scopes: [...scopes] } });
    await service.pinakes.rotateApiKey({ params: { id: rotated.id }, body: { grace_seconds: HOUR } });
  });
  after(async () => {
    await browser?.close();
    await service.close();
    await site.close();
  });

  /** Lets the page see runs as they are when a worker is gone. */
  async function delayRuns(page: Page): Promise<void> {
    await page.route(/\/api\/v1\/runs\?/, async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as Operations['listAllRuns']['response'];
      const all = await service.pinakes.listAllRuns({ query: { order: 'desc' } });
      const changed = (status: Run['status'], hours: number): Run => {
        const time = Math.floor(Date.now() / 1000) - hours * HOUR;
        return { ...all.runs[0]!, status, creation_time: time, start_time: time, end_time: null, files_total: 9 };
      };
      const status = new URL(route.request().url()).searchParams.get('status');
      if (status === 'queued' || status === 'started') {
        answer.runs = [changed(status, status === 'queued' ? 1 : 3)];
        answer.pagination.total = 1;
      } else answer.runs = answer.runs.map((run, at) => (at > 0 ? run : withSkipped(run)));
      await route.fulfill({ response, json: answer });
    });
  }
  const withSkipped = (run: Run): Run => ({ ...run, statistics: { ...run.statistics, skipped: 2 } });

  test('the console begins with what needs the reader, and each line leads to where it is mended', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, '');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const main = page.getByRole('main');
    await main.getByRole('link', { name: 'Lost manual could not be read' }).waitFor();
    await main.getByText('chat model, embedding model').waitFor();
    await main.getByRole('link', { name: 'Not every chunk is found by its meaning' }).waitFor();
    await main.getByText('4 of 4 files are used.').waitFor();
    await main.getByText(/reading room \(in \d days\)/).waitFor();
    assert.equal(await main.getByText('rotated').count(), 0, 'a key that was rotated ends as it was asked to');
    assert.equal(await main.getByText(/Tower manual/).count(), 0, 'an origin that was read');
    assert.equal(await main.getByText(/Nothing needs you/).count(), 0);

    // J goes to the first line, and Enter follows it.
    await main.getByText(/^2 × /).waitFor();
    await page.keyboard.press('j');
    assert.equal(await page.evaluate(() => document.activeElement?.hasAttribute('data-row')), true);
    for (const [name, address] of [
      ['2 files could not be read', '/sources?status=failed'],
      ['Lost manual could not be read', '/connectors?id='],
      ['1 key expires within 14 days', '/keys?q='],
      ['2 parts of the service fail', '/health'],
      ['The quota is used up', '/sources'],
    ] as const) {
      await press(page, main.getByRole('link', { name }));
      await until(async () => page.url().includes(`/console${address}`));
      await page.goBack();
    }
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('runs that wait or do not end are named, and files that were left out', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources');
    await delayRuns(page);
    await press(page, page.getByRole('link', { name: 'Overview' }));
    const main = page.getByRole('main');
    await main.getByRole('link', { name: '1 run waits to begin' }).waitFor();
    await main.getByRole('link', { name: 'A run has not ended after 3h 0m' }).waitFor();
    await press(page, main.getByRole('link', { name: '2 files were left out' }));
    await until(async () => page.url().endsWith('?change=skipped'));
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a key sees what its scopes allow, and a service where nothing is to be done says so in one line', async () => {
    const issuer = await service.pinakes.issueApiKey({ body: { name: 'issuer', scopes: ['apikeys:issue'] } });
    const { page, faults, context } = await openSignedIn(browser as Browser, { ...service, key: issuer.key }, '');
    const main = page.getByRole('main');
    await main.getByRole('link', { name: '1 key expires within 14 days' }).waitFor();
    await until(async () => (await main.getByText('Checking …').count()) === 0);
    assert.equal(await main.getByText(/could not be read/).count(), 0);
    assert.equal(await main.getByText(/of the service fail/).count(), 0, 'the key may not use the screen Health');
    await context.close();
    assert.deepEqual(faults, []);

    const fresh = await startService();
    const first = await openSignedIn(browser as Browser, fresh, '');
    await press(first.page, first.page.getByRole('link', { name: 'There are no sources yet' }));
    await first.page.getByRole('dialog').waitFor();
    await fresh.add('papers', { 'alpha.md': '# Alpha\n\nThe lamp was lit in 1874.' });
    await first.page.goto(`${fresh.url}/console/`);
    await first.page.getByText('Nothing needs you.').waitFor();
    assert.equal(await first.page.getByRole('main').getByRole('listitem').count(), 0);
    await look(first.page, 'overview-nothing');
    assert.deepEqual(first.faults, []);
    await first.context.close();
    await fresh.close();
  });

  test('the overview in both themes, at all widths, in German and from right to left', async () => {
    const ready = async (page: Page) => {
      await page.locator('main li').nth(5).waitFor();
    };
    await lookEverywhere(browser as Browser, service, 'overview', ready);
    for (const [theme, language] of [
      ['light', 'en'],
      ['dark', 'de'],
    ] as const) {
      const { page, context } = await openSignedIn(browser as Browser, service, 'sources', {
        theme,
        language,
        width: 390,
      });
      await delayRuns(page);
      await press(page, page.getByRole('navigation').getByRole('link').first());
      await ready(page);
      await look(page, `overview-phone-${theme}`);
      await context.close();
    }
  });
});
