/**
 * The tasks `random_bits`, which samples bits from circuits of Hadamard gates and tests them, and `randomness_tests`,
 * which tests bits of the caller.
 *
 * Each sample is a circuit with its own seed, run in batches: shots of one circuit come back as counts,
 * which lose their order.
 */

import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Circuit } from '../../../circuit/circuit.ts';
import type { Fault } from '../../../errors/coded-error.ts';
import { Chance } from '../../algorithms/chance.ts';
import { gateOperation } from '../../algorithms/gate-operation.ts';
import {
  bitsOfBinary,
  bitsOfHex,
  collision,
  countOnes,
  hexOfBits,
  markov,
  mostCommonValue,
} from '../../algorithms/randomness/min-entropy.ts';
import { runSuite } from '../../algorithms/randomness/sp800-22.ts';
import { seedField } from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';

/** Most bits of one sequence. */
const MAX_BITS = 1_000_000;

/** Input fields of the test suite's options. */
const suiteFields = {
  alpha: z
    .number()
    .min(0.000_1)
    .max(0.1)
    .default(0.01)
    .describe(
      'Significance level: a P-value below it fails the test, which happens for this share of fair sequences; default 0.01',
    ),
  block_length: z
    .int()
    .min(2)
    .max(MAX_BITS)
    .optional()
    .describe('Block length of block_frequency, bits; by default chosen by the number of bits'),
  include_short: z
    .boolean()
    .default(false)
    .describe('Whether tests also run on fewer bits than recommended; default false'),
};

const suiteInput = z.object(suiteFields);
/** Parsed input with those fields. */
export type SuiteInput = z.output<typeof suiteInput>;

/** Note in results on measurements of a simulator. */
export const PSEUDORANDOM_NOTE =
  'Measurements of a simulator are pseudorandom: the same seed gives the same bits. Do not use them for keys or anything else that must not be guessed.';

/** Fewest bits for an entropy estimate. */
const LEAST_ESTIMATED = 100;

/**
 * Runs the test suite and the entropy estimates.
 *
 * @param bits - 0 or 1 each, at least one.
 * @param progress - Called with the fraction of this part, in [0, 1].
 */
async function randomnessReport(
  bits: Uint8Array,
  input: SuiteInput,
  signal: AbortSignal,
  progress: ProcedureContext['progress'],
): Promise<JsonObject> {
  const options = {
    alpha: input.alpha,
    blockLength: input.block_length,
    includeShort: input.include_short,
  };
  const { ran, leftOut } = await runSuite(bits, options, async (test, fraction) => {
    progress(fraction, test);
    // Yields: a test takes up to a second, and reports and a cancel must get through between tests.
    await setImmediate();
    signal.throwIfAborted();
  });
  return {
    num_bits: bits.length,
    ones_share: countOnes(bits) / bits.length,
    alpha: input.alpha,
    tests_run: ran.length,
    tests_failed: ran.filter(({ passed }) => !passed).length,
    tests: ran.map(({ test, pValue, passed, parameters, meetsRecommendation }) => ({
      test,
      passed,
      p_values: { p_value: pValue },
      parameters,
      meets_recommendation: meetsRecommendation,
    })),
    not_run: leftOut.map(({ test, reason }) => ({ test, reason })),
    min_entropy: minEntropy(bits),
    basis:
      'P-values of NIST SP 800-22 revision 1a, min-entropy of NIST SP 800-90B. A fair source fails each test in a share alpha of its sequences; passing them all does not make bits unpredictable.',
  };
}

function minEntropy(bits: Uint8Array): JsonObject | null {
  if (bits.length < LEAST_ESTIMATED) return null;
  const estimates = {
    most_common_value: mostCommonValue(bits),
    markov: markov(bits),
    collision: collision(bits)?.minEntropy,
  };
  const known = Object.values(estimates).filter((estimate) => estimate !== undefined);
  return { ...estimates, least_bits_per_bit: Math.min(...known) };
}

const MAX_QUBITS = 8;
/** Most bits of a result; all of them are tested. */
const MAX_RETURNED_BITS = 65_536;

const randomBitsInput = z.strictObject({
  bits: z.int().min(1).max(MAX_BITS).describe('Number of bits to sample'),
  qubits: z
    .int()
    .min(1)
    .max(MAX_QUBITS)
    .default(4)
    .describe('Number of qubits, and so of bits, of each circuit; default 4'),
  seed: seedField,
  tests: z.boolean().default(true).describe('Whether the bits are tested; default true'),
  ...suiteFields,
});

type RandomBitsInput = z.output<typeof randomBitsInput>;

/** The task `random_bits`. */
export const randomBits = procedure({
  name: 'random_bits',
  description:
    'Samples bits by measuring qubits in equal superposition (Hadamard gates), one circuit per sample, and tests them. A simulator draws its measurements pseudorandomly: the bits follow from the seed and must not be used for keys.',
  input: randomBitsInput,
  limits: {
    deadline_ms: 120_000,
    bits: MAX_BITS,
    qubits: MAX_QUBITS,
    returned_bits: MAX_RETURNED_BITS,
  },
  example: { bits: 2_000, seed: 7 },
  feeds: { bits_hex: 'hex' },
  run: runRandomBits,
});

