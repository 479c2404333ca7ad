/**
 * The task `chsh`: the CHSH test, S = E(a, b) + E(a, b′) + E(a′, b) − E(a′, b′) of Bell pairs.
 *
 * Local hidden variables are bounded by |S| ≤ 2; quantum mechanics reaches 2√2. A visibility V below
 * 1 makes Werner states V·|Φ⁺⟩⟨Φ⁺| + (1 − V)·1/4: depolarizing noise on one half of the pair. Each setting is one
 * circuit, run on a density matrix: its counts are the pairs measured, its probabilities the exact correlation.
 *
 * @see Clauser, Horne, Shimony, Holt (1969); Cirelson, "Quantum generalizations of Bell's
 *   inequality" (1980); Werner (1989).
 */
import { z } from 'zod';
import type { DynamicCircuit, DynamicOperation } from '../../../circuit/circuit.ts';
import { depolarizing } from '../../../circuit/noise/named-channels.ts';
import { countsOfRow, type RunOutputs } from '../../../fleet/run-outputs.ts';
import { basisLabel } from '../../../math/basis-index.ts';
import { Chance } from '../../algorithms/chance.ts';
import { gateOperation as gate } from '../../algorithms/gate-operation.ts';
import { seedField, shotsField } from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { noiseFaults, noiseField, noiseModelOf, withNoise } from '../../procedures/noise-fields.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';

const MAX_SHOTS = 1_000_000;
const MAX_ANGLE = 1_000;

const angle = (what: string) =>
  z.number().min(-MAX_ANGLE).max(MAX_ANGLE).describe(`Analyser angle ${what}, radians`);

const input = z.strictObject({
  shots: shotsField(MAX_SHOTS, 4_096).describe(
    'Number of pairs measured in each of the four settings',
  ),
  seed: seedField,
  angles: z
    .strictObject({
      a: angle("a of Alice's first setting"),
      a_prime: angle("a' of Alice's second setting"),
      b: angle("b of Bob's first setting"),
      b_prime: angle("b' of Bob's second setting"),
    })
    .optional()
    .describe("By default 0, π/2, π/4 and −π/4, which reach Tsirelson's bound"),
  visibility: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Weight of the Bell pair in a mixture with the maximally mixed state; default 1'),
  noise: noiseField
    .optional()
    .describe(
      'Noise model as for circuits, such as {"model": "ibm-fez"}, in addition to the visibility. The pair is made by H on qubit 0 and CX; RY on each qubit turns the analysers; both are measured',
    ),
});

type ChshInput = z.output<typeof input>;

/** The task `chsh`. */
export const chsh = procedure({
  name: 'chsh',
  description:
    'Measures Bell pairs in four settings of two analysers and compares S with the classical bound 2 and with 2√2. The result has the four correlations, S with its standard error, and its exact value; `violates_classical_bound` is true if |S| exceeds 2 by more than 3 standard errors: with few shots S exceeds 2 by chance.',
  input,
  check: ({ noise }) => (noise === undefined ? [] : noiseFaults(noise)),
  limits: { deadline_ms: 60_000, shots: MAX_SHOTS },
  example: { shots: 2_000, seed: 7 },
  run: runChsh,
});

const DEFAULT_ANGLES = { a: 0, a_prime: Math.PI / 2, b: Math.PI / 4, b_prime: -Math.PI / 4 };
const CLASSICAL_BOUND = 2;
/**
 * Standard errors above the bound that count as a violation; chance exceeds them in one of several
 * hundred runs.
 */
const SIGNIFICANT = 3;
const TSIRELSON_BOUND = 2 * Math.SQRT2;

interface Setting {
  readonly name: string;
  readonly alice: number;
  readonly bob: number;
  /** Sign of this setting's correlation in S. */
  readonly sign: 1 | -1;
}

