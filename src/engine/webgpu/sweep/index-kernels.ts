/** Rewrites kernels on qubits into kernels on index bits, some qubits being constants. */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { Kernel } from '../../../compiler/program.ts';
import type { MatrixPool } from '../../matrix-pool.ts';

/** Kernels whose targets and controls are index bits, and their matrices. */
export interface IndexKernels {
  readonly kernels: readonly Kernel[];
  readonly pool: MatrixPool;
}

/** A program's matrices, to which reduced diagonals can be appended. */
export class GrowingMatrices {
  readonly #pool: MatrixPool;
  /** Places of the entries that were appended, in complex numbers. */
  readonly #added: number[] = [];

  constructor(pool: MatrixPool) {
    this.#pool = pool;
  }

  /**
   * Appends copies of entries.
   *
   * @param places - Indices of the program's entries, in complex numbers.
   * @returns Index of the first copy, in complex numbers.
   */
  add(places: readonly number[]): number {
    const offset = this.#pool.matrices.length / 2 + this.#added.length;
    this.#added.push(...places);
    return offset;
  }

  /** The matrices, the program's own first. */
  grown(): MatrixPool {
    const { matrices, trace } = this.#pool;
    const added = this.#added;
    if (added.length === 0) return this.#pool;
    const all = new Float64Array(matrices.length + 2 * added.length);
    all.set(matrices);
    for (const [i, place] of added.entries()) {
      all.set(matrices.subarray(2 * place, 2 * place + 2), matrices.length + 2 * i);
    }
    if (trace === undefined) return { matrices: all };
    const ofAdded = added.map((place) => trace.origins[place]!);
    const origins = Int32Array.from([...trace.origins, ...ofAdded]);
    return { matrices: all, trace: { ...trace, origins } };
  }
}

/**
 * Rewrites kernels.
 *
 * @param bitOf - Index bit of each qubit; undefined for a constant.
 * @param isOne - Whether a constant qubit is 1.
 */
export function onIndexBits(
  kernels: readonly Kernel[],
  pool: MatrixPool,
  bitOf: readonly (number | undefined)[],
  isOne: (qubit: Qubit) => boolean,
): IndexKernels {
  const grown = new GrowingMatrices(pool);
  const restricted = restrictedKernels(kernels, grown, bitOf, isOne);
  return { kernels: restricted, pool: grown.grown() };
}

/** Rewrites kernels, appending reduced diagonals to the matrices. */
export function restrictedKernels(
  kernels: readonly Kernel[],
  grown: GrowingMatrices,
  bitOf: readonly (number | undefined)[],
  isOne: (qubit: Qubit) => boolean,
): readonly Kernel[] {
  const isConstant = (qubit: Qubit) => bitOf[qubit] === undefined;
  const bits = (qubits: readonly Qubit[]) => qubits.flatMap((qubit) => bitOf[qubit] ?? []);
  const restricted: Kernel[] = [];
  for (const kernel of kernels) {
    const { targets, controls } = kernel;
    if (controls.some((control) => isConstant(control) && !isOne(control))) continue;
    const common = { targets: bits(targets), controls: bits(controls) };
    if (!targets.some(isConstant)) {
      restricted.push({ ...kernel, ...common });
      continue;
    }
    if (kernel.kind !== 'diagonal') throw new Error(`unreachable: a ${kernel.kind} on a constant`);
    const left = entriesWhere(targets, isConstant, isOne);
    const offset = grown.add(left.map((entry) => kernel.offset + entry));
    restricted.push({ kind: 'diagonal', ...common, offset });
  }
  return restricted;
}

/** Indices of a diagonal's entries that agree with the constant targets, ascending. */
function entriesWhere(
  targets: readonly Qubit[],
  isConstant: (qubit: Qubit) => boolean,
  isOne: (qubit: Qubit) => boolean,
): readonly number[] {
  const agrees = (entry: number) =>
    targets.every((qubit, i) => !isConstant(qubit) || ((entry >> i) & 1) === Number(isOne(qubit)));
  return Array.from({ length: 2 ** targets.length }, (_, entry) => entry).filter(agrees);
}
