/**
 * `npm run bench:console-rows`: a list of 10,000 sources in a browser, from a real service. Prints medians: first rows, a filter to its rows,
 * and frames with blank rows while the list is scrolled. `--data folder` keeps the sources for the next run; `--fill` only makes them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { startLocalService } from '../../src/cli/operate/local-service.ts';
import { openPinakes } from '../../src/client/client.ts';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, type TestService, until } from './support/console.ts';

const SOURCES = 10_000;
const FILES_PER_GROUP = 2_000;
const ROUNDS = 7;
const LIMIT_MS = 300;
/** Pixels of a turn of the wheel, turns of one scroll, and the time between them. */
const [WHEEL_PX, WHEEL_TURNS, WHEEL_MS] = [120, 150, 16];

const { values } = parseArgs({ options: { data: { type: 'string' }, fill: { type: 'boolean', default: false } } });
const folder = values.data ?? mkdtempSync(join(tmpdir(), 'pinakes-rows-'));
const local = await startLocalService(folder);
const pinakes = openPinakes({ url: local.url, apiKey: local.apiKey });

try {
  await fill();
  if (!values.fill) await measure();
} finally {
  await local.stop();
  if (values.data === undefined) rmSync(folder, { recursive: true, force: true });
}

/** Uploads what is missing of the sources. */
async function fill(): Promise<void> {
  const count = async (): Promise<number> => (await pinakes.listAllSources({ query: { limit: 1 } })).counts.total;
  for (let from = await count(); from < SOURCES; from += FILES_PER_GROUP) {
    const body = new FormData();
    body.append('name', `Reports from ${from}`);
    for (let at = from; at < from + FILES_PER_GROUP; at += 1)
      body.append('files', new Blob([`# Report ${at}\n\nThe lamp of tower ${at} was lit.`]), `report-${at}.md`);
    const { source_group_id: id } = await pinakes.createLocalFileGroup({ body: body as never });
    await until(async () => {
      const { status } = await pinakes.getSourceGroup({ params: { id } });
      return status === 'success' || status === 'failure';
    }, 600_000);
  }
}

async function measure(): Promise<void> {
  const browser = await openBrowser();
  if (!browser) throw new Error('There is no Chromium: set PINAKES_TEST_CHROMIUM.');
  const service = { url: local.url, key: local.apiKey } as TestService;
  const { page } = await openSignedIn(browser, service, 'ask', { pointer: true });
  const times: Record<string, number[]> = { opened: [], reloaded: [], sorted: [], filtered: [] };
  const blank: number[] = [];
  const waits: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.goto(`${service.url}/console/ask`);
    await page.locator('main#main h1').first().waitFor();
    const link = page.getByRole('navigation').getByRole('link', { name: 'Sources' });
    times['opened']!.push(await timed(page, () => link.click(), 'report-'));
    times['sorted']!.push(
      await timed(page, () => page.getByRole('button', { name: 'Name', exact: true }).click(), 'report-0.md'),
    );
    const wanted = `report-${7000 + round}`;
    await page.getByLabel('Filter by name').fill(wanted.slice(0, -1));
    await page.waitForTimeout(1_000);
    await page.getByLabel('Filter by name').press('End');
    times['filtered']!.push(await timed(page, () => page.keyboard.press(wanted.at(-1)!), `${wanted}.md`, 1));
    await page.getByLabel('Filter by name').fill('');
    await page.waitForTimeout(1_000);
    await page.goto(`${service.url}/console/sources`);
    times['reloaded']!.push(await sinceLoad(page));
    const { frames, blanks, stops } = await scroll(page);
    blank.push(blanks / frames);
    waits.push(stops);
  }
  for (const [name, found] of Object.entries(times)) console.log(`${name.padEnd(9)} ${inMs(found)}`);
  console.log(
    `scrolled ${ROUNDS} x ${WHEEL_PX * WHEEL_TURNS} px: frames with a blank row ${blank.map(percent).join(' ')}`,
  );
  console.log(`frames that waited at the end of the loaded rows: ${waits.join(' ')}`);
  await browser.close();
  const missed = Object.entries(times).filter(([, found]) => median(found) > LIMIT_MS);
  if (missed.length > 0 || blank.some((share) => share > 0)) process.exitCode = 1;
}

/** Returns the milliseconds from the next key or click to a frame in which the first row, or the only one, has this text. */
async function timed(page: Page, act: () => Promise<void>, text: string, only = 0): Promise<number> {
  const found = page.evaluate(
    ([wanted, count]) =>
      new Promise<number>((done) => {
        let start = Number.NaN;
        const begin = (event: Event): void => {
          start = event.timeStamp;
        };
        for (const kind of ['click', 'keydown']) addEventListener(kind, begin, { capture: true, once: true });
        const look = (): void => {
          const rows = document.querySelectorAll('[role=grid] .scroll [role=row]');
          const isThere = rows[0]?.textContent?.includes(wanted) && (count === 0 || rows.length === count);
          if (isThere && start >= 0) done(performance.now() - start);
          else requestAnimationFrame(look);
        };
        look();
      }),
    [text, only] as const,
  );
  await page.evaluate(() => undefined);
  await act();
  return found;
}

/** Returns the milliseconds from the beginning of the load to a frame with rows. */
function sinceLoad(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((done) => {
        const look = (): void => {
          if (document.querySelector('[role=grid] .scroll [role=row]')) done(performance.now());
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
}

/** Scrolls with the wheel, and looks at each frame. Returns the frames, those with a blank row, and those at the end of the loaded rows. */
async function scroll(page: Page): Promise<{ frames: number; blanks: number; stops: number }> {
  const box = await page.locator('[role=grid] .scroll').boundingBox();
  await page.mouse.move(box!.x + box!.width / 2, box!.y + box!.height / 2);
  await page.evaluate(() => {
    const list = document.querySelector('[role=grid] .scroll') as HTMLElement;
    const seen = { frames: 0, blanks: 0, stops: 0, isOver: false };
    Object.assign(globalThis, { seen });
    const look = (): void => {
      const { top, left, width, height } = list.getBoundingClientRect();
      seen.frames += 1;
      const places = Array.from({ length: Math.floor(height / 38) }, (_, at) => top + 19 + at * 38);
      if (places.some((y) => !document.elementFromPoint(left + width / 2, y)?.closest('[role=row]'))) seen.blanks += 1;
      if (list.scrollTop > 0 && list.scrollTop + list.clientHeight >= list.scrollHeight - 1) seen.stops += 1;
      if (!seen.isOver) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  for (let turn = 0; turn < WHEEL_TURNS; turn += 1) {
    await page.mouse.wheel(0, WHEEL_PX);
    await page.waitForTimeout(WHEEL_MS);
  }
  return page.evaluate(() => {
    const { seen } = globalThis as unknown as {
      seen: { frames: number; blanks: number; stops: number; isOver: boolean };
    };
    seen.isOver = true;
    return seen;
  });
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
}

function inMs(numbers: readonly number[]): string {
  const all = numbers.map((one) => Math.round(one)).join(' ');
  return `median ${Math.round(median(numbers))} ms (limit ${LIMIT_MS}): ${all}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
