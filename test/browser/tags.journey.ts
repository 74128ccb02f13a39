/** Tags and metadata columns, with the keyboard alone. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, pick, press, startService, type TestService, tabTo, until, write } from './support/console.ts';
import { look, lookEverywhere } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';

describe('tags and metadata columns', { skip }, () => {
  let service: TestService;
  let group: string;
  before(async () => {
    service = await startService();
    group = await service.add('papers', { 'alpha.md': '# Alpha\n\nThe lamp was lit in 1874.', 'beta.md': '# Beta' });
    await service.add('minutes', { 'may.md': '# May\n\nThe board met.' });
    const { sources } = await service.pinakes.listSourcesOfSourceGroup({ params: { id: group } });
    for (const [at, { id }] of sources.entries()) {
      const records = [{ key: 'year', val: at === 0 ? '1874' : 'unknown' }];
      await service.pinakes.patchSourceMetadata({ params: { source_id: id }, body: { metadata: { records } } });
    }
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  test('a window that gives tags offers a tag that was created meanwhile, and no focus is lost', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources?q=may');
    const dialog = page.getByRole('dialog');
    const tools = page.getByRole('toolbar');
    const select = async () => {
      await page.getByRole('row', { name: /may\.md/ }).waitFor();
      await page.keyboard.press('x');
      await press(page, tools.getByRole('button', { name: 'Tag', exact: true }));
    };
    await select();
    await dialog.getByText('There are no tags yet').waitFor();
    assert.equal(await dialog.getByRole('textbox').evaluate((field) => field === document.activeElement), true);
    await press(page, dialog.getByRole('link', { name: 'Tags' }));
    await press(page, page.getByRole('button', { name: 'Create a tag' }).first());
    await page.getByRole('dialog', { name: 'Create a tag' }).waitFor();
    await page.keyboard.type('red');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /red/ }).waitFor();
    await press(page, page.getByRole('link', { name: 'Sources' }));
    await select();
    await dialog.getByRole('checkbox', { name: 'red' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const { tags } = await service.pinakes.listTags({});
    await service.pinakes.deleteTag({ params: { id: tags[0]!.id } });
    // The button is gone with its toolbar, so the screen has the focus.
    await press(page, tools.getByRole('button', { name: 'Clear the selection' }));
    await until(() => page.locator('main').evaluate((element) => element === document.activeElement));
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a tag is created, assigned to a group, renamed and deleted', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'tags', {
      refusals: [/409 .*\/tags/],
    });
    await page.getByText('There are no tags yet').waitFor();
    await look(page, 'tags-none');
    const create = page.getByRole('button', { name: 'Create a tag' }).first();
    // The focus comes back from a window whose field took it at once, and from the commands.
    await press(page, create);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await until(() => create.evaluate((element) => element === document.activeElement));
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.press('Escape');
    await until(() => create.evaluate((element) => element === document.activeElement));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('publik');
    const dialog = page.getByRole('dialog');
    await tabTo(page, dialog.getByLabel('Description'));
    await page.keyboard.type('May be shown to everybody');
    await look(page, 'tags-create');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });

    await press(page, page.getByRole('button', { name: 'Edit publik' }));
    await write(page, dialog.getByLabel('Name'), 'public');
    await press(page, dialog.getByRole('button', { name: 'Save' }));
    await page.getByRole('row', { name: /public.*everybody/ }).waitFor();

    await press(page, page.getByRole('button', { name: 'Groups with the tag public' }));
    await dialog.getByText('0 groups have the tag.').waitFor();
    await press(page, dialog.getByLabel('papers'), 'Space');
    await dialog.getByText('1 group has the tag.').waitFor();
    assert.equal(await dialog.getByLabel('papers').evaluate((box) => box === document.activeElement), true);
    await look(page, 'tags-groups');
    const linked = await service.pinakes.listTagLinks();
    assert.deepEqual(
      linked.tag_source_groups.map((link) => link.source_group_id),
      [group],
    );
    await press(page, dialog.getByRole('button', { name: 'Done' }));

    await press(page, page.getByRole('button', { name: 'Create a tag' }));
    await page.keyboard.type('public');
    await page.keyboard.press('Enter');
    await dialog.getByText('Another tag has this name.').waitFor();
    await look(page, 'tags-conflict');
    await page.keyboard.press('Escape');

    await press(page, page.getByRole('button', { name: 'Delete public' }));
    await look(page, 'tags-delete');
    await press(page, dialog.getByRole('button', { name: 'Delete' }));
    await page.getByText('There are no tags yet').waitFor();
    await dialog.waitFor({ state: 'detached' });
    // The row is gone, so the screen has the focus.
    await until(() => page.locator('main').evaluate((element) => element === document.activeElement));
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a column is declared, built, counts values that are no numbers, and is deleted', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'columns');
    await page.getByText('There are no metadata columns yet').waitFor();
    await press(page, page.getByRole('button', { name: 'Declare a column' }).first());
    const dialog = page.getByRole('dialog');
    await page.keyboard.type('year');
    await pick(page, dialog.getByLabel('Type'), 'integer');
    await look(page, 'columns-declare');
    await press(page, dialog.getByRole('button', { name: 'Declare a column' }));
    await page.getByRole('row', { name: /year.*Whole number.*Ready.*1 unusable/ }).waitFor();
    await look(page, 'columns-ready');
    await press(page, page.getByRole('button', { name: 'Values of year' }));
    await dialog.getByText('1874').waitFor();
    await dialog.getByText('1 source').waitFor();
    await look(page, 'columns-values');
    await press(page, dialog.getByRole('button', { name: 'Done' }));
    await press(page, page.getByRole('button', { name: 'Delete year' }));
    await press(page, dialog.getByRole('button', { name: 'Delete' }));
    await page.getByText('There are no metadata columns yet').waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a key that may only read is offered nothing that changes', async () => {
    await service.pinakes.createTag({ body: { name: 'seen' } });
    const { key } = await service.pinakes.issueApiKey({ body: { name: 'reader', scopes: ['knowledge:read'] } });
    const { page, faults, context } = await openSignedIn(browser as Browser, { ...service, key }, 'tags');
    await page.getByRole('row', { name: /seen/ }).waitFor();
    assert.equal(await page.getByRole('button', { name: /Create|Delete|Edit/ }).count(), 0);
    assert.equal(await page.getByRole('link', { name: 'API keys' }).count(), 0);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the lists in both themes, at two widths and in all languages', async () => {
    await service.pinakes.createTag({ body: { name: 'böard', description: 'What the board decided' } });
    await service.pinakes.declareMetadataColumn({ body: { key: 'year', type: 'integer', description: 'Year' } });
    await until(async () => {
      const { metadata_columns: columns } = await service.pinakes.listMetadataColumns();
      return columns.every(({ status }) => status === 'ready');
    });
    await lookEverywhere(browser as Browser, service, 'tags', (page) => page.getByRole('row').nth(2).waitFor());
    await lookEverywhere(browser as Browser, service, 'columns', (page) => page.getByRole('row').nth(1).waitFor());
  });
});
