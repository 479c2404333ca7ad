// @needs facilities
/** The page that claims run in, itself: what goes wrong is said. */
import { expect, test } from 'vitest';
import { describeWith } from '../support/facilities/describe-with.ts';
import { openClaimPage } from './page-server.ts';

/** A page that answers its first claim and what `second` says after it. */
const pageThat = (second: string) => `
  const next = async (answer) =>
    (await fetch('/next', { method: 'POST', body: JSON.stringify(answer) })).text();
  export async function serveClaims() {
    const claim = await next(null);
    await next({ fault: 'claim ' + claim });
    ${second}
  }`;

describeWith(['Chromium'], 'a page of claims', () => {
  test('that hangs in one fails it in time, and all after it at once', async () => {
    await using page = await openClaimPage(pageThat('for (;;);'));
    expect(await page.run(7)).toBe('claim 7');
    await expect(page.run(8, 300)).rejects.toThrow('did not answer within 0.3 s');
    // This one has no limit of its own: it would hang if it were asked.
    await expect(page.run(9)).rejects.toThrow('did not answer within 0.3 s');
  });

  test('says so when its browser ends', async () => {
    await using page = await openClaimPage(pageThat(''));
    expect(await page.run(1)).toBe('claim 1');
    const run = page.run(2);
    const ended = expect(run).rejects.toThrow('Chromium has ended');
    await page.chromium.close();
    await ended;
  });
});
