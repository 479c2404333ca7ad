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
import type { GateDefinition } from '../../../circuit/gate-definition.ts';
import { GateNotDifferentiableError } from '../errors.ts';

/** One term of a rule: `weight` times the value where the angle is `shift` larger. */
export interface Shift {
  /** Radians. */
  readonly shift: number;
  readonly weight: number;
}

/** Values of a matrix over its longest period, 4π, that its waves are read from. */
const NUM_SAMPLES = 16;
/** Waves up to here, in half turns a turn, are told from one another by that many values. */
const MAX_HALF_FREQUENCY = NUM_SAMPLES / 2 - 1;
/** A wave of less is rounding. */
const NEGLIGIBLE = 1e-12;
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

/**
 * Twice the frequencies of all entries of the target matrix, ascending: the Fourier transform of
 * the gate table's own matrix, so that a new gate needs no entry here.
 */
function entryFrequencies(gate: GateDefinition, angle: number): readonly number[] {
  const ofGate = known.get(gate) ?? [];
  known.set(gate, ofGate);
  const found = ofGate[angle];
  if (found !== undefined) return found;
  const frequencies = new Set<number>();
  for (const probe of PROBES) {
    const matrixAt = (value: number) =>
      gate.matrix(gate.parameters.map((_, i) => (i === angle ? value : probe * (i + 1))));
    const waves = wavesOf(matrixAt);
    if (!isSumOf(waves, matrixAt, probe)) {
      throw new GateNotDifferentiableError(gate.name, gate.parameters[angle] ?? `${angle}`);
    }
    for (const k of waves.keys()) frequencies.add(k);
  }
  const sorted = [...frequencies].sort((a, b) => a - b);
  ofGate[angle] = sorted;
  return sorted;
}

/** The matrices c_k of Σ c_k·e^{ikφ/2}, by k; those that are zero are left out. */
function wavesOf(matrixAt: (value: number) => Float64Array): Map<number, Float64Array> {
  const samples = Array.from({ length: NUM_SAMPLES }, (_, m) =>
    matrixAt((4 * Math.PI * m) / NUM_SAMPLES),
  );
  const waves = new Map<number, Float64Array>();
  for (let k = -MAX_HALF_FREQUENCY; k <= MAX_HALF_FREQUENCY; k++) {
    const wave = new Float64Array(samples[0]!.length);
    for (const [m, sample] of samples.entries()) {
      addTurned(wave, sample, (-2 * Math.PI * k * m) / NUM_SAMPLES, 1 / NUM_SAMPLES);
    }
    if (wave.some((part) => Math.abs(part) > NEGLIGIBLE)) waves.set(k, wave);
  }
  return waves;
}

/** Whether the waves give the matrix also between the samples. */
function isSumOf(
  waves: ReadonlyMap<number, Float64Array>,
  matrixAt: (value: number) => Float64Array,
  value: number,
): boolean {
  const difference = matrixAt(value).slice();
  for (const [k, wave] of waves) addTurned(difference, wave, (k * value) / 2, -1);
  return difference.every((part) => Math.abs(part) < NUM_SAMPLES * NEGLIGIBLE);
}

/** out += scale·e^{i·angle}·matrix. */
function addTurned(out: Float64Array, matrix: Float64Array, angle: number, scale: number): void {
  const c = scale * Math.cos(angle);
  const s = scale * Math.sin(angle);
  for (let i = 0; i < matrix.length; i += 2) {
    out[i]! += c * matrix[i]! - s * matrix[i + 1]!;
    out[i + 1]! += c * matrix[i + 1]! + s * matrix[i]!;
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
