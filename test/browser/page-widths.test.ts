// @needs pages
/** Pages at the widths of a desk and of a phone: nothing is cut off. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { capacityPage } from '../../bench/capacity/capacity-page.ts';
import { GUIDES_PATH } from '../../src/service/documents/guides.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { LONG_WAIT_MS } from '../support/facilities/facilities.ts';
import { temporaryFolder } from '../support/service-process.ts';
import type { WindowSize } from './browser-page.ts';
import { ConsoleVisit, DESK, PHONE, test } from './console-visit.ts';

/** The API reference draws all of its operations at once, and answers nobody meanwhile. */
const AT_LEISURE = { timeout: LONG_WAIT_MS };
/** By how much the page is wider than the window. */
const SIDEWAYS = `document.documentElement.scrollWidth - innerWidth`;
/** Texts of the parts that scroll sideways by themselves, a few words each. */
const SCROLLING = `[...document.querySelectorAll('.scroll')]
  .filter((each) => each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.textContent.slice(0, 40))`;

describeWith(['Chromium'], 'pages at their widths', () => {
  let page: ConsoleVisit;
  test.beforeAll(async ({ opened }) => {
    page = await ConsoleVisit.start(opened);
  });

  /** Opens a path of the service in a window of that size. */
  const open = async (path: string, size: WindowSize) => {
    await page.resize(size);
    await page.load(`${page.origin}${path}`);
  };
  const isOurs = async () => {
    expect(await page.page.locator('.brand').textContent()).toBe('Quantum Compute Service');
    expect(await page.evaluate(SIDEWAYS)).toBeLessThanOrEqual(0);
  };

  test('the request of a page to another host is noticed', async () => {
    await open(GUIDES_PATH, DESK);
    await page.evaluate(`fetch('http://elsewhere.invalid/').catch(() => {})`);
    await expect.poll(() => page.complaints.join('\n')).toContain('elsewhere.invalid');
    await page.load('about:blank');
    page.complaints.length = 0;
  });

  test.each([GUIDES_PATH, `${GUIDES_PATH}/overview`, `${GUIDES_PATH}/agents`])(
    '%s never scrolls sideways, asks no other host and complains of nothing',
    async (path) => {
      for (const size of [DESK, PHONE]) {
        await open(path, size);
        await isOurs();
      }
    },
  );

  test('nor does the API reference, on a phone with an operation open', async () => {
    for (const size of [DESK, PHONE]) {
      await open('/docs', size);
      const operation = page.page.locator('#operations-circuits-submitCircuit');
      await operation.waitFor(AT_LEISURE);
      await isOurs();
      expect(await page.page.locator('.topbar').count()).toBe(0);
      if (size === DESK) continue;
      await operation.locator('.opblock-summary-control').click(AT_LEISURE);
      const body = operation.locator('textarea').first();
      await body.waitFor(AT_LEISURE);
      expect(await body.inputValue()).toContain('target_processor');
      await isOurs();
    }
  });

  test('the capacity page shows all of itself on a desk, and does not scroll sideways on a phone', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'capacity.html');
    const report = JSON.parse(readFileSync('bench/results/capacity.json', 'utf8'));
    writeFileSync(file, capacityPage(report));
    for (const size of [DESK, PHONE]) {
      await page.resize(size);
      await page.load(pathToFileURL(file).href);
      expect(await page.page.locator('.chart canvas').count()).toBe(2);
      if (size === DESK) expect(await page.evaluate(SCROLLING)).toEqual([]);
      expect(await page.evaluate(SIDEWAYS)).toBeLessThanOrEqual(0);
    }
  });
});
