/**
 * Exact derivatives of trigonometric polynomials from a few of their values.
 *
 * f(φ) with frequencies among b, 2b, …, Rb has f′(φ) = Σ w·f(φ + s) over 2R shifts s. With R = 1 this
 * is the two-term rule of Pauli rotations, with b = ½ and R = 2 the four-term rule of controlled ones.
 *
 * @see Schuld, Bergholm, Gogolin, Izaac, Killoran, "Evaluating analytic gradients on quantum
 *   hardware" (2019); Wierichs, Izaac, Wang, Lin, "General parameter-shift rules for quantum
 *   gradients" (2022), section 3 (equidistant frequencies).
 */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import type { GateDefinition } from '../../circuit/gate-definition.ts';
import { gateNamed } from '../../circuit/gates.ts';
import { coded } from '../../errors/coded-error.ts';
import { sumOfAngles } from '../../math/angles.ts';
import type { ComplexMatrix } from '../../math/complex-matrix.ts';

/** One term of a rule: `weight` times the value where the angle is `shift` larger. */
export interface Shift {
  /** Radians. */
  readonly shift: number;
  readonly weight: number;
}

/** Other angles of the gate while one moves; two choices, lest one of them is special. */
const PROBES = [0.7853, 2.2361];

/**
 * The rule for functions of those frequencies.
 *
 * @param halfFrequencies - Twice the frequencies, whole numbers above 0.
 * @returns 2R shifts, those of one size next to each other; none where there is no frequency.
 */
export function shiftRule(halfFrequencies: readonly number[]): readonly Shift[] {
  if (halfFrequencies.length === 0) return [];
  const base = halfFrequencies.reduce(greatestCommonDivisor);
  const R = Math.max(...halfFrequencies) / base;
  return Array.from({ length: R }, (_, i) => {
    const turn = ((2 * i + 1) * Math.PI) / (2 * R);
    const sign = i % 2 === 0 ? 1 : -1;
    const weight = (sign * (base / 2)) / (4 * R * Math.sin(turn / 2) ** 2);
    const shift = turn / (base / 2);
    return [
      { shift, weight },
      { shift: -shift, weight: -weight },
    ];
  }).flat();
}

/**
 * The rule for expectation values as functions of one angle of a gate.
 *
 * They are quadratic in the gate's matrix, so their frequencies are differences of those of its
 * entries; under a control the entry 1, of frequency 0, is one of these.
 *
 * @throws {GateNotDifferentiableError} if the matrix is no short sum of waves in the angle.
 */
export function expectationRule(
  gate: GateDefinition,
  angle: number,
  isControlled: boolean,
): readonly Shift[] {
  const own = entryFrequencies(gate, angle);
  const all = isControlled ? [...own, 0] : own;
  const differences = all.flatMap((a) => all.map((b) => a - b)).filter((d) => d > 0);
  return shiftRule([...new Set(differences)]);
}

/** A shift of one of the angles of a circuit. */
export interface AngleShift extends Shift {
  /** Position of the angle among those of all gates, in the order of the operations. */
  readonly angle: number;
}

/**
 * The shifts of some angles of a circuit, in the order of the angles.
 *
 * @throws {GateNotDifferentiableError} if there is no rule for one of them.
 */
export function angleShifts(
  { operations }: DynamicCircuit,
  isShifted: (angle: number) => boolean,
): readonly AngleShift[] {
  const shifts: AngleShift[] = [];
  let angle = 0;
  for (const operation of operations) {
    if (operation.kind !== 'gate') continue;
    for (const position of operation.angles.keys()) {
      if (isShifted(angle)) {
        const isControlled = operation.controls.length > 0;
        const rule = expectationRule(gateNamed(operation.gate), position, isControlled);
        for (const shift of rule) shifts.push({ ...shift, angle });
      }
      angle++;
    }
  }
  return shifts;
}

/**
 * The rule for the entries of a gate's target matrix as functions of one of its angles.
 *
 * @throws {GateNotDifferentiableError} if the matrix is no short sum of waves in the angle.
 */
export function matrixRule(gate: GateDefinition, angle: number): readonly Shift[] {
  const sizes = entryFrequencies(gate, angle).map(Math.abs);
  return shiftRule([...new Set(sizes)].filter((size) => size > 0));
}

const known = new WeakMap<GateDefinition, (readonly number[])[]>();

