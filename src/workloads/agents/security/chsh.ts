/**
 * The task `chsh`: the CHSH test, S = E(a, b) + E(a, b′) + E(a′, b) − E(a′, b′) of Bell pairs.
 *
 * Local hidden variables are bounded by |S| ≤ 2; quantum mechanics reaches 2√2. A visibility V below
 * 1 makes Werner states V·|Φ⁺⟩⟨Φ⁺| + (1 − V)·1/4: the fully mixed state is the even mixture of the
 * four Paulis on one half of the pair. So a Pauli is drawn for each pair, and pairs of one
 * setting and one Pauli are shots of one circuit.
 *
 * @see Clauser, Horne, Shimony, Holt (1969); Cirelson, "Quantum generalizations of Bell's
 *   inequality" (1980); Werner (1989).
 */
import { z } from 'zod';
import type { Circuit, Operation } from '../../../circuit/circuit.ts';
import type { PauliSum } from '../../../circuit/observable.ts';
import { Chance, drawMultinomial } from '../../algorithms/chance.ts';
import { gateOperation as gate } from '../../algorithms/gate-operation.ts';
import { seedField, shotsField } from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { CircuitRunner, ProcedureContext } from '../../procedures/procedure-context.ts';

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
});

type ChshInput = z.output<typeof input>;

/** The task `chsh`. */
export const chsh = procedure({
  name: 'chsh',
  description:
    'Measures Bell pairs in four settings of two analysers and compares S with the classical bound 2 and with 2√2. The result has the four correlations, S with its standard error, and its exact value; `violates_classical_bound` is true if |S| exceeds 2 by more than 3 standard errors: with few shots S exceeds 2 by chance.',
  input,
  limits: { deadline_ms: 60_000, shots: MAX_SHOTS },
  example: { shots: 2_000, seed: 7 },
  run: runChsh,
});

const PAULIS = ['ID', 'X', 'Y', 'Z'];
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
  const settings = settingsOf(angles);
  const mixed = (1 - visibility) / 4;
  const mixture = [visibility + mixed, mixed, mixed, mixed];
  context.progress(0, 'exact correlations');
  const exact = await exactCorrelations(settings, mixture, context.circuits);
  const chance = new Chance(seed, 0);
  const measured = [];
  for (const [i, setting] of settings.entries()) {
    context.progress((1 + i) / 5, `setting ${setting.name}`);
    const pairs = drawMultinomial(chance, shots, mixture);
    const sampled = await correlationOf(setting, pairs, chance, context);
    measured.push({ ...sampled, setting, exact: exact[i]! });
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
      'Correlations and s are sampled from simulated measurements with the seed; the exact values are expectation values of the same states. Standard errors are those of the counts with two agreeing and two differing pairs added (Agresti and Coull).',
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

/** Circuit of |Φ⁺⟩ on qubits 0 (Alice's) and 1, with a Pauli on qubit 0. */
function pairWith(pauli: string): readonly Operation[] {
  return [gate('H', [0]), gate('CX', [1], [], [0]), gate(pauli, [0])];
}

/** The four correlations of the mixture, from expectation values of its four parts. */
async function exactCorrelations(
  settings: readonly Setting[],
  mixture: readonly number[],
  circuits: CircuitRunner,
): Promise<readonly number[]> {
  const observables = settings.map(({ alice, bob }) => productOf(alice, bob));
  const sums = settings.map(() => 0);
  for (const [k, pauli] of PAULIS.entries()) {
    if (mixture[k] === 0) continue;
    const pair = { numQubits: 2, numBits: 0, operations: pairWith(pauli) };
    const { expectations = [] } = await circuits.run(pair, { observables });
    for (const [i, value] of expectations.entries()) sums[i]! += mixture[k]! * value;
  }
  return sums;
}

/** (cos α Z + sin α X) ⊗ (cos β Z + sin β X). */
function productOf(alice: number, bob: number): PauliSum {
  const axes = (qubit: number, angle: number): PauliSum => [
    { coefficient: Math.cos(angle), factors: [{ pauli: 'Z', qubit }] },
    { coefficient: Math.sin(angle), factors: [{ pauli: 'X', qubit }] },
  ];
  return axes(0, alice).flatMap((first) =>
    axes(1, bob).map((second) => ({
      coefficient: first.coefficient * second.coefficient,
      factors: [...first.factors, ...second.factors],
    })),
  );
}

/** Correlation of the two sides' ±1, estimated from counts. */
async function correlationOf(
  setting: Setting,
  pairs: readonly number[],
  chance: Chance,
  context: ProcedureContext,
) {
  const counts: Record<string, number> = { '00': 0, '01': 0, '10': 0, '11': 0 };
  for (const [k, pauli] of PAULIS.entries()) {
    const seed = chance.seed();
    if (pairs[k] === 0) continue;
    context.signal.throwIfAborted();
    const circuit = measuredPair(setting, pauli);
    const result = await context.circuits.run(circuit, { shots: pairs[k]!, seed });
    context.countUnits(1);
    for (const [i, outcome] of result.counts.outcomes.entries()) {
      counts[outcome.toString(2).padStart(2, '0')]! += result.counts.occurrences[i]!;
    }
  }
  const equal = counts['00']! + counts['11']!;
  const different = counts['01']! + counts['10']!;
  const standardError = standardErrorOf(equal, different);
  return { mean: (equal - different) / (equal + different), standardError, counts };
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

/** Circuit of a pair whose halves are rotated so that measuring Z reads the analysers' axes. */
function measuredPair({ alice, bob }: Setting, pauli: string): Circuit {
  return {
    numQubits: 2,
    numBits: 2,
    operations: [
      ...pairWith(pauli),
      gate('RY', [0], [-alice]),
      gate('RY', [1], [-bob]),
      { kind: 'measure', qubits: [0, 1], bits: [0, 1] },
    ],
  };
}
