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
import type { Circuit } from '../../circuit/circuit.ts';
import type { GateDefinition } from '../../circuit/gate-definition.ts';
import { gateNamed } from '../../circuit/gates.ts';
import { wavesOf } from './gate-waves.ts';

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
  { operations }: Circuit,
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
