/**
 * The tests of SP 800-22 on one sequence, each with what it needs and what it found.
 *
 * Left out are the template, universal, linear complexity and random excursion tests: the first three
 * need many parameters or a million bits each, the last ones as many as pass through zero.
 *
 * @see NIST SP 800-22 revision 1a, section 2: "Input size recommendation" of each test.
 */
import { blockFrequency, cumulativeSums, frequency, longestRun, runs } from './balance-tests.ts';
import { approximateEntropy, matrixRank, serial, spectral } from './structure-tests.ts';

/** Options of the suite. */
export interface SuiteOptions {
  /** Significance level: a test with a smaller P-value fails. */
  readonly alpha: number;
  /** Chosen for the number of bits unless given; the same of the two below. */
  readonly blockLength?: number | undefined;
  readonly serialLength?: number | undefined;
  readonly entropyLength?: number | undefined;
  /** Whether tests run on fewer bits than recommended, too. */
  readonly includeShort: boolean;
}

/** A test that ran. */
export interface TestOutcome {
  readonly test: string;
  /** By name where there are several; each in [0, 1]. */
  readonly pValues: Readonly<Record<string, number>>;
  /** Every P-value is alpha or more. */
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
  readonly run: (bits: Uint8Array) => Readonly<Record<string, number>>;
}

const MATRIX_SIZE = 32;
/** Enough matrices for each class of ranks to be expected five times. */
const LEAST_MATRICES = 38;
/** Patterns counted at most: 2^16 counters. */
const MAX_PATTERN = 16;
const DEFAULT_ENTROPY_PATTERN = 10;
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
    const pValues = run(bits);
    const passed = Object.values(pValues).every((p) => p >= options.alpha);
    const meetsRecommendation = tooShort === undefined;
    ran.push({ test: name, pValues, passed, parameters, meetsRecommendation });
  }
  return { ran, leftOut };
}

function testsFor(n: number, options: SuiteOptions): readonly SuiteTest[] {
  const log = Math.floor(Math.log2(n));
  const block = options.blockLength ?? Math.max(LEAST_BLOCK, Math.floor(n / MOST_BLOCKS) + 1);
  const serialLength = options.serialLength ?? clamp(log - 3, 2, MAX_PATTERN);
  const entropyLength = options.entropyLength ?? clamp(log - 6, 1, DEFAULT_ENTROPY_PATTERN);
  const atLeast = (least: number) =>
    n >= least ? undefined : `It takes ${least} bits; there are ${n}.`;
  const plain = (name: string, least: number, run: (bits: Uint8Array) => number): SuiteTest => ({
    name,
    parameters: {},
    tooShort: atLeast(least),
    isDefined: true,
    run: (bits) => ({ p_value: run(bits) }),
  });
  return [
    plain('frequency', 100, frequency),
    {
      name: 'block_frequency',
      parameters: { block_length: block },
      tooShort: atLeast(100) ?? blockFault(n, block),
      isDefined: n >= block,
      run: (bits) => ({ p_value: blockFrequency(bits, block) }),
    },
    plain('runs', 100, runs),
    { ...plain('longest_run', 128, longestRun), isDefined: n >= 8 },
    {
      ...plain('cumulative_sums', 100, () => 0),
      run: cumulativeSums,
    },
    {
      name: 'binary_matrix_rank',
      parameters: { rows: MATRIX_SIZE, columns: MATRIX_SIZE },
      tooShort: atLeast(LEAST_MATRICES * MATRIX_SIZE ** 2),
      isDefined: n >= MATRIX_SIZE ** 2,
      run: (bits) => ({ p_value: matrixRank(bits, MATRIX_SIZE) }),
    },
    { ...plain('spectral', 1_000, spectral), isDefined: n >= 2 },
    {
      name: 'serial',
      parameters: { pattern_length: serialLength },
      tooShort: serialLength < log - 2 ? undefined : patternFault(n, serialLength, 2),
      isDefined: n >= serialLength,
      run: (bits) => serial(bits, serialLength),
    },
    {
      name: 'approximate_entropy',
      parameters: { pattern_length: entropyLength },
      tooShort: entropyLength < log - 5 ? undefined : patternFault(n, entropyLength, 5),
      isDefined: n > entropyLength,
      run: (bits) => ({ p_value: approximateEntropy(bits, entropyLength) }),
    },
  ];
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
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

function patternFault(n: number, length: number, below: number): string {
  return `Patterns of ${length} bits take ${2 ** (length + below + 1)} bits; there are ${n}.`;
}
