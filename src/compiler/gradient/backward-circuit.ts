/** The circuit that takes back two states at once, with probes in it. */
import {
  type Circuit,
  type Operation,
  operationQubits,
  type Qubit,
} from '../../circuit/circuit.ts';
import { inverseGate } from '../../circuit/operation-matrix.ts';
import { multiply } from '../../math/complex-matrix.ts';
import { ACTS_DIAGONALLY, ACTS_GENERALLY } from '../block.ts';
import { pairProduct } from '../pair-form.ts';
import { adjointOf, derivedUnitary, productSource } from '../parametric.ts';
import { type GateLike, matrixOf } from '../passes/gate-like.ts';
import type { ProbeSums } from '../program.ts';
import { type PlannedRun, partsOf } from './probed-runs.ts';

/** A run, and the numbers of its sums. */
export interface SummedRun {
  readonly run: PlannedRun;
  /** Number of its first sum for flips, and of that for signs. */
  readonly firstFlip: number;
  readonly firstSign: number;
}

/** The backward circuit, and the sums of its probes. */
export interface BackwardCircuit {
  readonly circuit: Circuit;
  readonly runs: readonly SummedRun[];
  readonly numSums: number;
  /** Qubits that are |0⟩ again at its end, where it takes back all of a circuit that began with |0…0⟩. */
  readonly returned: readonly Qubit[];
}

/**
 * Inverts a circuit at generic angles.
 *
 * @param ancilla - A qubit above all others, if there is to be one; those in between are idle.
 */
export function backwardCircuit(
  { operations, numQubits: ownQubits }: Circuit,
  ancilla: Qubit | undefined,
  isWanted: (parameter: number) => boolean,
): BackwardCircuit {
  const out: Operation[] = [];
  const runs: SummedRun[] = [];
  let numSums = 0;
  for (const part of partsOf(operations, isWanted).toReversed()) {
    if (part.kind !== 'run') {
      out.push(inverseOf(part));
      continue;
    }
    const { members, point, flips, signs } = part;
    const firstFlip = numSums;
    const firstSign = firstFlip + 2 * flips.length;
    numSums = firstSign + signs.length;
    runs.push({ run: part, firstFlip, firstSign });
    addInverse(out, part, members.slice(point));
    // Diagonal probes come first: they wait only for gates that are not diagonal.
    if (signs.length > 0) {
      out.push(probeOf(part, ancilla, { first: firstSign, flips: [], signs }));
    }
    if (flips.length > 0) out.push(probeOf(part, ancilla, { first: firstFlip, flips, signs: [] }));
    addInverse(out, part, members.slice(0, point));
  }
  const { operations: kept, dropped } = observed(out);
  const numQubits = ancilla === undefined ? ownQubits : ancilla + 1;
  const returned = Array.from({ length: numQubits }, (_, qubit) => qubit).filter(
    (qubit) => qubit !== ancilla && !dropped.has(qubit),
  );
  const circuit = { numQubits, numBits: 0, operations: kept };
  return { circuit, runs, numSums, returned };
}

function probeOf(
  { qubits, controls }: PlannedRun,
  ancilla: Qubit | undefined,
  sums: Probe['sums'],
): Probe {
  return {
    kind: 'barrier',
    qubits: [...controls, ...qubits],
    targets: qubits,
    controls,
    ancilla,
    sums,
    actions: qubits.map((_, i) => actionOf(sums, i)),
  };
}

/** Action of a probe on a target: operations with the same action there change none of its sums. */
function actionOf({ flips }: Probe['sums'], target: number): number {
  const bit = 1 << target;
  const isKept = flips.every(({ row, column }) => ((row ^ column) & bit) === 0);
  return isKept ? ACTS_DIAGONALLY : ACTS_GENERALLY;
}

/** Appends the inverse of some neighbouring members of a run. */
function addInverse(
  out: Operation[],
  { qubits, controls }: PlannedRun,
  members: readonly GateLike[],
): void {
  const [first] = members;
  if (first === undefined) return;
  // Controls that a run has in common are no part of a product on its qubits.
  if (members.length === 1 || controls.length > 0) {
    for (const member of members.toReversed()) out.push(inverseOf(member));
    return;
  }
  const source = productSource(members, qubits);
  const matrix =
    qubits.length === 1
      ? members.map(matrixOf).reduce((product, next) => multiply(next, product))
      : pairProduct(members, qubits[0]!);
  out.push(adjointOf(derivedUnitary(matrix, qubits, source)));
}

function inverseOf(operation: GateLike): GateLike {
  if (operation.kind === 'unitary' || 'slots' in operation) return adjointOf(operation);
  return inverseGate(operation);
}

/**
 * Leaves out operations that no probe comes after, but for single gates at the beginning of the circuit: with these,
 * their qubits are |0⟩ again.
 */
function observed(operations: readonly Operation[]): {
  readonly operations: readonly Operation[];
  /** Qubits of operations that were left out. */
  readonly dropped: ReadonlySet<Qubit>;
} {
  const live = new Set<Qubit>();
  const dropped = new Set<Qubit>();
  const kept: Operation[] = [];
  for (const operation of operations.toReversed()) {
    const qubits = operationQubits(operation);
    const isObserved = operation.kind === 'barrier' || qubits.some((qubit) => live.has(qubit));
    if (isObserved) for (const qubit of qubits) live.add(qubit);
    if (isObserved || (qubits.length === 1 && !dropped.has(qubits[0]!))) kept.push(operation);
    else for (const qubit of qubits) dropped.add(qubit);
  }
  return { operations: kept.reverse(), dropped };
}

/**
 * A probe on qubits of a circuit: a barrier at which the sums of `program.ts` are taken. Passes that do not know probes
 * keep operations on its qubits from moving across.
 */
export interface Probe extends Extract<Operation, { readonly kind: 'barrier' }> {
  readonly targets: readonly Qubit[];
  readonly controls: readonly Qubit[];
  /** Absent where sums are taken from two states. */
  readonly ancilla: Qubit | undefined;
  readonly sums: ProbeSums;
  /** Action on each target, as of a block: operations with the same action may be applied before or after. */
  readonly actions: readonly number[];
}

/** Whether a barrier is a probe. */
export function isProbe(operation: Operation): operation is Probe {
  return 'ancilla' in operation;
}
