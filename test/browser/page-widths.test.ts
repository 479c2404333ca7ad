// @needs facilities
/** Pages at the widths of a desk and of a phone: nothing is cut off. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { capacityPage } from '../../src/cli/capacity/capacity-page.ts';
import { GUIDES_PATH } from '../../src/service/documents/guides.ts';
import { openTestService, type TestService } from '../service/support/test-service.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { temporaryFolder } from '../support/service-process.ts';
import { BrowserPage, DESK, PHONE } from './browser-page.ts';

/** By how much the page is wider than the window. */
const SIDEWAYS = `document.documentElement.scrollWidth - innerWidth`;
/** Texts of the parts that scroll sideways by themselves, a few words each. */
const SCROLLING = `[...document.querySelectorAll('.scroll')]
  .filter((each) => each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.textContent.slice(0, 40))`;

describeWith(['Chromium'], 'pages at their widths', () => {
  let page: BrowserPage;
  let service: TestService;
  let origin: string;
  beforeAll(async () => {
    service = await openTestService();
    origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
    page = await BrowserPage.open();
  });
  afterAll(async () => {
    await page?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
  });

  test.each(['/docs', GUIDES_PATH, `${GUIDES_PATH}/overview`, `${GUIDES_PATH}/agents`])(
    '%s never scrolls sideways, asks no other host and complains of nothing',
    async (path) => {
      for (const size of [DESK, PHONE]) {
        await page.resize(size);
        await page.load(`${origin}${path}`);
        if (path === '/docs') await page.until(`document.querySelector('.opblock') !== null`);
        expect(await page.evaluate(SIDEWAYS)).toBeLessThanOrEqual(0);
        expect(await page.evaluate(`document.querySelector('.brand').textContent`)).toBe(
          'Quantum Compute Service',
        );
        for (const url of page.requests) expect(url).toMatch(new RegExp(`^(${origin}/|data:)`));
        expect(page.complaints).toEqual([]);
      }
    },
  );

  test('the API reference opens an operation on a phone without scrolling sideways', async () => {
    await page.resize(PHONE);
    await page.load(`${origin}/docs`);
    const operation = `document.getElementById('operations-circuits-submitCircuit')`;
    await page.until(`${operation} !== null`);
    await page.evaluate(`${operation}.querySelector('.opblock-summary-control').click()`);
    await page.until(`${operation}.querySelector('textarea') !== null`);
    expect(await page.evaluate(`${operation}.querySelector('textarea').value`)).toContain(
      'target_processor',
    );
    expect(await page.evaluate(SIDEWAYS)).toBeLessThanOrEqual(0);
    expect(await page.evaluate(`document.querySelectorAll('.topbar').length`)).toBe(0);
  });

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
