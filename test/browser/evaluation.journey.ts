/** Question sets: passages judged with two keys, and what the runs measured. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, press, startService, type TestService, tabTo, until } from './support/console.ts';
import { checkLooks, LOOKS, look } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';

describe('evaluation', { skip }, () => {
  let service: TestService;
  let setPath = '';
  let judgePath = '';
  before(async () => {
    service = await startService();
    await service.add('museum', {
      'lamp.md': '# The lamp\n\nThe harbour lamp was lit in 1874 by the first keeper.',
      'keeper.md': '# Keepers\n\nA keeper trims the lamp of the harbour each evening.',
      'sails.md': '# Sails\n\nSails are stored dry, away from light.',
    });
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  test('a set is created, judged with two keys, measured twice and compared', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'evaluation');
    await page.getByText('There are no question sets yet').waitFor();
    await look(page, 'evaluation-none');
    await press(page, page.getByRole('button', { name: 'Create a question set' }));
    await page.keyboard.type('Help desk');
    await page.keyboard.press('Enter');
    await page.getByText('There are no questions yet').waitFor();
    await look(page, 'evaluation-empty');
    assert.ok(await page.getByRole('button', { name: 'Measure' }).isDisabled());
    for (const question of ['harbour lamp keeper', 'sails stored']) {
      await tabTo(page, page.getByLabel('A question to add'));
      await page.keyboard.type(question);
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: question }).waitFor();
    }
    setPath = new URL(page.url()).pathname.replace('/console/', '');

    await press(page, page.getByRole('link', { name: 'harbour lamp keeper' }));
    const passages = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Not relevant' }) });
    await passages.nth(1).waitFor();
    judgePath = new URL(page.url()).pathname.replace('/console/', '');
    const pressed = (at: number, name: string) =>
      passages.nth(at).getByRole('button', { name, exact: true, pressed: true });
    await page.keyboard.press('j');
    // The last of three judgements counts, although it is that of the first, which is still in flight.
    await page.evaluate(() => {
      for (const key of '010') dispatchEvent(new KeyboardEvent('keydown', { key }));
    });
    await pressed(0, 'Not relevant').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('1');
    await pressed(1, 'Relevant').waitFor();
    await page.getByText('2 passages judged').waitFor();
    await look(page, 'evaluation-judged');
    const question = await service.pinakes.getEvaluationSet({ params: { id: setPath.split('/')[1]! } });
    assert.deepEqual(question.questions[0]!.judgements.map(({ relevant }) => relevant).toSorted(), [false, true]);

    // A second press takes a judgement back.
    await page.keyboard.press('k');
    await press(page, pressed(0, 'Not relevant'));
    await page.getByText('1 passage judged').waitFor();

    await press(page, page.getByRole('link', { name: 'Help desk' }));
    await press(page, page.getByRole('button', { name: 'Measure' }));
    const figures = page.getByRole('region', { name: 'Figures' });
    // The relevant passage is the second: its reciprocal rank is one half.
    await figures.getByText('0.500').waitFor();
    await page.getByRole('row', { name: /sails stored.*–/ }).waitFor();

    await press(page, page.getByRole('link', { name: 'harbour lamp keeper' }));
    await passages.nth(1).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('1');
    await page.getByText('2 passages judged').waitFor();
    await press(page, page.getByRole('link', { name: 'Help desk' }));
    await figures.getByText('0.500').waitFor();
    const measure = page.getByRole('button', { name: 'Measure' });
    await press(page, measure);
    await figures.getByText('+0.500').waitFor();
    await until(() => measure.evaluate((button) => button === document.activeElement));
    await page.getByRole('row', { name: /harbour lamp keeper.*\+0\.500/ }).waitFor();
    await look(page, 'evaluation-compared');

    await press(page, page.getByRole('button', { name: 'Delete sails stored' }));
    const dialog = page.getByRole('dialog');
    await press(page, dialog.getByRole('button', { name: 'Delete' }));
    await page.getByRole('row', { name: /sails stored/ }).waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the list, a set and its passages in both themes, at two widths, in German and from right to left', async () => {
    const id = setPath.split('/')[1]!;
    const { evaluation_runs: runs } = await service.pinakes.listEvaluationRuns({ params: { id } });
    const screens = {
      evaluation: { path: 'evaluation', ready: (page) => page.getByRole('row').nth(1).waitFor() },
      'evaluation-set': {
        path: `${setPath}?with=${runs[0]!.id}`,
        ready: (page) =>
          page
            .getByText(/0[.,]500$/)
            .first()
            .waitFor(),
      },
      'evaluation-judge': { path: judgePath, ready: (page) => page.locator('[aria-pressed=true]').first().waitFor() },
    } satisfies Parameters<typeof checkLooks>[2];
    for (const one of LOOKS) await checkLooks(browser as Browser, service, screens, `${one.theme}-${one.width}`, one);
    await checkLooks(browser as Browser, service, screens, 'de', { language: 'de', width: 1024 });
    await checkLooks(browser as Browser, service, screens, 'rtl', { language: 'xb' });
  });

  test('a set is renamed and deleted', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'evaluation');
    await press(page, page.getByRole('button', { name: 'Edit Help desk' }));
    const dialog = page.getByRole('dialog', { name: 'Rename the question set' });
    await dialog.waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Front desk');
    await look(page, 'evaluation-rename');
    await page.keyboard.press('Enter');
    await press(page, page.getByRole('button', { name: 'Delete Front desk' }));
    await press(page, page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await page.getByText('There are no question sets yet').waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a query of Search is added to a new set, and its passages are judged', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'search?q=sails');
    await press(page, page.getByRole('button', { name: 'Add to a question set' }));
    const dialog = page.getByRole('dialog');
    await tabTo(page, dialog.getByLabel('Name'));
    await page.keyboard.type('From Search');
    await look(page, 'evaluation-add');
    await page.keyboard.press('Enter');
    await page.getByText('0 passages judged').waitFor();
    await page.getByRole('link', { name: 'sails.md' }).waitFor();
    const { evaluation_sets: sets } = await service.pinakes.listEvaluationSets();
    assert.deepEqual(
      sets.map(({ name, questions_count }) => [name, questions_count]),
      [['From Search', 1]],
    );
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a key that may only read is not offered the screen', async () => {
    const { key } = await service.pinakes.issueApiKey({ body: { name: 'reader', scopes: ['knowledge:read'] } });
    const { page, faults, context } = await openSignedIn(browser as Browser, { ...service, key }, 'sources');
    await page.getByRole('link', { name: 'Runs' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Evaluation' }).count(), 0);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a redacted question has no passages to judge, and the form of a redacted name begins empty', async () => {
    const set = await service.pinakes.createEvaluationSet({ body: { name: 'Of Quirk' } });
    const params = { id: set.id };
    const question = await service.pinakes.addEvaluationQuestion({ params, body: { query: 'lamp of Quirk' } });
    const rule = { name: 'who', kind: 'dictionary', terms: ['Quirk'], action: 'mask', apply_at: ['retrieval'] };
    await service.pinakes.putRedactionPolicy({ body: { enabled: true, rules: [rule] } as never });
    const { page, faults, context } = await openSignedIn(
      browser as Browser,
      service,
      `evaluation/${set.id}/${question.id}`,
    );
    await page.getByText('A redaction rule hides this question').waitFor();
    await press(page, page.getByRole('link', { name: 'Evaluation' }).last());
    await press(page, page.getByRole('button', { name: 'Edit Of [WHO]' }));
    assert.equal(await page.getByRole('dialog').getByLabel('Name').inputValue(), '');
    assert.deepEqual(faults, []);
    await context.close();
  });
});
