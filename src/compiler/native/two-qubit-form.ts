/**
 * Rewrites a circuit into gates on at most two qubits, as couplers of a device and routing need.
 *
 * Global phases are dropped, including those of a conditional branch, which are unobservable.
 *
 * @see Barenco et al., "Elementary gates for quantum computation", Phys. Rev. A 52, 3457 (1995); Nielsen &
 *   Chuang, figure 4.9, for the Toffoli gate by six CX.
 */
import {
  type Circuit,
  type GateOperation,
  type Operation,
  operationQubits,
  type Qubit,
  type UnitaryOperation,
} from '../../circuit/circuit.ts';
import { H, RZ, X } from '../../circuit/gate-matrices.ts';
import {
  controlledGates,
  type ElementaryGate,
  twoLevelGates,
} from '../../circuit/multi-control.ts';
import { targetMatrix } from '../../circuit/operation-matrix.ts';
import {
  adjoint,
  type ComplexMatrix,
  identity,
  maxAbsDifference,
  multiply,
} from '../../math/complex-matrix.ts';
import { type Conditioned, conditionOf, type GateLike } from '../passes/gate-like.ts';

/** Matrices closer than this are equal. */
const SAME = 1e-12;
const EIGHTH = RZ(Math.PI / 4);
const EIGHTH_BACK = adjoint(EIGHTH);

/** Returns the circuit with wider gates decomposed. */
export function twoQubitForm(circuit: Circuit): Circuit {
  const all = Array.from({ length: circuit.numQubits }, (_, qubit) => qubit);
  return {
    ...circuit,
    operations: circuit.operations.flatMap((operation) => decomposed(operation, all)),
  };
}

function decomposed(operation: Operation, all: readonly Qubit[]): readonly Operation[] {
  if (operation.kind !== 'gate' && operation.kind !== 'unitary') return [operation];
  const qubits = operationQubits(operation);
  if (qubits.length === 0) return [];
  const { controls, targets } = operation;
  const condition = conditionOf(operation);
  if (targets.length === 0) {
    // A phase where all controls are 1 is a phase gate on one of them.
    const phase = Float64Array.from([1, 0, 0, 0, 0, 0, ...targetMatrix(operation)]);
    return controlled(phase, controls.slice(0, -1), controls.at(-1)!, all, condition);
  }
  if (qubits.length <= 2) return [operation];
  const matrix = targetMatrix(operation);
  if (targets.length === 1) return controlled(matrix, controls, targets[0]!, all, condition);
  if (operation.kind === 'gate' && operation.gate === 'CSWAP') {
    // A SWAP is three CX, of which only the middle one needs the controls.
    const [first = 0, second = 0] = targets;
    const outer = cx(second, first, condition);
    return [outer, ...controlled(X(), [...controls, first], second, all, condition), outer];
  }
  return twoLevelGates(matrix).flatMap((gate) => {
    const own = gate.controls.map(({ position }) => targets[position]!);
    const flips = gate.controls
      .filter(({ value }) => value === 0)
      .map(({ position }) => one(X(), targets[position]!, condition));
    const target = targets[gate.target]!;
    return [
      ...flips,
      ...controlled(gate.matrix, [...controls, ...own], target, all, condition),
      ...flips,
    ];
  });
}

/** Decomposes a one-qubit matrix with any number of controls. */
function controlled(
  matrix: ComplexMatrix,
  controls: readonly Qubit[],
  target: Qubit,
  all: readonly Qubit[],
  condition: Conditioned,
): readonly GateLike[] {
  if (controls.length <= 1) {
    return [{ kind: 'unitary', controls, targets: [target], matrix, ...condition }];
  }
  const used = new Set([...controls, target]);
  const spare = all.filter((qubit) => !used.has(qubit));
  // A reflection is an X in another basis, and X is the cheapest to control.
  const side = maxAbsDifference(matrix, X()) < SAME ? undefined : sideOfX(matrix);
  const turn = side === undefined ? [] : [one(side, target, condition)];
  const inner = side === undefined ? matrix : X();
  return [
    ...turn,
    ...controlledGates(inner, controls, target, spare).flatMap((gate) =>
      elementary(gate, condition),
    ),
    ...turn,
  ];
}

/**
 * Reflection W with W·X·W equal to the matrix, if the matrix is a reflection with determinant −1; not for X.
 */
function sideOfX(matrix: ComplexMatrix): ComplexMatrix | undefined {
  const trace = Math.hypot(matrix[0]! + matrix[6]!, matrix[1]! + matrix[7]!);
  const isOwnInverse = maxAbsDifference(multiply(matrix, matrix), identity(2)) < SAME;
  if (trace > SAME || !isOwnInverse) return undefined;
  // W = (X + R)/√(2 + 2x), where x is R's component along X. Undefined for R = −X, where any axis would do.
  const x = matrix[2]!;
  if (x < -1 + SAME) return undefined;
  const scale = 1 / Math.sqrt(2 + 2 * x);
  const flip = X();
  return matrix.map((part, i) => scale * (part + flip[i]!));
}

function elementary(gate: ElementaryGate, condition: Conditioned): readonly GateLike[] {
  const { controls, target } = gate;
  if (gate.kind === 'any') {
    return [{ kind: 'unitary', controls, targets: [target], matrix: gate.matrix, ...condition }];
  }
  const [first, second] = controls;
  if (first === undefined) return [one(X(), target, condition)];
  if (second === undefined) return [cx(first, target, condition)];
  return toffoli(first, second, target, condition);
}

/** Decomposes a Toffoli gate into six CX. */
function toffoli(a: Qubit, b: Qubit, target: Qubit, condition: Conditioned): readonly GateLike[] {
  const h = one(H(), target, condition);
  const t = (qubit: Qubit) => one(EIGHTH, qubit, condition);
  const back = (qubit: Qubit) => one(EIGHTH_BACK, qubit, condition);
  const x = (control: Qubit, onto: Qubit) => cx(control, onto, condition);
  return [
    h,
    x(b, target),
    back(target),
    x(a, target),
    t(target),
    x(b, target),
    back(target),
    x(a, target),
    t(b),
    t(target),
    h,
    x(a, b),
    t(a),
    back(b),
    x(a, b),
  ];
}

function cx(control: Qubit, target: Qubit, condition: Conditioned): GateOperation {
  return {
    kind: 'gate',
    gate: 'CX',
    controls: [control],
    targets: [target],
    angles: [],
    ...condition,
  };
}

function one(matrix: ComplexMatrix, target: Qubit, condition: Conditioned): UnitaryOperation {
  return { kind: 'unitary', controls: [], targets: [target], matrix, ...condition };
}
