/** Eigenvalues and eigenvectors of a small unitary. */
import { eigenvectorsOfUnitary } from '../../../circuit/unitary-power.ts';
import { type ComplexMatrix, dimension } from '../../../math/complex-matrix.ts';
import { innerProduct } from '../linear-algebra/vectors.ts';

/** An eigenvector and its phase. */
export interface Eigenstate {
  /** In turns, [0, 1): the eigenvalue is e^{2πi·phase}. */
  readonly phase: number;
  /** Interleaved re, im; of length 1. */
  readonly vector: Float64Array;
}

/**
 * Rotations of the whole unitary to try, radians: for one of them the projections of distinct eigenvalues
 * differ.
 */
const TURNS = [0, 0.61, 1.37, 2.11, 2.83];
/** A phase this close to a whole turn counts as 0. */
const ROUNDING = 1e-12;

/**
 * Computes the eigenstates, by ascending phase.
 *
 * @param unitary - At most 64 rows.
 */
export function eigenstates(unitary: ComplexMatrix): readonly Eigenstate[] {
  let best: { states: readonly Eigenstate[]; defect: number } | undefined;
  for (const turn of TURNS) {
    const found = diagonalised(unitary, eigenvectorsOfUnitary(turned(unitary, turn)));
    if (best === undefined || found.defect < best.defect) best = found;
  }
  if (best === undefined) throw new Error('unreachable: there are turns');
  return [...best.states].sort((a, b) => a.phase - b.phase);
}

function turned(matrix: ComplexMatrix, angle: number): ComplexMatrix {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return matrix.map((part, i) =>
    i % 2 === 0 ? c * part - s * matrix[i + 1]! : c * part + s * matrix[i - 1]!,
  );
}

/** The columns with their phases and residuals. */
function diagonalised(unitary: ComplexMatrix, columns: ComplexMatrix) {
  const d = dimension(unitary);
  let defect = 0;
  const states = Array.from({ length: d }, (_, column) => {
    const vector = Float64Array.from({ length: 2 * d }, (_, i) => {
      return columns[2 * ((i >> 1) * d + column) + (i & 1)]!;
    });
    const image = times(unitary, vector);
    const [re, im] = innerProduct(vector, image);
    for (let i = 0; i < d; i++) {
      const [x, y] = [vector[2 * i]!, vector[2 * i + 1]!];
      const [u, v] = [re * x - im * y, re * y + im * x];
      defect = Math.max(defect, Math.hypot(image[2 * i]! - u, image[2 * i + 1]! - v));
    }
    return { phase: turnsOf(re, im), vector };
  });
  return { states, defect };
}

function turnsOf(re: number, im: number): number {
  const turns = Math.atan2(im, re) / (2 * Math.PI);
  const phase = turns < -ROUNDING ? turns + 1 : Math.max(0, turns);
  return phase >= 1 - ROUNDING ? 0 : phase;
}

/** Matrix times vector. */
export function times(matrix: ComplexMatrix, vector: Float64Array): Float64Array {
  const d = dimension(matrix);
  const out = new Float64Array(2 * d);
  for (let row = 0; row < d; row++) {
    for (let column = 0; column < d; column++) {
      const at = 2 * (row * d + column);
      const [re, im] = [vector[2 * column]!, vector[2 * column + 1]!];
      out[2 * row]! += matrix[at]! * re - matrix[at + 1]! * im;
      out[2 * row + 1]! += matrix[at]! * im + matrix[at + 1]! * re;
    }
  }
  return out;
}