/** Most counters in one batch's results: 2 MiB. */
const BATCH_COUNTERS = 2 ** 19;

async function runRandomBits(
  input: RandomBitsInput,
  context: ProcedureContext,
): Promise<JsonObject> {
  const { bits: numBits, qubits, tests, seed = context.seed } = input;
  const shareSampled = tests ? 0.6 : 1;
  const bits = await sampleBits(numBits, qubits, seed, context, shareSampled);
  const numReturned = 4 * Math.floor(Math.min(numBits, MAX_RETURNED_BITS) / 4);
  return {
    bits_hex: hexOfBits(bits.subarray(0, numReturned)),
    bits_returned: numReturned,
    bits_sampled: numBits,
    qubits_per_circuit: qubits,
    seed,
    pseudorandom: true,
    note: PSEUDORANDOM_NOTE,
    ...(tests && {
      randomness: await randomnessReport(bits, input, context.signal, (fraction, message) =>
        context.progress(shareSampled + (1 - shareSampled) * fraction, message),
      ),
    }),
  };
}

async function sampleBits(
  numBits: number,
  qubits: number,
  seed: number,
  context: ProcedureContext,
  share: number,
): Promise<Uint8Array> {
  const shape = evenSuperposition(qubits);
  const first = new Chance(seed, 0).seed();
  const numOutcomes = 2 ** qubits;
  const numSamples = Math.ceil(numBits / qubits);
  const perBatch = Math.floor(BATCH_COUNTERS / numOutcomes);
  const bits = new Uint8Array(numSamples * qubits);
  for (let from = 0; from < numSamples; from += perBatch) {
    context.signal.throwIfAborted();
    context.progress((share * from) / numSamples, `${from * qubits} bits`);
    const numCircuits = Math.min(perBatch, numSamples - from);
    const { counts = new Uint32Array() } = await context.circuits.run(shape, {
      numCircuits,
      angles: new Float64Array(),
      shots: 1,
      seed: first + from,
    });
    context.countUnits(numCircuits);
    for (let k = 0; k < numCircuits; k++) {
      const outcome = counts.indexOf(1, k * numOutcomes) - k * numOutcomes;
      for (let q = 0; q < qubits; q++) bits[(from + k) * qubits + q] = (outcome >> q) & 1;
    }
  }
  return bits.subarray(0, numBits);
}

function evenSuperposition(numQubits: number): Circuit {
  const all = Array.from({ length: numQubits }, (_, qubit) => qubit);
  return {
    numQubits,
    numBits: numQubits,
    operations: [
      ...all.map((qubit) => gateOperation('H', [qubit])),
      { kind: 'measure', qubits: all, bits: all },
    ],
  };
}

const testsInput = z.strictObject({
  bits: z
    .string()
    .min(1)
    .max(MAX_BITS)
    .regex(/^[01]*$/, 'Must be a string of 0 and 1')
    .optional()
    .describe('Sequence of bits as a string of 0 and 1, the first bit first'),
  hex: z
    .string()
    .min(1)
    .max(MAX_BITS / 4)
    .regex(/^[0-9a-fA-F]*$/, 'Must be a string of hexadecimal digits')
    .optional()
    .describe('Sequence as hexadecimal digits of four bits each, the highest bit first'),
  ...suiteFields,
});

type RandomnessTestsInput = z.output<typeof testsInput>;

/** The task `randomness_tests`. */
export const randomnessTests = procedure({
  name: 'randomness_tests',
  description:
    'Tests whether bits look random: frequency, block_frequency, runs and spectral of NIST SP 800-22 with their P-values, and estimates of min-entropy of NIST SP 800-90B. The result says of each test whether it passed, or why it was not run.',
  input: testsInput,
  check: ({ bits, hex }): readonly Fault[] => {
    if (bits !== undefined && hex !== undefined) {
      return [{ path: 'hex', message: 'Give either bits or hex, not both.' }];
    }
    if (bits !== undefined || hex !== undefined) return [];
    return [{ path: 'bits', message: 'Required: bits, or hex instead.' }];
  },
  limits: { deadline_ms: 60_000, bits: MAX_BITS },
  example: {
    // The first 256 binary digits of π, integer part included.
    hex: 'c90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22',
  },
  run: runRandomnessTests,
});

async function runRandomnessTests(
  input: RandomnessTestsInput,
  context: ProcedureContext,
): Promise<JsonObject> {
  const { bits = '', hex } = input;
  const sequence = hex === undefined ? bitsOfBinary(bits) : bitsOfHex(hex);
  return randomnessReport(sequence, input, context.signal, context.progress);
}
