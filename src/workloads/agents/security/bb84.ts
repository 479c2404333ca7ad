/**
 * The task `bb84`: the BB84 protocol with an eavesdropper who intercepts and resends.
 *
 * Each qubit is measured up to twice: by Eve, and by Bob, for whom Alice or, after an interception, Eve has prepared
 * it. A measurement depends on the bit, the basis that it was prepared in and the basis that it is measured in alone,
 * so qubits that agree in these are shots of one circuit. Shots do not depend on each other: which of them reads what
 * is drawn.
 *
 * @see Bennett & Brassard, "Quantum cryptography: public key distribution and coin tossing" (1984); Shor
 *   & Preskill, "Simple proof of security of the BB84 quantum key distribution protocol" (2000), for the
 *   key rate 1 − 2h(e), which is 0 at 11 %.
 */
import { z } from 'zod';
import type { DynamicCircuit, DynamicOperation } from '../../../circuit/circuit.ts';
import { depolarizing } from '../../../circuit/noise/named-channels.ts';
import { noiseModelSchema } from '../../../circuit/noise/noise-model-schema.ts';
import type { Fault } from '../../../errors/coded-error.ts';
import { countsOfRow } from '../../../fleet/run-outputs.ts';
import { Chance } from '../../algorithms/chance.ts';
import { gateOperation } from '../../algorithms/gate-operation.ts';
import { seedField } from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { noiseFaults, noiseModelOf, withNoise } from '../../procedures/noise-fields.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { PSEUDORANDOM_NOTE } from './randomness.ts';

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
    .union([z.number().min(0).max(1), noiseModelSchema])
    .default(0)
    .describe(
      'Probability that the channel to Bob fully depolarises a qubit, or a noise model as for circuits, such as {"model": "ibm-fez"}. For a model, X and H prepare a qubit, ID is the channel to Bob, H turns to the basis X, and M measures. Eve has no noise. Default 0',
    ),
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
  check: ({ eavesdrop, intercept_fraction: fraction, noise }): readonly Fault[] => {
    const faults = typeof noise === 'number' ? [] : noiseFaults(noise);
    if (!eavesdrop || fraction === undefined) return faults;
    const message = 'Give either eavesdrop or this, not both.';
    return [...faults, { path: 'intercept_fraction', message }];
  },
  limits: { deadline_ms: 60_000, bits: MAX_QUBITS },
  example: { bits: 2_000, eavesdrop: true, seed: 7 },
  run: runBb84,
});

/** Error rate above which error correction and privacy amplification leave no key. */
const ABORT_ABOVE = 0.11;
/** Choices for every qubit: bits, and bases (0 for Z, 1 for X). */
interface Choices {
  readonly aliceBits: Uint8Array;
  readonly aliceBases: Uint8Array;
  readonly bobBases: Uint8Array;
  readonly eveBases: Uint8Array;
  readonly intercepted: Uint8Array;
}

async function runBb84(input: Bb84Input, context: ProcedureContext): Promise<JsonObject> {
  const { bits: numQubits, eavesdrop, seed = context.seed } = input;
  const fraction = input.intercept_fraction ?? (eavesdrop ? 1 : 0);
  const choices = choicesOf(numQubits, fraction, seed);
  const { aliceBits, aliceBases, bobBases, eveBases, intercepted } = choices;

  // A qubit that Eve does not intercept is not measured here.
  const taken = Array.from(intercepted.keys()).filter((qubit) => intercepted[qubit] === 1);
  const noiseless = (qubit: Preparation) => qubitCircuit(qubit, []);
  const sent = { bits: aliceBits, bases: aliceBases, measuredBases: eveBases };
  const eve =
    fraction === 0
      ? undefined
      : await measureAll(taken, sent, noiseless, new Chance(seed, 5), context, [0, 0.5]);
  const sentBits = aliceBits.slice();
  const sentBases = aliceBases.slice();
  for (const [k, qubit] of taken.entries()) {
    sentBits[qubit] = eve!.bits[k]!;
    sentBases[qubit] = eveBases[qubit]!;
  }
  const all = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const resent = { bits: sentBits, bases: sentBases, measuredBases: bobBases };
  const noisy = channelToBob(input.noise);
  const bob = await measureAll(all, resent, noisy, new Chance(seed, 6), context, [0.5, 1]);
  const bobBits = bob.bits;

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
    error_rate_expected: expectedErrors(fraction, eve?.chances, bob.chances),
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
      'Every measurement is a shot of a simulated one-qubit circuit, drawn with the seed; error_rate_expected follows from the exact distributions of these circuits. secret_key_bits is the asymptotic bound 1 − 2h(e) of one-way correction, not a finite-key one.',
  };
}

function choicesOf(numQubits: number, fraction: number, seed: number): Choices {
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
  };
}

/** A bit in a basis, and the basis that it is measured in. */
interface Preparation {
  readonly bit: number;
  readonly basis: number;
  readonly measuredBasis: number;
}

