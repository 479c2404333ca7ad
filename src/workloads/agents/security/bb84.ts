/**
 * The task `bb84`: the BB84 protocol with an eavesdropper who intercepts and resends.
 *
 * Each qubit takes up to two circuits: one for Eve's measurement, one for Bob's, whose preparation is
 * Alice's or, after an interception, Eve's. This simulates each qubit on its own. All circuits have one
 * shape and differ in angles, so they are sent as batches.
 *
 * @see Bennett & Brassard, "Quantum cryptography: public key distribution and coin tossing" (1984); Shor
 *   & Preskill, "Simple proof of security of the BB84 quantum key distribution protocol" (2000), for the
 *   key rate 1 − 2h(e), which is 0 at 11 %.
 */
import { z } from 'zod';
import type { Circuit } from '../../../circuit/circuit.ts';
import type { Fault } from '../../../errors/coded-error.ts';
import { Chance } from '../../algorithms/chance.ts';
import { gateOperation } from '../../algorithms/gate-operation.ts';
import { seedField } from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { PSEUDORANDOM_NOTE } from './randomness-fields.ts';
import { wilsonInterval } from './wilson-interval.ts';

const MAX_QUBITS = 200_000;

const input = z.strictObject({
  bits: z.int().min(16).max(MAX_QUBITS).describe('Number of qubits that Alice sends'),
  eavesdrop: z
    .boolean()
    .default(false)
    .describe('Whether Eve measures every qubit and resends the result; default false'),
  intercept_fraction: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Probability that Eve intercepts a qubit; replaces eavesdrop'),
  noise: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('Probability that the channel to Bob fully depolarises a qubit; default 0'),
  sample_size: z
    .int()
    .min(1)
    .max(MAX_QUBITS)
    .optional()
    .describe(
      'Number of sifted bits that are compared publicly and discarded; by default half of them',
    ),
  seed: seedField,
});

type Bb84Input = z.output<typeof input>;

/** The task `bb84`. */
export const bb84 = procedure({
  name: 'bb84',
  description:
    'Runs the BB84 protocol qubit by qubit: preparation, interception, measurement, sifting and the estimate of the error rate; above 11 % it aborts. Full interception is expected to cause 25 % errors. The bits are pseudorandom and no key is returned. `eve_knows_share` is the share of sifted bits of which Eve has the right value, lucky guesses included: 3/4 is expected if she intercepts every qubit (1/2 known, 1/4 guessed).',
  input,
  check: ({ eavesdrop, intercept_fraction: fraction }): readonly Fault[] =>
    eavesdrop && fraction !== undefined
      ? [{ path: 'intercept_fraction', message: 'Give either eavesdrop or this, not both.' }]
      : [],
  limits: { deadline_ms: 60_000, bits: MAX_QUBITS },
  example: { bits: 2_000, eavesdrop: true, seed: 7 },
  run: runBb84,
});

/** Error rate above which error correction and privacy amplification leave no key. */
const ABORT_ABOVE = 0.11;
const BATCH_CIRCUITS = 16_384;
const NUM_ANGLES = 4;

/**
 * Angles of a circuit: the preparation, two noise rotations (a Pauli), and the rotation to the measured
 * basis.
 */
const SHAPE: Circuit = {
  numQubits: 1,
  numBits: 1,
  operations: [
    ...['RY', 'RX', 'RZ', 'RY'].map((name) => gateOperation(name, [0], [0])),
    { kind: 'measure', qubits: [0], bits: [0] },
  ],
};

/** Choices for every qubit: bits, and bases (0 for Z, 1 for X). */
interface Choices {
  readonly aliceBits: Uint8Array;
  readonly aliceBases: Uint8Array;
  readonly bobBases: Uint8Array;
  readonly eveBases: Uint8Array;
  readonly intercepted: Uint8Array;
  /** Noise on the way to Bob. Bit 0: a bit flip; bit 1: a phase flip. */
  readonly paulis: Uint8Array;
}

