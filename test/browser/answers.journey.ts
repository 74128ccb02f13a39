/** Searching and asking, and the way from a citation to its passage, with the keyboard alone. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { violationsOf } from './support/axe.ts';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, pick, press, startService, type TestService, tabTo, until, write } from './support/console.ts';
import { look } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';
const PICTURES = process.env['PINAKES_TEST_PICTURES'];
const DEMO = join(import.meta.dirname, '..', '..', 'demo');
const FILES = [
  'visitor-guide.md',
  'conservation-manual.pdf',
  'besucherordnung.html',
  'annual-report-2025.docx',
  'lettre-de-pret.txt',
  '灯台の案内.txt',
];
/** Questions in four languages with the file that answers them. */
const QUESTIONS = [
  ['How many visitors did the museum welcome in 2025?', 'annual-report-2025.docx'],
  ['Was zahlen Kinder unter zwölf Jahren?', 'besucherordnung.html'],
  ['灯台はいつ初めて点灯されましたか。', '灯台の案内.txt'],
] as const;

/** The text that is marked in the source. */
async function markedText(page: Page): Promise<string> {
  const marks = page.getByRole('region', { name: 'Text of the source' }).locator('mark');
  await marks.first().waitFor();
  return (await marks.allTextContents()).join('');
}

