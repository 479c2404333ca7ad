// @needs pages
/** Pages at the widths of a desk and of a phone: nothing is cut off. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { capacityPage } from '../../bench/capacity/capacity-page.ts';
import { GUIDES_PATH } from '../../src/service/documents/guides.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { temporaryFolder } from '../support/service-process.ts';
import { SCHEMES, type WindowSize } from './browser-page.ts';
import { ConsoleVisit, DESK, PHONE, test } from './console-visit.ts';

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

  test.each(['/docs', '/docs/operations/submitCircuit', `${GUIDES_PATH}/circuits`])(
    'axe finds nothing at %s, with all of it unfolded',
    async (path) => {
      for (const size of [DESK, PHONE]) {
        for (const scheme of SCHEMES) {
          await page.resize(size, scheme);
          await page.load(`${page.origin}${path}`);
          await page.has('.site .search');
          await page.evaluate(
            `document.querySelectorAll('details').forEach((each) => { each.open = true; })`,
          );
          expect(await page.violations()).toEqual([]);
          await isOurs();
          expect(await page.ringFaults()).toEqual([]);
        }
      }
    },
  );

  test('an operation of the API reference is tried out with the console’s key', async () => {
    await open('/docs/operations/submitCircuit', DESK);
    await page.sees('This needs a key');
    await page.evaluate(`sessionStorage.setItem('qcs-key', '${page.service.key}')`);
    await page.page.reload();
    await page.page.getByLabel('Example').selectOption({ label: '1: circuit' });
    await page.click('Send');
    await page.sees('201 Created');
    await page.sees('"label_format": "binary"');
    await page.page.getByText('This request in curl').click();
    await page.sees('curl http');
    expect(await page.page.locator('.try').textContent()).not.toContain(page.service.key);
  });

  test('the search finds a section of a guide, which is opened with the keyboard', async () => {
    await open(GUIDES_PATH, DESK);
    await page.has('.site .search');
    await page.press('/');
    await page.page.keyboard.type('brotli accept-encoding');
    await page.has(`.search .found a[href="${GUIDES_PATH}/operations#compression"]`);
    expect(await page.violations()).toEqual([]);
    await page.press('Tab', 'Enter');
    await page.page.waitForURL('**/operations#compression');
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
