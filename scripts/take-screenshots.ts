/**
 * `node scripts/take-screenshots.ts`: takes the pictures of docs/console.md, in which a visitor makes a Bell state and
 * runs it, with the Chromium of the tests. The service is this checkout's, with its data in a folder that is removed.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { openChromium } from '../test/browser/chromium.ts';
import { BROWSERS } from '../test/support/facilities/facilities.ts';
import { startServiceProcess, temporaryFolder } from '../test/support/service-process.ts';

const FOLDER = join(import.meta.dirname, '../docs/console');
/** The choice of a noise model. */
const NOISE = '.run-form select:not(:has(optgroup))';
const SIZE = { width: 1280, height: 800 };

const executable = BROWSERS.find((path) => existsSync(path));
if (executable === undefined) throw new Error(`Chromium is none of ${BROWSERS.join(', ')}.`);
execFileSync(process.execPath, [join(import.meta.dirname, 'build-page.ts'), '--if-stale']);
mkdirSync(FOLDER, { recursive: true });
using folder = temporaryFolder();
const service = await startServiceProcess(folder.path, { QCS_ENGINE: 'cpu' });
try {
  await using chromium = await openChromium('about:blank', executable);
  const [page] = await chromium.browser.pages();
  if (page === undefined) throw new Error('unreachable: Chromium has no page');
  page.setDefaultTimeout(0);
  await page.setViewport(SIZE);
  await makeBellState(page);
} finally {
  await service.stop('SIGTERM');
}

async function makeBellState(page: Page): Promise<void> {
  await page.goto(`${service.origin}/healthz`);
  await page.evaluate(`sessionStorage.setItem('qcs-key', '${service.key}')`);
  await page.goto(`${service.origin}/#/`);
  await page.waitForSelector('.bell');
  await take(page, '1-start');
  await page.goto(`${service.origin}/#/composer`);
  await page.waitForSelector('#composer-grid');
  await page.evaluate(`document.getElementById('composer-grid').focus()`);
  await page.keyboard.press('h');
  await page.keyboard.press('c');
  await page.waitForSelector('.bars[aria-label="Probabilities: 00 50%, 11 50%"]');
  await take(page, '2-composer');
  await page.waitForSelector(NOISE);
  const model = await page.$eval(`${NOISE} option:last-of-type`, (option) => option.value);
  await page.select(NOISE, model);
  await show(page, '.run-panel');
  await take(page, '3-run');
  await page.click('.run-form .primary');
  await page.waitForSelector('.run-result .histogram svg');
  await show(page, '.run-result');
  await take(page, '4-histogram');
}

/** Scrolls an element to the top of the window. */
async function show(page: Page, selector: string): Promise<void> {
  await page.$eval(selector, (element) => element.scrollIntoView({ behavior: 'instant' }));
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}
