/**
 * Writes runs of one-qubit gates in the gates of a set.
 *
 * A rotation about Z at the end of a run moves past operations that are diagonal on its qubit, such as a CZ
 * or the control of a CX, and joins the next run, where it usually costs nothing. Before a measurement it is
 * an unobservable phase and is dropped.
 */
import type { Circuit, Condition, Operation, Qubit } from '../../circuit/circuit.ts';
import { operationQubits } from '../../circuit/circuit.ts';
import { RZ } from '../../circuit/gate-matrices.ts';
import { eulerAngles } from '../../circuit/one-qubit-angles.ts';
import { targetMatrix } from '../../circuit/operation-matrix.ts';
import type { GateSet } from '../../circuit/synthesis/gate-set.ts';
import { oneQubitGates } from '../../circuit/synthesis/one-qubit-gates.ts';
import { adjoint, type ComplexMatrix, multiply } from '../../math/complex-matrix.ts';
import { Z_AXIS } from '../passes/gate-facts.ts';
import { axesOf, type GateLike } from '../passes/gate-like.ts';

/** Sines below this are rounding errors. */
const NEGLIGIBLE = 1e-12;
const HALF = Math.PI / 2;

/** Writes the one-qubit gates of a circuit in the set's gates and keeps all other operations. */
export function writeOneQubitRuns(circuit: Circuit, set: GateSet): Circuit {
  const writer = new Writer(circuit, set);
  for (const operation of circuit.operations) writer.add(operation);
  return { ...circuit, operations: writer.finish() };
}

class Writer {
  readonly #set: GateSet;
  /** Product of each qubit's gates since the last one written. */
  readonly #runs: (ComplexMatrix | undefined)[];
  readonly #written: Operation[] = [];

  constructor({ numQubits }: Circuit, set: GateSet) {
    this.#set = set;
    this.#runs = new Array<ComplexMatrix | undefined>(numQubits).fill(undefined);
  }

  add(operation: Operation): void {
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
        this.#addGate(operation);
        return;
      case 'measure':
        for (const qubit of operation.qubits) {
          if (operation.condition === undefined) this.#settleBeforeMeasurement(qubit);
          else this.#settle(qubit);
        }
        break;
      case 'reset':
      case 'barrier':
        for (const qubit of operation.qubits) this.#settle(qubit);
        break;
    }
    this.#written.push(operation);
  }

  finish(): readonly Operation[] {
    for (const qubit of this.#runs.keys()) this.#settle(qubit);
    return this.#written;
  }

  #addGate(operation: GateLike): void {
    const qubits = operationQubits(operation);
    const [qubit] = qubits;
    if (qubit !== undefined && qubits.length === 1 && operation.condition === undefined) {
      const run = this.#runs[qubit];
      const matrix = targetMatrix(operation);
      this.#runs[qubit] = run === undefined ? matrix : multiply(matrix, run);
      return;
    }
    const axes = axesOf(operation);
    for (const [i, each] of qubits.entries()) {
      const isDiagonal = operation.condition === undefined && (axes[i]! & Z_AXIS) !== 0;
      this.#settleBefore(each, isDiagonal);
    }
    if (qubit !== undefined && qubits.length === 1) {
      this.#write(qubit, targetMatrix(operation), operation.condition);
      return;
    }
    this.#written.push(operation);
  }

  /** Writes a run before an operation, except for a rotation about Z that is cheaper after it. */
  #settleBefore(qubit: Qubit, isDiagonal: boolean): void {
    const run = this.#runs[qubit];
    if (run === undefined) return;
    const angle = turnLeftOver(run, this.#set);
    const rest = multiply(adjoint(RZ(angle)), run);
    if (!isDiagonal || this.#lengthOf(rest) >= this.#lengthOf(run)) {
      this.#settle(qubit);
      return;
    }
    this.#write(qubit, rest, undefined);
    this.#runs[qubit] = RZ(angle);
  }

  /**
   * Writes a run before a measurement, without its final rotation about Z, which only adds a phase to each
   * outcome.
   */
  #settleBeforeMeasurement(qubit: Qubit): void {
    const run = this.#runs[qubit];
    if (run === undefined) return;
    this.#runs[qubit] = undefined;
    const rest = multiply(adjoint(RZ(turnLeftOver(run, this.#set))), run);
    // A fixed gate may be shorter with its rotation than without.
    this.#write(qubit, this.#lengthOf(rest) <= this.#lengthOf(run) ? rest : run, undefined);
  }

  #lengthOf(matrix: ComplexMatrix): number {
    return oneQubitGates(matrix, this.#set).gates.length;
  }

  #settle(qubit: Qubit): void {
    const run = this.#runs[qubit];
    if (run === undefined) return;
    this.#runs[qubit] = undefined;
    this.#write(qubit, run, undefined);
  }

  #write(qubit: Qubit, matrix: ComplexMatrix, condition: Condition | undefined): void {
    for (const { gate, angles } of oneQubitGates(matrix, this.#set).gates) {
      const operation = { kind: 'gate', gate, controls: [], targets: [qubit], angles } as const;
      this.#written.push(condition === undefined ? operation : { ...operation, condition });
    }
  }
}

/** Angle of the final RZ of a run in the set's basis. The run may be shorter without it. */
function turnLeftOver(matrix: ComplexMatrix, set: GateSet): number {
  const { basis } = set;
  const { theta, phi, lambda } = eulerAngles(matrix);
  if (Math.abs(Math.sin(theta / 2)) < NEGLIGIBLE) return phi + lambda;
  if (typeof basis !== 'string') {
    const last = oneQubitGates(matrix, set).gates.at(-1);
    return last?.gate === 'RZ' || last?.gate === 'P' ? last.angles[0]! : phi;
  }
  switch (basis) {
    case 'u':
    case 'u2':
    case 'xyx':
    case 'zyz':
      return phi;
    case 'zxz':
      return phi + HALF;
    // RZ(φ)·RY(θ)·RZ(λ) = RZ(φ + λ)·PRX(θ, π/2 − λ).
    case 'prx':
      return phi + lambda;
    case 'zsx':
      if (Math.abs(theta - Math.PI) < NEGLIGIBLE) return 0;
      return phi + (Math.abs(theta - HALF) < NEGLIGIBLE ? HALF : Math.PI);
  }
}