async function runChsh(input: ChshInput, context: ProcedureContext): Promise<JsonObject> {
  const { shots, visibility, seed = context.seed, angles = DEFAULT_ANGLES } = input;
  const model = input.noise && noiseModelOf(input.noise);
  const chance = new Chance(seed, 0);
  const measured = [];
  for (const [i, setting] of settingsOf(angles).entries()) {
    context.progress(i / 4, `setting ${setting.name}`);
    context.signal.throwIfAborted();
    const pair = measuredPair(setting, visibility);
    const circuit = model === undefined ? pair : withNoise(pair, model);
    const request = { shots, seed: chance.seed(), probabilities: true };
    const result = await context.circuits.run(circuit, { ...request, method: 'density_matrix' });
    context.countUnits(1);
    measured.push({ setting, ...correlationOf(result) });
  }
  const s = measured.reduce((sum, { setting, mean }) => sum + setting.sign * mean, 0);
  const error = Math.hypot(...measured.map(({ standardError }) => standardError));
  const errorsAbove = (Math.abs(s) - CLASSICAL_BOUND) / error;
  const exactS = measured.reduce((sum, { setting, exact }) => sum + setting.sign * exact, 0);
  return {
    s,
    s_standard_error: error,
    s_exact: exactS,
    classical_bound: CLASSICAL_BOUND,
    tsirelson_bound: TSIRELSON_BOUND,
    violates_classical_bound: errorsAbove > SIGNIFICANT,
    standard_errors_above_classical: errorsAbove,
    standard_errors_needed: SIGNIFICANT,
    settings: measured.map(({ setting, mean, standardError, exact, counts }) => ({
      name: setting.name,
      alice_angle_rad: setting.alice,
      bob_angle_rad: setting.bob,
      correlation: mean,
      correlation_standard_error: standardError,
      correlation_exact: exact,
      counts,
    })),
    visibility,
    shots_per_setting: shots,
    seed,
    basis:
      'Correlations and s are sampled from simulated measurements with the seed; the exact values are those of the distributions that were sampled, from density matrices. Standard errors are those of the counts with two agreeing and two differing pairs added (Agresti and Coull).',
  };
}

function settingsOf({ a, a_prime, b, b_prime }: typeof DEFAULT_ANGLES): readonly Setting[] {
  return [
    { name: 'a,b', alice: a, bob: b, sign: 1 },
    { name: 'a,b_prime', alice: a, bob: b_prime, sign: 1 },
    { name: 'a_prime,b', alice: a_prime, bob: b, sign: 1 },
    { name: 'a_prime,b_prime', alice: a_prime, bob: b_prime, sign: -1 },
  ];
}

/** Correlation of the two sides' ±1: estimated from counts, and exact. */
function correlationOf(run: RunOutputs) {
  const counts = countsOfRow(run, 0, 2);
  const byLabel: Record<string, number> = { '00': 0, '01': 0, '10': 0, '11': 0 };
  for (const [i, outcome] of counts.outcomes.entries()) {
    byLabel[basisLabel(outcome, 2)] = counts.occurrences[i]!;
  }
  const equal = byLabel['00']! + byLabel['11']!;
  const different = byLabel['01']! + byLabel['10']!;
  const [p00 = 0, p01 = 0, p10 = 0, p11 = 0] = run.probabilities ?? [];
  return {
    mean: (equal - different) / (equal + different),
    standardError: standardErrorOf(equal, different),
    exact: p00 + p11 - p01 - p10,
    counts: byLabel,
  };
}

/**
 * Standard error of a mean of ±1. Two observations of each value are added, so that the error is
 * realistic for few shots and not 0 where all agree.
 *
 * @see Agresti, Coull, "Approximate is better than 'exact' for interval estimation of binomial
 *   proportions" (1998).
 */
function standardErrorOf(equal: number, different: number): number {
  const shots = equal + different;
  const share = (equal + 2) / (shots + 4);
  return 2 * Math.sqrt((share * (1 - share)) / shots);
}

/**
 * Circuit of |Φ⁺⟩ on qubits 0 (Alice's) and 1, of that visibility, whose halves are rotated so that measuring Z reads
 * the analysers' axes.
 */
function measuredPair({ alice, bob }: Setting, visibility: number): DynamicCircuit {
  // At 3/4, the Paulis of depolarizing noise leave nothing of a state.
  const channel = depolarizing(1, (3 / 4) * (1 - visibility));
  const mixing: readonly DynamicOperation[] =
    channel === undefined ? [] : [{ kind: 'noise', qubits: [0], channel }];
  return {
    numQubits: 2,
    numBits: 2,
    operations: [
      gate('H', [0]),
      gate('CX', [1], [], [0]),
      ...mixing,
      gate('RY', [0], [-alice]),
      gate('RY', [1], [-bob]),
      { kind: 'measure', qubits: [0, 1], bits: [0, 1] },
    ],
  };
}
