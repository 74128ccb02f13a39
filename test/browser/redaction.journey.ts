/** Redaction rules, with the keyboard alone. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, pick, press, startService, type TestService, tabTo, write } from './support/console.ts';
import { look, lookEverywhere } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';
/** A browser logs that there is no policy yet, and that a draft is refused. */
const REFUSED = [/404 .*\/redaction-policy$/, /400 .*\/redaction-policy\/test/];

describe('redaction', { skip }, () => {
  let service: TestService;
  before(async () => {
    service = await startService();
    await service.add('papers', { 'alpha.md': '# Alpha\n\nWrite to jane@example.com about EMP-4711.' });
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  test('rules are written, tried on a text with a mark for each match, and saved', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'redaction', {
      refusals: REFUSED,
    });
    await page.getByText('There are no rules yet').waitFor();
    await look(page, 'redaction-none');
    await press(page, page.getByRole('button', { name: 'Add a rule' }));
    const trial = page.getByRole('complementary', { name: 'Try it' });
    await trial.getByText('1 match', { exact: true }).waitFor();
    assert.match((await trial.locator('mark').textContent()) ?? '', /^jane@example\.com/);
    await trial.getByText(/^Write to \[EMAIL\] or call/).waitFor();

    await press(page, page.getByRole('button', { name: 'Add a rule' }));
    const rule = page.getByRole('region', { name: 'rule-2' });
    await pick(page, rule.getByLabel('Finds'), 'regex');
    await tabTo(page, rule.getByRole('textbox', { name: 'Pattern' }));
    await page.keyboard.type('EMP-(');
    await rule.getByRole('alert').waitFor();
    assert.equal(await rule.getByRole('textbox', { name: 'Pattern' }).getAttribute('aria-invalid'), 'true');
    await look(page, 'redaction-wrong');
    await write(page, rule.getByRole('textbox', { name: 'Pattern' }), 'EMP-\\d{4}');
    await rule.getByRole('alert').waitFor({ state: 'detached' });
    await trial.getByText('2 matches').waitFor();
    await trial.getByText(/about \[RULE-2\]/).waitFor();

    await pick(page, rule.getByLabel('Does'), 'block');
    await trial.getByText('The whole text is withheld.').waitFor();
    await look(page, 'redaction-blocked');
    await pick(page, rule.getByLabel('Does'), 'mask');
    await press(page, rule.getByLabel('In results'), 'Space');
    await pick(page, trial.getByLabel('At the step'), 'retrieval');
    await trial.getByText('1 match', { exact: true }).waitFor();
    await pick(page, trial.getByLabel('At the step'), '');
    await press(page, rule.getByLabel('In results'), 'Space');

    await press(page, page.getByRole('button', { name: 'Save' }));
    await page.getByText('Version 1').waitFor();
    const { rules } = await service.pinakes.getRedactionPolicy();
    assert.deepEqual(
      rules.map(({ name, kind, apply_at }) => [name, kind, apply_at]),
      [
        ['rule', 'entity', ['retrieval', 'llm_input', 'output']],
        ['rule-2', 'regex', ['retrieval', 'llm_input', 'output']],
      ],
    );
    const { results } = await service.pinakes.search({ body: { query: 'write about' } });
    assert.match(results[0]?.content ?? '', /\[EMAIL\] about \[RULE-2\]/);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('terms are one a line, a rule before storing asks first, and all rules can be deleted', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'redaction', {
      refusals: REFUSED,
    });
    await press(page, page.getByRole('button', { name: /rule-2/ }));
    const rule = page.getByRole('region', { name: 'rule-2' });
    await pick(page, rule.getByLabel('Finds'), 'dictionary');
    await tabTo(page, rule.getByLabel('Terms, one a line'));
    await page.keyboard.type('call\n\nCARD');
    await page.getByText('3 matches').waitFor();
    await press(page, rule.getByLabel('Before it is stored'), 'Space');
    await press(page, page.getByRole('button', { name: 'Save' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Save and read the sources again?').waitFor();
    await look(page, 'redaction-save');
    await press(page, dialog.getByRole('button', { name: 'Save' }));
    await page.getByText('Version 2').waitFor();
    const stored = (await service.pinakes.getRedactionPolicy()).rules[1];
    assert.deepEqual(stored?.kind === 'dictionary' && stored.terms, ['call', 'CARD']);
    await press(page, page.getByRole('button', { name: 'Delete', exact: true }));
    await press(page, dialog.getByRole('button', { name: 'Delete' }));
    await page.getByText('There are no rules yet').waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the screen in both themes, at two widths and in all languages', async () => {
    const steps = ['retrieval', 'output'] as const;
    await service.pinakes.putRedactionPolicy({
      body: {
        enabled: true,
        rules: [
          { name: 'contact', kind: 'entity', entities: ['email', 'phone'], action: 'mask', apply_at: [...steps] },
          { name: 'employee', kind: 'regex', pattern: 'EMP-\\d{4,8}', action: 'hash', apply_at: [...steps] },
        ],
      },
    });
    await lookEverywhere(browser as Browser, service, 'redaction', async (page) => {
      await page.locator('mark').nth(2).waitFor();
      await press(page, page.getByRole('button', { name: /employee/ }));
    });
  });
});
