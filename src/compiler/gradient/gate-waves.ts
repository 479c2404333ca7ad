/**
 * Gate matrices as sums of waves in one of their angles: M(φ) = Σ c_k·e^{ikφ/2}, few k, each c_k a
 * matrix. Found by the Fourier transform of the gate table's own matrix, so that a gate added there
 * needs nothing here.
 */
import type { GateDefinition } from '../../circuit/gate-definition.ts';
import { CodedError } from '../../errors/coded-error.ts';
import type { ComplexMatrix } from '../../math/complex-matrix.ts';

/** No shift rule describes the dependence of a gate on an angle. */
export class GateNotDifferentiableError extends CodedError {
  readonly code = 'WORKLOADS_GATE_NOT_DIFFERENTIABLE';

  constructor(gate: string, parameter: string) {
    super(
      `There is no exact derivative of ${gate} by its angle ${parameter}: its matrix is no short sum of waves in that angle.`,
    );
  }
}

/** One summand: `matrix`·e^{ikφ/2}. */
export interface Wave {
  /** Twice the frequency. */
  readonly k: number;
  readonly matrix: ComplexMatrix;
}

/** Values over the longest period, 4π, that waves are read from. */
const NUM_SAMPLES = 16;
/** Waves up to here are told from one another by that many values. */
const MAX_K = NUM_SAMPLES / 2 - 1;
/** A wave of less is rounding. */
const NEGLIGIBLE = 1e-12;
/** Angles between the samples at which the sum is compared with the matrix. */
const BETWEEN = 0.7853;

/**
 * The waves of a gate's target matrix in one angle, by ascending k.
 *
 * @param angles - Those of the gate; the one at `position` does not matter.
 * @throws {GateNotDifferentiableError} if they do not sum up to the matrix.
 */
export function wavesOf(
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