async function runBb84(input: Bb84Input, context: ProcedureContext): Promise<JsonObject> {
  const { bits: numQubits, noise, eavesdrop, seed = context.seed } = input;
  const fraction = input.intercept_fraction ?? (eavesdrop ? 1 : 0);
  const choices = choicesOf(numQubits, fraction, noise, seed);
  const { aliceBits, aliceBases, bobBases, eveBases, intercepted } = choices;
  const bases = new Chance(seed, 6);
  const [eveSeed, bobSeed] = [bases.seed(), bases.seed()];

  // Eve's measurements; a qubit that she does not intercept has no circuit here.
  const taken = Array.from(intercepted.keys()).filter((qubit) => intercepted[qubit] === 1);
  const eveAngles = anglesFor(taken, aliceBits, aliceBases, eveBases, undefined);
  const eveRead = await measureAll(eveAngles, eveSeed, context, [0, 0.45], 'Eve measures');
  const sentBits = aliceBits.slice();
  const sentBases = aliceBases.slice();
  for (const [k, qubit] of taken.entries()) {
    sentBits[qubit] = eveRead[k]!;
    sentBases[qubit] = eveBases[qubit]!;
  }
  const all = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const bobAngles = anglesFor(all, sentBits, sentBases, bobBases, choices.paulis);
  const bobBits = await measureAll(bobAngles, bobSeed, context, [0.45, 0.95], 'Bob measures');

  const sifted = all.filter((qubit) => aliceBases[qubit] === bobBases[qubit]);
  const isError = (qubit: number) => aliceBits[qubit] !== bobBits[qubit];
  const sampled = sampleOf(sifted, input.sample_size, seed);
  const numErrors = sampled.filter(isError).length;
  const errorRate = sampled.length === 0 ? null : numErrors / sampled.length;
  const kept = sifted.length - sampled.length;
  const aborted = errorRate === null || errorRate > ABORT_ABOVE;
  return {
    qubits_sent: numQubits,
    qubits_intercepted: taken.length,
    sifted_bits: sifted.length,
    sample_bits: sampled.length,
    sample_errors: numErrors,
    error_rate: errorRate,
    error_rate_interval_95: wilsonInterval(numErrors, sampled.length),
    error_rate_expected: fraction * 0.25 * (1 - noise) + noise / 2,
    error_rate_of_all_sifted: shareWhere(sifted, isError),
    abort_above: ABORT_ABOVE,
    aborted,
    eavesdropper_suspected: aborted && errorRate !== null,
    sifted_key_bits: aborted ? 0 : kept,
    secret_key_bits: aborted ? 0 : Math.floor(kept * Math.max(0, 1 - 2 * entropy(errorRate))),
    // If Eve's basis was Alice's, she knows the bit; otherwise she guesses, right half of the time.
    eve_knows_share: shareWhere(
      sifted,
      (qubit) => intercepted[qubit] === 1 && sentBits[qubit] === aliceBits[qubit],
    ),
    first_qubits: all.slice(0, 8).map((qubit) => ({
      alice_bit: aliceBits[qubit]!,
      alice_basis: basisName(aliceBases[qubit]!),
      intercepted: intercepted[qubit] === 1,
      ...(intercepted[qubit] === 1 && {
        eve_basis: basisName(eveBases[qubit]!),
        eve_bit: sentBits[qubit]!,
      }),
      bob_basis: basisName(bobBases[qubit]!),
      bob_bit: bobBits[qubit]!,
      sifted: aliceBases[qubit] === bobBases[qubit],
    })),
    seed,
    pseudorandom: true,
    note: PSEUDORANDOM_NOTE,
    basis:
      'Every preparation and measurement is a simulated one-qubit circuit with a seed of its own; secret_key_bits is the asymptotic bound 1 − 2h(e) of one-way correction, not a finite-key one.',
  };
}

function choicesOf(numQubits: number, fraction: number, noise: number, seed: number): Choices {
  const drawn = (stream: number, draw: (chance: Chance) => number) => {
    const chance = new Chance(seed, stream);
    return Uint8Array.from({ length: numQubits }, () => draw(chance));
  };
  const bit = (chance: Chance) => chance.bit();
  return {
    aliceBits: drawn(0, bit),
    aliceBases: drawn(1, bit),
    bobBases: drawn(2, bit),
    eveBases: drawn(3, bit),
    intercepted: drawn(4, (chance) => (chance.uniform() < fraction ? 1 : 0)),
    // The fully mixed state: each of the four Paulis with probability 1/4.
    paulis: drawn(5, (chance) => (chance.uniform() < noise ? chance.below(4) : 0)),
  };
}

/** Angles that prepare a bit in a basis, apply a Pauli and measure in another basis. */
function anglesFor(
  qubits: readonly number[],
  bits: Uint8Array,
  bases: Uint8Array,
  measuredBases: Uint8Array,
  paulis: Uint8Array | undefined,
): Float64Array {
  const angles = new Float64Array(NUM_ANGLES * qubits.length);
  for (const [k, qubit] of qubits.entries()) {
    const pauli = paulis?.[qubit] ?? 0;
    angles[NUM_ANGLES * k] = Math.PI * (bits[qubit]! + bases[qubit]! / 2);
    angles[NUM_ANGLES * k + 1] = Math.PI * (pauli & 1);
    angles[NUM_ANGLES * k + 2] = Math.PI * (pauli >> 1);
    angles[NUM_ANGLES * k + 3] = (-Math.PI / 2) * measuredBases[qubit]!;
  }
  return angles;
}

/** Runs circuits; returns one measured bit per circuit. */
async function measureAll(
  angles: Float64Array,
  seed: number,
  context: ProcedureContext,
  [start, end]: readonly [number, number],
  what: string,
): Promise<Uint8Array> {
  const numCircuits = angles.length / NUM_ANGLES;
  const bits = new Uint8Array(numCircuits);
  for (let from = 0; from < numCircuits; from += BATCH_CIRCUITS) {
    context.signal.throwIfAborted();
    context.progress(start + ((end - start) * from) / numCircuits, what);
    const to = Math.min(from + BATCH_CIRCUITS, numCircuits);
    const { counts = new Uint32Array() } = await context.circuits.runBatch(SHAPE, {
      numCircuits: to - from,
      angles: angles.slice(NUM_ANGLES * from, NUM_ANGLES * to),
      shots: 1,
      seed: seed + from,
    });
    context.countUnits(to - from);
    for (let k = from; k < to; k++) bits[k] = counts[2 * (k - from) + 1]!;
  }
  return bits;
}

/** Qubits whose sifted bits are compared, drawn without replacement. */
function sampleOf(sifted: readonly number[], size: number | undefined, seed: number) {
  const chance = new Chance(seed, 7);
  const left = [...sifted];
  const count = Math.min(size ?? Math.ceil(sifted.length / 2), sifted.length);
  for (let i = 0; i < count; i++) {
    const other = i + chance.below(left.length - i);
    const kept = left[i]!;
    left[i] = left[other]!;
    left[other] = kept;
  }
  return left.slice(0, count);
}

function shareWhere(qubits: readonly number[], holds: (qubit: number) => boolean): number | null {
  return qubits.length === 0 ? null : qubits.filter(holds).length / qubits.length;
}

function basisName(basis: number): string {
  return basis === 0 ? 'Z' : 'X';
}

/** Binary entropy h(e), in bits. */
function entropy(e: number): number {
  const part = (p: number) => (p === 0 ? 0 : -p * Math.log2(p));
  return part(e) + part(1 - e);
}
