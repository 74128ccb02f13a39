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
  // take the focus only to hand it on.
  const { violations } = (await page.evaluate(
    `${source}\n;axe.run({ exclude: ['[data-base-ui-focus-guard]'] }, { resultTypes: ['violations'] })`,
  )) as AxeResult;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`),
  );
}
