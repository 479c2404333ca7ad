/** Divides matrices where the bonds of a matrix product state are cut. */
import type { BondLimits } from '../../../compiler/program.ts';
import type { TimeSlicer } from '../../time-slicer.ts';
import { ENTRY_BYTES, type TensorMemory } from './tensor-memory.ts';

/** Part of a squared norm that is rounding, squared. */
export const SQUARED_ROUNDING = 1e-28;

/** Part of a truncation threshold that the first orthogonalisation of a pair may leave out. */
const LEFT_OUT_EARLY = 0.01;

/** Most rows that Jacobi rotations diagonalise; with more, the gain is not worth the time. */
const MAX_JACOBI_ROWS = 64;

/** A matrix in memory, and which of its singular vectors are wanted. */
export interface MatrixToDivide {
  readonly at: number;
  readonly size: readonly [rows: number, columns: number];
  /** Whether the left ones are wanted, as long as the matrix has rows. */
  readonly ofRows: boolean;
}

/** Orthonormal rows. */
export interface LeadingVectors {
  readonly bond: number;
  /** Squared norm of the matrix. */
  readonly total: number;
  /** Part of it that they leave out. */
  readonly discarded: number;
  /** Address of the rows. */
  readonly vectors: number;
}

/**
 * Orthonormal rows that span the largest singular vectors of a matrix: of the left ones the transposes, or the adjoints
 * of the right ones.
 *
 * Orthogonalisations with pivoting, each of the triangular factor of the one before, come ever closer to the singular
 * values. After two of them the part that is left out is at most some 1.4 times what singular vectors leave out, and
 * mostly as much: at a bond that is cut where its weights fall quickly, that is no or one more vector. If the bond is
 * limited, two more or Jacobi rotations come close to the best that the limit allows.
 *
 * @see Stewart, "The QLP approximation to the singular value decomposition", SIAM J. Sci. Comput. 20, 1336 (1999);
 *   Huckaby & Chan, "Stewart's pivoted QLP decomposition for low-rank matrices", Numer. Linear Algebra Appl. 12, 153
 *   (2005).
 */
export async function leadingVectors(
  memory: TensorMemory,
  { maxBondDimension, truncationThreshold }: BondLimits,
  { at, size: [m, n], ofRows }: MatrixToDivide,
  slicer: TimeSlicer,
): Promise<LeadingVectors> {
  const [rows, columns] = ofRows ? [m, n] : [n, m];
  const work = memory.scratch('work', ENTRY_BYTES * m * n);
  if (ofRows) memory.copy(at, ENTRY_BYTES * m * n, work);
  else memory.kernels.transpose(at, m, n, work, 1);
  const most = Math.min(rows, columns);
  const rest = Math.max(SQUARED_ROUNDING, LEFT_OUT_EARLY * truncationThreshold);
  const first = memory.scratch('factors', ENTRY_BYTES * rows * most);
  const finding = memory.orthogonalize(work, rows, columns, first, 0, rest, slicer);
  const { rank, total, left } = finding instanceof Promise ? await finding : finding;

  if (rank === 0) return ofNothing(memory, rows);
  const second = memory.scratch('second', ENTRY_BYTES * rank * rank);
  const basis = memory.scratch('rows', ENTRY_BYTES * rank * rows);
  const allowed = Math.max(SQUARED_ROUNDING, truncationThreshold - left / total);
  const refining = memory.orthogonalize(first, rank, rows, second, basis, allowed, slicer);
  const refined = refining instanceof Promise ? await refining : refining;
  if (refined.rank <= maxBondDimension) {
    const discarded = (left + refined.left) / total;
    return { bond: refined.rank, total, discarded, vectors: basis };
  }
  const factors = { rank, found: refined.rank, rows, total };
  return await limitedVectors(memory, maxBondDimension, factors, slicer);
}

