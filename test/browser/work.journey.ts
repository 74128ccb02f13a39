/** What a reader typed or began is not lost. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';
import { openBrowser } from './support/chromium.ts';
import {
  holdAnswers,
  openSignedIn,
  press,
  startService,
  type TestService,
  tabTo,
  until,
  write,
} from './support/console.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';

describe('work that is not saved', { skip }, () => {
  let service: TestService;
  before(async () => {
    service = await startService();
    await service.add('lights', { 'north.md': '# North light\n\nThe lamp was lit in 1874.' });
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  const signIn = async (page: Page, key: string) => {
    await page.getByText('Your session has ended.').waitFor();
    await write(page, page.getByLabel('API key'), key);
    await page.keyboard.press('Enter');
    // By its place: an open window hides the heading from roles.
    await page.locator('main#main h1').first().waitFor();
  };

  test('a question outlives a session that ended, for the same key only', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'ask', { refusals: [/ 401 /] });
    const question = page.getByLabel('Ask a question');
    await write(page, question, 'When was the lamp lit?');
    await context.clearCookies();
    await page.keyboard.press('Enter');
    await signIn(page, service.key);
    assert.equal(await question.inputValue(), 'When was the lamp lit?');
    await context.clearCookies();
    await press(page, page.getByRole('button', { name: 'History' }));
    const { key } = await service.pinakes.issueApiKey({ body: { name: 'other', scopes: ['inference:run'] } });
    await signIn(page, key);
    assert.equal(await question.inputValue(), '');
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('rules outlive another screen, a session that ended and the save of somebody else; the browser asks before it closes', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'redaction', {
      refusals: [/ 401 /, / (404|412) .*redaction-policy/],
    });
    await press(page, page.getByRole('button', { name: 'Add a rule' }));
    const name = page.getByRole('region', { name: 'rule' }).getByRole('textbox', { name: 'Name' });
    await write(page, name, 'addresses');
    await press(page, page.getByRole('link', { name: 'Sources' }));
    await page.getByText('north.md').waitFor();
    await press(page, page.getByRole('link', { name: 'Redaction' }));
    await page.getByRole('region', { name: 'addresses' }).waitFor();

    await context.clearCookies();
    await press(page, page.getByRole('link', { name: 'Sources' }));
    await signIn(page, service.key);
    await service.pinakes.putRedactionPolicy({ body: { enabled: false, rules: [] } });
    await press(page, page.getByRole('link', { name: 'Redaction' }));
    await page.getByRole('region', { name: 'addresses' }).waitFor();
    await page.getByText('Version 1 was saved meanwhile. If you save, your rules replace it.').waitFor();

    const asked = new Promise<string>((done) =>
      page.once('dialog', async (dialog) => {
        await dialog.dismiss();
        done(dialog.type());
      }),
    );
    await page.close({ runBeforeUnload: true });
    assert.equal(await asked, 'beforeunload');
    // Another version, of which the page does not know before it saves.
    await service.pinakes.putRedactionPolicy({ body: { enabled: true, rules: [] } });
    await press(page, page.getByRole('button', { name: 'Save' }));
    await page.getByText('Version 2 was saved meanwhile. If you save, your rules replace it.').waitFor();
    assert.deepEqual((await service.pinakes.getRedactionPolicy()).rules, []);
    await press(page, page.getByRole('button', { name: 'Save' }));
    await page.getByText('Version 3', { exact: true }).waitFor();
    const { rules } = await service.pinakes.getRedactionPolicy();
    assert.deepEqual(
      rules.map((rule) => rule.name),
      ['addresses'],
    );
    await service.pinakes.deleteRedactionPolicy();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('an open window and its fields outlive a session that ended, for the same key only', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'tags', { refusals: [/ 401 /] });
    await press(page, page.getByRole('button', { name: 'Create a tag' }).first());
    const dialog = page.getByRole('dialog', { name: 'Create a tag' });
    await write(page, dialog.getByLabel('Name'), 'lighthouses');
    await write(page, dialog.getByLabel('Description'), 'Towers with a lamp');
    await context.clearCookies();
    await page.keyboard.press('Enter');
    await signIn(page, service.key);
    await dialog.waitFor();
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'lighthouses');
    assert.equal(await dialog.getByLabel('Description').inputValue(), 'Towers with a lamp');
    // A window that was closed is forgotten.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await press(page, page.getByRole('button', { name: 'Create a tag' }).first());
    assert.equal(await dialog.getByLabel('Name').inputValue(), '');

    await write(page, dialog.getByLabel('Name'), 'secret plans');
    await context.clearCookies();
    await page.keyboard.press('Enter');
    const { key } = await service.pinakes.issueApiKey({
      body: { name: 'writer', scopes: ['knowledge:read', 'knowledge:write'] },
    });
    await signIn(page, key);
    await press(page, page.getByRole('button', { name: 'Create a tag' }).first());
    assert.equal(await dialog.getByLabel('Name').inputValue(), '');
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('what was read and typed stays on the screen when the service fails for a while', async () => {
    await service.pinakes.createTag({ body: { name: 'beacons' } });
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'tags', { refusals: [/ 503 /] });
    await page.getByText('beacons').waitFor();
    await press(page, page.getByRole('button', { name: 'Create a tag' }).first());
    const dialog = page.getByRole('dialog', { name: 'Create a tag' });
    await write(page, dialog.getByLabel('Name'), 'lighthouses');
    await page.clock.install();
    let asked = 0;
    const fail = (route: Route) => {
      asked += 1;
      return route.fulfill({
        status: 503,
        json: { error: { message: 'The service restarts.', type: 'overloaded_error' } },
      });
    };
    await page.route(/\/api\/v1\/tags|\/console\/session/, fail);
    // Old enough to be read again when the reader comes back to the window.
    await page.clock.fastForward(61_000);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    await until(async () => {
      await page.clock.fastForward(2_000);
      return asked >= 6;
    });
    await page.getByText('What you see may be out of date.').waitFor();
    await page.getByText('beacons').waitFor();
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'lighthouses');
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('files that were chosen outlive a session that ends before they are sent', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources?add=true', {
      refusals: [/ 401 /],
    });
    const dialog = page.getByRole('dialog', { name: 'Add files' });
    await page
      .locator('input[data-files]')
      .setInputFiles([{ name: 'spit.md', mimeType: 'text/markdown', buffer: Buffer.from('# Light of the spit') }]);
    await write(page, dialog.getByLabel('Name of the group'), 'March');
    await context.clearCookies();
    await press(page, dialog.getByRole('button', { name: 'Add 1 file' }));
    await signIn(page, service.key);
    await dialog.getByText('1 file will be sent').waitFor();
    assert.equal(await dialog.getByLabel('Name of the group').inputValue(), 'March');
    await press(page, dialog.getByRole('button', { name: 'Add 1 file' }));
    await dialog.getByText('1 file is stored').waitFor();
    const { source_groups: groups } = await service.pinakes.listSourceGroups({ query: { q: 'March' } });
    assert.equal(groups.length, 1);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the draft of a policy outlives another screen', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'policies');
    await press(page, page.getByRole('button', { name: 'New policy' }).first());
    await page.keyboard.press('Enter');
    await page.getByText('Not stored yet').waitFor();
    await press(page, page.getByRole('link', { name: 'Sources' }));
    await page.getByText('north.md').waitFor();
    await press(page, page.getByRole('link', { name: 'Policies' }));
    await page.getByText('Not stored yet').waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Discard' }));
    assert.deepEqual(faults, []);
    await context.close();
  });

  const closing = async (page: Page) => {
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    await dialog.dismiss();
    return dialog.type();
  };

  test('an answer goes on when its screen is left, and is there when the reader comes back', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'ask');
    const answer = await holdAnswers(page);
    await write(page, page.getByLabel('Ask a question'), 'When was the lamp lit?');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await press(page, page.getByRole('link', { name: 'Sources' }));
    await page.getByText('north.md').waitFor();
    assert.equal(await closing(page), 'beforeunload', 'on another screen');
    await press(page, page.getByRole('link', { name: 'Ask', exact: true }));
    await page.getByRole('heading', { name: 'When was the lamp lit?' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    assert.equal(await closing(page), 'beforeunload', 'on the screen that was opened again');
    await press(page, page.getByRole('link', { name: 'Sources' }));
    await page.getByText('north.md').waitFor();
    const answered = page.waitForResponse('**/api/v1/conversations/*');
    answer();
    await answered;
    assert.equal(new URL(page.url()).pathname, '/console/sources', 'the answer does not call the reader back');
    await press(page, page.getByRole('link', { name: 'Ask', exact: true }));
    await page.waitForURL(/conversation=/);
    await page.getByRole('button', { name: /^Citation 1/ }).waitFor();
    await press(page, page.getByRole('button', { name: 'History' }));
    await page.getByRole('link', { name: /When was the lamp lit/ }).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a question of the commands leaves the answer that arrives alone, also when it is asked twice', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'ask');
    const answer = await holdAnswers(page);
    await write(page, page.getByLabel('Ask a question'), 'In which year was the north lamp lit?');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    for (let times = 0; times < 2; times++) {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox', { name: 'Commands' }).waitFor();
      await page.keyboard.type('When was the north lamp lit?');
      await page.getByRole('option', { name: /^Ask: When was/, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: 'When was the north lamp lit?' }).waitFor();
      assert.equal(await page.getByRole('article').count(), 1);
    }
    answer();
    await page.waitForURL(/conversation=/);
    await until(async () => {
      const { conversations } = await service.pinakes.listConversations();
      const titled = (title: string) => conversations.filter((one) => one.title?.startsWith(title)).length;
      return titled('In which year was the north lamp lit?') === 1 && titled('When was the north lamp lit?') === 2;
    });
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the Stop of an answer is in its conversation alone', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'ask');
    await write(page, page.getByLabel('Ask a question'), 'When was the lamp of the north light lit?');
    await page.keyboard.press('Enter');
    await page.waitForURL(/conversation=/);
    const first = page.url();
    await press(page, page.getByRole('button', { name: 'New conversation' }));
    await page.getByText('Ask your sources').waitFor();
    const answer = await holdAnswers(page);
    await write(page, page.getByLabel('Ask a question'), 'And which lamp is it?');
    await page.keyboard.press('Enter');
    const stop = page.getByRole('button', { name: 'Stop' });
    await stop.waitFor();
    await press(page, page.getByRole('button', { name: 'History' }));
    await press(page, page.getByRole('link', { name: /When was the lamp of the north light/ }));
    await page.getByRole('heading', { name: 'When was the lamp of the north light lit?' }).waitFor();
    assert.equal(await stop.count(), 0);
    await press(page, page.getByRole('link', { name: 'Ask', exact: true }));
    await stop.waitFor();
    answer();
    await page.waitForURL((url) => url.searchParams.has('conversation') && url.href !== first);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('an answer goes on when another conversation is begun, and does not call the reader back', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'ask');
    const answer = await holdAnswers(page);
    await write(page, page.getByLabel('Ask a question'), 'Which lamp was lit in 1874?');
    await page.keyboard.press('Enter');
    await press(page, page.getByRole('button', { name: 'New conversation' }));
    await page.getByText('Ask your sources').waitFor();
    await write(page, page.getByLabel('Ask a question'), 'When was the north lamp lit?');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    const answered = page.waitForResponse('**/api/v1/conversations/*');
    answer();
    await answered;
    await until(async () => new URL(page.url()).searchParams.has('conversation'));
    await page.getByRole('heading', { name: 'When was the north lamp lit?' }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Which lamp was lit in 1874?' }).count(), 0);
    await press(page, page.getByRole('button', { name: 'History' }));
    await page.getByRole('link', { name: /Which lamp was lit in 1874/ }).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('without sources, the screen of questions says so and leads to them', async () => {
    const empty = await startService();
    const { page, faults, context } = await openSignedIn(browser as Browser, empty, 'ask');
    await page.getByText('There are no sources yet').waitFor();
    await press(page, page.getByRole('main').getByRole('link', { name: 'Sources' }));
    await page.getByRole('button', { name: 'Add files' }).first().waitFor();
    assert.deepEqual(faults, []);
    await context.close();
    await empty.close();
  });

  test('a press beside a window does not close it', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'keys', { pointer: true });
    const beside = { x: 20, y: 880 };
    await press(page, page.getByRole('button', { name: 'Issue a key' }));
    await write(page, page.getByRole('dialog').getByLabel('Name'), 'museum site');
    await page.mouse.click(beside.x, beside.y);
    await page.keyboard.press('Tab');
    assert.equal(await page.getByRole('dialog').getByLabel('Name').inputValue(), 'museum site');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    for (const screen of ['sources?add=true', 'connectors?add=true']) {
      await page.goto(`${service.url}/console/${screen}`);
      await page.getByRole('dialog').waitFor();
      await page.mouse.click(beside.x, beside.y);
      await page.keyboard.press('Tab');
      assert.equal(await page.getByRole('dialog').count(), 1, screen);
    }
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the window of an upload stays while files are sent, and the browser asks before it closes', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'sources');
    await page.getByText('north.md').waitFor();
    let send = () => {};
    const held = new Promise<void>((done) => {
      send = done;
    });
    await page.route('**/api/v1/local-file-groups', async (route) => {
      if (route.request().method() === 'POST') await held;
      await route.continue();
    });
    await press(page, page.getByRole('button', { name: 'Add files' }));
    const file = { name: 'south.md', mimeType: 'text/markdown', buffer: Buffer.from('# South light') };
    await page.locator('input[data-files]').setInputFiles(file);
    await press(page, page.getByRole('button', { name: 'Add 1 file' }));
    await page.getByRole('progressbar').waitFor();
    await page.evaluate(() => history.back());
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    assert.equal(dialog.type(), 'beforeunload');
    await dialog.dismiss();
    await page.getByRole('progressbar').waitFor();
    assert.equal(new URL(page.url()).search, '?add=true');
    send();
    await press(page, page.getByRole('link', { name: 'Show them' }));
    await page.getByRole('link', { name: 'south.md' }).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });
});