/** Prepares and measures a qubit. */
function qubitCircuit(
  { bit, basis, measuredBasis }: Preparation,
  onTheWay: readonly DynamicOperation[],
): DynamicCircuit {
  const turned = (isTurned: number) => (isTurned === 1 ? [gateOperation('H', [0])] : []);
  return {
    numQubits: 1,
    numBits: 1,
    operations: [
      ...(bit === 1 ? [gateOperation('X', [0])] : []),
      ...turned(basis),
      ...onTheWay,
      ...turned(measuredBasis),
      { kind: 'measure', qubits: [0], bits: [0] },
    ],
  };
}

/** The circuits of qubits that pass the channel to Bob. */
function channelToBob(noise: Bb84Input['noise']): (qubit: Preparation) => DynamicCircuit {
  if (typeof noise !== 'number') {
    const model = noiseModelOf(noise);
    return (qubit) => withNoise(qubitCircuit(qubit, [gateOperation('ID', [0])]), model);
  }
  // At 3/4, the Paulis of depolarizing noise leave nothing of a state.
  const channel = depolarizing(1, (3 / 4) * noise);
  return (qubit) => {
    return qubitCircuit(
      qubit,
      channel === undefined ? [] : [{ kind: 'noise', qubits: [0], channel }],
    );
  };
}

/** Probabilities of reading 1, by the place of the preparation. */
type Chances = Float64Array;

const placeOf = ({ bit, basis, measuredBasis }: Preparation) => 4 * bit + 2 * basis + measuredBasis;
const PREPARATIONS: readonly Preparation[] = Array.from({ length: 8 }, (_, place) => ({
  bit: place >> 2,
  basis: (place >> 1) & 1,
  measuredBasis: place & 1,
}));

/** Measures qubits: those that are prepared and measured alike are shots of one circuit. */
async function measureAll(
  qubits: readonly number[],
  { bits, bases, measuredBases }: Record<'bits' | 'bases' | 'measuredBases', Uint8Array>,
  circuitOf: (qubit: Preparation) => DynamicCircuit,
  chance: Chance,
  { circuits, countUnits, progress, signal }: ProcedureContext,
  [start, end]: readonly [number, number],
): Promise<{ readonly bits: Uint8Array; readonly chances: Chances }> {
  const alike: number[][] = PREPARATIONS.map(() => []);
  for (const [k, qubit] of qubits.entries()) {
    const prepared = { bit: bits[qubit]!, basis: bases[qubit]! };
    alike[placeOf({ ...prepared, measuredBasis: measuredBases[qubit]! })]!.push(k);
  }
  const read = new Uint8Array(qubits.length);
  const chances = new Float64Array(PREPARATIONS.length);
  for (const [place, preparation] of PREPARATIONS.entries()) {
    signal.throwIfAborted();
    progress(start + ((end - start) * place) / PREPARATIONS.length, `${qubits.length} qubits`);
    const own = alike[place]!;
    const run = await circuits.run(circuitOf(preparation), {
      shots: own.length,
      seed: chance.seed(),
      probabilities: true,
      method: 'density_matrix',
    });
    countUnits(1);
    chances[place] = run.probabilities![1]!;
    const counts = countsOfRow(run, 0, 1);
    let numOnes = counts.occurrences[counts.outcomes.indexOf(1)] ?? 0;
    for (const [i, k] of own.entries()) {
      if (chance.below(own.length - i) >= numOnes) continue;
      read[k] = 1;
      numOnes--;
    }
  }
  return { bits: read, chances };
}

/** Expected share of errors among sifted bits, from the exact distributions of the circuits. */
function expectedErrors(fraction: number, ofEve: Chances | undefined, ofBob: Chances): number {
  const wrong = (sent: Preparation, bit: number) => {
    const one = ofBob[placeOf(sent)]!;
    return bit === 1 ? 1 - one : one;
  };
  let [untouched, intercepted] = [0, 0];
  for (const { bit, basis, measuredBasis } of PREPARATIONS) {
    untouched += wrong({ bit, basis, measuredBasis: basis }, bit);
    if (ofEve === undefined) continue;
    const one = ofEve[placeOf({ bit, basis, measuredBasis })]!;
    const resent = (read: number) => ({ bit: read, basis: measuredBasis, measuredBasis: basis });
    intercepted += one * wrong(resent(1), bit) + (1 - one) * wrong(resent(0), bit);
  }
  return ((1 - fraction) * untouched + fraction * intercepted) / PREPARATIONS.length;
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

/** The 0.975 quantile of the normal distribution. */
const Z = 1.959963984540054;

/**
 * The 95 % confidence interval of a probability; null without trials.
 *
 * @see Wilson, "Probable inference, the law of succession, and statistical inference" (1927).
 */
export function wilsonInterval(hits: number, trials: number): readonly [number, number] | null {
  if (trials === 0) return null;
  const share = hits / trials;
  const spread = Z * Math.sqrt((share * (1 - share)) / trials + (Z / (2 * trials)) ** 2);
  const scale = 1 + Z ** 2 / trials;
  const middle = share + Z ** 2 / (2 * trials);
  // With no hits, or only hits, an end is exactly 0 or 1; rounding is removed.
  return [
    hits === 0 ? 0 : (middle - spread) / scale,
    hits === trials ? 1 : (middle + spread) / scale,
  ];
}
