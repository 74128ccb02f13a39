/** Policies and subjects, with the keyboard alone. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, press, startService, type TestService, tabTo, until, write } from './support/console.ts';
import { look, lookEverywhere } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';
/** A browser logs the answers that a draft is refused with. */
const REFUSED = /400 .*\/authz\/(?:preview|policies\/default)/;
const POLICY = {
  attribute_types: { department: 'text' },
  operator: 'or',
  filters: [
    { target: 'tag', operator: 'eq', value: 'public' },
    { key: 'department', operator: 'eq', value: { subject: 'department' } },
  ],
  tests: [
    {
      name: 'sales sees sales',
      given: { department: 'sales' },
      source: { source_metadata: { department: 'sales' } },
      expect: 'allow',
    },
  ],
};

/** Types JSON line by line. The editor indents. */
const writeJson = (page: Page, editor: Locator, value: unknown): Promise<void> =>
  write(page, editor, JSON.stringify(value, null, 2).replaceAll(/^ +/gm, ''));
/** Returns the text that is selected in the editor. */
const selected = (editor: Locator): Promise<string> =>
  editor.evaluate((element) => (element.getRootNode() as unknown as Document).getSelection()?.toString() ?? '');
/** Returns what a screen reader says about the editor besides its name. */
const descriptionOf = (editor: Locator): Promise<string> =>
  editor.evaluate((element) => {
    const id = element.getAttribute('aria-describedby') ?? '';
    return (element.getRootNode() as ShadowRoot).getElementById(id)?.textContent ?? '';
  });

