/**
 * Tests of SP 800-22: whether ones and zeros balance over the whole and in blocks, whether they change as
 * often as chance does, and whether periods stand out.
 *
 * Each function gives the P-value of bits of any number; the suite says how many are enough, and reports each test.
 * Symbols are those of the publication. Left out are the tests of patterns, ranks, sums, longest runs, complexity and
 * excursions: the four here are those that are looked at first, and the estimates of min-entropy stand beside them.
 *
 * @see NIST SP 800-22 revision 1a, sections 2.1, 2.2, 2.3 and 2.6, and "Input size recommendation" of each test.
 */

import { halfSpectrum } from './fourier.ts';
import { countOnes } from './min-entropy.ts';
import { erfc, upperGamma } from './special-functions.ts';

/** Section 2.1, the monobit test. */
export function frequency(bits: Uint8Array): number {
  const sum = 2 * countOnes(bits) - bits.length;
  return erfc(Math.abs(sum) / Math.sqrt(2 * bits.length));
}

/** Section 2.2, in blocks of `blockLength` bits. */
export function blockFrequency(bits: Uint8Array, blockLength: number): number {
  const numBlocks = Math.floor(bits.length / blockLength);
  let chiSquared = 0;
  for (let block = 0; block < numBlocks; block++) {
    const of = bits.subarray(block * blockLength, (block + 1) * blockLength);
    chiSquared += 4 * blockLength * (countOnes(of) / blockLength - 0.5) ** 2;
  }
  return upperGamma(numBlocks / 2, chiSquared / 2);
}

/** Section 2.3; 0 where ones and zeros are too far out of balance for it. */
export function runs(bits: Uint8Array): number {
  const n = bits.length;
  const share = countOnes(bits) / n;
  if (Math.abs(share - 0.5) >= 2 / Math.sqrt(n)) return 0;
  let numRuns = 1;
  for (let i = 1; i < n; i++) if (bits[i] !== bits[i - 1]) numRuns++;
  const expected = 2 * n * share * (1 - share);
  return erfc(Math.abs(numRuns - expected) / (2 * Math.sqrt(2 * n) * share * (1 - share)));
}

/** Expected share of the peaks of random bits below the threshold. */
const SHARE_BELOW = 0.95;

/**
 * Section 2.6: whether periods stand out in the discrete Fourier transform. Threshold and variance differ
 * from those of the first edition.
 */
export function spectral(bits: Uint8Array): number {
  const n = bits.length;
  const threshold = Math.sqrt(Math.log(1 / (1 - SHARE_BELOW)) * n);
  const peaks = halfSpectrum(Float64Array.from(bits, (bit) => 2 * bit - 1));
  let below = 0;
  for (const peak of peaks) if (peak < threshold) below++;
  const expected = (SHARE_BELOW * n) / 2;
  const deviation = (below - expected) / Math.sqrt((n * SHARE_BELOW * (1 - SHARE_BELOW)) / 4);
  return erfc(Math.abs(deviation) / Math.SQRT2);
}

/** Options of the suite. */
export interface SuiteOptions {
  /** Significance level: a test with a smaller P-value fails. */
  readonly alpha: number;
  /** Chosen for the number of bits unless given. */
  readonly blockLength?: number | undefined;
  /** Whether tests run on fewer bits than recommended, too. */
  readonly includeShort: boolean;
}

/** A test that ran. */
export interface TestOutcome {
  readonly test: string;
  /** In [0, 1]. */
  readonly pValue: number;
  /** The P-value is alpha or more. */
  readonly passed: boolean;
  readonly parameters: Readonly<Record<string, number>>;
  readonly meetsRecommendation: boolean;
}

/** A test that did not run. */
export interface TestLeftOut {
  readonly test: string;
  readonly reason: string;
}

/** The outcome of every test. */
export interface SuiteOutcome {
  readonly ran: readonly TestOutcome[];
  readonly leftOut: readonly TestLeftOut[];
}

interface SuiteTest {
  readonly name: string;
  readonly parameters: Readonly<Record<string, number>>;
  /** Reason why the sequence is too short for the test; undefined if it is long enough. */
  readonly tooShort: string | undefined;
  /** Whether the test can be computed at all. */
  readonly isDefined: boolean;
  readonly run: (bits: Uint8Array) => number;
}

const LEAST_BLOCK = 20;
const MOST_BLOCKS = 100;

/**
 * Runs every test that the bits suffice for.
 *
 * @param bits - 0 or 1 each, at least one.
 * @param beforeEach - Called before each test that runs, with its name and the share done.
 */
export async function runSuite(
  bits: Uint8Array,
  options: SuiteOptions,
  beforeEach: (test: string, fraction: number) => void | Promise<void>,
): Promise<SuiteOutcome> {
  const ran: TestOutcome[] = [];
  const leftOut: TestLeftOut[] = [];
  const tests = testsFor(bits.length, options);
  for (const [i, { name, parameters, tooShort, isDefined, run }] of tests.entries()) {
    if (tooShort !== undefined && !(options.includeShort && isDefined)) {
      leftOut.push({ test: name, reason: tooShort });
      continue;
    }
    await beforeEach(name, i / tests.length);
    const pValue = run(bits);
    const passed = pValue >= options.alpha;
    const meetsRecommendation = tooShort === undefined;
    ran.push({ test: name, pValue, passed, parameters, meetsRecommendation });
  }
  return { ran, leftOut };
}

function testsFor(n: number, options: SuiteOptions): readonly SuiteTest[] {
  const block = options.blockLength ?? Math.max(LEAST_BLOCK, Math.floor(n / MOST_BLOCKS) + 1);
  const atLeast = (least: number) =>
    n >= least ? undefined : `It takes ${least} bits; there are ${n}.`;
  return [
    test('frequency', atLeast(100), frequency),
    {
      ...test('block_frequency', atLeast(100) ?? blockFault(n, block), (bits) =>
        blockFrequency(bits, block),
      ),
      parameters: { block_length: block },
      isDefined: n >= block,
    },
    test('runs', atLeast(100), runs),
    { ...test('spectral', atLeast(1_000), spectral), isDefined: n >= 2 },
  ];
}

function test(name: string, tooShort: string | undefined, run: SuiteTest['run']): SuiteTest {
  return { name, parameters: {}, tooShort, isDefined: true, run };
}

function blockFault(n: number, block: number): string | undefined {
  const numBlocks = Math.floor(n / block);
  if (
    block >= LEAST_BLOCK &&
    block > n / MOST_BLOCKS &&
    numBlocks >= 1 &&
    numBlocks < MOST_BLOCKS
  ) {
    return undefined;
  }
  return `Blocks are to have ${LEAST_BLOCK} bits or more and a hundredth of all, at most all; ${block} of ${n} do not.`;
}