/** Any vector, for a matrix of zeros: a bond has at least one. */
function ofNothing(memory: TensorMemory, rows: number): LeadingVectors {
  const vectors = memory.scratch('rows', ENTRY_BYTES * rows);
  memory.doubles.fill(0, vectors / 8, vectors / 8 + 2 * rows);
  memory.doubles[vectors / 8] = 1;
  return { bond: 1, total: 0, discarded: 0, vectors };
}

/** Result of two orthogonalisations of a matrix, in the scratch `rows` and `second`. */
interface Factors {
  /** Columns of `second`. */
  readonly rank: number;
  /** Rows of `second` and of the basis in `rows`. */
  readonly found: number;
  /** Columns of the basis. */
  readonly rows: number;
  /** Squared norm of the matrix. */
  readonly total: number;
}

/** Continues if more vectors were found than a bond may have. */
async function limitedVectors(
  memory: TensorMemory,
  limit: number,
  { rank, found, rows, total }: Factors,
  slicer: TimeSlicer,
): Promise<LeadingVectors> {
  const basis = memory.scratch('rows', ENTRY_BYTES * found * rows);
  const second = memory.scratch('second', ENTRY_BYTES * found * rank);
  const third = memory.scratch('factors', ENTRY_BYTES * found * found);
  const rounding = SQUARED_ROUNDING;
  const again = memory.orthogonalize(second, found, rank, third, 0, rounding, slicer);
  const { rank: last } = again instanceof Promise ? await again : again;
  const bond = Math.min(limit, last);
  const chosen = memory.scratch('chosen', ENTRY_BYTES * bond * found);
  const kept =
    last <= MAX_JACOBI_ROWS
      ? await singularRows(memory, bond, third, [last, found], chosen, slicer)
      : await pivotedRows(memory, bond, third, [last, found], chosen, slicer);
  const vectors = memory.scratch('work', ENTRY_BYTES * bond * rows);
  const product = memory.multiply(
    { at: chosen, stride: found },
    { at: basis, stride: rows },
    { at: vectors, stride: rows },
    [bond, found, rows],
    slicer,
  );
  if (product !== undefined) await product;
  memory.copy(vectors, ENTRY_BYTES * bond * rows, basis);
  return { bond, total, discarded: Math.max(0, 1 - kept / total), vectors: basis };
}

/** Writes the largest singular vectors of a matrix, as many as a bond may have; gives their weight. */
async function singularRows(
  memory: TensorMemory,
  bond: number,
  at: number,
  [rows, columns]: readonly [number, number],
  chosen: number,
  slicer: TimeSlicer,
): Promise<number> {
  const turning = memory.diagonalize(at, rows, columns, slicer);
  if (turning !== undefined) await turning;
  const masses = memory.scratch('masses', 8 * rows) / 8;
  const weights = memory.doubles.slice(masses, masses + rows);
  const order = [...weights.keys()].sort((a, b) => weights[b]! - weights[a]! || a - b);
  const choice = memory.scratch('choice', 16 * bond);
  const scales = choice + 8 * bond;
  const numbers = new Uint32Array(memory.doubles.buffer, choice, bond);
  const { doubles } = memory;
  let kept = 0;
  for (let i = 0; i < bond; i++) {
    const weight = weights[order[i]!]!;
    numbers[i] = order[i]!;
    doubles[scales / 8 + i] = 1 / Math.sqrt(weight);
    kept += weight;
  }
  memory.kernels.pickRows(at, columns, choice, scales, bond, chosen);
  return kept;
}

/** Writes as many orthonormal rows as a bond may have, by one more orthogonalisation; returns their weight. */
async function pivotedRows(
  memory: TensorMemory,
  bond: number,
  at: number,
  [rows, columns]: readonly [number, number],
  chosen: number,
  slicer: TimeSlicer,
): Promise<number> {
  const finding = memory.orthogonalize(at, rows, columns, 0, chosen, 0, slicer, bond);
  const { total, left } = finding instanceof Promise ? await finding : finding;
  return total - left;
}