describe('policies and subjects', { skip }, () => {
  let service: TestService;
  before(async () => {
    service = await startService();
    const open = await service.add('open', { 'guide.md': '# Guide', 'map.md': '# Map' });
    const inside = await service.add('inside', { 'offer.md': '# Offer', 'contract.md': '# Contract' });
    const { id } = await service.pinakes.createTag({ body: { name: 'public' } });
    await service.pinakes.linkTag({ body: { tag_id: id, source_group_id: open } });
    const { sources } = await service.pinakes.listSourcesOfSourceGroup({ params: { id: inside } });
    for (const source of sources) {
      const records = [{ key: 'department', val: source.name === 'offer.md' ? 'sales' : 'legal' }];
      await service.pinakes.patchSourceMetadata({ params: { source_id: source.id }, body: { metadata: { records } } });
    }
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  test('a subject is added with attributes and an expiry, changed and deleted', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'subjects', {
      refusals: [/400 .*\/authz\/subjects\//],
    });
    await look(page, 'subjects-none');
    await press(page, page.getByRole('button', { name: 'Add a subject' }).first());
    await page.keyboard.type('ada@example.com');
    const dialog = page.getByRole('dialog');
    const attributes = dialog.getByRole('textbox', { name: 'Attributes', exact: true });
    await write(page, attributes, '{"department": sales}');
    await dialog.getByRole('alert').getByText('This is not JSON.').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Save' }).isDisabled(), true);
    await look(page, 'subjects-wrong');
    await write(page, attributes, '{\n"department": []');
    await page.keyboard.type('\n}');
    await press(page, dialog.getByRole('button', { name: 'Save' }));
    await dialog
      .getByRole('alert')
      .getByText(/^\/department: /)
      .waitFor();
    await dialog.getByRole('button', { name: 'Line 2' }).waitFor();
    await write(page, attributes, '{"department": "sales"}');
    await tabTo(page, dialog.getByLabel('Expires'));
    await page.keyboard.type('01012090');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type('1000AM');
    await look(page, 'subjects-add');
    await press(page, dialog.getByRole('button', { name: 'Save' }));
    await page.getByRole('row', { name: /ada@example\.com.*department: sales/ }).waitFor();
    const subject = await service.pinakes.getSubject({ params: { principal_id: 'ada@example.com' } });
    assert.deepEqual(subject.attributes, { department: 'sales' });
    assert.ok((subject.expires_time ?? 0) > 3_700_000_000);

    await press(page, page.getByRole('button', { name: 'Edit ada@example.com' }));
    // Behind the dialog, this key goes to the filter of the list.
    await write(page, attributes, '{"department": "/"}');
    assert.equal(await attributes.textContent(), '{"department": "/"}');
    await write(page, attributes, '{"department": "sales"}');
    await tabTo(page, dialog.getByLabel('Expires'));
    for (let part = 0; part < 6; part += 1) {
      await page.keyboard.press('Delete');
      await page.keyboard.press('ArrowRight');
    }
    await press(page, dialog.getByRole('button', { name: 'Save' }));
    await page.getByRole('row', { name: /ada@example\.com.*Never/ }).waitFor();
    await service.pinakes.setSubject({ params: { principal_id: 'bob' }, body: { attributes: {} } });
    await page.reload();
    await press(page, page.getByRole('button', { name: 'Delete bob' }));
    await press(page, dialog.getByRole('button', { name: 'Delete' }));
    await page.getByRole('row', { name: /bob/ }).waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a policy is written with errors at their place, previewed, saved and explained', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'policies', {
      refusals: [REFUSED],
    });
    await page.getByText('There are no policies yet').waitFor();
    await look(page, 'policies-none');
    await press(page, page.getByRole('button', { name: 'New policy' }).first());
    await page.keyboard.press('Enter');
    const editor = page.getByRole('textbox', { name: 'The policy as JSON' });
    await page.getByText('2 of 4 sources').waitFor();
    await page.getByText('There is no stored version to compare with.').waitFor();

    await tabTo(page, editor);
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' x');
    await page.getByRole('alert').getByText('This is not JSON.').waitFor();
    await page.getByRole('button', { name: 'Line 10' }).waitFor();
    await writeJson(page, editor, { operator: 'or', filters: [{ key: 'a', operator: 'near', value: 1 }] });
    await page
      .getByRole('alert')
      .getByText(/^\/filters\/0\/operator: must be/)
      .waitFor();
    await press(page, page.getByRole('button', { name: 'Line 6' }));
    assert.equal(await selected(editor), '"near"');
    assert.match(await descriptionOf(editor), /^Line 6: \/filters\/0\/operator: must be/);
    await page.keyboard.type('"eq"');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+z');
    await page
      .getByRole('alert')
      .getByText(/^\/filters\/0\/operator: must be/)
      .waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Line 6', 'Tab leaves the editor');
    await look(page, 'policies-wrong');

    await writeJson(page, editor, POLICY);
    await tabTo(page, page.getByRole('combobox', { name: 'Principal' }));
    await page.keyboard.type('ada@example.com');
    await page.getByText('3 of 4 sources').waitFor();
    const lines = await editor.locator('.cm-line').allTextContents();
    assert.equal(lines.join('\n'), JSON.stringify(POLICY, null, 2), 'the editor indents');
    await page.getByText('sales sees sales passes').waitFor();
    await press(page, page.getByRole('button', { name: 'Save as version 1' }));
    await page.getByText('The same as version 1.').waitFor();
    const { version, tests } = await service.pinakes.getPolicy({ params: { name: 'default' } });
    assert.deepEqual([version, tests?.length], [1, 1]);

    const narrower = { ...POLICY, filters: POLICY.filters.slice(1) };
    await writeJson(page, editor, narrower);
    await page.getByText('1 of 4 sources').waitFor();
    await page.getByText('0 appear and 2 disappear compared with version 1.').waitFor();
    await press(page, page.getByRole('button', { name: 'Show the rule that decided for offer.md' }));
    assert.equal(await page.locator('.cm-line.lit').count(), 7, 'the lines of the rule are lit');
    await look(page, 'policies-flips');

    const failing = { ...narrower, tests: [{ ...POLICY.tests[0], expect: 'deny' }] };
    await writeJson(page, editor, failing);
    await page.getByText('sales sees sales fails').waitFor();
    await press(page, page.getByRole('button', { name: 'Save as version 2' }));
    await page
      .getByRole('alert')
      .getByText(/^\/tests\/0 \(sales sees sales\): expects deny/)
      .waitFor();
    await look(page, 'policies-test-fails');
    await press(page, page.getByRole('button', { name: 'Discard' }));
    await page.getByText('3 of 4 sources').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });

    await tabTo(page, page.getByLabel('Name of the source'));
    await page.keyboard.type('contract');
    await press(page, page.getByRole('button', { name: 'contract.md', exact: true }));
    await page.getByText('contract.md is hidden. Decided by: the policy as a whole').waitFor();
    await write(page, page.getByLabel('Name of the source'), 'guide');
    await press(page, page.getByRole('button', { name: 'guide.md', exact: true }));
    await page.getByText('guide.md is shown. Decided by: /filters/0').waitFor();
    await press(page, page.getByRole('button', { name: 'Attributes', exact: true }));
    await write(page, page.getByLabel('Attributes as JSON'), '{"department": "legal"}');
    await page.getByRole('listitem').filter({ hasText: 'contract.md' }).getByText('shown').waitFor();
    await look(page, 'policies-explained');
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('drafts of several policies stay, and a policy is deleted', async () => {
    await service.pinakes.setPolicy({
      params: { name: 'open' },
      body: { filters: [{ target: 'tag', operator: 'exists' }] },
    });
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'policies?name=open');
    const editor = page.getByRole('textbox', { name: 'The policy as JSON' });
    await write(page, editor, '{"filters": [{"target": "tag", "operator": "not_exists"}]}');
    await press(page, page.getByRole('button', { name: 'default', exact: true }));
    await press(page, page.getByRole('button', { name: /^open/ }));
    assert.match((await editor.textContent()) ?? '', /not_exists/);
    await press(page, page.getByRole('button', { name: 'Delete', exact: true }));
    await press(page, page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await until(async () => (await service.pinakes.listPolicies()).pagination.total === 1);
    await page.getByRole('button', { name: 'default', exact: true }).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a draft does not replace what somebody saved meanwhile before its writer has seen what changed', async () => {
    const save = (tag: string) =>
      service.pinakes.setPolicy({
        params: { name: 'shared' },
        body: { filters: [{ target: 'tag', operator: 'eq', value: tag }] },
      });
    const { version } = await save('one');
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'policies?name=shared', {
      refusals: [/ 412 .*\/authz\/policies/],
    });
    const editor = page.getByRole('textbox', { name: 'The policy as JSON' });
    await write(page, editor, '{"filters": [{"target": "tag", "operator": "not_exists"}]}');
    await save('two');
    await press(page, page.getByRole('button', { name: `Save as version ${version + 1}` }));
    const notice = page.getByRole('alert', { name: 'The policy has changed' });
    await notice.getByText(`Version ${version + 1} was saved while you wrote`).waitFor();
    await notice.getByText('− "value": "one"').waitFor();
    await notice.getByText('+ "value": "two"').waitFor();
    // A preview of an earlier draft is pale.
    await page.locator('section[aria-busy="true"]').waitFor({ state: 'detached' });
    await look(page, 'policy-outdated');
    const stored = async () => JSON.stringify(await service.pinakes.getPolicy({ params: { name: 'shared' } }));
    assert.match(await stored(), /"two"/);
    assert.ok(await page.getByRole('button', { name: /^Save as version/ }).isDisabled());

    await press(page, notice.getByRole('button', { name: /^Keep my draft/ }));
    await notice.waitFor({ state: 'detached' });
    await press(page, page.getByRole('button', { name: `Save as version ${version + 2}` }));
    await until(async () => /not_exists/.test(await stored()));
    await page.getByText(`Version ${version + 2}`, { exact: true }).waitFor();

    await write(page, editor, '{"filters": [{"target": "tag", "operator": "exists"}]}');
    await service.pinakes.deletePolicy({ params: { name: 'shared' } });
    await press(page, page.getByRole('button', { name: `Save as version ${version + 3}` }));
    await notice.getByText('The policy was deleted while you wrote').waitFor();
    await press(page, notice.getByRole('button', { name: 'Discard' }));
    await page.getByRole('button', { name: /^shared/ }).waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('both screens in both themes, at two widths and in all languages', async () => {
    await service.pinakes.setPolicy({ params: { name: 'default' }, body: POLICY as never });
    await lookEverywhere(browser as Browser, service, 'policies', (page) =>
      page.getByRole('listitem').filter({ hasText: 'guide.md' }).waitFor(),
    );
    await lookEverywhere(browser as Browser, service, 'subjects', (page) => page.getByRole('row').nth(1).waitFor());
  });
});
