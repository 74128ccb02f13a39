/** Adding files and working with the list of sources, with the keyboard alone. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { violationsOf } from './support/axe.ts';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, press, startService, type TestService, tabTo, until, write } from './support/console.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';
const ROWS = 10_000;
const PAGE = 100;

describe('sources', { skip }, () => {
  let service: TestService;
  before(async () => {
    service = await startService();
    await service.add('papers', {
      'alpha.md': '# Alpha\n\nThe lamp was lit in 1874.',
      'beta.md': '# Beta\n\nThe boiler is checked in May.',
      '<img src=x onerror=alert(1)>.md': '# Hostile\n\nA name that is HTML.',
      'evil\u202Efdp.md': '# Hostile\n\nA name that turns around.',
    });
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  test('files are planned, sent and read, and a file that fails says why and can be read again', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources', {
      // A file that was not read has neither.
      refusals: [/ 404 .*\/sources\/[^/]+\/(chunks|tables)/],
    });
    await tabTo(page, page.getByRole('button', { name: 'Add files' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add files' });
    await dialog.waitFor();
    assert.equal(new URL(page.url()).searchParams.get('add'), 'true');
    assert.deepEqual(await violationsOf(page), []);
    await page.locator('input[data-files]').setInputFiles([
      { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Notes\n\nRopes are dried in the loft.') },
      { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 broken') },
      { name: '.hidden', mimeType: 'text/plain', buffer: Buffer.from('x') },
    ]);
    await dialog.getByText('2 files will be sent').waitFor();
    await dialog.getByText('1 file is left out').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await write(page, dialog.getByLabel('Name of the group'), 'March');
    await tabTo(page, dialog.getByRole('button', { name: 'Add 2 files' }));
    await page.keyboard.press('Enter');
    await dialog.getByText('2 files are stored').waitFor();
    await tabTo(page, dialog.getByRole('link', { name: 'Show them' }));
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('row', { name: /notes\.md.*Ready.*March/ }).waitFor();
    const failed = page.getByRole('row', { name: /broken\.pdf/ });
    await failed.getByText(/not a complete PDF/).waitFor();
    assert.deepEqual(await violationsOf(page), []);
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/runs')),
      tabTo(page, failed.getByRole('button', { name: /Read broken\.pdf again/ })).then(() =>
        page.keyboard.press('Enter'),
      ),
    ]);
    assert.equal(answer.ok(), true);
    // The reason leads to the source, which has room for all of it, also on a phone.
    await press(page, failed.getByRole('link', { name: /not a complete PDF/ }));
    await page.getByRole('heading', { level: 1 }).getByText('broken.pdf').waitFor();
    await page.getByText(/not a complete PDF/).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a folder of web pages is sent without their pictures and styles', async () => {
    const folder = path.join(mkdtempSync(path.join(tmpdir(), 'pinakes-folder-')), 'guide');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'start.html'), '<h1>Start</h1><p>Open the valve slowly.</p><img src=a.png>');
    writeFileSync(path.join(folder, 'a.png'), 'a picture');
    writeFileSync(path.join(folder, 'guide.css'), 'p { color: red }');
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources?add=true');
    const dialog = page.getByRole('dialog', { name: 'Add files' });
    await page.locator('input[webkitdirectory]').setInputFiles(folder);
    await dialog.getByText('1 file will be sent').waitFor();
    await tabTo(page, dialog.locator('summary', { hasText: '2 files are left out' }));
    await page.keyboard.press('Enter');
    assert.equal(await dialog.getByText('belongs to the web pages beside it').count(), 2);
    assert.deepEqual(await violationsOf(page), []);
    await press(page, dialog.getByRole('button', { name: 'Add 1 file' }));
    await press(page, dialog.getByRole('link', { name: 'Show them' }));
    await page.getByRole('row', { name: /start\.html .*Ready guide/ }).waitFor();
    await press(page, page.getByRole('link', { name: 'start.html' }));
    await page.getByRole('heading', { level: 1, name: /start\.html$/ }).waitFor();
    const { source_groups: groups } = await service.pinakes.listSourceGroups({ query: { q: 'guide' } });
    await service.pinakes.deleteSourceGroup({ params: { id: groups[0]!.id } });
    assert.deepEqual(faults, []);
    await context.close();
    rmSync(path.dirname(folder), { recursive: true });
  });

  test('filters stand in the address, and come back with it', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources');
    await page.getByRole('row', { name: /alpha\.md/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('alpha');
    await page.getByRole('row', { name: /beta\.md/ }).waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).searchParams.get('q'), 'alpha');
    await tabTo(page, page.getByRole('button', { name: /^Ready/ }));
    await page.keyboard.press('Enter');
    // Without a choice the newest source is first, which is the order of no column.
    assert.equal(await page.locator('[aria-sort=ascending], [aria-sort=descending]').count(), 0);
    const [sorted] = await Promise.all([
      page.waitForRequest(/source-list.*sort=content_time/),
      press(page, page.getByRole('button', { name: 'Changed', exact: true })),
    ]);
    assert.equal(new URL(sorted.url()).searchParams.get('order'), 'desc');
    await tabTo(page, page.getByRole('button', { name: 'Name', exact: true }));
    await page.keyboard.press('Enter');
    await page.reload();
    await page.getByRole('row', { name: /alpha\.md/ }).waitFor();
    assert.equal(await page.getByRole('row').count(), 2);
    assert.equal(await page.getByLabel('Filter by name').inputValue(), 'alpha');
    assert.equal(await page.getByRole('button', { name: /^Ready/ }).getAttribute('aria-pressed'), 'true');
    assert.equal(await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort'), 'ascending');
    await write(page, page.getByLabel('Filter by name'), 'no such name');
    await page.getByText('Nothing matches this filter').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    // While files wait to be read, an empty list of failures is no promise.
    await page.route('**/api/v1/source-list?*', async (route) => {
      const response = await route.fetch();
      const list = await response.json();
      if (list.counts) list.counts.status.pending = 7;
      await route.fulfill({ response, json: list });
    });
    await write(page, page.getByLabel('Filter by name'), '');
    await press(page, page.getByRole('link', { name: 'Search' }));
    const { sources: failed } = await service.pinakes.listAllSources({ query: { status: 'failed' } });
    await service.pinakes.deleteSource({ params: { id: failed[0]!.id } });
    await press(page, page.getByRole('link', { name: 'Sources' }));
    await press(page, page.getByRole('button', { name: /^Failed/ }));
    await page.getByText('7 files are not read yet.', { exact: true }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('J, K, X and Enter move, select and open; selected sources can be deleted', async () => {
    await service.add('old', { 'old-1.md': 'One is old.', 'old-2.md': 'Two is old.' });
    const { page, faults, context } = await openSignedIn(
      browser as Browser,
      service,
      'sources?q=old-&sort=name&order=asc',
    );
    await page.getByRole('row', { name: /old-2/ }).waitFor();
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('2 selected').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await page.keyboard.press('k');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await press(page, page.getByRole('toolbar').getByRole('button', { name: 'Tag', exact: true }));
    await page.getByRole('dialog').getByText('There are no tags yet.').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await page.keyboard.press('Escape');
    await tabTo(page, page.getByRole('toolbar').getByRole('button', { name: 'Delete' }));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('old-2.md').waitFor();
    await page.getByRole('dialog').getByText('Its file is removed for good.').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /old-2/ }).waitFor({ state: 'detached' });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The row is gone, so the screen has the focus.
    await until(() => page.locator('main').evaluate((element) => element === document.activeElement));
    await tabTo(page, page.getByRole('grid'));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1 }).getByText('old-1.md').waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('sources are chosen by group and tag with their numbers, looked into, selected as ranges, and tagged together', async () => {
    const rope = await service.add('ropes', {
      'rope-1.md': '# Rope\n\nHemp is dried in the loft.',
      'rope-2.md': 'Two.',
    });
    await service.add('sails', { 'sail-1.md': 'Sails are mended in March.', 'broken.pdf': '%PDF-1.4 broken' });
    const { id: tag } = await service.pinakes.createTag({ body: { name: 'harbour' } });
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources?sort=name&order=desc');
    await page.getByRole('row', { name: /rope-1/ }).waitFor();

    // Look into rows without leaving the list: the panel follows J and K.
    await page.keyboard.press('p');
    const panel = page.getByRole('complementary');
    await panel.getByText('Sails are mended in March.').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await panel.getByText('Hemp is dried in the loft.').waitFor();
    assert.equal(new URL(page.url()).pathname, '/console/sources');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.keyboard.press(' ');
    await panel.waitFor();
    await page.keyboard.press(' ');
    await panel.waitFor({ state: 'detached' });

    // A range from the row that was selected last, upwards and by Shift with a move.
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await page.keyboard.press('Shift+X');
    await page.getByText('3 selected').waitFor();
    const tools = page.getByRole('toolbar');
    await press(page, tools.getByRole('button', { name: 'Tag', exact: true }));
    const dialog = page.getByRole('dialog', { name: 'Tag' });
    await dialog.getByText('all sources of these 2 groups change').waitFor();
    await press(page, dialog.getByRole('checkbox', { name: 'harbour' }), ' ');
    assert.deepEqual(await violationsOf(page), []);
    await press(page, dialog.getByRole('button', { name: 'Give these tags' }));
    await dialog.waitFor({ state: 'detached' });
    const linked = async () =>
      (await service.pinakes.listTagLinks({ query: { tag_id: tag } })).tag_source_groups.length;
    assert.equal(await linked(), 2);

    await tabTo(page, page.getByRole('combobox', { name: 'Tag' }));
    await page.keyboard.type('harbour');
    await page.waitForURL(/tag=/);
    await page.getByRole('row', { name: /alpha\.md/ }).waitFor({ state: 'detached' });
    const groups = page.getByRole('combobox', { name: 'Group' });
    assert.deepEqual((await groups.locator('option').allTextContents()).toSorted(), [
      'Any group',
      'ropes · 2',
      'sails · 2',
    ]);
    await tabTo(page, groups);
    await page.keyboard.type('ropes');
    await page.waitForURL(new RegExp(`group=${rope}`));
    await page.getByRole('row', { name: /sail-1/ }).waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('row').count(), 3);
    assert.deepEqual(await violationsOf(page), []);

    await tabTo(page, page.getByRole('grid'));
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('2 selected').waitFor();
    await press(page, tools.getByRole('button', { name: 'Untag' }));
    const taking = page.getByRole('dialog', { name: 'Untag' });
    await press(page, taking.getByRole('checkbox', { name: 'harbour' }), ' ');
    await press(page, taking.getByRole('button', { name: 'Take these tags' }));
    await page.getByText('Nothing matches this filter').waitFor();
    assert.equal(await linked(), 1);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the rows of another filter are pale until those of this one arrive', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources?q=alpha');
    await page.getByRole('row', { name: /alpha\.md/ }).waitFor();
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route('**/api/v1/source-list?*', async (route) => {
      await promise;
      await route.continue();
    });
    await press(page, page.getByRole('button', { name: /^In progress/ }));
    await page.locator('[role=grid][aria-busy=true]').waitFor();
    resolve();
    await page.getByText('Nothing matches this filter').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('hostile names are text', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources');
    await page.getByRole('link', { name: '<img src=x onerror=alert(1)>.md' }).waitFor();
    assert.equal(await page.locator('main img').count(), 0);
    const turned = page.getByRole('link', { name: /evil/ });
    assert.equal(await turned.locator('bdi').count(), 1);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a group beyond those that the service counts can be chosen', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'health', {
      refusals: [/ 404 .*source-groups/],
    });
    const group = (at: number) => ({
      id: `01a22053-cf9b-72f9-a108-${String(at).padStart(12, '0')}`,
      name: `Pier ${at}`,
    });
    await page.route('**/api/v1/source-list?*', async (route) => {
      const response = await route.fetch();
      const list = await response.json();
      if (list.counts) list.counts.source_group = Array.from({ length: 50 }, (_, at) => ({ ...group(at), count: 2 }));
      await route.fulfill({ response, json: list });
    });
    await page.route('**/api/v1/source-groups?*', (route) => {
      const isFirst = !new URL(route.request().url()).searchParams.has('after_id');
      // The newest first, as the service answers.
      const groups = Array.from({ length: 100 }, (_, at) => group((isFirst ? 199 : 99) - at));
      const pagination = { next_id: isFirst ? groups.at(-1)!.id : null };
      return route.fulfill({ json: { source_groups: groups, pagination } });
    });
    await press(page, page.getByRole('link', { name: 'Sources' }));
    const choice = page.getByRole('combobox', { name: 'Group' });
    await choice.locator('option', { hasText: 'Pier 199' }).waitFor({ state: 'attached' });
    const offered = await choice.locator('option').allTextContents();
    assert.deepEqual([offered.length, ...offered.slice(49, 52)], [201, 'Pier 48 · 2', 'Pier 49 · 2', 'Pier 50']);
    await choice.selectOption('Pier 199');
    await page.waitForURL((url) => url.searchParams.get('group') === group(199).id);
    await press(page, page.getByRole('button', { name: 'Add files' }));
    await page
      .locator('input[data-files]')
      .setInputFiles([{ name: 'late.md', mimeType: 'text/markdown', buffer: Buffer.from('Late.') }]);
    const target = page.getByRole('dialog').getByLabel('Add to');
    await target.locator('option', { hasText: 'Pier 199' }).waitFor({ state: 'attached' });
    const names = await target.locator('option').allTextContents();
    assert.deepEqual([names.length, ...names.slice(9, 12)], [201, 'Pier 8', 'Pier 9', 'Pier 10']);
    await page.keyboard.press('Escape');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('10,000 sources: few rows are in the document, and filters answer at once', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'ask');
    const [one] = await context.request
      .get(`${service.url}/api/v1/source-list?limit=1`, { headers: { 'x-api-key': service.key } })
      .then((response) => response.json() as Promise<{ sources: object[] }>)
      .then(({ sources }) => sources);
    const rows = Array.from({ length: ROWS }, (_, i) => ({ ...one, id: crypto.randomUUID(), name: `report-${i}.md` }));
    await page.route('**/api/v1/source-list*', (route) => {
      const query = new URL(route.request().url()).searchParams;
      const found = rows.filter((row) => row.name.includes(query.get('q') ?? ''));
      const from = Number(query.get('cursor') ?? 0);
      const next = from + PAGE < found.length ? String(from + PAGE) : null;
      const status = { ready: found.length, pending: 0, failed: 0 };
      return route.fulfill({
        json: {
          sources: found.slice(from, from + PAGE),
          counts: { total: found.length, status, file_type: [{ file_type: 'md', count: found.length }] },
          pagination: { limit: PAGE, has_more: next !== null, next_cursor: next },
        },
      });
    });
    await press(page, page.getByRole('link', { name: 'Sources' }));
    await page.getByRole('row', { name: /report-0\.md/ }).waitFor();
    assert.equal(await page.getByRole('grid').getAttribute('aria-rowcount'), String(ROWS + 1));
    const scroller = page.getByRole('rowgroup').last();
    for (let step = 0; step < 40; step++) {
      await scroller.evaluate((element) => element.scrollBy(0, 800));
      const shown = await page.getByRole('row').count();
      assert.ok(shown > 10 && shown < 80, `${shown} rows are in the document`);
    }
    await until(async () => (await scroller.evaluate((element) => element.scrollTop)) > 10_000);
    await write(page, page.getByLabel('Filter by name'), 'report-9');
    await page.getByRole('row', { name: /report-9\.md/ }).waitFor();
    assert.equal(await scroller.evaluate((element) => element.scrollTop), 0, 'another list begins at its first row');
    await write(page, page.getByLabel('Filter by name'), 'report-9999');
    await page.getByRole('row', { name: /report-9999\.md/ }).waitFor();
    assert.equal(await page.getByRole('row').count(), 2);
    assert.deepEqual(faults, []);
    await context.close();
  });
});
