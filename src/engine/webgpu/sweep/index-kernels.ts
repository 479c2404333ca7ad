/** Kernels on the bits of an index, some qubits being constants. */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { Kernel } from '../../../compiler/program.ts';

/** Kernels whose targets and controls are index bits, and their pool. */
export interface IndexKernels {
  readonly kernels: readonly Kernel[];
  readonly matrices: Float64Array;
}

/**
 * The same kernels on index bits.
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
  const isConstant = (qubit: Qubit) => bitOf[qubit] === undefined;
  const bits = (qubits: readonly Qubit[]) => qubits.flatMap((qubit) => bitOf[qubit] ?? []);
  const added: number[] = [];
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
    const offset = (matrices.length + added.length) / 2;
    for (const entry of entriesWhere(targets, isConstant, isOne)) {
      added.push(
        matrices[2 * (kernel.offset + entry)]!,
        matrices[2 * (kernel.offset + entry) + 1]!,
      );
    }
    restricted.push({ kind: 'diagonal', ...common, offset });
  }
  if (added.length === 0) return { kernels: restricted, matrices };
  const pool = new Float64Array(matrices.length + added.length);
  pool.set(matrices);
  pool.set(added, matrices.length);
  return { kernels: restricted, matrices: pool };
}

/** The entries of a diagonal in which constant targets have their values, ascending. */
function entriesWhere(
  targets: readonly Qubit[],
  isConstant: (qubit: Qubit) => boolean,
  isOne: (qubit: Qubit) => boolean,
): readonly number[] {
  const agrees = (entry: number) =>
    targets.every((qubit, i) => !isConstant(qubit) || ((entry >> i) & 1) === Number(isOne(qubit)));
  return Array.from({ length: 2 ** targets.length }, (_, entry) => entry).filter(agrees);
}
