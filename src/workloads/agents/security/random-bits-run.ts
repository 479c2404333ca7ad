/**
 * Random bits from circuits of Hadamard gates: each sample is a circuit of its own with a seed of its
 * own, run as a batch. Shots of one circuit would come back as counts, which have lost their order.
 */
import type { Circuit } from '../../../circuit/circuit.ts';
import { Chance } from '../../algorithms/chance.ts';
import { gateOperation } from '../../algorithms/gate-operation.ts';
import { hexOfBits } from '../../algorithms/randomness/bits.ts';
import type { RunProcedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { PSEUDORANDOM_NOTE } from './pseudorandom-note.ts';
import { MAX_RETURNED_BITS, type RandomBitsInput } from './random-bits.ts';
import { randomnessReport } from './randomness-report.ts';

/** Counters of one batch's results: 2 MiB. */
const BATCH_COUNTERS = 2 ** 19;

/** Samples and tests. */
export const runRandomBits: RunProcedure<RandomBitsInput> = async (input, context) => {
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
};

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
    const { counts = new Uint32Array() } = await context.circuits.runBatch(shape, {
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
