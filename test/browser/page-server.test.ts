// @needs facilities
/** The page that claims run in, itself: what goes wrong is said, and nothing of it stays behind. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

/** Command lines that name a folder. */
function processesOf(folder: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(commandLine)
    .filter((command) => command.includes(folder));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

describeWith(['Chromium'], 'a page of claims', () => {
  test('that hangs in one fails it in time, and all after it at once', async () => {
    const page = await openClaimPage(pageThat('for (;;);'));
    const { folder } = page;
    try {
      expect(await page.run(7)).toBe('claim 7');
      expect(processesOf(folder)).not.toEqual([]);
      expect(existsSync(folder)).toBe(true);
      await expect(page.run(8, 300)).rejects.toThrow('did not answer within 0.3 s');
      // This one has no limit of its own: it would hang if it were asked.
      await expect(page.run(9)).rejects.toThrow('did not answer within 0.3 s');
    } finally {
      await page[Symbol.asyncDispose]();
    }
    expect(processesOf(folder)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  test('says so when its browser ends', async () => {
    await using page = await openClaimPage(pageThat(''));
    expect(await page.run(1)).toBe('claim 1');
    const run = page.run(2);
    const pids = readdirSync('/proc').filter((name) => commandLine(name).includes(page.folder));
    for (const pid of pids) process.kill(Number(pid), 'SIGKILL');
    await expect(run).rejects.toThrow('Chromium has ended');
  });
});
