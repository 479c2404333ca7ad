/**
 * `node scripts/take-screenshots.ts`: takes the pictures of docs/console.md, in which a visitor makes a Bell state,
 * enters a key and runs it, with the Chromium of the tests. The service is this checkout's, with its data in a folder
 * that is removed.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright';
import { openChromium } from '../test/browser/chromium.ts';
import { BROWSERS } from '../test/support/facilities/facilities.ts';
import { startServiceProcess, temporaryFolder } from '../test/support/service-process.ts';

const FOLDER = join(import.meta.dirname, '../docs/console');
const BELL_PAIR = '.bars[aria-label="Probabilities: 00 50%, 11 50%"]';
const SIZE = { width: 1280, height: 900 };
/** Minutes for which circuits are run, so that the load has a history. */
const LOADED_MINUTES = 3;
const LOW = { width: 1280, height: 620 };

const executable = BROWSERS.find((path) => existsSync(path));
if (executable === undefined) throw new Error(`Chromium is none of ${BROWSERS.join(', ')}.`);
execFileSync(process.execPath, [join(import.meta.dirname, 'build-page.ts'), '--if-stale']);
mkdirSync(FOLDER, { recursive: true });
using folder = temporaryFolder();
const service = await startServiceProcess(folder.path, {
  QCS_ENGINE: 'cpu',
  QCS_RATE_LIMIT_STANDARD: '10000',
});
try {
  await using chromium = await openChromium(executable);
  const page = await chromium.newPage({ viewport: SIZE });
  await makeBellState(page);
  await showDisplays(page);
  await showJobsAndLoad(page);
  await showSweep(page);
} finally {
  await service.stop('SIGTERM');
}

async function makeBellState(page: Page): Promise<void> {
  await page.goto(`${service.origin}/#/`);
  await page.waitForSelector('.bell');
  await take(page, '1-start');
  await page.goto(`${service.origin}/#/composer`);
  await page.waitForSelector('#composer-grid');
  await page.focus('#composer-grid');
  await page.keyboard.press('h');
  await page.keyboard.press('c');
  await page.waitForSelector(BELL_PAIR);
  await take(page, '2-composer');
  // The visitor has no key yet.
  await page.locator('.run-panel .notice a').click();
  await page.locator('input[type="password"]').fill(service.key ?? '');
  await show(page, '.hero');
  await take(page, '3-key');
  await page.getByRole('button', { name: 'Use this key' }).click();
  await page.getByRole('button', { name: 'Forget the key' }).waitFor();
  await page.getByRole('link', { name: 'Composer', exact: true }).click();
  await page.waitForSelector(BELL_PAIR);
  const models = page.getByLabel('Noise', { exact: true });
  await models.locator('option').nth(1).waitFor({ state: 'attached' });
  await models.selectOption({ index: (await models.locator('option').count()) - 1 });
  // A person takes longer, and the exact probabilities are known once the state has settled.
  await setTimeout(1000);
  await show(page, '.run-panel');
  await take(page, '4-run');
  await page.click('.run-form .primary');
  await page.waitForSelector('.run-result .histogram .exact');
  await show(page, '.run-result');
  await take(page, '5-histogram');
}

async function showDisplays(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.focus('#composer-grid');
  for (const key of ['h', 'l', 'c', 'e', 'ArrowDown', 'e', 'b', 'l'])
    await page.keyboard.press(key);
  await page.waitForSelector('.of-display .tip');
  await page.locator('.canvas').screenshot({ path: join(FOLDER, '6-displays.png') });
}

async function showSweep(page: Page): Promise<void> {
  await page.goto(`${service.origin}/#/sweeps`);
  await page.getByRole('button', { name: 'Ramsey fringe' }).click();
  await page.getByRole('button', { name: 'Run the sweep' }).click();
  await page.getByText('Completed', { exact: false }).first().waitFor();
  await page.waitForSelector('.curve .plot canvas');
  await page
    .locator('.curve')
    .first()
    .screenshot({ path: join(FOLDER, '9-sweep.png') });
}

async function showJobsAndLoad(page: Page): Promise<void> {
  const until = performance.now() + LOADED_MINUTES * 60_000;
  for (let i = 0; performance.now() < until; i += 1) {
    const name = i % 3 === 0 ? `GHZ ${i}` : `Bell pair ${i}`;
    const pairs = Array.from({ length: i % 3 === 0 ? 9 : 1 }, (_, control) => ({
      gate: 'CX',
      control,
      target: control + 1,
    }));
    const answer = await fetch(`${service.origin}/api/v1/quantum/circuits`, {
      method: 'POST',
      headers: { 'x-api-key': service.key ?? '', 'content-type': 'application/json' },
      body: JSON.stringify({
        circuit: [{ gate: 'H', qubit: 0 }, ...pairs],
        target_processor: i % 2 === 0 ? 'statevector-sim' : 'qvm',
        shots: 1000,
        name,
      }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    await setTimeout(200);
  }
  await page.goto(`${service.origin}/#/jobs?text=bell+qvm&sort=took`);
  await page.waitForSelector('.job-row');
  await page.screenshot({ path: join(FOLDER, '7-jobs.png'), clip: { x: 0, y: 0, ...LOW } });
  await page.goto(`${service.origin}/#/fleet`);
  await page.waitForSelector('.load-curves .plot canvas');
  await setTimeout(1000);
  await take(page, '8-load');
}

/** Scrolls an element to the top of the window. */
async function show(page: Page, selector: string): Promise<void> {
  await page.locator(selector).waitFor();
  const element = `document.querySelector(${JSON.stringify(selector)})`;
  await page.evaluate(`${element}.scrollIntoView({ behavior: 'instant' })`);
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}
