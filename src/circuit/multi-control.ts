/**
 * Decomposes one-qubit gates with many controls into gates with at most one, CX and CCX, without further
 * qubits.
 *
 * Other qubits of the circuit serve as "dirty" ancillas: they may be in any state, and it is restored.
 *
 * @see Barenco et al., "Elementary gates for quantum computation", Phys. Rev. A 52, 3457 (1995): lemmas 7.2
 *   and 7.3 (X), 7.5 (any gate).
 */
import { adjoint, type ComplexMatrix, maxAbsDifference } from '../math/complex-matrix.ts';
import type { Qubit } from './circuit.ts';
import { principalPower } from './unitary-power.ts';

/** X with up to two controls, or any one-qubit gate with at most one control. */
export type ElementaryGate =
  | { readonly kind: 'x'; readonly controls: readonly Qubit[]; readonly target: Qubit }
  | {
      readonly kind: 'any';
      readonly controls: readonly Qubit[];
      readonly target: Qubit;
      readonly matrix: ComplexMatrix;
    };

/**
 * Returns gates that apply `matrix` to `target` where all controls are 1.
 *
 * @param spare - Other qubits; more of them make the result shorter.
 */
export function controlledGates(
  matrix: ComplexMatrix,
  controls: readonly Qubit[],
  target: Qubit,
  spare: readonly Qubit[],
): readonly ElementaryGate[] {
  if (controls.length <= 1) {
    return [{ kind: 'any', controls, target, matrix }];
  }
  if (maxAbsDifference(matrix, X) === 0) return controlledX(controls, target, spare);
  return byRoot(matrix, controls, target, spare);
}

/** Decomposes with the matrix's square root under the last control, which the others flip and restore. */
function byRoot(
  matrix: ComplexMatrix,
  controls: readonly Qubit[],
  target: Qubit,
  spare: readonly Qubit[],
): readonly ElementaryGate[] {
  const root = principalPower(matrix, 0.5);
  const rest = controls.slice(0, -1);
  const last = controls.at(-1)!;
  const flip = controlledX(rest, last, [...spare, target]);
  return [
    { kind: 'any', controls: [last], target, matrix: root },
    ...flip,
    { kind: 'any', controls: [last], target, matrix: adjoint(root) },
    ...flip,
    ...controlledGates(root, rest, target, [...spare, last]),
  ];
}

const X: ComplexMatrix = Float64Array.from([0, 0, 1, 0, 1, 0, 0, 0]);

function controlledX(
  controls: readonly Qubit[],
  target: Qubit,
  spare: readonly Qubit[],
): readonly ElementaryGate[] {
  if (controls.length <= 2) return [{ kind: 'x', controls, target }];
  if (spare.length >= controls.length - 2) return ladder(controls, target, spare);
  const ancilla = spare[0];
  if (ancilla === undefined) return byRoot(X, controls, target, spare);
  const half = Math.ceil(controls.length / 2);
  const [first, second] = [controls.slice(0, half), controls.slice(half)];
  const onAncilla = controlledX(first, ancilla, [...second, target]);
  const onTarget = controlledX([...second, ancilla], target, first);
  return [...onAncilla, ...onTarget, ...onAncilla, ...onTarget];
}

/** A ladder of Toffoli gates over ancillas, down and up, twice. */
function ladder(
  controls: readonly Qubit[],
  target: Qubit,
  spare: readonly Qubit[],
): readonly ElementaryGate[] {
  const n = controls.length;
  const rungs: ElementaryGate[] = [];
  for (let i = n - 1; i >= 2; i--) {
    const onto = i === n - 1 ? target : spare[i - 1]!;
    rungs.push({ kind: 'x', controls: [controls[i]!, spare[i - 2]!], target: onto });
  }
  const [top, ...lower] = rungs;
  const foot: ElementaryGate = {
    kind: 'x',
    controls: [controls[0]!, controls[1]!],
    target: spare[0]!,
  };
  const valley = [...lower, foot, ...lower.toReversed()];
  return [top!, ...valley, top!, ...valley];
}
