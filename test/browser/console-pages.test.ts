// @needs facilities
/** Every page of the console, by its table of pages: in both schemes, at three sizes, without a key and with one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '../../src/service/keys/api-key.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { SCHEMES } from './browser-page.ts';
import { ConsoleVisit, DESK, PHONE, WALL } from './console-visit.ts';

// The table's types are those of the console, which has the types of browsers.
const TABLE = new URL('../../src/console/shell/pages.ts', import.meta.url).href;
const { PAGES }: { readonly PAGES: readonly { readonly name: string; readonly title: string }[] } =
  await import(/* @vite-ignore */ TABLE);

const SIZES = Object.entries({ phone: PHONE, desk: DESK, wall: WALL });
/** Holds in a page that has loaded. */
const IS_LOADED = `document.querySelector('#main h1') !== null && !/Loading …/.test(document.body.innerText)`;

describeWith(['Chromium'], 'the pages of the console', () => {
  let visit: ConsoleVisit;
  let admin: string;
  beforeAll(async () => {
    visit = await ConsoleVisit.start();
    admin = await visit.service.createKey('enterprise', SCOPES);
  });
  afterAll(() => visit?.[Symbol.asyncDispose]());

  test('are those that the frame links', async () => {
    await visit.open('#/');
    await visit.until(IS_LOADED);
    const links = await visit.page.$$eval('header nav a', (all) =>
      all.map((link) => [link.getAttribute('href'), link.textContent]),
    );
    expect(PAGES.length).toBeGreaterThan(1);
    for (const { name, title } of PAGES.filter((page) => page.name !== '')) {
      expect(links).toContainEqual([`#/${name}`, title]);
    }
  });

  describe.each(PAGES)('#/$name', ({ name, title }) => {
    test.each(
      SIZES.flatMap(([size, window]) => SCHEMES.map((scheme) => ({ size, window, scheme }))),
    )(
      'at the size of a $size, $scheme: axe finds nothing, nothing is cut off, the browser complains of nothing',
      async ({ window, scheme }) => {
        for (const key of [undefined, visit.service.key, admin]) {
          await visit.open(`#/${name}`, key, window, scheme);
          await visit.until(IS_LOADED);
          expect(await visit.evaluate('document.title')).toBe(`${title} · Quantum Compute Service`);
          expect(await visit.violations()).toEqual([]);
          expect(await visit.overflow()).toBe(0);
          expect(visit.complaints).toEqual([]);
        }
      },
    );
  });
});
