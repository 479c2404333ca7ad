// @needs pages
/** Every page of the console, by its table of pages: in both schemes, at three sizes, without a key and with one. */
import type { Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { SCOPES } from '../../src/service/http/api-key.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { SCHEMES } from './browser-page.ts';
import { ConsoleVisit, DESK, PHONE, test, WALL } from './console-visit.ts';
import { LOW_TEXT_CONTRASTS } from './contrast.ts';

// The table's types are those of the console, which has the types of browsers.
const TABLE = new URL('../../src/console/shell/pages.ts', import.meta.url).href;
const { PAGES }: { readonly PAGES: readonly { readonly name: string; readonly title: string }[] } =
  await import(/* @vite-ignore */ TABLE);

const WINDOWS = [
  ['on a phone', [PHONE]],
  ['on a desk and on a wall', [DESK, WALL]],
] as const;
/** Most that a page loads at first: all answers, as they are sent, with those to its workers. */
const MAX_FIRST_BYTES = 250_000;
/** Holds in a page that has loaded. */
const IS_LOADED = `document.querySelector('#main h1') !== null && !/Loading …/.test(document.body.innerText)`;

describeWith(['Chromium'], 'the pages of the console', () => {
  let visit: ConsoleVisit;
  let admin: string;
  const sockets: Socket[] = [];
  test.beforeAll(async ({ opened }) => {
    visit = await ConsoleVisit.start(opened);
    visit.service.app.server.on('connection', (socket) => sockets.push(socket));
    admin = await visit.service.createKey('enterprise', SCOPES);
  });

  test('are those that the frame links', async () => {
    await visit.open('#/');
    const named = PAGES.filter(({ name }) => name !== '');
    expect(named.length).toBeGreaterThan(1);
    for (const { name, title } of named) {
      await visit.has(`header nav a[href="#/${name}"]:text-is("${title}")`);
    }
  });

  test('one that could not be loaded is loaded as soon as the service answers', async () => {
    await visit.open('#/', visit.service.key);
    const lost = /\/healthz|fleet-page/;
    await visit.page.route(lost, (route) => route.abort());
    await visit.page.getByRole('link', { name: 'Fleet', exact: true }).click();
    await visit.sees('This page could not be loaded');
    await visit.page.unroute(lost);
    await visit.has('#main h1:text-is("The fleet")');
    visit.complaints.length = 0;
  });

  test('a link leads to the beginning of a page, and Back to the place of before', async () => {
    await visit.open('#/', undefined, { width: 1280, height: 600 });
    await visit.sees('Teleportation');
    await visit.evaluate('scrollTo(0, 9999)');
    const left = Number(await visit.evaluate('scrollY'));
    expect(left).toBeGreaterThan(100);
    await visit.page.getByRole('link', { name: 'Teleportation' }).click();
    await visit.has('#composer-grid');
    await expect.poll(() => visit.evaluate('scrollY')).toBe(0);
    await visit.page.goBack();
    await visit.has('.start');
    // What the page says of the service may have another length.
    await expect.poll(() => visit.evaluate('scrollY')).toBeGreaterThan(left / 2);
  });

  const sentBytes = () => sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);

  test.for([
    ...PAGES.map(({ name }) => `/#/${name}`),
    '/docs',
    '/docs/operations/submitCircuit',
    '/docs/guides',
    '/docs/guides/circuits',
  ])('%s loads at most 250 KB at first', async (path, { annotate }) => {
    await visit.open('#/', visit.service.key);
    await visit.until(IS_LOADED);
    await visit.page.goto('about:blank');
    const browser = await visit.page.context().newCDPSession(visit.page);
    await browser.send('Network.clearBrowserCache');
    const before = sentBytes();
    await visit.page.goto(`${visit.origin}${path}`);
    if (path === '/#/composer') {
      await visit.has('.bars');
      await visit.textHas('qubit[2] q;');
    }
    await visit.page.waitForLoadState('networkidle');
    const sent = sentBytes() - before;
    await annotate(`${sent} bytes`);
    expect(sent).toBeGreaterThan(10_000);
    expect(sent).toBeLessThan(MAX_FIRST_BYTES);
  });

  describe.each(PAGES)('#/$name', ({ name, title }) => {
    test.each(WINDOWS)(
      '%s: axe finds nothing, nothing is cut off, and the focus is seen',
      async (_, sizes) => {
        for (const key of [undefined, visit.service.key, admin]) {
          await visit.open(`#/${name}`, key, sizes[0]);
          await visit.until(IS_LOADED);
          expect(await visit.page.title()).toBe(`${title} · Quantum Compute Service`);
          for (const size of sizes) {
            for (const scheme of SCHEMES) {
              await visit.resize(size, scheme);
              expect(await visit.violations()).toEqual([]);
              expect(await visit.evaluate(LOW_TEXT_CONTRASTS)).toEqual([]);
            }
            await expect.poll(() => visit.overflow()).toBe(0);
            expect(await visit.ringFaults()).toEqual([]);
          }
        }
      },
    );
  });
});
