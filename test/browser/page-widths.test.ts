/** Pages at the widths of a desk and of a phone: nothing is cut off. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { capacityPage } from '../../src/cli/capacity/capacity-page.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { temporaryFolder } from '../support/service-process.ts';
import { BrowserPage } from './demo-page-browser.ts';
import { DESK, PHONE } from './demo-page-visit.ts';

/** By how much the page is wider than the window. */
const SIDEWAYS = `document.documentElement.scrollWidth - innerWidth`;
/** Texts of the parts that scroll sideways by themselves, a few words each. */
const SCROLLING = `[...document.querySelectorAll('.scroll')]
  .filter((each) => each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.textContent.slice(0, 40))`;

describeWith(['Chromium'], 'pages at their widths', () => {
  let page: BrowserPage;
  beforeAll(async () => {
    page = await BrowserPage.open();
  });
  afterAll(() => page?.[Symbol.asyncDispose]());

  test('the capacity page shows all of itself on a desk, and does not scroll sideways on a phone', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'capacity.html');
    const report = JSON.parse(readFileSync('bench/results/capacity.json', 'utf8'));
    writeFileSync(file, capacityPage(report));
    await page.resize(DESK);
    await page.load(pathToFileURL(file).href);
    expect(await page.evaluate(SCROLLING)).toEqual([]);
    expect(await page.evaluate(SIDEWAYS)).toBeLessThanOrEqual(0);
    await page.resize(PHONE);
    expect(await page.evaluate(SIDEWAYS)).toBeLessThanOrEqual(0);
  });
});
