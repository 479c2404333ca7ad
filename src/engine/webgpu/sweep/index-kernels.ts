/** Rewrites kernels on qubits into kernels on index bits, some qubits being constants. */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { Kernel } from '../../../compiler/program.ts';

/** Kernels whose targets and controls are index bits, and their matrices. */
export interface IndexKernels {
  readonly kernels: readonly Kernel[];
  readonly matrices: Float64Array;
}

/** A program's matrices, to which reduced diagonals can be appended. */
export class GrowingMatrices {
  readonly #matrices: Float64Array;
  readonly #added: number[] = [];

  constructor(matrices: Float64Array) {
    this.#matrices = matrices;
  }

  /**
   * Appends copies of entries.
   *
   * @param places - Indices of the entries so far, in complex numbers.
   * @returns Index of the first copy, in complex numbers.
   */
  add(places: readonly number[]): number {
    const offset = (this.#matrices.length + this.#added.length) / 2;
    for (const place of places) {
      this.#added.push(this.#matrices[2 * place]!, this.#matrices[2 * place + 1]!);
    }
    return offset;
  }

  /** Interleaved re, im. */
  entries(): Float64Array {
    if (this.#added.length === 0) return this.#matrices;
    const grown = new Float64Array(this.#matrices.length + this.#added.length);
    grown.set(this.#matrices);
    grown.set(this.#added, this.#matrices.length);
    return grown;
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
  matrices: Float64Array,
  bitOf: readonly (number | undefined)[],
  isOne: (qubit: Qubit) => boolean,
): IndexKernels {
  const grown = new GrowingMatrices(matrices);
  const restricted = restrictedKernels(kernels, grown, bitOf, isOne);
  return { kernels: restricted, matrices: grown.entries() };
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
