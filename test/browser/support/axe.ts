import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** Returns the violations of accessibility rules on a page, one line each. */
export async function violationsOf(page: Page): Promise<string[]> {
  // The page refuses scripts of others: axe runs as the debugger of the browser, which no policy stops.
  const { violations } = (await page.evaluate(
    `${source}\n;axe.run(document, { resultTypes: ['violations'] })`,
  )) as AxeResult;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`),
  );
}