describe('answers', { skip }, () => {
  let service: TestService;
  before(async () => {
    service = await startService();
    await service.add('demo', Object.fromEntries(FILES.map((name) => [name, readFileSync(join(DEMO, name))])));
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  for (const [question, file] of QUESTIONS)
    test(`the citation of ${file} opens it at exactly the cited passage`, async () => {
      const { page, faults, context } = await openSignedIn(browser as Browser, service, 'ask');
      await write(page, page.getByLabel('Ask a question'), question);
      await page.keyboard.press('Enter');
      const mark = page.getByRole('button', { name: `Citation 1, verified: ${file}` }).first();
      await mark.waitFor();
      assert.deepEqual(await violationsOf(page), []);
      const quote = await page.getByRole('complementary', { name: 'Citations' }).locator('mark').first().textContent();
      await tabTo(page, mark);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1 }).getByText(file).waitFor();
      assert.equal(await markedText(page), quote);
      assert.deepEqual(await violationsOf(page), []);
      assert.deepEqual(faults, []);
      await context.close();
    });

  test('the citation of a PDF opens its page as a picture, and marks the passage there as in the text', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'ask');
    await page.keyboard.type('Which relative humidity should the textile store have?');
    await page.keyboard.press('Enter');
    const mark = page.getByRole('button', { name: 'Citation 1, verified: conservation-manual.pdf' }).first();
    await tabTo(page, mark);
    await page.keyboard.press('Enter');
    const picture = page.getByRole('img', { name: 'Page 2 of conservation-manual.pdf' });
    await picture.waitFor();
    await page.locator('[data-mark]').first().waitFor();
    assert.ok(await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth > 500)));
    const boxes = await page
      .locator('[data-mark]')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
    const frame = await picture.boundingBox();
    assert.ok(frame);
    for (const box of boxes) {
      assert.ok(box.left >= frame.x && box.right <= frame.x + frame.width + 1, 'a mark is beside the page');
      assert.ok(box.top >= frame.y && box.bottom <= frame.y + frame.height + 1, 'a mark is above or below the page');
      assert.ok(box.width > 5 && box.height > 5 && box.height < 60, 'a mark is not a line of text');
    }
    await page.locator('[data-chunk]').first().waitFor();
    assert.deepEqual(await violationsOf(page), []);
    if (PICTURES) await page.screenshot({ path: join(PICTURES, 'pages.png') });
    await tabTo(page, page.getByRole('link', { name: 'Next page' }));
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: 'Page 3 of conservation-manual.pdf' }).waitFor();
    assert.equal(await page.locator('[data-mark]').count(), 0);
    await tabTo(page, page.getByRole('link', { name: 'Text', exact: true }));
    await page.keyboard.press('Enter');
    assert.match(await markedText(page), /between 48 and 52 percent/);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a question that the sources do not answer says so', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'ask');
    await page.keyboard.type('What does a kilogram of uranium cost?');
    await page.keyboard.press('Enter');
    await page.getByText('The sources do not answer this').waitFor();
    const link = page.getByRole('link', { name: 'Show the nearest passages' });
    assert.match((await link.getAttribute('href')) ?? '', /\/search\?q=/);
    assert.equal(await page.getByRole('button', { name: /^Citation/ }).count(), 0);
    assert.deepEqual(await violationsOf(page), []);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a conversation has an address of its own, is found under History, renamed and deleted', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'ask');
    await page.keyboard.type(QUESTIONS[0][0]);
    await page.keyboard.press('Enter');
    await page.waitForURL(/conversation=/);
    const address = page.url();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await press(page, page.getByRole('button', { name: 'Copy with the sources' }));
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /\[1\].*\n\n\[1\] annual-report-2025\.docx.*: “.+”/s);
    await tabTo(page, page.getByLabel('Ask a question'));
    await page.keyboard.type('And on Mondays?');
    await page.keyboard.press('Enter');
    await page.getByRole('article').nth(1).waitFor();
    await page
      .getByText(/Understood as|Searched for/)
      .nth(1)
      .waitFor();
    assert.equal(page.url(), address);
    await page.reload();
    await page.getByRole('article').nth(1).waitFor();
    assert.equal(await page.getByRole('article').count(), 2);
    const cited = page.getByRole('button', { name: /^Citation 1/ }).first();
    await tabTo(page, page.getByRole('button', { name: 'New conversation' }));
    await page.keyboard.press('Enter');
    await cited.waitFor({ state: 'detached' });
    await tabTo(page, page.getByRole('button', { name: 'History' }));
    await page.keyboard.press('Enter');
    const entry = page.getByRole('link', { name: /How many visitors/ }).first();
    await tabTo(page, entry);
    assert.deepEqual(await violationsOf(page), []);
    await page.keyboard.press('Enter');
    await cited.waitFor();
    assert.equal(page.url(), address);
    // The citation of a stored answer has no text of its chunk: it is read when it is opened.
    await tabTo(page, cited);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1 }).getByText('annual-report-2025.docx').waitFor();
    assert.notEqual(await markedText(page), '');

    const { key } = await service.pinakes.issueApiKey({
      body: { name: 'colleague', scopes: ['knowledge:read', 'inference:run'] },
    });
    const colleague = await openSignedIn(browser as Browser, { ...service, key }, address.split('/console/')[1]!, {
      refusals: [/ 404 .*\/conversations\//],
    });
    await colleague.page.getByText('This conversation was deleted, or belongs to another key').waitFor();
    assert.deepEqual(colleague.faults, []);
    await colleague.context.close();

    await page.goBack();
    await cited.waitFor();
    await press(page, page.getByRole('button', { name: 'History' }));
    await press(page, page.getByRole('button', { name: /^Edit How many visitors/ }).first());
    await page.getByRole('dialog', { name: 'Rename the conversation' }).waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Visitors');
    assert.deepEqual(await violationsOf(page), []);
    await page.keyboard.press('Enter');
    await press(page, page.getByRole('button', { name: 'History' }));
    await press(page, page.getByRole('button', { name: 'Delete Visitors' }));
    await press(page, page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await page.getByText('Ask your sources').waitFor();
    await page.getByText('This service has no chat model').waitFor();
    assert.doesNotMatch(page.url(), /conversation=/);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('questions and answers have versions: edited, answered again, switched by the keyboard, kept by address and reload', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'ask', {
      refusals: [/ERR_ABORTED/],
    });
    const [first, second] = [QUESTIONS[0][0], QUESTIONS[1][0]];
    const questions = page.getByRole('group', { name: 'Versions of the question' });
    const answers = page.getByRole('group', { name: 'Versions of the answer' });
    const settled = (): Promise<unknown> => page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    await page.keyboard.type(first);
    await page.keyboard.press('Enter');
    await page.waitForURL(/conversation=/);
    await page.keyboard.type('And on Mondays?');
    await page.keyboard.press('Enter');
    await page
      .getByRole('article')
      .nth(1)
      .getByText(/Understood as|Searched for/)
      .waitFor();
    await settled();
    assert.equal((await questions.count()) + (await answers.count()), 0);

    // Another first question: the follow-up belongs to the first branch alone.
    await press(page, page.getByRole('button', { name: 'Edit the question' }).first());
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    const form = page.getByRole('textbox', { name: 'Edit the question' });
    assert.equal(await form.inputValue(), first);
    assert.deepEqual(await violationsOf(page), []);
    await page.keyboard.type(second);
    await page.keyboard.press('Enter');
    await page.waitForURL(/message=/);
    await questions.getByText('2/2').waitFor();
    assert.equal(await page.getByRole('article').count(), 1);

    await press(page, page.getByRole('button', { name: 'Answer again' }));
    await answers.getByText('2/2').waitFor();
    await settled();
    await press(page, answers.getByRole('button', { name: 'Earlier version' }));
    await answers.getByText('1/2').waitFor();
    assert.deepEqual(await violationsOf(page), []);

    await tabTo(page, questions.getByRole('button', { name: 'Earlier version' }));
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('heading', { name: 'And on Mondays?' }).waitFor();
    await page.getByRole('heading', { name: first }).waitFor();
    assert.equal(await page.getByRole('article').count(), 2);
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { name: second }).waitFor();
    await answers.getByText('2/2').waitFor();

    // An answer that is stopped stays on its branch, and a reload shows the branch as it is stored.
    await page.route('**/api/v1/completions', () => undefined);
    await press(page, page.getByRole('button', { name: 'Answer again' }));
    await answers.getByText('3/3').waitFor();
    await press(page, page.getByRole('button', { name: 'Stop' }));
    await page.getByText('The answer was stopped.').waitFor();
    await page.unroute('**/api/v1/completions');
    await page.reload();
    await page.getByRole('heading', { name: second }).waitFor();
    await answers.getByText('2/2').waitFor();

    // A link keeps its branch although another one is active by now.
    const link = page.url();
    await press(page, questions.getByRole('button', { name: 'Earlier version' }));
    await page.getByRole('heading', { name: 'And on Mondays?' }).waitFor();
    await page.goto(link);
    await page.getByRole('heading', { name: second }).waitFor();
    await page.keyboard.type('And for the others?');
    await page.keyboard.press('Enter');
    await page
      .getByRole('article')
      .nth(1)
      .getByText(/Understood as|Searched for/)
      .waitFor();
    await settled();
    await page.getByRole('heading', { name: second }).waitFor();
    if (PICTURES) await page.screenshot({ path: join(PICTURES, 'branches.png') });
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('an answer can be stopped', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'ask', {
      refusals: [/ERR_ABORTED/],
    });
    await page.route('**/api/v1/completions', () => undefined);
    await page.keyboard.type('Will this ever end?');
    await page.keyboard.press('Enter');
    const stop = page.getByRole('button', { name: 'Stop' });
    await tabTo(page, stop);
    await page.keyboard.press('Enter');
    await page.getByText('The answer was stopped.').waitFor();
    await stop.waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a search is in the address: query, mode and filter, which is a form and JSON', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'search', {
      refusals: [/400 .*\/search/],
    });
    await page.keyboard.type('Museum');
    await page.keyboard.press('Enter');
    await page.getByRole('article').first().waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await tabTo(page, page.getByRole('radio', { name: 'Hybrid' }));
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/mode=lexical/);
    await tabTo(page, page.getByRole('button', { name: 'Filter', exact: true }));
    await page.keyboard.press('Enter');
    const form = page.getByRole('dialog', { name: 'Add filter' });
    await pick(page, form.getByLabel('Value'), 'docx');
    assert.deepEqual(await violationsOf(page), []);
    await tabTo(page, form.getByRole('button', { name: 'Add filter' }));
    await page.keyboard.press('Enter');
    await page.waitForURL(/filter=/);
    const reports = page.getByRole('link', { name: 'annual-report-2025.docx' });
    await until(
      async () => (await reports.count()) > 0 && (await reports.count()) === (await page.getByRole('article').count()),
    );

    await tabTo(page, page.getByRole('button', { name: 'JSON', exact: true }).first());
    await page.keyboard.press('Enter');
    const json = page.getByRole('textbox', { name: 'The filter, as the API takes it' });
    assert.deepEqual(JSON.parse((await json.textContent()) ?? ''), { file_types: ['docx'] });
    await write(page, json, '{"file_types": ["html"');
    await page.getByRole('alert').getByText('This is not JSON.').waitFor();
    await write(page, json, '{\n"file_types": ["html", "exe"]');
    await page.keyboard.type('\n}');
    await press(page, page.getByRole('button', { name: 'Apply' }));
    const popup = page.getByRole('dialog', { name: 'The filter, as the API takes it' });
    await popup
      .getByRole('alert')
      .getByText(/^\/file_types\/1: must be one of/)
      .waitFor();
    await popup.getByRole('button', { name: 'Line 2' }).waitFor();
    await look(page, 'search-filter-refused');
    await page.keyboard.press('Escape');
    await popup.waitFor({ state: 'detached' });
    await press(page, page.getByRole('button', { name: 'Show in the filter' }));
    await popup.getByRole('button', { name: 'Line 4' }).waitFor();
    await write(
      page,
      json,
      '{"file_types": ["html"], "chunk_metadata": {"filters": [{"key": "x", "operator": "not_exists"}]}}',
    );
    await press(page, page.getByRole('button', { name: 'Apply' }));
    await popup.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'besucherordnung.html' }).first().waitFor();
    await page.getByText('more in JSON').waitFor();
    const sent = page.getByRole('complementary', { name: 'How it was found' }).locator('pre');
    assert.match((await sent.textContent()) ?? '', /"mode": "lexical"[\s\S]*"chunk_metadata"/);
    await page.reload();
    await page.getByRole('link', { name: 'besucherordnung.html' }).first().waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a search is limited to a group by its name, and more passages can be loaded', async () => {
    const piers = Array.from({ length: 12 }, (_, at) => [
      `pier-${at}.md`,
      `# Pier ${at}\n\nShip ${at} lies at pier ${at}.`,
    ]);
    const groups = [
      await service.add('piers', Object.fromEntries(piers)),
      await service.add('harbour', { 'office.md': '# Office\n\nThe office stands before the pier.' }),
    ];
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'search?q=pier');
    const passages = page.getByRole('article');
    await passages.nth(9).waitFor();
    assert.equal(await passages.count(), 10);
    await press(page, page.getByRole('button', { name: 'Load more' }));
    await passages.nth(10).waitFor();
    await press(page, page.getByRole('button', { name: 'Filter', exact: true }));
    const form = page.getByRole('dialog', { name: 'Add filter' });
    await pick(page, form.getByLabel('Filter by'), 'Group');
    await pick(page, form.getByLabel('Value'), 'harbour');
    await press(page, form.getByRole('button', { name: 'Add filter' }));
    await page.getByRole('button', { name: 'Remove Group' }).waitFor();
    await page.locator('.chip').getByText('harbour').waitFor();
    await page.getByText('1 passage in').waitFor();
    await page.getByRole('link', { name: 'office.md' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Load more' }).count(), 0);
    assert.deepEqual(faults, []);
    await context.close();
    for (const id of groups) await service.pinakes.deleteSourceGroup({ params: { id } });
  });

  test('a filter in the address that is not JSON is named, and nothing is searched until it is removed', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'search?q=sextant&filter=docx');
    await page.getByText('The filter in the address is not a JSON object. Nothing was searched.').waitFor();
    assert.equal(await page.getByRole('article').count(), 0);
    assert.deepEqual(await violationsOf(page), []);
    await look(page, 'search-filter-unreadable');
    await press(page, page.getByRole('button', { name: 'Remove the filter' }));
    await page.getByRole('link', { name: 'lettre-de-pret.txt' }).first().waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a result opens the source, and the time of each stage is shown', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'search?q=sextant');
    const result = page.getByRole('link', { name: 'lettre-de-pret.txt' }).first();
    await result.waitFor();
    await page.getByText('Where the time went').waitFor();
    await tabTo(page, result);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1 }).getByText('lettre-de-pret.txt').waitFor();
    assert.match(await markedText(page), /sextant/);
    assert.deepEqual(faults, []);
    await context.close();
  });
});
