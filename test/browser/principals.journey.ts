/** What a principal sees of a source while policies decide, with the keyboard alone. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, press, startService, type TestService, tabTo } from './support/console.ts';
import { LOOKS, look } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';
/** A browser logs the refusals of what a principal may not see. */
const HIDDEN = /404 .*\/sources\/[\w-]+\/(?:text|chunks|pages|tables)/;
const MANUAL = readFileSync(join(import.meta.dirname, '..', '..', 'demo', 'conservation-manual.pdf'));
const KEYS = JSON.stringify([{ key: 'department', type: 'string' }]);
const STAFF = 'department,name\nsales,Ada Kern ada@example.com\nlegal,Ben Wolf ben@example.com\n';

describe('a source as a principal sees it', { skip }, () => {
  let service: TestService;
  const ids = new Map<string, string>();
  before(async () => {
    process.env['PINAKES_AUTHORIZATION'] = 'on';
    service = await startService();
    const group = await service.add(
      'staff',
      { 'manual.pdf': MANUAL, 'staff.csv': STAFF },
      { chunk_metadata_keys: KEYS },
    );
    const { sources } = await service.pinakes.listSourcesOfSourceGroup({ params: { id: group } });
    for (const { id, name } of sources) ids.set(name, id);
    const records = [{ key: 'department', val: 'legal' }];
    await service.pinakes.patchSourceMetadata({
      params: { source_id: ids.get('manual.pdf')! },
      body: { metadata: { records } },
    });
    const value = { subject: 'department' };
    await service.pinakes.setPolicy({
      params: { name: 'default' },
      body: {
        attribute_types: { department: 'text' },
        operator: 'or',
        filters: [
          { key: 'department', operator: 'eq', value },
          { target: 'chunk_metadata', key: 'department', operator: 'eq', value, trust_content: true },
        ],
      } as never,
    });
    for (const [principal_id, department] of [
      ['ada', 'sales'],
      ['ben', 'legal'],
    ] as const)
      await service.pinakes.setSubject({ params: { principal_id }, body: { attributes: { department } } });
    await service.pinakes.putRedactionPolicy({
      body: {
        enabled: true,
        rules: [{ name: 'mail', kind: 'entity', entities: ['email'], action: 'mask', apply_at: ['retrieval'] }],
      } as never,
    });
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  test('a search, an answer and the tables that find nothing say that policies are in force', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'search?q=nitrile+gloves');
    const note = page.getByText('Policies are in force. The console asks for no person');
    await page.getByText('No passage matches').waitFor();
    await note.waitFor();
    await look(page, 'search-policies');
    await page.goto(`${service.url}/console/tables`);
    await page.getByText('There are no tables yet').waitFor();
    await note.waitFor();
    await page.goto(`${service.url}/console/ask?q=Which+gloves%3F`);
    await page.getByText('The sources do not answer this').waitFor();
    await note.waitFor();
    await page.route('**/api/v1/authz/policies*', async (route) => {
      const answer = await (await route.fetch()).json();
      await route.fulfill({ json: { ...answer, policies: [] } });
    });
    await page.goto(`${service.url}/console/policies`);
    await page.getByText('Authorization is on: without a policy nobody finds anything.').waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a principal is chosen, sees pages, only some passages or nothing, and stays in the address', async () => {
    const { page, faults, context } = await openSignedIn(
      browser as Browser,
      service,
      `sources/${ids.get('manual.pdf')}`,
      { refusals: [HIDDEN] },
    );
    await page.getByText('This source cannot be shown').waitFor();
    await press(page, page.getByRole('button', { name: 'See as' }));
    await page.keyboard.type('ben');
    await look(page, 'see-as');
    await page.keyboard.press('Enter');
    await page.getByText('Seen as ben, under the policy default').waitFor();
    await page.getByRole('img', { name: 'Page 1 of manual.pdf' }).waitFor();
    assert.match(page.url(), /as=ben/);
    await page.getByRole('complementary', { name: 'Chunks' }).getByText('Wear nitrile gloves').waitFor();
    await press(page, page.getByRole('button', { name: 'Details' }));
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByText('legal').waitFor();
    await details.getByRole('link', { name: 'staff' }).waitFor();
    await look(page, 'details');
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
    const read = page.waitForRequest(/pages\/2\/image\?.*principal_id=ben/);
    await press(page, page.getByRole('link', { name: 'Next page' }));
    await read;
    const picture = page.getByRole('img', { name: 'Page 2 of manual.pdf' });
    await picture.waitFor();
    assert.ok(await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth > 500)));
    await press(page, page.getByRole('link', { name: 'Text', exact: true }));
    await page.getByText('Keep the relative humidity').first().waitFor();
    await page.getByText(/The rule \/filters\/0 decided/).waitFor();

    await press(page, page.getByRole('button', { name: 'See as' }));
    await page.keyboard.press('Control+A');
    await page.keyboard.type('ada');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing of this source is visible').waitFor();
    assert.equal(await page.getByText('Keep the relative humidity').count(), 0);
    await page.reload();
    await page.getByText('Seen as ada, under the policy default').waitFor();
    await page.getByText('Nothing of this source is visible').waitFor();
    await press(page, page.getByRole('button', { name: 'Leave this view' }));
    await page.getByText('This source cannot be shown').waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  for (const { theme, width } of LOOKS)
    test(`a principal who sees a part reads these passages redacted, in the ${theme} theme at ${width} pixels`, async () => {
      const path = `sources/${ids.get('staff.csv')}?as=ada`;
      const { page, faults, context } = await openSignedIn(browser as Browser, service, path, {
        theme,
        width,
        refusals: [HIDDEN],
      });
      const seen = page.getByRole('region', { name: 'Visible passages' });
      await seen.getByText('Ada Kern').waitFor();
      await page.getByText('Sees 1 chunk of this source.').waitFor();
      const text = await page.locator('main').textContent();
      assert.doesNotMatch(text ?? '', /Ben Wolf|ben@example\.com|ada@example\.com/);
      await look(page, `as-part-${theme}-${width}`);
      await tabTo(page, seen);
      await page.goto(`${service.url}/console/sources/${ids.get('manual.pdf')}?as=ben`);
      await page.getByRole('img', { name: 'Page 1 of manual.pdf' }).waitFor();
      await look(page, `as-pages-${theme}-${width}`);
      assert.deepEqual(faults, []);
      await context.close();
    });

  test('a page that a rule blocks has the reason in place of its picture', async () => {
    const rule = { name: 'gloves', kind: 'regex', pattern: 'nitrile gloves', action: 'block', apply_at: ['retrieval'] };
    await service.pinakes.putRedactionPolicy({ body: { enabled: true, rules: [rule] } as never });
    const path = `sources/${ids.get('manual.pdf')}?as=ben`;
    const { page, faults, context } = await openSignedIn(browser as Browser, service, path, { refusals: [HIDDEN] });
    const reason = page.getByRole('alert').filter({ hasText: 'hides this page' });
    await reason.waitFor();
    await look(page, 'blocked-page');
    assert.deepEqual(faults, []);
    await context.close();
  });
});
