/**
 * The task `random_bits`: samples bits from circuits of Hadamard gates.
 *
 * Each sample is a circuit with its own seed, run in batches: shots of one circuit come back as counts,
 * which lose their order.
 */
import { z } from 'zod';
import type { Circuit } from '../../../circuit/circuit.ts';
import { Chance } from '../../algorithms/chance.ts';
import { gateOperation } from '../../algorithms/gate-operation.ts';
import { hexOfBits } from '../../algorithms/randomness/bits.ts';
import { seedField } from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { MAX_BITS, PSEUDORANDOM_NOTE, suiteFields } from './randomness-fields.ts';
import { randomnessReport } from './randomness-report.ts';

const MAX_QUBITS = 8;
/** Most bits of a result; all of them are tested. */
const MAX_RETURNED_BITS = 65_536;

const input = z.strictObject({
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

type RandomBitsInput = z.output<typeof input>;

/** The task `random_bits`. */
export const randomBits = procedure({
  name: 'random_bits',
  description:
    'Samples bits by measuring qubits in equal superposition (Hadamard gates), one circuit per sample, and tests them. A simulator draws its measurements pseudorandomly: the bits follow from the seed and must not be used for keys.',
  input,
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
