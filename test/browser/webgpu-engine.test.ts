// @needs facilities
/**
 * The WebGPU engine in headless Chromium: the conformance suite itself, bundled for a page, which
 * runs each claim when its test asks for it.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWith } from '../support/facilities/describe-with.ts';
import { bundlePage } from './bundle.ts';
import { type ClaimPage, openClaimPage } from './page-server.ts';

/** The group of claims that every engine of the page is asked. */
const UNITARIES = 'computes the unitary of';

/**
 * Left out: 1,200 measurements in a row, each of which waits for the browser's GPU process a few times.
 * On a driver itself it runs in test/conformance/webgpu-engine.test.ts.
 */
const TOO_LONG = 'renormalises: ';

/** A claim of the page, by its full name and its place. */
interface Claim {
  readonly name: string;
  readonly index: number;
}

describeWith(['WebGPU in Chromium'], 'the WebGPU engine in a page', async () => {
  const module = await bundlePage();
  // Loading it here, too, names the claims without a browser.
  const { claimNames, ENGINES } = await import(/* @vite-ignore */ moduleUrl(module));
  // By place: two claims may have one name.
  const claims: readonly Claim[] = claimNames().map((name: string, index: number) => ({
    name,
    index,
  }));
  const under = (path: string) => claims.filter(({ name }) => name.startsWith(`engine ${path} > `));
  let page: ClaimPage | undefined;
  beforeAll(async () => {
    page = await openClaimPage(module);
  });
  afterAll(async () => {
    await page?.[Symbol.asyncDispose]();
  });
  /** Why a claim does not hold, or null. */
  const faultOf = async (index: number) => await page?.run(index);

  // Over chunks the unitaries alone, which use every kernel of a sweep: the rest takes too long.
  const asked = [...under(ENGINES.whole), ...under(`${ENGINES.chunked} > ${UNITARIES}`)];
  for (const { name, index } of asked.filter(({ name }) => !name.includes(TOO_LONG))) {
    test(name, async () => {
      expect(await faultOf(index)).toBeNull();
    });
  }

  test('a shader with a fault in it breaks a claim', async () => {
    const random = '20 random operations on 4 qubits';
    const [claim] = under(ENGINES.faulty).filter(({ name }) => name.endsWith(random));
    expect(await faultOf(claim?.index ?? -1)).toContain('to be less than 0.00001');
  });
});

function moduleUrl(text: string): string {
  return `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`;
}
