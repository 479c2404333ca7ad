/**
 * The WebGPU engine in headless Chromium: the conformance suite itself, bundled for a page, which
 * runs each claim when its test asks for it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundlePage } from './bundle.ts';
import { CHROMIUM, HAS_CHROMIUM } from './chromium.ts';
import { type ClaimPage, openClaimPage } from './page-server.ts';

/** For one claim; the slowest has 1,200 turns between page and device, each of some milliseconds. */
const ANSWER_MS = 75_000;

if (!HAS_CHROMIUM) {
  process.stderr.write(`SKIPPED: the WebGPU engine in a browser; no Chromium at ${CHROMIUM}\n`);
}

test('Chromium is there where it is required', () => {
  if (process.env['QCS_TEST_REQUIRE_VULKAN'] === '1') expect(HAS_CHROMIUM).toBe(true);
});

describe.runIf(HAS_CHROMIUM)('in a page', { timeout: ANSWER_MS + 5000 }, async () => {
  const module = await bundlePage();
  // Loading it here, too, names the claims without a browser.
  const { claimNames, FAULTY } = await import(/* @vite-ignore */ moduleUrl(module));
  // By place: two claims may have one name.
  const claims: readonly { readonly name: string; readonly index: number }[] = claimNames().map(
    (name: string, index: number) => ({ name, index }),
  );
  const isFaulty = ({ name }: { readonly name: string }) => name.startsWith(FAULTY);
  let page: ClaimPage | undefined;
  beforeAll(async () => {
    page = await openClaimPage(module, ANSWER_MS);
  });
  afterAll(async () => {
    await page?.[Symbol.asyncDispose]();
  });
  /** Why a claim does not hold, or null. */
  const faultOf = async (index: number) => await page?.run(index);

  for (const { name, index } of claims.filter((claim) => !isFaulty(claim))) {
    test(name, async () => {
      expect(await faultOf(index)).toBeNull();
    });
  }

  test('does not pass with a fault in its shader', async () => {
    const name = '20 random operations on 4 qubits';
    const claim = claims.find((each) => isFaulty(each) && each.name.endsWith(name));
    expect(await faultOf(claim?.index ?? -1)).toContain('to be less than 0.00001');
  });
});

function moduleUrl(text: string): string {
  return `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`;
}
