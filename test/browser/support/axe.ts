import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** Returns the violations of accessibility rules on a page, one line each. */
export async function violationsOf(page: Page): Promise<string[]> {
  // Colours are judged when nothing fades any more; an animation that never ends is not waited for.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((animation) => animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
        .map((animation) => animation.finished.catch(() => undefined)),
    ),
  );
  // The page refuses scripts of others: axe runs as the debugger of the browser, which no policy stops. The guards of an open popover
  // take the focus only to hand it on; the hint of a button that has the focus is no part of the screen.
  const { violations } = (await page.evaluate(
    `${source}\n;axe.run({ exclude: ['[data-base-ui-focus-guard]', '[data-base-ui-portal]:has([data-hint])'] }, { resultTypes: ['violations'] })`,
  )) as AxeResult;
  const unreachable = await page.evaluate(outsideTabOrder);
  return [
    ...unreachable.map((html) => `not reached by the keyboard: ${html}`),
    ...violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`),
    ),
  ];
}

/** Returns visible controls that Tab does not reach. Arrow keys move within groups, of which one member is in the order. Runs in the page. */
function outsideTabOrder(): string[] {
  const controls =
    'a[href], button, input, select, textarea, summary, [role=button], [role=link], [role=checkbox], [role=switch]';
  const groups = '[role=radiogroup], [role=tablist], [role=menu], [role=listbox], [role=toolbar], [role=tree]';
  return [...document.querySelectorAll<HTMLElement>(controls)]
    .filter((one) => one.tabIndex < 0 && !one.matches(':disabled, [aria-disabled=true], [type=hidden]'))
    .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((one) => !one.closest(`[aria-hidden=true], [inert], [data-base-ui-focus-guard], ${groups}`))
    .map((one) => one.outerHTML.slice(0, 200));
}