/** Twice the frequencies of all entries of the target matrix, ascending. */
function entryFrequencies(gate: GateDefinition, angle: number): readonly number[] {
  const ofGate = known.get(gate) ?? [];
  known.set(gate, ofGate);
  const found = ofGate[angle];
  if (found !== undefined) return found;
  const waves = PROBES.flatMap((probe) =>
    wavesOf(
      gate,
      angle,
      gate.parameters.map((_, i) => probe * (i + 1)),
    ),
  );
  const frequencies = [...new Set(waves.map(({ k }) => k))].sort((a, b) => a - b);
  ofGate[angle] = frequencies;
  return frequencies;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** No shift rule describes the dependence of a gate on an angle. */
class GateNotDifferentiableError extends coded(
  'WORKLOADS_GATE_NOT_DIFFERENTIABLE',
  (gate: string, parameter: string) =>
    `There is no exact derivative of ${gate} by its angle ${parameter}: its matrix is no short sum of waves in that angle.`,
) {}

/** One summand: `matrix`·e^{ikφ/2}. */
interface Wave {
  /** Twice the frequency. */
  readonly k: number;
  readonly matrix: ComplexMatrix;
}

/** Values over the longest period, 4π, that waves are read from. */
const NUM_SAMPLES = 16;
/** Largest frequency that this number of values resolves. */
const MAX_K = NUM_SAMPLES / 2 - 1;
/** A wave with smaller coefficients is rounding. */
const NEGLIGIBLE = 1e-12;
/** Angles between the samples at which the sum is compared with the matrix. */
const BETWEEN = 0.7853;

/**
 * A gate's target matrix as a sum of waves in one angle: M(φ) = Σ c_k·e^{ikφ/2}, few k, ascending, each
 * c_k a matrix. Found by the Fourier transform of the gate table's own matrix, so that a gate added there
 * needs nothing here.
 *
 * @param angles - Those of the gate; the one at `position` does not matter.
 * @throws {GateNotDifferentiableError} if they do not sum up to the matrix.
 */
function wavesOf(
  gate: GateDefinition,
  position: number,
  angles: readonly number[],
): readonly Wave[] {
  const matrixAt = (value: number) => gate.matrix(angles.with(position, value));
  const samples = Array.from({ length: NUM_SAMPLES }, (_, m) =>
    matrixAt((4 * Math.PI * m) / NUM_SAMPLES),
  );
  const waves: Wave[] = [];
  for (let k = -MAX_K; k <= MAX_K; k++) {
    const matrix = new Float64Array(samples[0]!.length);
    for (const [m, sample] of samples.entries()) {
      addTurned(matrix, sample, (-2 * Math.PI * k * m) / NUM_SAMPLES, 1 / NUM_SAMPLES);
    }
    const clean = matrix.map((part) => (Math.abs(part) > NEGLIGIBLE ? part : 0));
    if (clean.some((part) => part !== 0)) waves.push({ k, matrix: clean });
  }
  const difference = matrixAt(BETWEEN).slice();
  for (const { k, matrix } of waves) addTurned(difference, matrix, (k * BETWEEN) / 2, -1);
  if (difference.every((part) => Math.abs(part) < NUM_SAMPLES * NEGLIGIBLE)) return waves;
  throw new GateNotDifferentiableError(gate.name, gate.parameters[position] ?? `${position}`);
}

/** out += scale·e^{i·angle}·matrix. */
function addTurned(out: Float64Array, matrix: ComplexMatrix, angle: number, scale: number): void {
  const c = scale * Math.cos(angle);
  const s = scale * Math.sin(angle);
  for (let i = 0; i < matrix.length; i += 2) {
    out[i]! += c * matrix[i]! - s * matrix[i + 1]!;
    out[i + 1]! += c * matrix[i + 1]! + s * matrix[i]!;
  }
}

// Derivatives of expectation values from expectation values at shifted angles.
//
// Each angle is shifted by itself, which is what makes the rule exact where gates share a parameter: the chain rule
// does the rest. All shifts of a circuit are circuits of its shape.

/**
 * Angles of the shifted circuits of some circuits: those of one circuit after the other, in the order of the shifts.
 *
 * @param angles - Radians, circuit after circuit, `numAngles` each.
 * @param from - The first of the circuits, of `count`.
 */
export function shiftedAngles(
  angles: Float64Array,
  numAngles: number,
  from: number,
  count: number,
  shifts: readonly AngleShift[],
): Float64Array {
  const shifted = new Float64Array(count * shifts.length * numAngles);
  for (let k = 0, at = 0; k < count; k++) {
    const own = angles.subarray((from + k) * numAngles, (from + k + 1) * numAngles);
    for (const { angle, shift } of shifts) {
      shifted.set(own, at);
      shifted[at + angle] = sumOfAngles(own[angle]!, shift);
      at += numAngles;
    }
  }
  return shifted;
}

/**
 * Derivatives by the angles of circuit k of those circuits.
 *
 * @param values - Expectation values of the shifted circuits, `numObservables` each.
 * @param observable - Number of the observable.
 * @param out - Overwritten, one number for each angle.
 * @returns `out`.
 */
export function shiftedGradient(
  values: Float64Array,
  k: number,
  observable: number,
  numObservables: number,
  shifts: readonly AngleShift[],
  out: Float64Array,
): Float64Array {
  out.fill(0);
  for (const [s, { angle, weight }] of shifts.entries()) {
    out[angle]! += weight * values[(k * shifts.length + s) * numObservables + observable]!;
  }
  return out;
}
